"""What a study says of itself: how far it is, and at the end the verdict."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from logts.alternatives import Answer
from logts.evidence.intervals import Rate, RateTable, leaders_table, tabled
from logts.tools import notebook
from logts.tools.state import record

# what a verdict rests on
MODEL = "model"
MODEL_FREE = "model-free"
GUESS = "guess"


@record
@dataclass(frozen=True, kw_only=True)
class Verdict:
    """An answer, how sure it is, and why the study stopped.

    Attributes
    ----------
    answer
        The answer, with names.
    confidence, confidence_without_model
        One minus the always-valid p-value of the alternatives, by the evidence that the verdict rests on, and
        by the arms' own outcomes alone (None where that is not to be had). Zero where the model is doubtful
        and there is nothing else.
    basis
        What the verdict rests on: ``"model"``, ``"model-free"`` or ``"guess"``.
    counts
        Outcomes used, for each arm; ``trials`` is their sum.
    threshold
        What the evidence had to exceed; NaN where nothing was to be exceeded.
    rule, reason, assumes
        Which stopping rule decided, in words why, and what its guarantee rests on.
    proven
        Whether the answer is wrong with probability at most delta (under what is assumed); False when a
        budget ran out.
    seen
        Where the model decided: in words, how often the options in the answer were tried themselves, and
        what came of it.
    find_rates
        How ``rates`` finds them, when they are asked for.

    Examples
    --------
    >>> import numpy as np, logts
    >>> policy = logts.LogTS(logts.Arms(names=["red", "green"]), logts.BestArm(), delta=0.05)
    >>> rng, rates = np.random.default_rng(1), np.array([0.2, 0.9])
    >>> while policy.verdict is None:
    ...     asked = policy.ask(5)
    ...     policy.tell(asked.ids, rng.random(5) < rates[asked.arms])
    >>> policy.verdict.answer, policy.verdict.proven, policy.verdict.basis
    (best: green, True, 'model-free')
    """

    answer: Answer
    confidence: float
    confidence_without_model: float | None
    basis: str
    counts: tuple[int, ...]
    threshold: float
    rule: str
    reason: str
    assumes: str
    proven: bool
    seen: str = ""
    find_rates: Callable[[], Sequence[Rate]] = field(repr=False, compare=False)

    @property
    def trials(self) -> int:
        """Outcomes used."""
        return sum(self.counts)

    def rates(self) -> RateTable:
        """Rates of all items at the stop, with intervals that hold for all items and times at once.

        They are a sequence, and a table: ``verdict.rates().to_pandas()``.

        Returns
        -------
        Sequence of Rate
            One for each item.
        """
        # Not a cached_property: up to Python 3.11 one lock is held for all verdicts while one looks.
        known = vars(self)
        if "_rates" not in known:
            known["_rates"] = tabled(self.find_rates())
        found: RateTable = known["_rates"]
        return found

    def to_json(self) -> dict[str, Any]:
        """All that it says but the rates, which take long to find, as plain JSON; ``from_json`` reads it.

        Returns
        -------
        dict
            Numbers, words and lists of them.
        """
        plain = {name: getattr(self, name) for name in _PLAIN} | {"counts": list(self.counts)}
        threshold = self.threshold if math.isfinite(self.threshold) else None
        return plain | {"threshold": threshold, "answer": asdict(self.answer)}

    @classmethod
    def from_json(cls, told: dict[str, Any], find_rates: Callable[[], Sequence[Rate]] = list) -> "Verdict":
        """The verdict that was written, and how its rates are found, unless an older version wrote them.

        Parameters
        ----------
        told
            What ``to_json`` gave.
        find_rates
            Finds the rates when they are asked for.

        Returns
        -------
        Verdict
            The same, as far as it was written.
        """
        if "rates" in told:
            find_rates = partial(list, [Rate(**rate) for rate in told["rates"]])
        return cls(
            answer=Answer(tuple(told["answer"]["items"]), told["answer"]["text"]),
            counts=tuple(told["counts"]),
            threshold=math.nan if told["threshold"] is None else told["threshold"],
            find_rates=find_rates,
            **{name: told[name] for name in _PLAIN if name in told},  # older journals do not have all
        )

    def __str__(self) -> str:
        return f"{self.answer} (confidence {self.confidence:.4g} after {self.trials:,} trials; {self.reason})"

    def _repr_html_(self) -> str:
        title, *lines = self.summary().splitlines()
        table = leaders_table(self.rates(), marked=self.answer.items)
        kind = "proven" if self.proven else "doubtful"
        return notebook.card(title, [*notebook.paragraphs(lines), table], kind=kind)

    def summary(self) -> str:
        """The verdict in words: what, how sure, why, and what it rests on.

        Returns
        -------
        str
            Three or four lines.
        """
        text = self.answer.text
        title = f"{text[0].upper()}{text[1:]}" if self.proven else f"Not proven. A guess: {text}"
        sure = f"Confidence {percent(self.confidence)}"
        if self.confidence_without_model is not None and self.basis == "model":
            sure += f" with the model, {percent(self.confidence_without_model)} {ALONE}"
        lines = [f"{title}.", f"{sure}, after {self.trials:,} trials: {self.reason.rstrip('.')}."]
        lines += [self.seen] if self.seen else []
        return "\n".join([*lines, f"This assumes {self.assumes} (rule: {self.rule})."])


_PLAIN = ("confidence", "confidence_without_model", "basis", "rule", "reason", "assumes", "proven", "seen")
ALONE = "without it (by each option's own outcomes alone)"


def percent(confidence: float) -> str:
    """Rounded down, with more digits the nearer it is to certainty: never more than what is known."""
    for digits in range(1, 9):
        shown = math.floor(confidence * 10 ** (digits + 2)) / 10**digits
        if shown < 100.0 and 100.0 - shown >= 2 * 10.0**-digits:
            return f"{shown:.{digits}f}%"
    return "over 99.999999%" if confidence > 0.99999999 else f"{confidence:.1%}"


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a study is.

    Attributes
    ----------
    leader
        The answer at the current estimate, None at a tie or before there is an estimate.
    confidence
        What could be claimed now.
    evidence, threshold
        Log evidence against the alternatives, and how much is needed.
    rival
        Names of the items in the comparison that is hardest to settle.
    remaining
        Expected number of trials still needed; None while unknown.

    Examples
    --------
    >>> import logts
    >>> policy = logts.LogTS(logts.Arms(names=["red", "green"]), logts.BestArm())
    >>> asked = policy.ask(4)
    >>> policy.tell(asked.ids, asked.arms == 1)
    >>> policy.progress.leader, policy.progress.rival
    (best: green, ('green', 'red'))
    """

    leader: Answer | None
    confidence: float
    evidence: float
    threshold: float
    rival: tuple[str, ...]
    remaining: float | None
