"""The guessed world of a plan: the hardest one in which the answer is clear by an effect."""

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

import logts
from logts.alternatives import HalfSpaces
from logts.planning import world_with_effect
from logts.planning.effect import _answers, _clear_by, _level, _shortest
from logts.problems import Comparable
from logts.tools.algebra import Array

FACTORIAL = pd.DataFrame(list(product("ab", "cde", "fghi")), columns=["x", "y", "z"])
ARMS = {
    "names": logts.Arms(names=list("abcdefg")),
    "factorial": logts.Arms(FACTORIAL, "~ x + y + z"),
    "no constant": logts.Arms(np.random.default_rng(1).normal(size=(20, 4))),
    "pairs": logts.Arms.pairwise(list("abcde")),
}
QUESTIONS: list[logts.Problem] = [
    logts.BestArm(),
    logts.TopM(3),
    logts.Threshold(0.6),
    logts.VersusControl(1),
    logts.Ranking(),
]


def item_rates(arms: logts.Arms, theta: Array) -> Array:
    """Rates of the items. Of compared ones: against an average item."""
    if arms.own_items:
        return np.asarray(expit(arms.features @ theta))
    return np.asarray(expit((arms.item_features - arms.item_features.mean(axis=0)) @ theta))


def smallest_difference(problem: logts.Problem, rates: Array) -> float:
    """By brute force: the smallest difference that decides the question."""
    match problem:
        case logts.BestArm():
            return float(min(rates.max() - rate for i, rate in enumerate(rates) if i != rates.argmax()))
        case logts.TopM(m):
            order = np.argsort(-rates)
            return float(min(rates[i] - rates[k] for i in order[:m] for k in order[m:]))
        case logts.Threshold(rate):
            return float(np.abs(rates - rate).min())
        case logts.VersusControl(control):
            return float(np.delete(np.abs(rates - rates[int(control)]), int(control)).min())
        case _:
            return min(float(abs(one - other)) for one, other in combinations(rates, 2))


@pytest.mark.parametrize("effect", [0.01, 0.04])
@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
@pytest.mark.parametrize("kind", ARMS)
def test_the_answer_is_clear_by_exactly_the_effect(kind: str, problem: logts.Problem, effect: float) -> None:
    arms = ARMS[kind]
    if kind == "pairs" and isinstance(problem, logts.Threshold):
        with pytest.raises(ValueError, match="No amount of trials"):
            world_with_effect(arms, problem, effect)
        return
    if isinstance(problem, logts.Ranking) and len(arms.items) * effect > 0.5:
        return  # 24 rates that far apart leave no room
    theta = world_with_effect(arms, problem, effect)
    assert smallest_difference(problem, item_rates(arms, theta)) == pytest.approx(effect, abs=1e-9)


@pytest.mark.parametrize("base", [0.1, 0.8])
@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_rates_lie_around_the_base(problem: logts.Problem, base: float) -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], problem, 0.02, base))
    assert smallest_difference(problem, rates) == pytest.approx(0.02, abs=1e-9)
    assert rates.min() <= base + 1e-9 <= rates.max() + 2e-9


def test_by_names_alone_one_option_leads_and_the_others_are_equal() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.BestArm(), 0.05))
    best = rates.argmax()
    assert np.delete(rates, best) == pytest.approx(rates[best] - 0.05, abs=1e-9)
    assert logit(rates).mean() == pytest.approx(0.0, abs=1e-9)  # nearest to equal rates of one half


def test_every_option_is_an_effect_away_from_a_threshold() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.Threshold(0.3), 0.05))
    assert np.abs(rates - 0.3) == pytest.approx(0.05, abs=1e-9)


def test_a_ranking_fills_the_room_there_is() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.Ranking(), 0.14))
    # Equal steps in logits would reach 0.09 at most.
    assert np.diff(np.sort(rates)) == pytest.approx(0.14, abs=1e-9)


def test_items_with_equal_features_are_not_told_apart() -> None:
    arms = logts.Arms([[1, 0], [1, 0], [1, 1], [1, 1], [1, 3]])
    for problem in QUESTIONS[:1] + QUESTIONS[2:]:
        rates = item_rates(arms, world_with_effect(arms, problem, 0.03))[[0, 2, 4]]
        asked = logts.VersusControl(0) if isinstance(problem, logts.VersusControl) else problem
        assert smallest_difference(asked, rates) == pytest.approx(0.03, abs=1e-9)


@pytest.mark.parametrize("kind", ["factorial", "no constant"])
@pytest.mark.parametrize("problem", QUESTIONS[:4], ids=repr)
def test_the_hardest_answer_is_taken(kind: str, problem: logts.Problem) -> None:
    arms = ARMS[kind]
    found = logts.lower_bound(arms, world_with_effect(arms, problem, 0.03), problem).samples
    start = _level(arms.points, 0.6 if isinstance(problem, logts.Threshold) else 0.5)
    for answer in _answers(arms.items, problem, np.random.default_rng(0)):
        assert isinstance(problem, Comparable)
        compared = problem.comparisons(arms.items, answer)
        world = _clear_by(arms.points, compared, 0.03, np.zeros(arms.dimension) if start is None else start)
        if world is not None:  # exact where the choice is made by the quadratic
            assert logts.lower_bound(arms, arms.parameter(world), problem).samples <= 1.02 * found


@pytest.mark.parametrize("seed", range(8))
def test_least_distance_agrees_with_slsqp(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=4)
    normals = rng.normal(size=(rng.integers(3, 25), 4))
    wanted = normals @ inside - rng.exponential(size=len(normals))
    step, active = _shortest(normals, wanted, np.empty(0, dtype=np.intp))
    assert step is not None
    again = minimize(
        lambda x: x @ x,
        inside,
        jac=lambda x: 2 * x,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: normals @ x - wanted, "jac": lambda _: normals},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert step == pytest.approx(again.x, abs=1e-5)
    assert (normals @ step >= wanted - 1e-9).all()
    assert (normals @ step)[active] == pytest.approx(wanted[active])


def test_least_distance_copes_with_dependent_half_spaces_and_contradictions() -> None:
    """Three items above three others: scipy's nnls errs on all nine at once when sides differ by rounding."""
    rng = np.random.default_rng(0)
    z = np.eye(6)
    normals = np.array([z[i] - z[k] for i in range(3) for k in range(3, 6)])
    for _ in range(20):
        step, _ = _shortest(normals, 0.2 + 1e-16 * rng.integers(-3, 3, size=9), np.empty(0, dtype=np.intp))
        assert step == pytest.approx([0.1, 0.1, 0.1, -0.1, -0.1, -0.1], abs=1e-12)
    apart, _ = _shortest(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.ones(2), np.empty(0, dtype=np.intp))
    assert apart is None


@pytest.mark.parametrize(
    ("problem", "effect", "base", "sentence"),
    [
        (logts.BestArm(), 0.0, None, "strictly between 0 and 1"),
        (logts.BestArm(), 1.0, None, "strictly between 0 and 1"),
        (logts.BestArm(), math.nan, None, "strictly between 0 and 1"),
        (logts.BestArm(), 0.05, 1.5, "the base is a rate"),
        (logts.BestArm(), 0.05, 0.97, "give a smaller effect or base"),
        (logts.Ranking(), 0.2, None, "give a smaller effect, another base, or rates"),
        (logts.TopM(9), 0.05, None, "m must be less than 7"),
        (logts.VersusControl("nobody"), 0.05, None, "no item is called"),
    ],
)
def test_impossible_effects_are_answered_with_a_sentence(
    problem: logts.Problem, effect: float, base: float | None, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        world_with_effect(ARMS["names"], problem, effect, base)


def test_worlds_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no constant"):
        world_with_effect(ARMS["no constant"], logts.BestArm(), 0.05, 0.3)
    with pytest.raises(ValueError, match="no trial is needed"):
        world_with_effect(logts.Arms(names=["alone"]), logts.BestArm(), 0.05)

    class MyOwn:
        def answer(self, items: logts.arms.Items, theta: Array) -> tuple[int, ...]:
            return ()

        def alternatives(self, items: logts.arms.Items, answer: tuple[int, ...]) -> HalfSpaces:
            raise NotImplementedError

        def describe(self, items: logts.arms.Items, answer: tuple[int, ...]) -> str:
            return ""

    with pytest.raises(ValueError, match="give a truth"):
        world_with_effect(ARMS["names"], MyOwn(), 0.05)
