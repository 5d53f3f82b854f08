"""Commands as typed, in this process."""

from click.testing import CliRunner, Result

from logts.cli.app import app


def typed(*words: str, fails: bool = False, answers: str | None = None) -> Result:
    """Run a command that ends well, or that fails with a sentence."""
    result = CliRunner().invoke(app, list(words), input=answers)
    assert (result.exit_code != 0) == fails, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result
