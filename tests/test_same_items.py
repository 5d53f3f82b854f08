"""Options compared on the same items."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from logts.integrations.same_items import SameItems
from logts.tools.algebra import Array


def raced(race: SameItems, effects: Array, hard: float, rng: np.random.Generator) -> SameItems:
    """Options on items of very different difficulty."""
    while not race.over:
        item, options = race.ask()
        level = hard * rng.normal()
        for option in options:
            race.tell(item, option, rng.random() < 1.0 / (1.0 + np.exp(-level - effects[option])))
    return race


def test_the_best_is_thrown_out_at_most_as_often_as_permitted() -> None:
    rng = np.random.default_rng(0)
    runs, delta = 150, 0.3
    effects = np.array([0.0, 0.0, 0.0])
    # Of equal options every one is a best one: the first is thrown out with probability delta at most.
    lost = sum(
        0 not in raced(SameItems("abc", delta=delta, budget=600), effects, 3.0, rng).alive
        for _ in range(runs)
    )
    assert 0 < lost <= binom.ppf(1 - 1e-4, runs, delta)


def test_it_finds_the_best_and_drops_the_others() -> None:
    rng = np.random.default_rng(1)
    race = raced(SameItems(["a", "b", "c", "d"], delta=0.05), np.array([0.0, 0.5, 2.0, -1.0]), 1.0, rng)
    assert race.best == "c"
    assert race.trials[3] < race.trials[2]
    assert "Best: c." in race.summary()


def test_what_counts_of_two_is_where_they_differ() -> None:
    race = SameItems(["a", "b"], delta=0.1)
    rng = np.random.default_rng(2)
    won = lost = 0
    while not race.over:
        item, options = race.ask()
        both = rng.random(2) < [0.8, 0.5]
        for option in options:
            race.tell(item, option, bool(both[option]))
        won += both[0] > both[1]
        lost += both[1] > both[0]
    assert race.best == "a"
    # A test for one look would have said so long before; and it does.
    assert binomtest(int(won), int(won + lost)).pvalue < 0.1


def test_items_count_in_the_order_of_the_asks_and_lost_ones_not_at_all() -> None:
    race = SameItems(["a", "b"])
    asked = [race.ask() for _ in range(9)]
    for item, _ in reversed(asked[1:]):
        race.tell(item, 0, True)
        race.tell(item, 1, False)
    assert race.trials.tolist() == [0, 0]
    race.tell(0, 1, True)
    race.abandon(0, 0)
    assert race.best == "a"
    assert race.trials.tolist() == [7, 7]
    assert race.successes.tolist() == [7, 0]
    assert race.ask()[1] == []
    with pytest.raises(ValueError, match="has its outcome already"):
        race.tell(3, 0, True)


def test_the_budget_ends_it_undecided() -> None:
    race = raced(SameItems("ab", budget=21), np.zeros(2), 0.0, np.random.default_rng(3))
    assert race.trials.sum() == 20
    assert race.summary() == "Undecided after 20 trials on 10 items. Each of these may be the best: a, b."
    with pytest.raises(ValueError, match="two options at least"):
        SameItems(["a"])
