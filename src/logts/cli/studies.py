"""What commands about studies share: where a study is kept, what it is called, and how it stands."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from logts.cli.screen import study_screen
from logts.reports.words import question
from logts.study import Study

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


def which_study(command: F) -> F:
    """The argument and the option that say which study is meant."""
    words = "Which study, if the file or database holds several."
    name = click.option("--name", shell_complete=_names, help=words)
    where = click.argument("study", default=DEFAULT, metavar="[STUDY]", type=str)
    return where(name(command))


def facts(study: Study) -> dict[str, Any]:
    """How a study stands, for machines."""
    verdict = study.verdict
    progress = study.progress
    leader = verdict.answer if verdict is not None else progress.leader
    found = {
        "study": study.name,
        "decided": verdict is not None and verdict.proven,
        "answer": leader.text if leader is not None else None,
        "options": [study.arms.items.names[i] for i in leader.items] if leader is not None else [],
        "confidence": study.confidence,
        "wanted": 1.0 - study.delta,
        "trials": verdict.trials if verdict is not None else int(study.counts.sum()),
        "expected_remaining": 0.0 if verdict is not None else progress.remaining,
        "abandoned": study.abandoned,
        "waiting": len(study.waiting),
        "rates": [
            {"option": rate.name, "low": rate.low, "rate": rate.estimate, "high": rate.high}
            for rate in study.rates()
        ],
    }
    if verdict is not None:
        kept = ("basis", "rule", "reason", "assumes", "proven", "confidence_without_model")
        found |= {name: getattr(verdict, name) for name in kept}
    return found


def show(study: Study, as_json: bool) -> None:
    """Print how a study stands, for people or machines."""
    if as_json:
        click.echo(json.dumps(facts(study)))
        return
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(study_screen(study, f"{study.name}: {describe(study)}"))
    console.print(f"\n{study.summary()}", highlight=False, markup=False, soft_wrap=not sys.stdout.isatty())


def describe(study: Study) -> str:
    """The question in words."""
    return question(study.problem, study.arms.items.names)


def exit_code(study: Study) -> int:
    """0 for a proven verdict, 3 while there is none."""
    verdict = study.verdict
    return 0 if verdict is not None and verdict.proven else UNDECIDED


def target(out: Path | None, study: Study, ending: str) -> Path:
    """The file to write, by default called like the study."""
    plain = "".join(letter if letter.isalnum() or letter in "-_ " else "_" for letter in study.name)
    return out if out is not None else Path(f"{plain[:100]}{ending}")
