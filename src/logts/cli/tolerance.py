"""A tolerance, in logits or in percentage points: what does not matter to a question."""

import functools
import re
from typing import Any

import click

from logts.cli.choices import Text
from logts.problems.speech import flags


def tolerant() -> str:
    """The flags of questions with a tolerance."""
    return ", ".join(flag.name for flag in flags() if flag.epsilon)


# Parsing looks options up by identity: each is made once.
@functools.cache
def tolerances(users: str) -> list[click.Option]:
    """The options that give it."""
    logits = f"A difference in logits that does not matter ({users})."
    points = (
        "The same in percentage points, such as 3pt. It becomes 4 x 0.03 logits: the logit changes at least "
        "four times as fast as the rate, so the answer is within 3 points whatever the rates are."
    )
    return [
        click.Option(["--epsilon"], type=float, default=0.0, help=logits),
        click.Option(["--within"], type=Points(), metavar="POINTS", help=points),
    ]


class Points(Text):
    """Percentage points, such as ``3pt``, as a difference of rates."""

    name = "points"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(pts?|pp|points?)?\s*", str(value))
        if found is None:
            self.fail(f"{value!r} is no number of percentage points: give for instance 3pt", param, ctx)
        number = float(found[1])
        if found[2] is None:
            meant = number if number >= 1.0 else 100.0 * number
            self.fail(f"say that these are percentage points: did you mean {meant:g}pt?", param, ctx)
        if not 0.0 < number < 100.0:
            self.fail(f"percentage points lie strictly between 0 and 100; got {value}", param, ctx)
        return number / 100.0


def read_tolerance(ctx: click.Context) -> float:
    """In logits; what gives it is taken out of the parameters.

    As ``logit' = 1 / (p (1 - p)) >= 4``, rates that differ by w have logits that differ by 4 w at the least.
    So an answer whose logit is within 4 w of another one's has a rate within w of it.
    """
    logits = float(ctx.params.pop("epsilon"))
    rates = ctx.params.pop("within")
    if logits and rates is not None:
        raise click.UsageError("--epsilon and --within say the same in other units: give one of them", ctx)
    return logits if rates is None else 4.0 * float(rates)
