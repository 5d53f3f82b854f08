"""Questions: one contract for all of them, what each answers, and half-spaces against brute force."""

import dataclasses
import itertools
import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from logts import Arms, BestArm, Ranking, Status, Threshold, TopM, VersusControl, lower_bound
from logts.alternatives import AllPairs, Compared, HalfSpaces
from logts.arms import Items
from logts.problems import QUESTIONS, Problem, Question, spoken
from logts.problems.speech import flags, from_json, to_json
from logts.tools.algebra import Array


@dataclasses.dataclass(frozen=True)
class Sign:
    """A question of three methods and no more: does the first item succeed more often than not?"""

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return (0,) if items.points[0] @ theta > 0 else ()

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> HalfSpaces:
        sign = 1.0 if answer else -1.0
        return HalfSpaces(sign * items.points[:1], np.zeros(1), [(0,)])

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"{items.names[0]}: {'more' if answer else 'less'} often than not"


# Every question that can be asked on the command line, asked with these values; and some more.
VALUES: dict[type | None, object] = {None: True, int: 2, float: 0.4, str: "arm 2"}
ASKED = [flag.make(VALUES[flag.takes], epsilon) for flag in flags() for epsilon in (0.0, 0.2)]
PROBLEMS: list[Problem] = [
    BestArm(),
    BestArm(0.2),
    TopM(2),
    Threshold(0.4),
    VersusControl(1),
    VersusControl("arm 2", 0.1),
    Ranking(),
    Sign(),
]


@pytest.mark.parametrize("problem", dict.fromkeys([*PROBLEMS, *ASKED]), ids=repr)
def test_contract(problem: Problem) -> None:
    """Outside all half-spaces the answer is the same; inside one of them it may differ.

    Every method agrees on the items.
    """
    rng = np.random.default_rng(0)
    arms = Arms(rng.normal(size=(6, 3)))
    seen_other = False
    for _ in range(200):
        theta, other = rng.normal(size=(2, 3))
        posed = Question(problem, arms).pose(theta)
        assert posed.answer is not None
        rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
        assert (rows.margins(theta) > 0).all()
        assert all(0 <= i < 6 for about in rows.about for i in about)
        same = problem.answer(arms.items, other) == posed.answer.items
        outside = (rows.margins(other) > 0).all()
        if spoken(problem).several:
            # The same answer is never an alternative to itself; others may be right too.
            assert outside or not same
        else:
            assert outside == same
        seen_other |= not same
        assert any(name in str(posed.answer) for name in arms.names) or "none" in str(posed.answer)
    assert seen_other


def test_every_registered_question_is_written_down_and_read_back() -> None:
    assert {"BestArm", "TopM", "Threshold", "VersusControl", "Ranking"} <= set(QUESTIONS)
    assert {type(problem) for problem in ASKED} <= set(QUESTIONS.values())
    for problem in ASKED:
        said = to_json(problem)
        assert said is not None
        assert said["kind"] == type(problem).__name__
        assert from_json(json.loads(json.dumps(said))) == problem


def test_flags_differ_and_say_something() -> None:
    names = [flag.name for flag in flags()]
    assert names[:5] == ["--best", "--top", "--above", "--beat", "--rank"]
    assert len(set(names)) == len(names)
    assert all(flag.help for flag in flags())


def test_what_a_question_says_by_default() -> None:
    said = spoken(Sign())
    assert said.sentence(("a", "b")) == "Sign(), of 2 options"
    assert said.sentence(("a",)) == "Sign(), of 1 option"
    assert said.marks
    assert not said.several
    assert said.base_rate == 0.5
    assert said.every_answer(Arms(np.eye(2)).items) is None
    assert to_json(Sign()) is None


def test_every_built_in_question_has_its_sentence() -> None:
    names = ("tea", "coffee", "milk")
    within = "(Up to 0.2 on the logit scale, which is at most 5 percentage points, does not matter.)"
    told: dict[Problem, str] = {
        BestArm(): "Which of 3 options is best?",
        BestArm(0.2): f"Which of 3 options is best? {within}",
        TopM(2): "Which 2 of 3 options are the best?",
        Threshold(0.4): "Which of 3 options succeed more often than 40% of the time?",
        VersusControl(1): "Which of 3 options are better than coffee?",
        VersusControl("tea", 0.2): f"Which of 3 options are better than tea? {within}",
        Ranking(): "How do 3 options rank?",
    }
    assert {problem: spoken(problem).sentence(names) for problem in told} == told


def test_answers_print_with_names() -> None:
    arms = Arms(np.eye(4), names=["ash", "birch", "cedar", "dogwood"])
    theta = np.array([0.5, -1.0, 2.0, 0.1])
    told: dict[Problem, str] = {
        BestArm(): "best: cedar",
        TopM(2): "top 2: ash, cedar",
        Threshold(0.6): "above 0.6: ash, cedar",
        Threshold(0.99): "above 0.99: none",
        VersusControl("ash"): "better than ash: cedar",
        Ranking(): "order: cedar > ash > dogwood > birch",
    }
    for problem, text in told.items():
        assert str(lower_bound(arms, theta, problem).answer) == text


@pytest.mark.parametrize(
    ("problem", "theta"),
    [
        (BestArm(), [1.0, 1.0, 0.0]),
        (TopM(1), [1.0, 1.0, 0.0]),
        (TopM(2), [1.0, 0.5, 0.5]),
        (Threshold(0.5), [1.0, 0.0, -1.0]),
        (VersusControl(2), [1.0, 0.3, 0.3]),
        (Ranking(), [1.0, 0.5, 0.5]),
        (BestArm(), [0.0, 0.0, 0.0]),
        (Ranking(), [0.1 + 0.2, 0.3, 1.0]),  # equal but for rounding
    ],
)
def test_a_tie_is_a_tie_and_not_an_answer(problem: Problem, theta: list[float]) -> None:
    bound = lower_bound(Arms(names=["a", "b", "c"]), theta, problem)
    assert bound.status is Status.TIE
    assert bound.answer is None
    assert bound.characteristic_time == bound.samples == np.inf
    assert np.isnan(bound.weights).all()
    assert any(name in bound.note for name in "abc")


def test_epsilon_ends_on_ties() -> None:
    bound = lower_bound(Arms(names=["a", "b", "c"]), [1.0, 1.0, 0.0], BestArm(0.2))
    assert bound.status is Status.CONVERGED
    assert not bound.proven
    assert "several answers" in bound.note


@pytest.mark.parametrize(
    "make",
    [
        lambda: BestArm(-0.1),
        lambda: BestArm(np.nan),
        lambda: TopM(0),
        lambda: TopM(1.5),  # type: ignore[arg-type]  # wrong on purpose
        lambda: TopM(True),
        lambda: Threshold(0.0),
        lambda: Threshold(1.0),
        lambda: Threshold(np.nan),
        lambda: VersusControl("a", -1.0),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], TopM(2)),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], VersusControl("nobody")),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], VersusControl(7)),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], BestArm(), delta=0.0),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], BestArm(), delta=1.0),
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], BestArm(), divergence="euclid"),  # type: ignore[arg-type]  # likewise
        lambda: lower_bound(Arms(np.eye(2)), [1, 0], BestArm(), solver="guess"),
    ],
)
def test_mistakes_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must|strictly between|no question|no item|does not exist"):
        make()


@given(st.integers(3, 25), st.integers(1, 4), st.integers(0, 2**32 - 1), st.booleans())
def test_pairs_are_found_without_writing_them_out(n: int, d: int, seed: int, repeated: bool) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d))
    if repeated:
        z = z[rng.integers(0, n, n)]
    theta = rng.normal(size=d)
    m = int(rng.integers(1, n))
    order = np.argsort(-(z @ theta), kind="stable")
    root = rng.normal(size=(d, d + 2))
    factor = np.linalg.cholesky(root @ root.T + 0.01 * np.eye(d))
    pairs = AllPairs(z, order[:m], order[m:])
    written = np.array([z[i] - z[k] for i in order[:m] for k in order[m:]])
    margins = written @ theta
    widths = (np.linalg.solve(factor, written.T) ** 2).sum(axis=0)
    distances = np.where(
        widths > 0, np.maximum(margins, 0) ** 2 / (2 * np.where(widths > 0, widths, 1)), np.inf
    )
    indices, found = pairs.nearest(theta, factor, 3)
    if np.isfinite(distances).any():
        assert found[0] == pytest.approx(distances.min(), rel=1e-9, abs=1e-30)
        assert distances[indices] == pytest.approx(found, rel=1e-9, abs=1e-30)
        limit = float(np.median(distances[np.isfinite(distances)])) * (1 + 1e-9)
        assert set(pairs.within(theta, factor, limit)) == set(np.flatnonzero(distances <= limit))
        assert pairs.take(indices).normals == pytest.approx(written[indices])
    else:
        assert len(indices) == 0


@pytest.mark.parametrize(
    "problem", [BestArm(), BestArm(0.2), Threshold(0.4), VersusControl(3, 0.1), Ranking()]
)
def test_half_spaces_of_very_many_items_are_found_without_writing_them_out(problem: Problem) -> None:
    """Distances from all rows of normals at once; where items have equal features, none."""
    rng = np.random.default_rng(7)
    z = rng.normal(size=(6000, 3))
    z[100:200] = z[3]
    z[200:300] = 0.0
    theta = rng.normal(size=3)
    items = Items(z, [f"arm {k}" for k in range(len(z))])
    answer = problem.answer(items, theta)
    found = problem.alternatives(items, answer)
    assert isinstance(found, Compared)
    everything = found.take(np.arange(len(found)))
    about = np.array(everything.about)
    signs = np.ones(len(found))
    offsets = np.full(len(found), -getattr(problem, "epsilon", 0.0))
    pairs: list[tuple[int, ...]]
    if isinstance(problem, BestArm):
        pairs = [(answer[0], k) for k in range(len(z)) if (z[k] != z[answer[0]]).any()]
        np.testing.assert_array_equal(everything.accounts, about[:, 1])
    elif isinstance(problem, Ranking):
        pairs = [(i, k) for i, k in itertools.pairwise(answer) if (z[i] != z[k]).any()]
    elif isinstance(problem, VersusControl):
        pairs = [(k, 3) for k in range(len(z)) if (z[k] != z[3]).any()]
        signs[~np.isin(about[:, 0], answer)] = -1.0
    else:
        pairs = [(k,) for k in range(len(z)) if z[k].any()]  # the others have the rate 0.5 for certain
        signs[~np.isin(about[:, 0], answer)] = -1.0
        offsets = signs * np.log(0.4 / 0.6)
    assert list(map(tuple, about)) == pairs
    other = z[about[:, 1]] if about.shape[1] == 2 else 0.0
    normals = signs[:, None] * (z[about[:, 0]] - other)
    np.testing.assert_array_equal(everything.normals, normals)
    np.testing.assert_array_equal(everything.offsets, offsets)
    factor = np.linalg.cholesky(np.cov(rng.normal(size=(3, 9))))
    widths = (np.linalg.solve(factor, normals.T) ** 2).sum(axis=0)
    distances = np.maximum(normals @ theta - offsets, 0.0) ** 2 / (2.0 * widths)
    indices, nearest = found.nearest(theta, factor, 5)
    np.testing.assert_allclose(nearest, np.sort(distances)[:5], rtol=1e-9)
    np.testing.assert_allclose(distances[indices], nearest, rtol=1e-9)
    limit = float(np.median(distances)) * (1 + 1e-9)
    np.testing.assert_array_equal(found.within(theta, factor, limit), np.flatnonzero(distances <= limit))


def test_answers_of_very_many_items_are_not_all_printed() -> None:
    z = np.arange(1.0, 1001.0)[:, None]
    items = Items(z, [f"arm {k}" for k in range(len(z))])
    for problem in (TopM(700), Threshold(0.5), VersusControl(0), Ranking()):
        text = problem.describe(items, problem.answer(items, np.ones(1)))
        assert len(text) < 2000
        assert "more" in text.split()[-1]


def test_top_m_of_many_items_does_not_write_out_the_pairs() -> None:
    x = np.random.default_rng(3).normal(size=(2000, 4))
    arms = Arms(x)
    posed = Question(TopM(100), arms).pose(arms.coordinates(x[0] / 3))
    assert isinstance(posed.alternatives, AllPairs)
    assert len(posed.alternatives) == 190_000
    held = [v.size for v in vars(posed.alternatives).values() if isinstance(v, np.ndarray)]
    assert sum(held) < 20 * 2000
    assert lower_bound(arms, x[0] / 3, TopM(100), tolerance=1e-4).status is Status.CONVERGED


def test_the_printed_top_m_lemma_contradicts_the_infimum() -> None:
    """Slip 1: the lemma divides by |x| and compares with the m-th arm only.

    The true infimum is half of what it prints.
    """
    x = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    theta = np.array([1.0, 0.25])
    m = 2
    w = np.full(3, 1 / 3)
    eta = x @ theta
    h = (x * (w * expit(eta) * expit(-eta))[:, None]).T @ x
    order = np.argsort(-eta)
    mth = order[m - 1]
    printed = min(
        (eta[i] - eta[mth]) ** 2 / (2 * x[i] @ np.linalg.solve(h, x[i])) for i in range(3) if i != mth
    )

    def infimum() -> float:
        """Over lambda with another top m, by a general solver from the half-spaces of every pair."""
        best = np.inf
        for i in order[:m]:
            for k in order[m:]:
                wrong = {"type": "ineq", "fun": lambda v, i=i, k=k: (x[k] - x[i]) @ v}
                found = minimize(
                    lambda v: 0.5 * (v - theta) @ h @ (v - theta),
                    theta,
                    constraints=wrong,
                    method="SLSQP",
                    tol=1e-14,
                )
                assert set(np.argsort(-(x @ (found.x + 1e-6 * (x[k] - x[i]))))[:m]) != set(order[:m])
                best = min(best, found.fun)
        return float(best)

    arms = Arms(x)
    posed = Question(TopM(m), arms).pose(arms.coordinates(theta))
    factor = np.linalg.cholesky((arms.points * (w * expit(eta) * expit(-eta))[:, None]).T @ arms.points)
    ours = posed.alternatives.nearest(posed.theta, factor, 1)[1][0]
    assert ours == pytest.approx(infimum(), rel=1e-6)
    assert abs(printed - infimum()) > 0.3 * infimum()
