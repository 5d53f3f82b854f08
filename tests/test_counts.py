"""Outcomes of which only the numbers are known: valid evidence, in studies and in policies alone."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chisquare

import logts
from logts.policies import ledger
from logts.policies.ledger import Counts
from tests.studies import ARMS, RATES, again, begin, bits, fresh

TWO = logts.Arms(names=["a", "b"])


def test_every_order_is_as_likely_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "AT_ONCE", 2)  # in pieces, too
    rng = np.random.default_rng(0)
    seen = Counter(
        tuple(np.concatenate([*Counts(0, 0, 2, 5).in_some_order(rng)]).tolist()) for _ in range(4000)
    )
    assert len(seen) == 10
    assert all(sum(order) == 2 for order in seen)
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_many_are_put_in_order_some_at_a_time() -> None:
    pieces = Counts(0, 0, 10**12 // 3, 10**12).in_some_order(np.random.default_rng(0))
    some = [next(pieces) for _ in range(3)]
    assert all(len(piece) == ledger.AT_ONCE for piece in some)
    assert abs(np.concatenate(some).mean() - 1 / 3) < 0.005


def test_counts_are_the_same_evidence_as_the_outcomes_in_the_order_drawn() -> None:
    counts, trials = logts.LogTS(ARMS, logts.BestArm(), rng=3), logts.LogTS(ARMS, logts.BestArm(), rng=3)
    rng = np.random.default_rng(0)
    drawn = np.random.default_rng(3).spawn(1)[0]
    for _ in range(40):
        arm, n = int(rng.integers(4)), int(rng.integers(1, 60))
        told = Counts(0, arm, int(rng.binomial(n, RATES[arm])), n)
        counts.tell_counts(arm, told.successes, n)
        trials.replay(np.full(n, arm))
        ids = range(trials.ledger.complete, trials.ledger.asked)
        trials.tell(ids, np.concatenate([*told.in_some_order(drawn)]))
    assert counts.complete == trials.complete == counts.counts.sum()
    one, two = counts.judge, trials.judge
    assert json.dumps(one.tally.trials.tolist()) == json.dumps(two.tally.trials.tolist())
    assert one.tally.scores.tolist() == two.tally.scores.tolist()
    assert counts.progress.evidence == trials.progress.evidence


@pytest.mark.parametrize(
    "arms", [TWO, logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])], ids=["names", "line"]
)
def test_at_a_tie_blocks_of_counts_seldom_prove_anything(arms: logts.Arms) -> None:
    """Blocks of many sizes, of the arms in turn and by the policy's own wish, at low and even rates."""
    delta, runs, wrong = 0.2, 150, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 7])
        rate = (0.1, 0.5)[run % 2]
        policy = logts.LogTS(arms, logts.BestArm(), delta=delta, rng=run)
        for step in range(60):
            arm = step % len(arms) if run % 3 else int(policy.ask().arms[0])
            n = int(rng.integers(1, 40))
            policy.tell_counts(arm, int(rng.binomial(n, rate)), n)
            if run % 3 == 0:
                policy.abandon([policy.ledger.asked - 1])
            if policy.verdict is not None:
                wrong += policy.verdict.proven
                break
    assert wrong <= binom.ppf(0.999, runs, delta)


def test_an_order_that_tells_would_prove_what_is_not_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What chance is for: with the successes first in every block, forecasts know too much."""

    def sorted_ones(self: Counts, rng: np.random.Generator) -> Any:
        yield np.r_[
            np.ones(self.successes, dtype=np.int8), np.zeros(self.trials - self.successes, dtype=np.int8)
        ]

    monkeypatch.setattr(Counts, "in_some_order", sorted_ones)
    policy = logts.LogTS(ARMS, logts.BestArm())
    for step in range(200):
        policy.tell_counts(step % 4, 50, 100)
    honest = logts.LogTS(ARMS, logts.BestArm())
    monkeypatch.undo()
    for step in range(200):
        honest.tell_counts(step % 4, 50, 100)
    best = 20_000 * np.log(0.5)  # the log-likelihood of these outcomes at their true rates
    assert policy.judge.tally.score > best + 20.0  # e^20 times what anybody may earn with probability e^-20
    assert honest.judge.tally.score < best + 5.0


def test_counts_decide_a_study_and_come_back(url: str) -> None:
    study = begin(url)
    rng = np.random.default_rng(0)
    early = study.ask(3)
    study.tell_counts("both", 3, 4)
    assert study.counts.sum() == 0  # they wait for the trials that were asked for before
    assert study.told == 4
    study.tell(early, [1, 0, 1])
    assert study.counts.sum() == 7
    while study.verdict is None:
        for arm, name in enumerate(ARMS.names):
            study.tell_counts(name if arm % 2 else arm, int(rng.binomial(50, RATES[arm])), 50)
    assert study.verdict.answer.text == "best: both"
    assert study.verdict.proven
    assert study.ask() == []
    opened = again(url, study)
    assert bits(opened._read()) == bits(study._read()) == bits(fresh(study))
    assert opened.rates() == study.rates()
    assert [event["kind"] for event in study.events()[:4]] == ["created", "asked", "counted", "told"]
    assert {event["v"] for event in study.events() if event["kind"] == "counted"} == {2}


def test_counts_have_no_row_but_a_line_in_the_report(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), max_trials=40)
    study.tell(study.ask(5), [1, 0, 1, 0, 1])
    study.tell_counts(2, 7, 30)
    assert len(study.to_pandas()) == 5
    assert "Told as counts, without an ask: 30." in study.report(tmp_path / "a.html").read_text()
    assert len(study.ask(100)) == 5  # the budget counts all
    other = logts.Study.create(tmp_path / "a.db", "other", arms=ARMS, problem=logts.BestArm(), after=study)
    judge = other._read().policy.judge
    inherited = judge.by_themselves(judge.tally)
    assert inherited.trials.sum() == 35
    assert inherited.successes[2] >= 7


@pytest.mark.parametrize(
    ("arm", "successes", "trials", "said"),
    [
        ("nobody", 1, 2, "no arm is called 'nobody'"),
        (9, 1, 2, "arm 9 does not exist"),
        (0, 3, 2, "no more successes than trials; got 3 of 2"),
        (0, -1, 2, "got -1 of 2"),
        (0, 0.5, 2, r"got 0\.5 of 2"),
        (0, True, 2, "got True of 2"),
    ],
)
def test_counts_that_make_no_sense_are_refused(arm: Any, successes: Any, trials: Any, said: str) -> None:
    study = begin("memory://counts")
    with pytest.raises(ValueError, match=said):
        study.tell_counts(arm, successes, trials)
    study.tell_counts(0, 0, 0)
    assert len(study.events()) == 1
    if arm != "nobody":
        with pytest.raises(ValueError, match=said):
            logts.LogTS(ARMS, logts.BestArm()).tell_counts(arm, successes, trials)
