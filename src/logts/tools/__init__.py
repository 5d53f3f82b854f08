"""Small tools that know nothing of bandits: compiling, dense algebra, state as JSON, tables, many processes."""
