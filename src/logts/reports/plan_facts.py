"""A plan for machines, and its prices with a model and without one in a sentence."""

import math
from typing import Any

from logts.planning import Expected, Plan
from logts.planning.bounds import LowerBound
from logts.tables import Choice


def facts_of(found: Plan) -> dict[str, Any]:
    """The plan for machines; null stands for what is infinite."""
    free = found.bound_without_model
    return {
        "answer": found.answer,
        "delta": found.delta,
        "rates": dict(zip(found.arms.names, found.rates.tolist(), strict=True)),
        "misfit": found.misfit,
        "lower_bound": _bound(found.bound),
        "lower_bound_without_model": None if free is None else _bound(free),
        "log_ts": _policy(found.log_ts),
        "uniform": _policy(found.uniform),
        "summary": found.summary(),
    }


def prices_in_words(choice: Choice, found: Plan, other: Plan) -> list[str]:
    """What the question costs without a model and with one, side by side."""
    own, modelled = (other, found) if choice.modelled else (found, other)
    how = "with this model" if choice.formula is not None else "if the columns add up on the logit scale"
    prices = [f"on their own {_price(own)}", f"{how} {_price(modelled)}"]
    if not choice.modelled:
        prices[1] += " (--additive)"
    return [f"Prices: {'; '.join(prices)}."]


def _price(plan: Plan) -> str:
    middle = plan.log_ts.median
    if not math.isfinite(middle):
        return f"more than {plan.log_ts.limit or 0:,} trials"
    return f"about {float(f'{middle:.2g}'):,.0f} trials"


def _bound(bound: LowerBound) -> dict[str, Any]:
    return {
        "trials": _finite(bound.samples),
        "gap": bound.gap,
        "proven": bound.proven,
        "answer": str(bound.answer),
    }


def _policy(policy: Expected) -> dict[str, Any]:
    return {
        "median": _finite(policy.median),
        "median_interval": [_finite(end) for end in policy.median_interval],
        "quantile_90": _finite(policy.quantile(0.9)),
        "studies": len(policy.runs),
        "basis": policy.basis,
        "wrong": policy.wrong,
        "limit": policy.limit,
        "trials": [_finite(trials) for trials in policy.trials],
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
