"""Very many options: what is left out changes nothing."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from logts import Arms, BestArm, LogTS
from logts.alternatives import NOBODY, Compared
from logts.alternatives.vicinity import Vicinity
from logts.evidence.least import Centre, Seen
from logts.evidence.screening import surely_more
from logts.logistic import maximum_likelihood
from logts.logistic.fit import information_factor
from logts.logistic.newton import reach
from logts.tools.algebra import Array
from logts.tools.tall import equal_rows
from tests.wealth import Account, least


def compared(rng: np.random.Generator, items: int, d: int) -> tuple[Compared, Array, Array]:
    """Items against one another and against numbers, with normals and offsets, for a parameter e_1."""
    points = rng.normal(size=(items, d))
    points[0, 0] = 4.0
    first, second = np.zeros(items, dtype=int), np.arange(items)
    second[1::7] = NOBODY
    first[1::7] = np.arange(items)[1::7]
    signs = np.where(second == NOBODY, np.where(points[first, 0] > 0.1, 1.0, -1.0), 1.0)
    offsets = np.where(second == NOBODY, 0.1 * signs, rng.choice([0.0, -0.2], items))
    normals = signs[:, None] * (
        points[first] - np.where(second == NOBODY, 0.0, 1.0)[:, None] * points[second]
    )
    kept = normals.any(axis=1)
    return Compared(points, first, second, signs, offsets, apart=False), normals[kept], offsets[kept]


def test_what_was_near_once_is_found_near_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parameter and a metric that move, at first much: always the same as by a look at all half-spaces."""
    passes = 0
    everything = Compared._all_distances

    def counted(self: Compared, theta: Array, factor: Array) -> Array:
        nonlocal passes
        passes += 1
        return everything(self, theta, factor)

    monkeypatch.setattr(Compared, "_all_distances", counted)
    rng = np.random.default_rng(0)
    asked = 0
    for d in (2, 4):
        alternatives, normals, offsets = compared(rng, 9_000, d)
        assert len(alternatives) == len(normals)
        information = np.eye(d)
        for step in range(1, 40):
            direction = rng.normal(size=d)
            information += 10.0 * step * np.outer(direction, direction)
            theta = np.eye(d)[0] + rng.normal(size=d) / np.sqrt(1.0 + np.trace(information))
            factor = np.linalg.cholesky(information)
            widths = (np.linalg.solve(factor, normals.T) ** 2).sum(axis=0)
            margins = normals @ theta - offsets
            distances = 0.5 * np.maximum(margins, 0.0) ** 2 / widths
            count = int(rng.integers(1, 200))
            asked += 2
            chosen, found = alternatives.nearest(theta, factor, count)
            assert found == pytest.approx(np.sort(distances)[:count], rel=1e-9, abs=1e-12)
            assert distances[chosen] == pytest.approx(found, rel=1e-9, abs=1e-12)
            limit = float(np.quantile(distances, 0.005)) + 1e-9
            within = alternatives.within(theta, factor, limit)
            assert within.tolist() == np.flatnonzero(distances <= limit).tolist()
            assert alternatives.all_wrong_at(theta) == (margins > 0.0).all()
    assert 0 < passes < asked / 2


def test_all_others_stay_as_far_as_is_claimed() -> None:
    """Parameters that move towards one of the others, and metrics that shrink: the claim is nearly met."""
    nearly = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 5))
        normals, theta = rng.normal(size=(300, d)), 2.0 * np.eye(d)[0]
        normals[normals[:, 0] < 0.0] *= -1.0
        root = np.linalg.cholesky(np.cov(rng.normal(size=(d, 3 * d))))

        def distances(at: Array, factor: Array, normals: Array = normals) -> Array:
            widths = (np.linalg.solve(factor, normals.T) ** 2).sum(axis=0)
            return 0.5 * np.maximum(normals @ at, 0.0) ** 2 / widths

        before = distances(theta, root)
        kept = Vicinity.of(before, theta, root, 30)
        others = np.setdiff1d(np.arange(300), kept.near)
        y = normals[others[np.argmin(before[others])]]
        towards = np.linalg.solve(root @ root.T, y)
        moved = theta - rng.uniform(0.0, 0.9) * (y @ theta) / (y @ towards) * towards
        factor = np.sqrt(rng.uniform(0.3, 2.0)) * root + np.triu(rng.normal(size=(d, d)), 1)
        least = distances(moved, np.tril(factor))[others].min()
        claimed = kept.reach(moved, factor)
        assert claimed <= least
        nearly += claimed > 0.99 * least > 0.0
    assert nearly > 100


def test_the_forecast_refutes_what_one_gradient_says_it_does() -> None:
    """Half-spaces of 60 random studies, against the least that SciPy finds."""
    told, easy = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d, arms = int(rng.integers(2, 6)), 30
        points = rng.normal(size=(arms, d))
        trials = rng.integers(0, 200, arms).astype(float)
        successes = rng.binomial(trials.astype(int), expit(points @ rng.normal(size=d) * 0.5)).astype(float)
        fit = maximum_likelihood(points, trials, successes)
        factor, _ = information_factor(points, trials, fit.theta)
        forecast = fit.log_likelihood - 5.0
        seen = Seen(points, trials, successes, trials, forecast)
        alone = forecast - fit.log_likelihood - fit.shortfall
        centre = Centre(fit.theta, factor, reach(points, trials, factor), alone)
        none = np.empty((0, d))
        account = Account(
            points, trials, successes, forecast, -np.inf, np.empty(0), none, none,
            np.zeros(arms), np.zeros(arms), (trials, successes, trials),
        )  # fmt: skip
        for _ in range(4):
            y = rng.normal(size=d)
            size = float(np.linalg.norm(np.linalg.solve(np.tril(factor), y)))
            offset = float(y @ fit.theta - rng.uniform(2.0, 7.0) * size)
            value = least(account, y, offset, [fit.theta])
            for goal in value + np.array([-4.0, -1.0, -0.3, -0.1, 0.001, 0.1, 1.0]):
                found = surely_more(seen, y, offset, centre, float(goal))
                assert not (found and goal > value)
                told += found
                easy += goal < value - 0.9
                if goal < value - 2.0:
                    assert found
    assert told > 0.8 * easy > 0


def test_equal_rows_are_found() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, size=(40_000, 4)).astype(float)
    rows[5] = -0.0
    rows[7] = 0.0
    groups = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    found = equal_rows(rows)
    assert len(np.unique(found)) == len(np.unique(groups)) == 81
    assert len(np.unique(np.column_stack([found, groups]), axis=0)) == 81


def test_a_study_of_very_many_arms_goes_as_if_nothing_were_kept_in_mind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same trials and the same verdict as with a pass over all half-spaces each time."""

    def study() -> Any:
        rng = np.random.default_rng(3)
        points = rng.normal(size=(6_000, 4))
        points /= np.linalg.norm(points, axis=1)[:, None]
        points[points[:, 0] > 0.6] *= 0.6
        points[11] = (1.0, 0.0, 0.0, 0.0)
        rates = expit(3.0 * points[:, 0])
        policy = LogTS(Arms(points), BestArm(), delta=0.1, guard=False)
        while policy.verdict is None:
            asked = policy.ask(policy.block)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        return policy.counts.tolist(), policy.verdict.answer, policy.verdict.confidence

    counts, answer, confidence = study()
    monkeypatch.setattr("logts.alternatives.vicinity.Vicinity.reach", lambda *_: 0.0)
    monkeypatch.setattr("logts.alternatives.compared.NEAR", 10**9)
    plain = study()
    assert answer.items == (11,)
    assert plain[0] == counts
    assert plain[1:] == (answer, pytest.approx(confidence, abs=1e-9))
