"""``logts gate``: does a command succeed more often than a rate? For continuous integration."""

import json
import shlex
from pathlib import Path

import click

from logts.cli import INTERRUPTED
from logts.cli.answers import answers_options, read_answers
from logts.cli.commands import COMMANDS
from logts.cli.gating import GateCrew, watch_gate
from logts.cli.options import DELTA
from logts.cli.studies import UNDECIDED
from logts.cli.tolerance import Points
from logts.cli.trial_command import TrialCommand
from logts.integrations.gate import BUDGET, Decision, Gate

PASSED, FAILED, ERROR = 0, 1, 2
CODES = {Decision.PASS: PASSED, Decision.FAIL: FAILED, Decision.UNDECIDED: UNDECIDED}
SIGNS = {Decision.PASS: "✅ passed", Decision.FAIL: "❌ failed", Decision.UNDECIDED: "⚠️ undecided"}

EXAMPLES = """\b
Examples:
  logts gate --above 0.8 -- python ask_the_model.py
  logts gate --above 0.95 --within 2pt --budget 400 -j 4 -- ./flaky_test.sh
  logts gate --above 0.9 --json --shell -- 'curl -sf https://example.org | grep -q OK'

The command says yes with exit code 0 and no with exit code 1, as for run; anything else is an error, tried
again, then given up, and never counted as a no. Exit code: 0 if the rate is proven to be above, 1 if it is
proven not to be, 3 if the budget was spent before either was proven, 2 after an error, 130 if interrupted.
"""


class GateError(click.ClickException):
    """What went wrong; not to be mistaken for a gate that failed."""

    exit_code = ERROR


@COMMANDS.enter("gate", place=25)
@click.command(epilog=EXAMPLES)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND")
@click.option("--above", type=float, required=True, metavar="RATE", help="The success rate to exceed.")
@click.option(
    "--within",
    type=Points(),
    metavar="POINTS",
    help="Percentage points that do not matter, such as 3pt: nearer to the rate than that, both are right.",
)
@DELTA
@click.option("--budget", type=click.IntRange(1), default=BUDGET, show_default=True, help="Outcomes at most.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at a time.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds for a trial.",
)
@click.option(
    "--retries", type=click.IntRange(0), default=2, show_default=True, help="Tries again after an error."
)
@answers_options
@click.option("--shell", is_flag=True, help="Let a shell run the command.")
@click.option(
    "--summary",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="GITHUB_STEP_SUMMARY",
    help="Add how it ended to this file, as Markdown. By default that of GITHUB_STEP_SUMMARY, if set.",
)
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as JSON, for machines.")
def gate(
    command: tuple[str, ...],
    above: float,
    within: float | None,
    delta: float,
    budget: int,
    jobs: int,
    timeout: float,
    retries: int,
    yes: tuple[int, ...] | None,
    no: tuple[int, ...] | None,
    shell: bool,
    summary: Path | None,
    as_json: bool,
) -> None:
    """Does a command succeed more often than a rate? It passes, fails, or is undecided.

    COMMAND is run until its success rate is proven to be above the rate or not above it, or the budget is
    spent. Looked at as often as you like, a wrong decision has at most the probability --delta.
    """
    if not command:
        raise click.UsageError("say what to run, after --: for instance  -- ./try.sh")
    try:
        asked = Gate(above, within=within or 0.0, delta=delta, budget=budget)
        answers = read_answers(yes, no)
        made = TrialCommand(command, [], shell=shell, timeout=timeout, answers=answers)
        crew = GateCrew(asked, made, jobs=jobs, retries=retries)
        interrupted = watch_gate(crew)
    except (ValueError, OSError) as error:
        raise GateError(str(error)) from error
    click.echo(json.dumps(asked.facts()) if as_json else "\n".join(in_words(crew)))
    if summary is not None:
        _add(summary, in_markdown(crew, shlex.join(command)))
    raise SystemExit(INTERRUPTED if interrupted else CODES[asked.decision])


def in_words(crew: GateCrew) -> list[str]:
    """How it ended, and what helps."""
    asked = crew.gate
    said = asked.summary()
    lines = [f"{said[0].upper()}{said[1:]}."]
    if asked.decision is Decision.UNDECIDED:
        more = "a wider --within" if asked.within else "--within 3pt, if three points do not matter"
        lines.append(f"A larger --budget may decide it; so may {more}.")
    if asked.lost:
        lines.append(f"The last trial without an outcome: {crew.trouble}.")
    if crew.last_no and asked.decision is not Decision.PASS:
        lines += ["The last no said:", *(f"  {line}" for line in crew.last_no.splitlines())]
    return lines


def in_markdown(crew: GateCrew, command: str) -> str:
    """The same as a section of Markdown."""
    asked = crew.gate
    first, *others = in_words(crew)
    code = _fenced(command)
    said = "\n".join(others)
    details = f"\n\n{_fenced(said)}" if said else ""
    return f"### Gate {SIGNS[asked.decision]}\n\n{code}\n\n{first}{details}\n\n"


def _fenced(text: str) -> str:
    """A block of code; the fence is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _add(path: Path, text: str) -> None:
    """Append; a decision is not lost because of a file that cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        click.echo(f"The summary was not written: {path}: {error.strerror}", err=True)
