"""What commands about studies share: where a study is kept, what it is called, and how it stands."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from logts.cli.escapes import shown
from logts.cli.files import unless_taken
from logts.reports.screen import study_screen
from logts.reports.words import question
from logts.study import Study
from logts.study.facts import facts, held_up

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT = "logts.db"
UNDECIDED = 3


def _names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Names of studies, for the shell to complete."""
    try:
        names = Study.list(ctx.params.get("study") or DEFAULT)
        return [name for name in names if name.startswith(incomplete)]
    except Exception:
        return []


STUDY_NAME = click.option(
    "--name", shell_complete=_names, help="Which study, if the file or database holds several."
)


def which_study(command: F) -> F:
    """The argument and the option that say which study is meant."""
    where = click.argument("study", default=DEFAULT, metavar="[STUDY]", type=str)
    return where(STUDY_NAME(command))


def waiting_in_words(study: Study) -> str:
    """What is still out, and what waits for it; empty if nothing is, or it no longer matters."""
    waiting = study.waiting
    leased = int((waiting.until > time.time()).sum())
    if study.verdict is not None or not waiting:
        return ""
    still = f"{_counted(leased, 'trial')} out. " if leased else ""
    held = held_up(study)
    if not held:
        return still.strip()
    first = waiting.trials[0].id
    how = f"tell its outcome, or that it is lost (logts tell {first} lost)"
    if waiting.until[0] <= time.time():
        how = f"its lease is over, so logts ask or run gives it out again; or {how}"
    return f"{still}{_counted(held, 'outcome')} not counted yet, because of trial {first} before: {how}."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what} is" if number == 1 else f"{number:,} {what}s are"


def show(study: Study, as_json: bool) -> None:
    """Print how a study stands, for people or machines."""
    if as_json:
        click.echo(json.dumps(facts(study)))
        return
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(study_screen(study.standing(), shown(f"{study.name}: {describe(study)}")))
    said = study.summary() if study.verdict is not None else study.summary().splitlines()[0]
    for text in (said, waiting_in_words(study)):
        if text:
            console.print(f"\n{text}", highlight=False, markup=False, soft_wrap=not sys.stdout.isatty())


def show_briefly(study: Study, as_json: bool) -> None:
    """Print how a study stands in some lines."""
    if as_json:
        click.echo(json.dumps(facts(study)))
        return
    for text in (study.summary(), waiting_in_words(study)):
        if text:
            click.echo(text)


def describe(study: Study) -> str:
    """The question in words."""
    return question(study.problem, study.arms.items.names)


def exit_code(study: Study) -> int:
    """0 for a proven verdict, 3 while there is none."""
    verdict = study.verdict
    return 0 if verdict is not None and verdict.proven else UNDECIDED


def target(out: Path | None, study: Study, ending: str, force: bool) -> Path:
    """The file to write, by default called like the study; a file of others is not overwritten."""
    plain = "".join(letter if letter.isalnum() or letter in "-_ " else "_" for letter in study.name)
    return unless_taken(out if out is not None else Path(f"{plain[:100]}{ending}"), force)
