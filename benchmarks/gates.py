"""Gates: how often they err at the rate itself, and how many trials they take elsewhere.

Every run is a gate of its own with a budget. Beside it the same question as a study of one option, which
ends when the bets of Log-TS suffice. Writes ``benchmarks/results/gates.md``.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from logts import Arms, LogTS, Threshold
from logts.integrations.gate import BUDGET, Decision, Gate

PAGE = Path(__file__).with_name("results") / "gates.md"
DELTA = 0.05
RATES = (0.5, 0.8, 0.95)
FAR = {
    0.5: (0.2, 0.4, 0.6, 0.8, 1.0),
    0.8: (0.0, 0.5, 0.7, 0.75, 0.85, 0.9, 0.95, 1.0),
    0.95: (0.5, 0.8, 0.9, 0.98, 0.99, 1.0),
}


def gated(above: float, rate: float, rng: np.random.Generator) -> tuple[Decision, int]:
    """How a gate ends, and after how many trials."""
    gate = Gate(above, delta=DELTA)
    outcomes = rng.random(BUDGET) < rate
    while (trial := gate.ask()) is not None:
        gate.tell(trial, bool(outcomes[trial]))
    return gate.decision, gate.trials


def studied(above: float, rate: float, rng: np.random.Generator) -> int:
    """Trials of a study of one option, ended by the same budget."""
    policy = LogTS(Arms(names=["it"]), Threshold(above), delta=DELTA, max_trials=BUDGET)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rate)
    return policy.verdict.trials


def share(count: int, runs: int) -> str:
    """A share with its interval."""
    ends = binomtest(count, runs).proportion_ci(0.95)
    return f"{count:,} ({100 * ends.low:.1f} to {100 * ends.high:.1f}%)"


def page(runs: int) -> Iterator[str]:
    """The page, line by line."""
    yield "# Gates\n"
    settings = f"delta = {DELTA:g}, budget {BUDGET:,}"
    yield f"`python benchmarks/gates.py --runs {runs}` writes this page. {settings}.\n"
    yield "## At the rate itself\n"
    yield (
        "A pass is wrong here, and just below the rate; a failure is wrong just above it. Together they have "
        f"at most the probability delta, {100 * DELTA:g}%. With 95% intervals (Clopper and Pearson):\n"
    )
    yield "| rate | gates | passes | failures | both | undecided |\n|---|---|---|---|---|---|"
    for above in RATES:
        rng = np.random.default_rng(0)
        ends = Counter(gated(above, above, rng)[0] for _ in range(runs))
        both = ends[Decision.PASS] + ends[Decision.FAIL]
        told = [share(n, runs) for n in (ends[Decision.PASS], ends[Decision.FAIL], both)]
        yield f"| {above:g} | {runs:,} | {' | '.join(told)} | {ends[Decision.UNDECIDED]:,} |"
    some = max(runs // 10, 10)
    yield "\n## Elsewhere\n"
    yield (
        f"Trials of {some:,} gates, those that end with the budget included; what was decided wrongly; and "
        "the mean trials of a study of one option, which looks less often and may not end before 16 trials.\n"
    )
    yield (
        "| to be above | true rate | mean trials | nine in ten end by | undecided | wrong | as a study |\n"
        "|---|---|---|---|---|---|---|"
    )
    for above, rates in FAR.items():
        for rate in rates:
            rng = np.random.default_rng(1)
            found = [gated(above, rate, rng) for _ in range(some)]
            trials = np.array([n for _, n in found])
            ends = Counter(end for end, _ in found)
            wrong = ends[Decision.FAIL if rate > above else Decision.PASS]
            study = np.mean([studied(above, rate, rng) for _ in range(some)])
            yield (
                f"| {above:g} | {rate:g} | {trials.mean():,.0f} | {np.quantile(trials, 0.9):,.0f} | "
                f"{ends[Decision.UNDECIDED]} | {wrong} | {study:,.0f} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    PAGE.write_text("\n".join(page(parser.parse_args().runs)) + "\n")
