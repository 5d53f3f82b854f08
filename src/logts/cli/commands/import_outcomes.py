"""``logts import``: outcomes of trials that were made elsewhere, from a table."""

from pathlib import Path

import click

from logts.cli.commands import COMMANDS
from logts.cli.outcome_table import Checked, check_table
from logts.cli.studies import DEFAULT, STUDY_NAME, show_briefly
from logts.study import Study
from logts.tables import read_table

LISTED = 20  # rows that are reported one by one
EXAMPLES = """\b
Examples:
  logts import outcomes.csv
  logts import studies.db outcomes.csv --name headlines

\b
With the columns id and outcome, rows tell the outcomes of trials that `logts ask` gave out. Without an id, as
option,outcome or option,successes,trials, they are history: no evidence, because nobody asked for those
trials before their outcomes were known. Rows without an outcome are left alone. Rows are numbered as in a
spreadsheet: the header is row 1.
"""


@COMMANDS.enter("import", place=26)
@click.command("import", epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True, metavar="[STUDY] OUTCOMES.csv")
@STUDY_NAME
@click.option(
    "--skip", is_flag=True, help="Leave out rows that cannot be used. By default nothing is taken in."
)
@click.option("--json", "as_json", is_flag=True, help="Print how the study stands as JSON, for machines.")
def import_outcomes(words: tuple[str, ...], name: str | None, skip: bool, as_json: bool) -> None:
    """Tell the outcomes in a table: all of them, or none if a row cannot be used.

    An outcome is yes or no (y, n, 1, 0, true, false), or lost if it will never be known.
    """
    if len(words) > 2:
        raise click.UsageError(f"give a study and a table of outcomes; got {' '.join(words)}")
    study, path = (DEFAULT, *words)[-2:]
    if not Path(path).is_file():
        raise click.UsageError(f"there is no file {path}")
    table = read_table(Path(path), as_text=True)
    with Study.open(study, name) as found:
        checked = check_table(table, found)
        if checked.wrong and not skip:
            bad = _several(len(checked.wrong), "row")
            advice = "Mend them, or leave them out with --skip"
            raise click.ClickException(
                f"nothing was taken in: {bad} of {path} cannot be used. {advice}.\n{_listed(checked)}"
            )
        said = _take_in(found, checked)
        if checked.wrong:
            click.echo(f"{_several(len(checked.wrong), 'row')} left out:\n{_listed(checked)}", err=True)
        click.echo(said, err=as_json)
        show_briefly(found, as_json)


def _take_in(study: Study, checked: Checked) -> str:
    """Tell what was read, and say so."""
    blank = f" {_several(checked.blank, 'row')} without an outcome left alone." if checked.blank else ""
    late = " The study was decided before, so that they do not count." if study.verdict is not None else ""
    if checked.trials is not None and checked.successes is not None:
        made = int(checked.trials.sum())
        if made:
            study.tell_history(trials=checked.trials, successes=checked.successes)
        return f"{_history(study, made)}{blank}{late}"
    if checked.told:
        study.tell(list(checked.told), list(checked.told.values()))
    if checked.lost:
        study.abandon(checked.lost, "lost")
    lost = f", {len(checked.lost):,} lost" if checked.lost else ""
    known = f", {checked.known:,} known before" if checked.known else ""
    return f"{_several(len(checked.told), 'outcome')} told{lost}{known}.{blank}{late}"


def _history(study: Study, made: int) -> str:
    """That it is no evidence, why, and what it is good for."""
    what = f"{_several(made, 'outcome')} taken in as history, which is no evidence"
    why = "nobody asked for these trials before their outcomes were known, so no proof may rest on them"
    use = "They sharpen the forecasts of the trials to come."
    if study.standing().free:
        use = "This study goes by the options' own outcomes alone, so they are kept and change nothing."
    return f"{what}: {why}. {use}"


def _several(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _listed(checked: Checked) -> str:
    more = len(checked.wrong) - LISTED
    return "\n".join(
        [f"  {line}" for line in checked.wrong[:LISTED]] + ([f"  and {more:,} more"] * (more > 0))
    )
