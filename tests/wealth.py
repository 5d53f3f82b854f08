"""Wealth written out from its derivation, in plain NumPy, and its least over half-spaces by SciPy."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

from logts.alternatives import HalfSpaces
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.tools.algebra import Array


class Account(NamedTuple):
    """All that M is made of; in logarithms the capital of the forecast with its score, and the cash."""

    points: Array
    trials: Array
    successes: Array
    forecast: float
    cash: float
    constants: Array  # bets, one a row
    slopes: Array
    shifts: Array
    low: Array
    high: Array
    since: tuple[Array, Array, Array]  # trials, successes and scores since the bets were opened


def gain(account: Account, shift: Array, z: Array, *, minorant: bool = True) -> tuple[float, Array]:
    """F at the logits of the arms and its derivatives, or of the convex function below it; term by term."""
    n, r, q = account.since
    h = account.points @ shift
    size = np.abs(h)
    up = h > 0.0
    b = np.where(up, account.low, -account.high) - size
    w = 1.0 - (1.0 - np.exp(-size)) * expit(-b)
    # A shift downward is one upward with outcomes exchanged.
    s = np.where(up, z, -z)
    wins = np.where(up, r, n - r)
    at = np.maximum(s, b) if minorant else s
    value = wins * (w * (s + size) - s) + (1.0 - w) * q
    value -= n * (w * np.logaddexp(0.0, at + size) - np.logaddexp(0.0, at))
    slope = (w - 1.0) * wins - np.where(at == s, n * (w * expit(at + size) - expit(at)), 0.0)
    return float(value.sum()), np.where(up, slope, -slope)


def log_wealth(at: Array, account: Account) -> tuple[float, Array]:
    """Log M, and its gradient."""
    z = account.points @ at
    n, r = account.trials, account.successes
    terms = [account.cash, account.forecast - float(r @ log_expit(z) + (n - r) @ log_expit(-z))]
    gradients = [np.zeros(len(at)), (n * expit(z) - r) @ account.points]
    for a, g, shift in zip(account.constants, account.slopes, account.shifts, strict=True):
        value, pull = gain(account, shift, z)
        terms.append(a + g @ at + value)
        gradients.append(g + pull @ account.points)
    total = float(logsumexp(terms))
    return total, np.exp(np.array(terms) - total) @ np.array(gradients)


def least(account: Account, y: Array, c: float, starts: Iterable[Array]) -> float:
    """The least log M found over ``y.lambda <= c``."""
    inside = {"type": "ineq", "fun": lambda v: c - y @ v, "jac": lambda v: -y}
    along = np.linalg.svd(y[None])[2][1:]
    found = []
    for start in starts:
        on = start - y * (y @ start - c) / (y @ y)  # on the boundary
        options = {"ftol": 1e-14, "maxiter": 300}
        one = minimize(
            log_wealth, on, (account,), jac=True, constraints=inside, method="SLSQP", options=options
        )

        def moved(v: Array, on: Array = on) -> tuple[float, Array]:
            value, gradient = log_wealth(on + v @ along, account)
            return value, along @ gradient

        other = minimize(moved, np.zeros(len(along)), jac=True, method="BFGS", options={"gtol": 1e-9})
        kept = one.x - y * max(0.0, y @ one.x - c) / (y @ y)  # what rounding put outside goes back
        found += [log_wealth(kept, account)[0], other.fun]
    return float(min(found))


def accounts(points: Array, wealth: Wealth, tally: Tally, half_spaces: HalfSpaces) -> list[Account]:
    """For each half-space what serves there: its own account, or of the shared one the bets on it."""
    out = []
    for y, c, about in zip(half_spaces.normals, half_spaces.offsets, half_spaces.about, strict=True):
        if half_spaces.apart:
            rows = [j for j, k in enumerate(wealth.accounts) if k == about[-1]]
            cash = wealth.cash[rows[0]] if rows else wealth.saved
        else:
            own = zip(wealth.normals, wealth.offsets, strict=True)
            rows = [j for j, (u, b) in enumerate(own) if b == c and np.array_equal(u, y)]
            cash = wealth.cash[0] if len(wealth.cash) else wealth.saved
        assert len(rows) <= 1
        out.append(account_of(points, wealth, tally, rows, cash))
    return out


def account_of(points: Array, wealth: Wealth, tally: Tally, rows: list[int], cash: float) -> Account:
    """These rows of the bets, as one account."""
    before = wealth.opened
    d = points.shape[1]
    return Account(
        points,
        tally.trials,
        tally.successes,
        wealth.forecast + float(tally.scores.sum()),
        float(cash),
        wealth.constants[rows].ravel(),
        wealth.slopes[rows].reshape(-1, d),
        wealth.shifts[rows].reshape(-1, d),
        wealth.low,
        wealth.high,
        (
            tally.trials - before.trials,
            tally.successes - before.successes,
            tally.scores - before.scores,
        ),
    )


def whole(points: Array, wealth: Wealth, tally: Tally, best: int, *, apart: bool) -> Account:
    """All that counts at a parameter at which an item is best."""
    rows = [j for j, k in enumerate(wealth.accounts) if k == best or not apart]
    cash = wealth.cash[rows[0]] if rows else wealth.saved
    return account_of(points, wealth, tally, rows, cash)
