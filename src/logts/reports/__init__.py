"""A study put into words, pictures, tables and a page."""
