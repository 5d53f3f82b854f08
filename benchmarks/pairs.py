"""Two options on the same items, or each trial on an item of its own: how many trials, and how many wrong.

The logit of a success is that of the option plus how easy the item is, which varies from item to item. Writes
``benchmarks/results/pairs.md``.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from logts import Arms, BestArm, LogTS
from logts.integrations.same_items import SameItems

PAGE = Path(__file__).with_name("results") / "pairs.md"
DELTA = 0.05
LIMIT = 20_000
# How much the items differ (standard deviation, in logits), and by how much the second option is ahead.
WORLDS = ((0.0, 0.4), (1.0, 0.6), (2.0, 0.8), (3.0, 0.8), (2.0, 0.0))


def succeeds(rng: np.random.Generator, level: float, effect: float) -> bool:
    return bool(rng.random() < 1.0 / (1.0 + np.exp(-level - effect)))


def same(rng: np.random.Generator, hard: float, effects: tuple[float, float], most: int) -> tuple[str, int]:
    """Matched pairs; the best option, if it is proven, and the trials."""
    race = SameItems(["first", "second"], delta=DELTA, budget=most)
    while not race.over:
        item, options = race.ask()
        level = hard * rng.normal()
        for option in options:
            race.tell(item, option, succeeds(rng, level, effects[option]))
    return race.best or "", int(race.trials.sum())


def fresh(rng: np.random.Generator, hard: float, effects: tuple[float, float], most: int) -> tuple[str, int]:
    """Log-TS, which tries every option on items of its own."""
    policy = LogTS(Arms(names=["first", "second"]), BestArm(), delta=DELTA, max_trials=most)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        levels = hard * rng.normal(size=len(asked.arms))
        told = [succeeds(rng, level, effects[arm]) for level, arm in zip(levels, asked.arms, strict=True)]
        policy.tell(asked.ids, told)
    best = ("first", "second")[policy.verdict.answer.items[0]] if policy.verdict.proven else ""
    return best, policy.verdict.trials


def page(runs: int) -> Iterator[str]:
    """The page, line by line."""
    yield "# Two options on the same items\n"
    yield f"`python benchmarks/pairs.py --runs {runs}` writes this page. delta = {DELTA:g}.\n"
    yield (
        f"Mean trials (standard error) of {runs} runs. Where both options are equal a run ends after 4,000, "
        "every answer is wrong, and there are five times as many runs.\n"
    )
    yield "| items differ by | second ahead by | same items | wrong | own items | wrong |"
    yield "|---|---|---|---|---|---|"
    for hard, effect in WORLDS:
        told = [f"{hard:g}", f"{effect:g}"]
        count = runs if effect else 5 * runs
        for how in (same, fresh):
            rng = np.random.default_rng(5)
            found = [how(rng, hard, (0.0, effect), LIMIT if effect else 4000) for _ in range(count)]
            trials = np.array([n for _, n in found])
            wrong = sum(best == "first" or (best == "second" and not effect) for best, _ in found)
            error = trials.std(ddof=1) / np.sqrt(count)
            told += [f"{trials.mean():,.0f} ({error:,.0f})", f"{wrong} of {count}"]
        yield f"| {' | '.join(told)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    PAGE.write_text("\n".join(page(parser.parse_args().runs)) + "\n")
