"""The state of a study as a fold over its events: no clock, no disk, no chance. The same events give the same bits."""

import inspect
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from logts.journal import Event, JournalError
from logts.policies import LazyTrackAndStop, LogTS, Sequential, Uniform, Verdict
from logts.policies.ledger import ABANDONED, WAITING
from logts.policies.moment import Moment
from logts.problems import Problem
from logts.study import events
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful, record

POLICIES: dict[str, type[Sequential]] = {"log-ts": LogTS, "uniform": Uniform, "lazy-track-and-stop": LazyTrackAndStop}
STEP = 1.1  # a moment is kept when the trials have grown by so much


@record
@dataclass(frozen=True)
class Out:
    """A trial whose outcome is still to come: its arm, until when it is leased, and to whom."""

    arm: int
    until: float
    worker: str


class RefusedError(ValueError):
    """What was told makes no sense; nothing of it was taken in."""


class Fold(Stateful):
    """All that is known after some events. Methods that make an event take it in as well and return it, to be appended."""

    kept = ("policy", "out", "moments", "verdict", "lost", "_outcomes", "_asked", "_due")

    def __init__(self, created: Event, problem: Problem | None = None) -> None:
        said = events.checked(created)
        if said["kind"] != "created":
            raise JournalError(f"a journal begins with the creation of its study; this one begins with {said['kind']!r}")
        self.created = said
        self.arms, self.problem = events.read_arms(said["arms"]), events.read_problem(said["problem"], problem)
        self.delta, self.lease = float(said["delta"]), float(said["lease"])
        self.policy = make_policy(said["policy"], self.arms, self.problem, self.delta, said["settings"])
        self.out: dict[int, Out] = {}
        self.moments: list[Moment] = []
        self.verdict: Verdict | None = None
        self.lost = 0  # trials abandoned
        self._outcomes = np.empty(0, dtype=np.int8)  # of every trial, for repeated tells; longer than needed
        self._asked = 0
        self._due = 0.0

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self._asked

    def apply(self, found: Event) -> None:
        """Take in an event that is in the journal."""
        said = events.checked(found)
        match said.get("kind"):
            case "asked":
                arms = np.array(said["arms"], dtype=np.intp)
                if len(arms):
                    self.policy.repeat(arms)
                self._lease(said)
            case "told":
                self._settle(np.array(said["ids"], dtype=np.intp), np.array(said["outcomes"], dtype=np.int8))
            case "abandoned":
                self._settle(np.array(said["ids"], dtype=np.intp), None)
            case "released":
                self._release(said["ids"])
            case "history":
                self.policy.tell_history(np.array(said["trials"], dtype=float), np.array(said["successes"], dtype=float))
            case "decided":
                self.verdict = Verdict.from_json(said["verdict"])
            case other:
                raise JournalError(f"the journal holds an event of kind {other!r}, which this logts does not know: upgrade logts")

    def ask(self, n: int, now: float, lease: float, worker: str, up_to: int | None = None) -> Event | None:
        """Lease trials: first those whose lease is over, then new ones, ``up_to`` so many in all; None if there are none."""
        again = sorted(number for number, trial in self.out.items() if trial.until <= now)[:n]
        new = n - len(again)
        for limit in (self.policy.max_trials, up_to):
            new = new if limit is None else min(new, limit - self._asked)
        arms = self.policy.ask(new).arms if new > 0 else np.empty(0, dtype=np.intp)
        if not len(arms) and not again:
            return None
        until = round(now + lease, 3)
        made = events.event("asked", now, first=self._asked, arms=arms.tolist(), again=again, until=until, worker=worker)
        self._lease(made)
        return made

    def tell(self, ids: Indices, outcomes: Array, now: float) -> list[Event]:
        """Take in the outcomes that are new; one that contradicts an earlier one is refused, and then nothing is taken in."""
        self._known(ids)
        before = self._outcomes[ids]
        for number, old, new in zip(ids.tolist(), before.tolist(), outcomes.tolist(), strict=True):
            if old == ABANDONED:
                raise RefusedError(f"trial {number} was abandoned: its outcome no longer counts")
            if old not in (WAITING, new):
                raise RefusedError(f"trial {number} was told {_yes_no(old)} before, now {_yes_no(new)}: the first outcome stands")
        ids, outcomes = ids[before == WAITING], outcomes[before == WAITING]
        if len(np.unique(ids)) < len(ids):
            ids, outcomes = _once(ids, outcomes)
        if not len(ids):
            return []
        self._settle(ids, outcomes)
        made = [events.event("told", now, ids=ids.tolist(), outcomes=outcomes.tolist())]
        return made + self.decided(now)

    def abandon(self, ids: Indices, reason: str, now: float) -> list[Event]:
        """Give up trials; one that has its outcome is refused, one abandoned before is left alone."""
        self._known(ids)
        settled = ids[self._outcomes[ids] >= 0]
        if len(settled):
            raise RefusedError(f"trial {settled[0]} has its outcome already: it cannot be abandoned")
        ids = np.unique(ids[self._outcomes[ids] == WAITING])
        if not len(ids):
            return []
        self._settle(ids, None)
        return [events.event("abandoned", now, ids=ids.tolist(), reason=reason), *self.decided(now)]

    def release(self, ids: Indices, now: float) -> list[Event]:
        """Let trials that are out be asked again at once."""
        self._known(ids)
        waiting = [number for number in np.unique(ids).tolist() if number in self.out and self.out[number].until > -math.inf]
        self._release(waiting)
        return [events.event("released", now, ids=waiting)] if waiting else []

    def tell_history(self, trials: Array, successes: Array, now: float) -> list[Event]:
        """Take in counts from before the study."""
        self.policy.tell_history(trials, successes)
        return [events.event("history", now, trials=trials.tolist(), successes=successes.tolist())]

    def _known(self, ids: Indices) -> None:
        wrong = ids[(ids < 0) | (ids >= self._asked)]
        if len(wrong):
            raise RefusedError(f"no trial has the id {wrong[0]}: ids come from ask, and {self._asked:,} have been given out")

    def _lease(self, said: Event) -> None:
        for number in said["again"]:
            self.out[number] = Out(self.out[number].arm, said["until"], said["worker"])
        arms = said["arms"]
        for number, arm in enumerate(arms, self._asked):
            self.out[number] = Out(arm, said["until"], said["worker"])
        self._asked += len(arms)
        if self._asked > len(self._outcomes):
            more = np.full(max(self._asked, 1000), WAITING, dtype=np.int8)
            self._outcomes = np.concatenate([self._outcomes, more])

    def _release(self, ids: list[int]) -> None:
        for number in ids:
            trial = self.out[number]
            self.out[number] = Out(trial.arm, -math.inf, trial.worker)

    def _settle(self, ids: Indices, outcomes: Array | None) -> None:
        for number in ids.tolist():
            del self.out[number]
        if outcomes is None:
            self._outcomes[ids] = ABANDONED
            self.lost += len(ids)
            self.policy.abandon(ids)
        else:
            self._outcomes[ids] = outcomes
            self.policy.tell(ids, outcomes)
        self._remember()

    def _remember(self) -> None:
        """Keep a moment now and then."""
        if self.policy.told < self._due and (self.policy.verdict is None or self.verdict is not None):
            return
        policy = self.policy
        if policy.told >= 2 * self.arms.dimension or policy.verdict is not None:
            now, counts = policy.progress, (policy.counts, policy.successes)
            self.moments.append(Moment(policy.told, now.leader, now.confidence, *counts, policy.score, policy.free))
        self._due = STEP * policy.told

    def decided(self, now: float) -> list[Event]:
        """The verdict, if there is one that is not in the journal yet."""
        if self.verdict is not None or self.policy.verdict is None:
            return []
        self.verdict = self.policy.verdict
        return [events.event("decided", now, verdict=self.verdict.to_json())]


def make_policy(name: str, arms: Any, problem: Problem, delta: float, settings: dict[str, Any]) -> Sequential:
    """The policy of a study by its name."""
    if name not in POLICIES:
        raise ValueError(f"a study is run by one of {', '.join(POLICIES)}: their state can be kept; got {name!r}")
    known = set(inspect.signature(LogTS).parameters) - {"arms", "problem", "delta"}
    unknown = set(settings) - (known if name == "log-ts" else known - {"design", "schedule"})
    if unknown:
        raise ValueError(f"{name} has no setting called {sorted(unknown)[0]!r}; its settings are {', '.join(sorted(known))}")
    return POLICIES[name](arms, problem, delta=delta, **settings)


def _once(ids: Indices, outcomes: Array) -> tuple[Indices, Array]:
    """Each id once; told twice at once, it must be the same."""
    first: dict[int, int] = {}
    for number, outcome in zip(ids.tolist(), outcomes.tolist(), strict=True):
        if first.setdefault(number, outcome) != outcome:
            raise RefusedError(f"trial {number} is told both yes and no here: tell each id once")
    return np.array(list(first), dtype=np.intp), np.array(list(first.values()), dtype=np.int8)


def _yes_no(outcome: int) -> str:
    return "yes" if outcome == 1 else "no"
