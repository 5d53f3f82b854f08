"""``logts tell``: the outcomes of trials that were asked for."""

import re

import click

from logts.cli.commands import COMMANDS
from logts.cli.outcomes import read_outcome, study_and_rest
from logts.cli.studies import STUDY_NAME, show_briefly
from logts.study import Study

EXAMPLES = """\b
Examples:
  logts tell 17 yes
  logts tell studies.db 17=yes 18=no 21=lost

An outcome that will never come is lost: tell it, because later outcomes wait for it. This assumes that
outcomes get lost by chance. If a silence means no, tell no.
"""


@COMMANDS.enter("tell", place=24)
@click.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True, metavar="[STUDY] ID yes|no|lost ...")
@STUDY_NAME
@click.option("--json", "as_json", is_flag=True, help="Print how the study stands as JSON, for machines.")
def tell(words: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """Tell the outcomes of trials by their ids, as `logts ask` gave them.

    An outcome is yes or no (y, n, 1, 0, true, false), or lost. To repeat one is harmless; another one for the
    same trial is refused.
    """
    study, rest = study_and_rest(words, lambda word: re.fullmatch(r"\d+(=.*)?", word) is not None)
    told = _pairs(rest)
    with Study.open(study, name) as found:
        before = found.verdict
        known = [number for number, outcome in told if outcome is not None]
        if known:
            found.tell(known, [outcome for _, outcome in told if outcome is not None])
        lost = [number for number, outcome in told if outcome is None]
        if lost:
            found.abandon(lost, "lost")
        if before is not None:
            click.echo("The study was decided before: this is kept and does not count.", err=True)
        show_briefly(found, as_json)


def _pairs(words: list[str]) -> list[tuple[int, bool | None]]:
    """Ids and outcomes, written ``17 yes`` or ``17=yes``."""
    pairs = []
    rest = iter(words)
    for word in rest:
        number, equals, outcome = word.partition("=")
        if not equals:
            outcome = next(rest, "")
        if not number.isdecimal() or not outcome:
            raise click.UsageError(f"give an id and its outcome, such as 17 yes or 17=yes; got {word!r}")
        pairs.append((int(number), read_outcome(outcome)))
    if not pairs:
        raise click.UsageError("give an id and its outcome, such as 17 yes")
    return pairs
