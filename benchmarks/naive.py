"""Log-TS as its pseudo-code reads: at every step fit, design and statistic from the whole history, anew.

What ``benchmarks/speed.py`` holds the package against, beside ``plain.py``, whose pieces it uses. It keeps
every outcome as a row, forgets weights and estimates from step to step, and tests every half-space.
"""

from collections.abc import Iterator

import numpy as np

import plain
from plain import Array, Data


def steps(features: Array, rates: Array, rng: np.random.Generator) -> Iterator[float]:
    """One trial after the other without end; yields ``Z(t)``, zero while there is no estimate."""
    points = np.sqrt(len(features)) * np.linalg.svd(features, full_matrices=False)[0]
    tracking = plain.Tracking(points)
    rows: list[Array] = []
    outcomes: list[float] = []
    while True:
        arm = tracking.next()
        rows.append(points[arm])
        outcomes.append(float(rng.random() < rates[arm]))
        history = Data(np.array(rows), np.ones(len(rows)), np.array(outcomes))
        theta = history.maximum(np.zeros(points.shape[1]))
        if theta is None:
            yield 0.0
            continue
        design = plain.Design(points)
        design.learn(theta)
        tracking.follow(design.weights)
        normals = plain.rivals(points, int((points @ theta).argmax()))
        widths = np.einsum("jd,dj->j", normals, np.linalg.solve(history.information(theta), normals.T))
        yield float(((normals @ theta) ** 2 / (2.0 * widths)).min())
