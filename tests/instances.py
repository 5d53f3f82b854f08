"""Random instances, with their half-spaces written out independently of the package."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

import logts
from logts.experiments import instances as field
from logts.tools.algebra import Array

KINDS = ("best", "epsilon", "top", "threshold", "control", "ranking")


@dataclass(frozen=True)
class Instance:
    arms: logts.Arms
    x: Array
    theta: Array
    problem: logts.Problem
    normals: Array
    offsets: Array

    @property
    def margins(self) -> Array:
        return self.normals @ self.theta - self.offsets


def soare(d: int, angle: float = 0.3) -> Array:
    """The basis, and an arm close to its first vector."""
    return field.soare(d, angle)


def make(kind: str, d: int, count: int, own_items: bool, seed: int) -> Instance:
    """An instance whose margins are not absurdly small, so that reference solvers can be trusted too."""
    rng = np.random.default_rng(seed)
    count = max(count, d)
    while True:
        x = rng.normal(size=(count, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        theta = rng.normal(size=d)
        theta *= rng.uniform(0.3, 3.0) / np.linalg.norm(theta)
        z = rng.normal(size=(rng.integers(3, 15), d)) if own_items else x
        problem, normals, offsets = pose(kind, z, theta, rng)
        margins = normals @ theta - offsets
        if (margins > 0.02 * np.linalg.norm(normals, axis=1)).all():
            break
        count = max(5, d, count - 1)  # crowded items leave no gaps; thin them out
    arms = logts.Arms(x, items=z if own_items else None)
    return Instance(arms, x, theta, problem, normals, offsets)


def pose(kind: str, z: Array, theta: Array, rng: np.random.Generator) -> tuple[logts.Problem, Array, Array]:
    scores = z @ theta
    order = np.argsort(-scores)
    best = order[0]
    n = len(z)
    others = order[1:]
    if kind in ("best", "epsilon"):
        epsilon = 0.0 if kind == "best" else float(rng.uniform(0.05, 0.3))
        return logts.BestArm(epsilon), z[best] - z[others], np.full(n - 1, -epsilon)
    if kind == "top":
        m = int(rng.integers(1, min(4, n - 1) + 1))
        pairs = [(i, k) for i in order[:m] for k in order[m:]]
        return logts.TopM(m), np.array([z[i] - z[k] for i, k in pairs]), np.zeros(len(pairs))
    if kind == "threshold":
        logit = float(rng.normal() * 0.5)
        sign = np.where(scores > logit, 1.0, -1.0)
        return logts.Threshold(1 / (1 + np.exp(-logit))), sign[:, None] * z, sign * logit
    if kind == "control":
        control = int(rng.integers(n))
        rest = np.delete(np.arange(n), control)
        sign = np.where(scores[rest] > scores[control], 1.0, -1.0)
        return logts.VersusControl(control), sign[:, None] * (z[rest] - z[control]), np.zeros(n - 1)
    return logts.Ranking(), z[order[:-1]] - z[order[1:]], np.zeros(n - 1)


instances = st.builds(
    make,
    kind=st.sampled_from(KINDS),
    d=st.integers(2, 8),
    count=st.integers(5, 60),
    own_items=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)


def world(bent: float) -> tuple[logts.Arms, Array]:
    """Twelve arms in two features; ``bent`` adds to two rates what no straight logit explains."""
    x = np.array([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
    logits = x @ [-0.5, 0.4, 0.3]
    logits[5] += bent
    logits[11] -= bent
    return logts.Arms(x), expit(logits)
