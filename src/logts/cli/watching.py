"""A study while it runs: watched until it is decided, or made by a person who says yes or no."""

import signal
import sys
import time

import click
from rich.console import Console
from rich.live import Live

from logts.cli.studies import describe
from logts.cli.work import Crew
from logts.reports.screen import study_screen
from logts.study import Study, Trial
from logts.study.dead import release_of_the_dead
from logts.tools.interruptions import Interruptions

ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
OFTEN = 0.25  # seconds between two looks, at least
TOLD = 60.0  # seconds between two lines where there is no terminal


def watch(crew: Crew, quiet: bool) -> bool:
    """Show how the study goes until it ends; True if it was interrupted."""
    console = Console(stderr=quiet)
    with Interruptions(ENDS) as interruptions:
        try:
            crew.start()
            _look_on(crew, console, interruptions)
            interruptions.heeded = False  # nothing may come between the commands that run and their end
        except KeyboardInterrupt:
            pass  # it came
        finally:
            interruptions.heeded = False
            crew.stop()
    for trouble in crew.news() if not console.is_terminal else crew.troubles[-3:]:
        click.echo(trouble, err=True)
    if crew.failure is not None:
        raise crew.failure
    return interruptions.came


def _look_on(crew: Crew, console: Console, interruptions: Interruptions) -> None:
    """A screen in a terminal, a line now and then elsewhere."""
    title = f"{crew.study.name}: {describe(crew.study)}"
    with Live(console=console, auto_refresh=False, transient=True) as screen:
        pause = OFTEN
        told = time.monotonic()
        alarm = ""
        while crew.busy and not interruptions.came:
            time.sleep(pause)
            for trouble in crew.news() if not console.is_terminal else []:
                click.echo(trouble, err=True)
            if not console.is_terminal and not alarm and (alarm := crew.study.alarm):
                click.echo(alarm, err=True)
            if not console.is_terminal and time.monotonic() > told + TOLD:
                told = time.monotonic()
                click.echo(crew.study.summary().splitlines()[0], err=True)
            if console.is_terminal and crew.busy:
                begin = time.perf_counter()
                shown = study_screen(crew.study.standing(), title, pace=crew.pace, notes=crew.troubles[-3:])
                screen.update(shown, refresh=True)
                pause = max(OFTEN, 4 * (time.perf_counter() - begin))


def ask_a_person(study: Study, budget: int | None, *, quiet: bool) -> bool:
    """Show one option after the other and read y or n; True if the person left."""
    release_of_the_dead(study)
    alarm = ""
    while trials := study.ask(1, up_to=budget):
        trial = trials[0]
        shown = "".join(f"\n    {column}: {value}" for column, value in trial.columns.items())
        click.echo(f"\nTrial {int(study.counts.sum()) + 1}: {trial.arm}{shown}", err=quiet)
        answer = _answer(quiet)
        if answer in "yn":
            _tell(study, trial, answer == "y")
            sure = f"confidence {study.confidence:.1%}, wanted {100 * (1 - study.delta):g}%"
            click.echo(f"  {sure}", err=quiet)
            if not alarm and (alarm := study.alarm):
                click.echo(f"  {alarm}", err=quiet)
        elif answer == "s":
            study.abandon(trial, "skipped")
        else:
            study.release(trial)
            click.echo(file=sys.stderr)
            return True
    return False


def _answer(quiet: bool) -> str:
    """A letter; who goes away quits."""
    letters = click.Choice(["y", "n", "s", "q"])
    try:
        answer: str = click.prompt("yes, no, skip or quit", type=letters, show_choices=True, err=quiet)
    except (click.Abort, KeyboardInterrupt, EOFError):
        return "q"
    return answer


def _tell(study: Study, trial: Trial, outcome: bool) -> None:
    try:
        study.tell(trial, outcome)
    except ValueError as error:  # the lease was over, and somebody else's answer came first
        click.echo(str(error), err=True)
