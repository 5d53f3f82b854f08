"""The events of a journal, version 1, and the state of a study as a fold over them.

There is no clock, no disk and no chance in it: the same events give the same bits.

| kind | says |
|---|---|
| ``created`` | what is studied, how, and by which version of the package |
| ``asked`` | new trials: arms, first id; trials ``again``; until when they are leased, and to whom |
| ``told`` | outcomes by id |
| ``abandoned`` | trials that will never have an outcome, and why |
| ``released`` | trials that may be asked again at once |
| ``history`` | counts from before the study |
| ``inherited`` | arms and outcomes of an earlier study of the same options under another model |
| ``noted`` | what is worth knowing and changes nothing, such as the command that makes the trials |
| ``decided`` | the verdict |
"""

import json
import math
from typing import Any

import numpy as np

from logts.journal import Event, JournalError, to_line
from logts.judge import Verdict
from logts.policies.ledger import ABANDONED, WAITING
from logts.policies.moment import Moment, moment_of
from logts.problems import Problem
from logts.study.events import make_policy, read_arms, read_problem, read_settings
from logts.study.trial import Out
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful

VERSION = 1  # of the format of events; it only grows
STEP = 1.1  # a moment is kept when the trials have grown by so much


class RefusedError(ValueError):
    """What was told makes no sense; nothing of it was taken in."""


def event(kind: str, at: float, **said: Any) -> Event:
    """An event, with the version of its format and its time in seconds since 1970."""
    return {"v": VERSION, "kind": kind, "at": round(at, 3), **said}


def checked(found: Event) -> Event:
    """The event in the present format. An older one would be rewritten here; a newer one is refused."""
    if found.get("v", 0) > VERSION:
        raise JournalError(
            f"this study was written by a newer logts (journal version {found['v']}; this one knows "
            f"{VERSION}): upgrade logts"
        )
    return found


class Fold(Stateful):
    """All that is known after some events.

    Methods that make an event take it in as well and return it, to be appended.
    """

    _kept = (
        "policy",
        "out",
        "moments",
        "verdict",
        "lost",
        "notes",
        "inherited",
        "_outcomes",
        "_asked",
        "_due",
    )

    def __init__(self, created: Event, problem: Problem | None = None) -> None:
        said = checked(created)
        if said["kind"] != "created":
            raise JournalError(
                f"a journal begins with the creation of its study; this one begins with {said['kind']!r}"
            )
        self.created = said
        self.arms = read_arms(said["arms"])
        self.problem = read_problem(said["problem"], problem)
        self.delta = float(said["delta"])
        self.lease = float(said["lease"])
        self.policy = make_policy(said["policy"], self.arms, self.problem, self.delta, read_settings(said))
        self.out: dict[int, Out] = {}
        self.moments: list[Moment] = []
        self.verdict: Verdict | None = None
        self.lost = 0  # trials abandoned
        self.notes: dict[str, dict[str, Any]] = {}
        self.inherited = 0  # outcomes of an earlier study
        self._outcomes = np.empty(0, dtype=np.int8)  # of every trial, for repeated tells; longer than needed
        self._asked = 0
        self._due = 0.0

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self._asked

    def apply(self, found: Event) -> None:
        """Take in an event that is in the journal."""
        said = checked(found)
        match said.get("kind"):
            case "asked":
                arms = np.array(said["arms"], dtype=np.intp)
                if len(arms):
                    self.policy.replay(arms)
                self._lease(said)
            case "told":
                self._settle(np.array(said["ids"], dtype=np.intp), np.array(said["outcomes"], dtype=np.int8))
            case "abandoned":
                self._settle(np.array(said["ids"], dtype=np.intp), None)
            case "released":
                self._release(said["ids"])
            case "history":
                trials = np.array(said["trials"], dtype=float)
                self.policy.tell_history(trials, np.array(said["successes"], dtype=float))
            case "inherited":
                self._inherit(said)
            case "noted":
                self._note(said)
            case "decided":
                self.verdict = Verdict.from_json(said["verdict"])
            case other:
                raise JournalError(
                    f"the journal holds an event of kind {other!r}, which this logts does not know: upgrade "
                    "logts"
                )

    def ask(self, n: int, now: float, lease: float, worker: str, up_to: int | None = None) -> Event | None:
        """Lease trials: first those whose lease is over, then new ones, ``up_to`` so many in all.

        None if there are none.
        """
        again = sorted(number for number, trial in self.out.items() if trial.until <= now)[:n]
        new = n - len(again)
        for limit in (self.policy.max_trials, up_to):
            new = new if limit is None else min(new, limit - self._asked)
        arms = self.policy.ask(new).arms if new > 0 else np.empty(0, dtype=np.intp)
        if not len(arms) and not again:
            return None
        until = round(now + lease, 3)
        said = {"arms": arms.tolist(), "again": again, "until": until, "worker": worker}
        made = event("asked", now, first=self._asked, **said)
        self._lease(made)
        return made

    def tell(self, ids: Indices, outcomes: Array, now: float) -> list[Event]:
        """Take in the outcomes that are new; if one contradicts an earlier one, all are refused."""
        self._known(ids)
        before = self._outcomes[ids]
        for number, old, new in zip(ids.tolist(), before.tolist(), outcomes.tolist(), strict=True):
            if old == ABANDONED:
                raise RefusedError(f"trial {number} was abandoned: its outcome no longer counts")
            if old not in (WAITING, new):
                said = f"was told {_yes_no(old)} before, now {_yes_no(new)}"
                raise RefusedError(f"trial {number} {said}: the first outcome stands")
        ids = ids[before == WAITING]
        outcomes = outcomes[before == WAITING]
        if len(np.unique(ids)) < len(ids):
            ids, outcomes = _once(ids, outcomes)
        if not len(ids):
            return []
        self._settle(ids, outcomes)
        made = [event("told", now, ids=ids.tolist(), outcomes=outcomes.tolist())]
        return made + self._alarmed(now) + self.decided(now)

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
        made = [event("abandoned", now, ids=ids.tolist(), reason=reason)]
        return made + self._alarmed(now) + self.decided(now)

    def release(self, ids: Indices, now: float) -> list[Event]:
        """Let trials that are out be asked again at once."""
        self._known(ids)
        out = [number for number in np.unique(ids).tolist() if number in self.out]
        waiting = [number for number in out if self.out[number].until > -math.inf]
        self._release(waiting)
        return [event("released", now, ids=waiting)] if waiting else []

    def tell_history(self, trials: Array, successes: Array, now: float) -> list[Event]:
        """Take in counts from before the study."""
        self.policy.tell_history(trials, successes)
        return [event("history", now, trials=trials.tolist(), successes=successes.tolist())]

    def _inherit(self, said: Event) -> None:
        arms = np.array(said["arms"], dtype=np.intp)
        self.policy.inherit(arms, np.array(said["outcomes"], dtype=np.int8))
        self.inherited = len(arms)

    def note(self, about: str, said: dict[str, Any], now: float) -> list[Event]:
        """Write down what is not evidence; under each name the last that was said stands."""
        if not all(isinstance(word, str) for word in (about, *said)):
            raise RefusedError(f"notes have names, which are words; got {about!r} and {list(said)!r}")
        try:
            kept = json.loads(to_line(said))
        except (TypeError, ValueError) as error:
            raise RefusedError(
                f"notes hold what JSON can: words, numbers and lists of them; {error}"
            ) from error
        made = event("noted", now, about=about, said=kept)
        self._note(made)
        return [made]

    def _note(self, noted: Event) -> None:
        self.notes[noted["about"]] = self.notes.get(noted["about"], {}) | noted["said"]

    def _known(self, ids: Indices) -> None:
        wrong = ids[(ids < 0) | (ids >= self._asked)]
        if len(wrong):
            raise RefusedError(
                f"no trial has the id {wrong[0]}: ids come from ask, and {self._asked:,} have been given out"
            )

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
        policy = self.policy
        told = policy.ledger.complete
        if told < self._due and (policy.verdict is None or self.verdict is not None):
            return
        if told >= 2 * self.arms.dimension or policy.verdict is not None:
            self.moments.append(moment_of(policy))
        self._due = STEP * told

    def _alarmed(self, now: float) -> list[Event]:
        """A note that the model was refuted, when it has just been."""
        if not self.policy.judge.alarmed or "alarm" in self.notes:
            return []
        return self.note("alarm", {"trials": self.policy.ledger.complete}, now)

    def decided(self, now: float) -> list[Event]:
        """The verdict, if there is one that is not in the journal yet."""
        if self.verdict is not None or self.policy.verdict is None:
            return []
        self.verdict = self.policy.verdict
        return [event("decided", now, verdict=self.verdict.to_json())]


def completed(events: list[Event]) -> tuple[Indices, Array]:
    """Arms and outcomes of a journal in the order of the asks, up to the first that is still out."""
    arms: list[int] = []
    outcomes: dict[int, int] = {}
    before: list[tuple[int, int]] = []
    for said in events:
        match said["kind"]:
            case "inherited":
                before = list(zip(said["arms"], said["outcomes"], strict=True))
            case "asked":
                arms.extend(said["arms"])
            case "told":
                outcomes.update(zip(said["ids"], said["outcomes"], strict=True))
            case "abandoned":
                outcomes.update(dict.fromkeys(said["ids"], ABANDONED))
    done = next((number for number in range(len(arms)) if number not in outcomes), len(arms))
    pairs = [(arms[number], outcomes[number]) for number in range(done) if outcomes[number] != ABANDONED]
    both = np.array([*before, *pairs], dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1].astype(np.int8)


def _once(ids: Indices, outcomes: Array) -> tuple[Indices, Array]:
    """Each id once; told twice at once, it must be the same."""
    first: dict[int, int] = {}
    for number, outcome in zip(ids.tolist(), outcomes.tolist(), strict=True):
        if first.setdefault(number, outcome) != outcome:
            raise RefusedError(f"trial {number} is told both yes and no here: tell each id once")
    return np.array(list(first), dtype=np.intp), np.array(list(first.values()), dtype=np.int8)


def _yes_no(outcome: int) -> str:
    return "yes" if outcome == 1 else "no"
