"""``logts run``: try the options of a table with a command, or with a person, until the question is settled."""

import signal
import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live

from logts.arms import Arms
from logts.cli import INTERRUPTED
from logts.cli.commands import Command
from logts.cli.inputs import TABLE, Asking, arms_options, read_arms, read_table
from logts.cli.live import study_screen
from logts.cli.studies import DEFAULT, describe, exit_code, tell
from logts.cli.work import Crew, release_of_the_dead
from logts.journal import JournalError, TakenError
from logts.problems import Problem
from logts.study import Study, Trial, events

ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
EXAMPLES = """\b
Examples:
  logts run options.csv --delta 0.05 -- ./try.sh {prompt} {temperature}
  logts run flags.csv --top 3 -j 4 --budget 2000 -- make -C src test FLAGS={flags}
  logts run prompts.csv --names prompt --ask
  logts run pages.csv --beat control --shell -- 'curl -s {url} | grep -q OK'

The command says yes with exit code 0 and no with exit code 1. Anything else is an error: the trial is tried again, then given
up and reported, and never counted as a no. Ctrl-C stops; the same command goes on. Exit code: 0 if decided, 3 if not.
"""


@click.command(cls=Asking, epilog=EXAMPLES, context_settings={"allow_interspersed_args": True})
@TABLE
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND")
@arms_options
@click.option("--delta", type=float, default=0.05, show_default=True, help="Permitted probability of a wrong answer.")
@click.option("--study", default=DEFAULT, show_default=True, help="The file, or postgresql://... database, that keeps the study.")
@click.option("--name", help="Its name there. By default that of the table.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at a time.")
@click.option("--budget", type=click.IntRange(1), help="Stop after so many trials, decided or not; a larger one goes on.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=600.0, show_default=True, help="Seconds for a trial.")
@click.option("--retries", type=click.IntRange(0), default=2, show_default=True, help="Tries again after an error.")
@click.option("--shell", is_flag=True, help="Let a shell run the command; values are quoted for it.")
@click.option("--ask", "by_hand", is_flag=True, help="Ask a person, y or n, instead of running a command.")
@click.option("--guard/--no-guard", default=True, show_default=True, help="Watch whether the model fits.")
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as JSON, for machines.")
def run(
    table: Path,
    command: tuple[str, ...],
    formula: str | None,
    names: str | None,
    problem: Problem,
    delta: float,
    study: str,
    name: str | None,
    jobs: int,
    budget: int | None,
    timeout: float,
    retries: int,
    shell: bool,
    by_hand: bool,
    guard: bool,
    as_json: bool,
) -> None:
    """Try the options of a table, one row each, until the question is settled.

    COMMAND is run for each trial with the columns of the option in place of {column}, without a shell. What is to be tried next,
    and when to stop, follows from the outcomes so far. Everything is kept in a file as it happens.
    """
    rows, written = read_table(table), read_table(table, as_text=True)
    arms = read_arms(rows, formula, names, aside=[], written=written)
    if by_hand and command:
        raise click.UsageError("--ask runs no command: leave it out")
    if not by_hand and not command:
        raise click.UsageError("say what to run, after --; or --ask a person")
    columns = [str(column) for column in rows.columns]
    made = None if by_hand else Command(command, columns, shell=shell, timeout=timeout)
    found = open_or_create(study, name or table.stem, arms, problem, delta, guard)
    with found:
        if made is None:
            go_on = ask_a_person(found, budget, quiet=as_json)
        else:
            crew = Crew(found, made, jobs=jobs, retries=retries, budget=budget, timeout=timeout)
            go_on = watch(crew, as_json)
        tell(found, as_json)
        if not as_json and found.verdict is None:
            again = "the same command goes on" if go_on else "a larger --budget goes on"
            click.echo(f"Kept in {found.where} as {found.name!r}: {again}.")
        raise SystemExit(INTERRUPTED if go_on and made is not None else exit_code(found))


def open_or_create(url: str, name: str, arms: Arms, problem: Problem, delta: float, guard: bool) -> Study:
    """The study of this name, if it is the same one; otherwise a new one."""
    try:
        known = name in Study.list(url)
    except (ValueError, JournalError):  # nothing there yet; should it be something else, creation says so
        known = False
    if not known:
        try:
            return Study.create(url, name, arms=arms, problem=problem, delta=delta, guard=guard)
        except TakenError:  # somebody was quicker
            pass
    study = Study.open(url, name)
    asked: dict[str, Any] = {"arms": events.write_arms(arms), "problem": events.write_problem(problem), "delta": delta}
    asked["guard"] = guard
    kept = study.created | {"guard": study.created["settings"].get("guard", True)}
    differs = [part for part, value in asked.items() if kept[part] != value]
    if differs:
        what = {"arms": "other options", "problem": "another question", "delta": "another delta", "guard": "another --guard"}
        raise click.ClickException(
            f"{study.where} holds a study called {name!r} with {' and '.join(what[part] for part in differs)}: "
            f"give this one another --name, or repeat the command that began it"
        )
    return study


def watch(crew: Crew, quiet: bool) -> bool:
    """Show how the study goes until it ends; True if it was interrupted."""
    console, title = Console(stderr=quiet), f"{crew.study.name}: {describe(crew.study)}"
    interrupted = False
    old = {number: signal.signal(number, _as_interrupt) for number in ENDS}
    try:
        crew.start()
        with Live(console=console, auto_refresh=False, transient=True) as screen:
            pause, told = 0.25, time.monotonic()
            while crew.busy:
                time.sleep(pause)
                if not console.is_terminal and time.monotonic() > told + 60.0:
                    told = time.monotonic()
                    click.echo(crew.study.summary(), err=True)
                if console.is_terminal and crew.busy:
                    begin = time.perf_counter()
                    screen.update(study_screen(crew.study, title, pace=crew.pace, notes=crew.troubles[-3:]), refresh=True)
                    pause = max(0.25, 4 * (time.perf_counter() - begin))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        crew.stop()
        for number, handler in old.items():
            signal.signal(number, handler)
    for trouble in crew.troubles if not console.is_terminal else crew.troubles[-3:]:
        click.echo(trouble, err=True)
    if crew.failure is not None:
        raise crew.failure
    return interrupted


def _told(study: Study, trial: Trial, outcome: bool) -> None:
    try:
        study.tell(trial, outcome)
    except ValueError as error:  # the lease was over, and somebody else's answer came first
        click.echo(str(error), err=True)


def _as_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def ask_a_person(study: Study, budget: int | None, *, quiet: bool) -> bool:
    """Show one option after the other and read y or n; True if the person left."""
    release_of_the_dead(study)
    while trials := study.ask(1, up_to=budget):
        trial = trials[0]
        shown = "".join(f"\n    {column}: {value}" for column, value in trial.columns.items())
        click.echo(f"\nTrial {int(study.counts.sum()) + 1}: {trial.arm}{shown}", err=quiet)
        try:
            answer = click.prompt("yes, no, skip or quit", type=click.Choice(["y", "n", "s", "q"]), show_choices=True, err=quiet)
        except (click.Abort, KeyboardInterrupt, EOFError):
            answer = "q"
        if answer in "yn":
            _told(study, trial, answer == "y")
            click.echo(f"  confidence {study.confidence:.1%}, wanted {100 * (1 - study.delta):g}%", err=quiet)
        elif answer == "s":
            study.abandon(trial, "skipped")
        else:
            study.release(trial)
            click.echo(file=sys.stderr)
            return True
    return False
