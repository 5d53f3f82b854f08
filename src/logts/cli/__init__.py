"""The command line: ``logts``, one file for each command."""

import sys


def main() -> None:
    """Run the command line, or say what it needs."""
    try:
        from logts.cli.app import app
    except ImportError as error:
        sys.exit(f"{error.name} is missing. The command line needs: pip install 'logts[cli]'")
    app()
