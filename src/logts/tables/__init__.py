"""Options from a table, with the model that was chosen for them; for the command line and the server."""

from logts.tables.options import Choice, Options, other_way, read_options
from logts.tables.read import Rows, column, read_table, rows_of_file, rows_of_records, rows_of_text
from logts.tables.write import harmless, to_csv

__all__ = [
    "Choice",
    "Options",
    "Rows",
    "column",
    "harmless",
    "other_way",
    "read_options",
    "read_table",
    "rows_of_file",
    "rows_of_records",
    "rows_of_text",
    "to_csv",
]
