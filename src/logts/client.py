"""A study on a server: the methods of a study, over HTTP."""
