"""What the wealth promises: rarely large at the truth, whoever chooses the arms, and nothing from peeking."""

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from logts import Answer, Arms, BestArm, LogTS, Problem, Ranking, Threshold, TopM, VersusControl
from logts.evidence.tally import Tally
from logts.judge.with_model import WithModel
from logts.problems import Question
from logts.stopping import make_rule
from logts.tools.algebra import Array
from tests.instances import soare
from tests.wealth import log_wealth, whole

RUNS = 400
BLOCK = 6
ARMS = Arms([[1.0, 0.2, 0.0], [0.9, -0.3, 0.3], [0.2, 1.0, -0.5], [-0.5, 0.4, 0.8], [0.1, -0.7, -0.9]])
TRUTH = ARMS.coordinates([0.35, 0.05, 0.1])  # two arms are nearly the same, and best


def worst_arm(model: WithModel, value: float, best: int, *, apart: bool) -> int:
    """What hurts most: where a bet swings widest while there is little, and least when there is more."""
    wealth = model._placing.wealth
    rows = [j for j, k in enumerate(wealth.accounts) if k == best or not apart]
    if not rows:
        return int(np.argmax(np.abs(ARMS.points @ TRUTH)))
    swings = np.abs(ARMS.points @ wealth.shifts[rows[0]].T).max(axis=1)
    return int(np.argmax(swings) if value < math.log(5.0) else np.argmin(swings))


def highest(problem: Problem, run: int, *, peek: bool) -> float:
    """The largest log M at the truth on the way; ``peek`` aims bets by the outcomes that they are paid on."""
    rng = np.random.default_rng(run)
    rates = expit(ARMS.points @ TRUTH)
    best = int(np.argmax(rates))
    apart = isinstance(problem, BestArm)
    model = WithModel(ARMS, problem, make_rule("evidence", {}))
    placing = model._placing
    tally, past = Tally.of_nothing(len(ARMS)), Tally.of_nothing(len(ARMS))
    most = value = 0.0
    while tally.total < 300:
        often = int(rng.integers(0, 2))
        arm = int(rng.integers(len(ARMS))) if often else worst_arm(model, value, best, apart=apart)
        arms = np.full(BLOCK, arm)
        outcomes = (rng.random(BLOCK) < rates[arm]).astype(np.int8)
        if peek:
            placing.due = math.inf
            if tally.total >= 2 * BLOCK:
                seen = placing.estimate(tally.after(np.tile(arms, 20), np.tile(outcomes, 20)))
                posed = Question(problem, ARMS).pose(seen)
                placing.place(tally, posed.theta, posed.alternatives)
                placing.due = math.inf
        model.hear(arms, outcomes, tally, past)
        value, _ = log_wealth(TRUTH, whole(ARMS.points, placing.wealth, tally, best, apart=apart))
        most = max(most, value)
    return most


@pytest.mark.parametrize("problem", [BestArm(), TopM(2)], ids=repr)
def test_wealth_keeps_the_promise_of_ville(problem: Problem) -> None:
    values = np.array([highest(problem, run, peek=False) for run in range(RUNS)])
    for delta in (0.5, 0.2):
        assert (values >= math.log(1.0 / delta)).sum() <= binom.ppf(0.999, RUNS, delta)
    assert values.std() > 0.05  # there are bets that win and lose


def test_bets_that_have_seen_their_outcomes_break_it() -> None:
    values = np.array([highest(BestArm(), run, peek=True) for run in range(RUNS // 4)])
    for delta in (0.5, 0.2):
        assert (values >= math.log(1.0 / delta)).sum() > binom.ppf(0.999, len(values), delta)


@pytest.mark.parametrize("problem", [BestArm(), BestArm(0.2), TopM(2), Threshold(0.4), Ranking()], ids=repr)
def test_bets_depend_on_the_order_of_the_asks_alone(problem: Problem) -> None:
    """Not on when outcomes come back: otherwise a bet might know its own outcome."""
    arms = Arms(soare(3))
    chosen = np.random.default_rng(3).integers(0, 4, 700)
    outcomes = np.random.default_rng(4).random(700) < expit(arms.features @ [0.6, -0.4, 0.2])[chosen]
    found = []
    for arrival in range(5):
        policy = LogTS(arms, problem, delta=1e-12)
        policy.replay(chosen)
        late = 200 * np.random.default_rng(arrival).random(700) * outcomes if arrival else np.zeros(700)
        order = np.argsort(np.arange(700) + late)
        for part in np.array_split(order, [1, 40, 50, 2, 700][arrival]):
            policy.tell(part, outcomes[part])
        assert policy.judge.tally.total == 700
        model = policy.judge._model
        assert len(model._placing.wealth.constants)
        found.append((policy.progress.evidence, model._placing.state()))
    # The bets to the last bit; the evidence as exactly as a fit that begins elsewhere allows.
    assert all(bets == found[0][1] for _, bets in found)
    assert [evidence for evidence, _ in found] == pytest.approx([found[0][0]] * 5, abs=1e-7)


def smallest_p_values(run: int) -> Array:
    """Of each answer, at a tie of both items; the arms between share two features."""
    arms = Arms([[1.0, 0.5], [1.0, -0.5], [1.0, 2.0]], items=[[1.0, 1.0], [1.0, -1.0]])
    rates = expit(arms.features @ [0.4, 0.0])
    rng = np.random.default_rng(run)
    policy = LogTS(arms, BestArm(), delta=1e-12, guard=False)
    while policy.ledger.complete < 600:
        asked = policy.ask(min(policy.block, 600 - policy.ledger.complete))
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    noted = policy.judge._sure._least
    return np.array([noted.get(("model", Answer((item,), "")), 1.0) for item in (0, 1)])


def test_p_values_of_a_wrong_answer_are_rarely_small() -> None:
    """At a tie: whichever item is taken as the best, the other answer is wrong."""
    runs = 200
    found = np.array([smallest_p_values(run) for run in range(runs)])
    for level in (0.5, 0.2):
        for item in (0, 1):
            assert (found[:, item] <= level).sum() <= binom.ppf(0.999, runs, level)
    assert (found < 0.9).sum() > 10  # there is something to be promised


@pytest.mark.parametrize("problem", [Threshold(0.6), TopM(2), VersusControl(1)], ids=repr)
def test_capital_is_kept_where_options_have_equal_features(problem: Problem) -> None:
    """The same half-space then comes several times: what was bet on it must not be counted for each."""
    arms = Arms([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [1.0, -1.0]])
    rates = expit(arms.features @ [math.log(1.5), 0.0])  # a tie of all, and at the threshold
    ends = 0
    for run in range(60):
        rng = np.random.default_rng(run)
        policy = LogTS(arms, problem, delta=0.2, guard=False, max_trials=1_500)
        while policy.verdict is None:
            asked = policy.ask(policy.block)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        ends += policy.verdict.proven
    assert ends <= 20  # 12 expected at most, and two and a half standard deviations
