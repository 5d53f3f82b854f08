"""``logts run``: try the options of a table, with a command or a person, until the question is settled."""

import click

from logts.cli import INTERRUPTED
from logts.cli.answers import answers_options, read_answers
from logts.cli.beginning import beginning_options, open_or_create, went_on
from logts.cli.commands import COMMANDS
from logts.cli.inputs import Asking, arms_options, table_or_grid
from logts.cli.measure import measured_with
from logts.cli.studies import exit_code, show
from logts.cli.trial_command import TrialCommand
from logts.cli.watching import ask_a_person, watch
from logts.cli.work import Crew
from logts.problems import Problem
from logts.reports.words import question
from logts.tables import Choice, Rows, read_options

EXAMPLES = """\b
Examples:
  logts run options.csv --delta 0.05 -- ./try.sh {prompt} {temperature}
  logts run flags.csv --additive --dry-run
  logts run flags.csv --top 3 -j 4 --budget 2000 -- make -C src test FLAGS={flags}
  logts run prompts.csv --names prompt --ask
  logts run --grid cache=on,off --grid threads=1,2,4 --additive -- ./try.sh {cache} {threads}
  logts run drafts.csv --names draft --pairwise --rank -- ./which_is_better.sh {first} {second}
  logts run pages.csv --beat control --shell -- 'curl -s {url} | grep -q OK'

The command says yes with exit code 0 and no with exit code 1. Anything else is an error: the trial is tried
again, then given up and reported, and never counted as a no. So is a 1 from a command that broke, with a
Python traceback or "command not found" on stderr, unless you give --no 1. Ctrl-C stops; the same command
goes on. Exit code: 0 if decided, 3 if not.
"""


@COMMANDS.enter("run", place=20)
@click.command(cls=Asking, epilog=EXAMPLES, context_settings={"allow_interspersed_args": True})
@table_or_grid
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND")
@arms_options
@beginning_options
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at a time.")
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="Stop after so many trials, decided or not; a larger one goes on.",
)
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
@click.option("--same", is_flag=True, help="Go on with another command than before: it measures the same.")
@click.option("--shell", is_flag=True, help="Let a shell run the command; values are quoted for it.")
@click.option("--ask", "by_hand", is_flag=True, help="Ask a person, y or n, instead of running a command.")
@click.option("--dry-run", is_flag=True, help="Say what the model is, and stop there.")
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as JSON, for machines.")
def run(
    rows: Rows,
    command: tuple[str, ...],
    choice: Choice,
    problem: Problem,
    delta: float,
    study: str,
    name: str | None,
    after: str | None,
    jobs: int,
    budget: int | None,
    timeout: float,
    retries: int,
    yes: tuple[int, ...] | None,
    no: tuple[int, ...] | None,
    same: bool,
    shell: bool,
    by_hand: bool,
    guard: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Try the options of a table, one row each, until the question is settled.

    COMMAND is run for each trial with the columns of the option in place of {column}, without a shell. What
    is to be tried next, and when to stop, follows from the outcomes so far. Everything is kept in a file as
    it happens.
    """
    options = read_options(rows.values, choice, aside=[], written=rows.written)
    if by_hand and command:
        raise click.UsageError("--ask runs no command: leave it out")
    if not (by_hand or command or dry_run):
        raise click.UsageError("say what to run, after --; or --ask a person")
    columns = list(options.arms.columns[0])
    answers = read_answers(yes, no)
    made = TrialCommand(command, columns, shell=shell, timeout=timeout, answers=answers) if command else None
    if dry_run:
        click.echo(
            "\n".join([*options.words, f"{question(problem, options.arms.items.names)} Nothing was tried."])
        )
        return
    asked = {"arms": options.arms, "problem": problem, "delta": delta, "guard": guard}
    found = open_or_create(study, name or rows.name, asked, after)
    with found:
        if not found.asked:
            click.echo("\n".join([*options.words, *went_on(found)]), err=as_json)
        measured_with(found, made, same=same)
        if budget is not None and found.notes.get("budget") != {"trials": budget}:
            found.note("budget", {"trials": budget})
        if made is None:
            go_on = ask_a_person(found, budget, quiet=as_json)
        else:
            crew = Crew(found, made, jobs=jobs, retries=retries, budget=budget, timeout=timeout)
            go_on = watch(crew, as_json)
        show(found, as_json)
        if not as_json and found.verdict is None:
            again = "the same command goes on" if go_on else "a larger --budget goes on"
            click.echo(f"Kept in {found.where} as {found.name!r}: {again}.")
        raise SystemExit(INTERRUPTED if go_on and made is not None else exit_code(found))
