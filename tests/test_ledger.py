"""Trials in the air: order, repeats, unknown ids, abandoned ones."""

import numpy as np
import pytest

from logts.policies.ledger import Ledger


def test_ledger_releases_outcomes_in_the_order_of_the_asks() -> None:
    ledger = Ledger()
    assert list(ledger.ask(np.array([5, 6, 7, 8]))) == [0, 1, 2, 3]
    ledger.tell([2, 1], [1, 0])
    assert len(ledger.advance()[0]) == 0
    ledger.abandon([3])
    ledger.tell([0], [True])
    arms, outcomes = ledger.advance()
    assert arms.tolist() == [5, 6, 7]
    assert outcomes.tolist() == [1, 0, 1]
    assert ledger.complete == ledger.asked == 4


@pytest.mark.parametrize(
    ("ids", "outcomes", "message"),
    [
        ([0], [0.5], "1 or True for yes"),
        ([0], [np.nan], "1 or True for yes"),
        ([0, 1], [1], "one outcome for each id"),
        ([9], [1], "no trial has the id 9"),
        ([-1], [1], "no trial has the id -1"),
        ([1, 1], [1, 1], "tell each id once"),
        ([2], [1], "tell each id once"),
    ],
)
def test_ledger_refuses_what_cannot_be(ids: list[int], outcomes: list[float], message: str) -> None:
    ledger = Ledger()
    ledger.ask(np.array([0, 0, 0]))
    ledger.tell([2], [1])
    with pytest.raises(ValueError, match=message):
        ledger.tell(ids, outcomes)
    ledger.tell([0, 1], [0, 0])  # nothing was recorded of the refused one
    assert ledger.advance()[1].tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="tell each id once"):
        ledger.tell([0], [0])
