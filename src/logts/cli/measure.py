"""What makes the trials of a study, a command or a person: written down, and the same until its end."""

from typing import Any

import click

from logts.cli.alike import outcomes_of
from logts.cli.trial_command import TrialCommand
from logts.reports.command_words import command_in_words
from logts.study import Study

PERSON = {"by": "a person"}


def measured_with(study: Study, command: TrialCommand | None, *, same: bool) -> None:
    """Note what makes the trials, None for a person. Another command than before is refused.

    Unless it is said to be the ``same``, which then stays so; or there is no outcome yet: what does not work
    may be mended.
    """
    if command is not None and command.warning and len(study.arms) > 1:
        click.echo(command.warning, err=True)
    now: dict[str, Any] = PERSON if command is None else command.described
    known = study.notes.get("command", {})
    if now in known.values():
        return
    if not known or not (outcomes_of(study) or _went_on(study)):
        study.note("command", {"1": now})
        return
    if not same:
        before = "".join(f"\n  {command_in_words(said)}" for said in known.values())
        raise click.ClickException(
            f"the outcomes of {study.name!r} so far were made by{before}\nand this is another command:\n"
            f"  {command_in_words(now)}\nGive this one another --name; or say --same, if it measures the same"
        )
    study.note("command", {str(len(known) + 1): now})


def _went_on(study: Study) -> bool:
    """Whether it has outcomes of an earlier study."""
    return any(event["kind"] == "inherited" for event in study.events())
