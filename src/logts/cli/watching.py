"""A study while it runs: watched until it is decided, or made by a person who says yes or no."""

import signal
import sys
import time

import click
from rich.console import Console
from rich.live import Live

from logts.cli.leases import release_of_the_dead
from logts.cli.screen import study_screen
from logts.cli.studies import describe
from logts.cli.work import Crew
from logts.study import Study, Trial

ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
OFTEN = 0.25  # seconds between two looks, at least
TOLD = 60.0  # seconds between two lines where there is no terminal


def watch(crew: Crew, quiet: bool) -> bool:
    """Show how the study goes until it ends; True if it was interrupted."""
    console = Console(stderr=quiet)
    interrupted = False
    old = {number: signal.signal(number, _as_interrupt) for number in ENDS}
    try:
        crew.start()
        _look_on(crew, console)
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


def _look_on(crew: Crew, console: Console) -> None:
    """A screen in a terminal, a line now and then elsewhere."""
    title = f"{crew.study.name}: {describe(crew.study)}"
    with Live(console=console, auto_refresh=False, transient=True) as screen:
        pause = OFTEN
        told = time.monotonic()
        while crew.busy:
            time.sleep(pause)
            if not console.is_terminal and time.monotonic() > told + TOLD:
                told = time.monotonic()
                click.echo(crew.study.summary(), err=True)
            if console.is_terminal and crew.busy:
                begin = time.perf_counter()
                shown = study_screen(crew.study, title, pace=crew.pace, notes=crew.troubles[-3:])
                screen.update(shown, refresh=True)
                pause = max(OFTEN, 4 * (time.perf_counter() - begin))


def _as_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def ask_a_person(study: Study, budget: int | None, *, quiet: bool) -> bool:
    """Show one option after the other and read y or n; True if the person left."""
    release_of_the_dead(study)
    while trials := study.ask(1, up_to=budget):
        trial = trials[0]
        shown = "".join(f"\n    {column}: {value}" for column, value in trial.columns.items())
        click.echo(f"\nTrial {int(study.counts.sum()) + 1}: {trial.arm}{shown}", err=quiet)
        answer = _answer(quiet)
        if answer in "yn":
            _tell(study, trial, answer == "y")
            sure = f"confidence {study.confidence:.1%}, wanted {100 * (1 - study.delta):g}%"
            click.echo(f"  {sure}", err=quiet)
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
