"""Track-and-stop for Gaussian outcomes with variances plugged in, as a gateway ran it in production.

**No proof**, and wrong far more often than delta where rates are near 0 or 1: for comparison only.

From the public program of TensorZero, a gateway for language models (its module ``track_and_stop``): ten
trials of every arm in turn; then, with sample means and variances as if they were the truth, L the arm with
the largest mean (of several, the one with the smallest variance per trial),

    Z = min_{i != L} (mean_L - mean_i)^2 / (2 (var_L / n_L + var_i / n_i));

it stops when ``Z > log((1 + log t) / delta)``, and draws arms until then by the weights that maximise Z for
a given number of trials, at least 1e-6 each. Variances are at least 1e-12. Features are not used.

Why it errs: ten trials of an arm with rate .95 are all successes six times in ten. Its variance is then 1e-12
and its mean 1, its optimal weight next to nothing, and it is not tried again. What happens later happens to
the other arm alone. If the lucky arm is the worse one, the verdict is wrong, however long the study goes on.

Left out: the program's pull of the weights towards even ones, a hundredth over sqrt(t), and its limit of
10,000 trials for an arm. Guesses: variances divide by n - 1; means and weights are renewed when t has grown
by a hundredth, where the program does it every five minutes.
"""

import math

import numpy as np

from logts.arms import Arms
from logts.judge import Verdict
from logts.policies.base import POLICIES
from logts.policies.staged import Found, Staged
from logts.problems import BestArm, Problem
from logts.tools.algebra import Array

FIRST = 10  # trials of every arm
LEAST_VARIANCE = 1e-12
LEAST_WEIGHT = 1e-6
LEAST_GAP = 1e-3
GROWTH = 0.01


@POLICIES.enter("gaussian-plug-in")
class GaussianPlugIn(Staged):
    """Gaussian track-and-stop with plug-in variances: unproven, a warning.

    Parameters
    ----------
    arms, problem
        What can be tried, and ``BestArm()``; the items must be the arms.
    delta
        The probability of a wrong answer that it means to keep, and does not.
    max_trials
        Stop there at the latest, with a guess.
    rng
        Seed or generator for the draws of arms.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green"])
    >>> rates = logts.Rates([0.2, 0.8])
    >>> run = logts.simulate("gaussian-plug-in", arms, rates, logts.BestArm(), runs=1, rng=0)[0]
    >>> run.answer, run.proven
    ('best: green', False)
    """

    rule = "gaussian-plug-in"
    assumes = "nothing that would make it a guarantee: neither threshold nor variances have a proof"

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        *,
        delta: float = 0.05,
        max_trials: int | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        if not (isinstance(problem, BestArm) and problem.epsilon == 0.0):
            raise ValueError(f"Gaussian plug-in answers BestArm() with epsilon = 0; got {problem!r}")
        if not arms.own_items:
            raise ValueError(
                "Gaussian plug-in answers BestArm() about the arms themselves; got items that are not arms"
            )
        self._rng = np.random.default_rng(rng)
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)

    def first_plan(self) -> Array:
        """Every arm ten times.

        Returns
        -------
        Array
            Trials of each arm.
        """
        return np.full(len(self.arms), float(FIRST))

    def conclude(self) -> Verdict | None:
        n = self._tally.trials
        means, variances = self._moments()
        leader = lead(means, variances / n)
        z = float(np.delete(ratios(means, variances / n, leader), leader).min())
        if z > math.log((1.0 + math.log(n.sum())) / self.delta):
            reason = f"Z = {z:.2f} exceeds log((1 + log t) / delta)"
            return self._decide(((leader,), means), 1.0 - self.delta, reason, proven=False)
        plan = self._rng.multinomial(max(1, int(GROWTH * n.sum())), optimal(means, variances, leader))
        self._begin(plan.astype(float))
        return None

    def guess(self) -> Found:
        n = self._tally.trials
        means = self._tally.successes / np.maximum(n, 1.0)
        return (int(np.argmax(means)),), means

    def _moments(self) -> tuple[Array, Array]:
        n = self._tally.trials
        means = self._tally.successes / n
        return means, np.maximum(means * (1.0 - means) * n / (n - 1.0), LEAST_VARIANCE)


def lead(means: Array, errors: Array) -> int:
    """The arm with the largest mean; of several, the one with the smallest squared standard error."""
    best = np.flatnonzero(means.max() - means < 1e-10)
    return int(best[np.argmin(errors[best])])


def ratios(means: Array, errors: Array, leader: int) -> Array:
    """``(mean_L - mean_i)^2 / (2 (error_L + error_i))`` for squared standard errors."""
    return np.asarray((means[leader] - means) ** 2 / (2.0 * (errors[leader] + errors)))


def optimal(means: Array, variances: Array, leader: int) -> Array:
    """The weights w that maximise ``min_i gap_i^2 / (var_L / w_L + var_i / w_i)``.

    Let every ratio be one, so that ``n_i = var_i / (gap_i^2 - u)`` with ``u = var_L / n_L``: what is left is
    to make the sum of n smallest. Its derivative vanishes where ``sum_i var_i u^2 / (var_L (gap_i^2 -
    u)^2)``, which grows from 0 to infinity below the smallest ``gap_i^2``, is one.
    """
    from scipy.optimize import brentq

    others = np.delete(np.arange(len(means)), leader)
    gaps = np.maximum(means[leader] - means[others], LEAST_GAP) ** 2
    shares = variances[others] / variances[leader]
    least = gaps.min()

    def excess(logit: float) -> float:
        """The logarithm of that sum at ``u = least / (1 + e^-logit)``."""
        odds = math.exp(logit)
        ahead = (gaps - least) * (1.0 + odds) / least + 1.0  # (gap^2 - u) (1 + odds) / least
        return 2.0 * logit + math.log((shares / ahead**2).sum())

    odds = math.exp(brentq(excess, -50.0, 50.0))
    u = least * odds / (1.0 + odds)
    n = np.empty(len(means))
    n[leader] = variances[leader] / u
    n[others] = variances[others] / ((gaps - least) + least / (1.0 + odds))
    w = np.maximum(n / n.sum(), LEAST_WEIGHT)
    return np.asarray(w / w.sum())
