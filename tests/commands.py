"""Commands as typed, in this process; and the table of options that most of them are about."""

from pathlib import Path

from click.testing import CliRunner, Result

from logts.cli.app import app

# What the ``folder`` fixture writes into options.csv.
OPTIONS = """name,works,note
red,no,it's
green,yes,"a, b"
blue,no,$(touch bad)
"""
NAMED = ("--names", "name", "--formula", "~ name")
RUN = ("run", "options.csv", *NAMED)


def call(*words: str, answers: str | None = None) -> Result:
    """Run a command, however it ends."""
    return CliRunner().invoke(app, list(words), input=answers)


def typed(*words: str, fails: bool = False, answers: str | None = None) -> Result:
    """Run a command that ends well, or that fails with a sentence."""
    result = call(*words, answers=answers)
    assert (result.exit_code != 0) == fails, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def alive(process: int) -> bool:
    """Whether it runs; one that has ended but was not waited for does not count."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"
