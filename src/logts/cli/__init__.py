"""The command line: ``logts``, one file for each command."""

import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line, or say what it needs. Ctrl-C ends it with exit code 130, at any moment."""
    try:
        import click

        from logts.cli.app import app
    except ImportError as error:
        sys.exit(f"{error.name} is missing. The command line needs: pip install 'logts[cli]'")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    try:
        sys.exit(app(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
