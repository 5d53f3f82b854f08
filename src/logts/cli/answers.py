"""What a command says with its exit code: yes, no, or nothing, because it is broken."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

YES = (0,)
NO = (1,)
# What a command that broke leaves on stderr. Interpreters and shells end with 1 then, like an honest no.
SIGNS = (
    ("a Python traceback", r"Traceback \(most recent call last\)"),
    ("a Python syntax error", r"^(SyntaxError|IndentationError|TabError): "),
    ("a missing Python module", r"python[\d.]*: No module named "),
    ("a command that was not found", r"command not found|^(\S*sh|\S+: (line )?\d+): .+: not found$"),
    ("a missing file", r"No such file or directory"),
    ("a missing permission", r"Permission denied"),
    ("an uncaught exception of Node.js", r"^Node\.js v\d"),
    ("an uncaught exception of Java", r'^Exception in thread "'),
    ("an error of R", r"^Execution halted"),
)


@dataclass(frozen=True)
class Answers:
    """Which exit codes are a yes and which a no; all others are errors.

    Attributes
    ----------
    yes, no
        The codes.
    chosen
        Whether the codes for no were chosen. Then the code alone decides; otherwise a command that seems to
        have broken has said nothing.
    """

    yes: tuple[int, ...] = YES
    no: tuple[int, ...] = NO
    chosen: bool = False

    def outcome(self, code: int) -> bool | None:
        """True for yes, False for no, None for an error, going by the code alone."""
        return True if code in self.yes else False if code in self.no else None

    def broken(self, code: int, errors: str) -> str:
        """Why what looks like a no is none: the sign of a broken command on stderr; empty if there is none.

        >>> Answers().broken(1, "sh: 1: curl: not found")
        'a command that was not found'
        """
        if self.chosen or self.outcome(code) is not False:
            return ""
        return next((what for what, sign in SIGNS if re.search(sign, errors, re.MULTILINE)), "")


def answers_options(command: F) -> F:
    """The options that say which exit codes are answers."""
    said = "Exit codes that say yes, such as 0,3. By default 0."
    yes = click.option("--yes", callback=_codes, metavar="CODES", help=said)
    said = "Exit codes that say no, whatever is on stderr. By default 1, unless the command broke."
    no = click.option("--no", callback=_codes, metavar="CODES", help=said)
    return yes(no(command))


def _codes(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Exit codes that were given, parted by commas."""
    if value is None:
        return None
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) <= 255 for part in parts):
        raise click.BadParameter(f"{value!r} are not exit codes, numbers from 0 to 255 such as 1,2")
    return tuple(sorted({int(part) for part in parts}))


def read_answers(yes: Sequence[int] | None, no: Sequence[int] | None) -> Answers:
    """The answers that were chosen; a code says one thing."""
    found = Answers(
        YES if yes is None else tuple(yes), NO if no is None else tuple(no), chosen=no is not None
    )
    for code in found.yes:
        if code in found.no:
            told = "--no" if no is not None else "--no, which is 1 unless you say otherwise"
            told = (
                "--yes, which is 0 unless you say otherwise, and --no" if yes is None else f"--yes and {told}"
            )
            raise click.UsageError(f"exit code {code} cannot say both yes and no: it is in {told}")
    return found


def listed(codes: Sequence[int]) -> str:
    """Codes as they are typed."""
    return ",".join(map(str, codes))
