"""The instances of the paper's experiments, as far as it says what they are.

Unit circle: arms and theta uniform on it, drawn again until T* (quadratic) lies within 15% of a centre for
the number of arms. The paper kept "the complexity" within bounds that it does not state, and let it grow with
the number of arms. Its samples for Log-TS would follow from the unproven rule
``n = T* log((1 + log n)/delta)`` with T* near 900 at K = 100, and for thresholds with T* from 1,630 to 3,460:
those are our centres there. For the best arm T* grows like K^2, as neighbours get closer, and so do our
centres. By the same rule the paper's samples at K = 300 would need T* near 2,370, which one draw in fourteen
thousand has.

Benchmarks: "alpha small" and "p close to 1/2" are 0.1 and 0.55 here, and theta has norm one.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from logts.arms import Arms
from logts.planning.bounds import lower_bound
from logts.problems import BestArm, Problem, Threshold
from logts.tools.algebra import Array

DELTA = 0.1
ALPHA = 0.1  # the angle of the benchmarks
LEAN = 0.55  # their p
WIDTH = 0.15  # of the window around a centre, to each side
DRAWS = 100_000  # instances to draw at most


@dataclass(frozen=True)
class Instance:
    """What is asked about which arms, and the truth."""

    arms: Arms
    theta: Array
    problem: Problem

    @cached_property
    def characteristic_time(self) -> float:
        """T*, in the paper's quadratic approximation."""
        world = (self.arms, self.theta, self.problem)
        return lower_bound(*world, delta=DELTA, divergence="quadratic", tolerance=1e-3).characteristic_time

    @property
    def steepness(self) -> Array:
        """The slope ``mu'`` of every arm."""
        rates = 1.0 / (1.0 + np.exp(-(self.arms.features @ self.theta)))
        return np.asarray(rates * (1.0 - rates))


def window(centre: float) -> tuple[float, float]:
    """Bounds on T*."""
    return (1.0 - WIDTH) * centre, (1.0 + WIDTH) * centre


def by_unproven_rule(samples: float) -> float:
    """The T* at which the unproven threshold takes this number of samples."""
    return samples / math.log((1.0 + math.log(samples)) / DELTA)


def circle(count: int, problem: Problem, centre: float, rng: np.random.Generator) -> Instance:
    """Arms and theta uniform on the unit circle, drawn until T* lies in the window around the centre."""
    bounds = window(centre)
    for _ in range(DRAWS):
        angles = rng.uniform(0.0, 2.0 * math.pi, count + 1)
        points = np.column_stack([np.cos(angles), np.sin(angles)])
        found = Instance(Arms(points[1:]), points[0], problem)
        if bounds[0] <= found.characteristic_time <= bounds[1]:
            return found
    raise ValueError(f"no instance with {count} arms and T* in {bounds} was found in {DRAWS:,} draws")


def soare(d: int, alpha: float) -> Array:
    """``e_1..e_d`` and ``cos(alpha) e_1 + sin(alpha) e_2``, the arms of Soare et al. (2014), a row each."""
    basis = np.eye(d)
    return np.vstack([basis, math.cos(alpha) * basis[0] + math.sin(alpha) * basis[1]])


def best_arm_benchmark(d: int, alpha: float = ALPHA) -> Instance:
    """The arms of Soare et al. (2014), theta = e_1."""
    return Instance(Arms(soare(d, alpha)), np.eye(d)[0], BestArm())


def threshold_benchmark(d: int) -> Instance:
    """``e_1..e_d``, ``p (cos alpha, sin alpha)`` and ``(1 - p) (cos alpha, -sin alpha)``.

    The rate lies midway between those of the last two.
    """
    basis = np.eye(d)
    along = math.cos(ALPHA) * basis[0]
    across = math.sin(ALPHA) * basis[1]
    arms = Arms(np.vstack([basis, LEAN * (along + across), (1.0 - LEAN) * (along - across)]))
    above, below = (1.0 / (1.0 + math.exp(-share * math.cos(ALPHA))) for share in (LEAN, 1.0 - LEAN))
    return Instance(arms, basis[0], Threshold(0.5 * (above + below)))
