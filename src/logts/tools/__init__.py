"""Small tools that know nothing of bandits: compiling, algebra, state, tables, many processes."""
