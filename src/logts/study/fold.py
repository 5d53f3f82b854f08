"""The events of a journal, up to version 2, and the state of a study as a fold over them.

There is no clock, no disk and no chance in it: the same events give the same bits.

| kind | says |
|---|---|
| ``created`` | what is studied, how, and by which version of the package |
| ``asked`` | new trials: arms, first id; trials ``again``; until when they are leased, and to whom |
| ``told`` | outcomes by id |
| ``counted`` | outcomes of one arm of which only the numbers are known |
| ``abandoned`` | trials that will never have an outcome, and why |
| ``released`` | trials that may be asked again at once |
| ``history`` | counts from before the study |
| ``inherited`` | arms and outcomes of an earlier study of the same options under another model |
| ``noted`` | what is worth knowing and changes nothing, such as the command that makes the trials |
| ``decided`` | the verdict |

An event has the version of the first package that can read it: 2 if it holds packed numbers
(:mod:`logts.tools.packing`), a verdict without its rates, or counts.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from logts.journal import Event, JournalError, to_line
from logts.judge import Verdict
from logts.logistic.fit import checked_counts
from logts.policies.ledger import ABANDONED, WAITING, Counts
from logts.policies.moment import Moment, moment_of
from logts.problems import Problem
from logts.study.events import make_policy, read_arms, read_problem, read_settings
from logts.study.leases import Leases
from logts.study.refused import RefusedError, UnknownTrialError
from logts.study.trial import Wanted
from logts.tools.algebra import Array, Indices
from logts.tools.packing import counted, pack, packed, unpack
from logts.tools.state import Stateful
from logts.tools.window import Window

VERSION = 2  # of the format of events; it only grows
NONE: Indices = np.empty(0, dtype=np.intp)
STEP = 1.1  # a moment is kept when the trials have grown by so much


def event(kind: str, at: float, **said: Any) -> Event:
    """An event, with the version of its format and its time in seconds since 1970. Arrays are packed."""
    plain = {name: pack(value) if isinstance(value, np.ndarray) else value for name, value in said.items()}
    dense = any(packed(plain[name]) for name, value in said.items() if isinstance(value, np.ndarray))
    version = 2 if dense or kind in ("counted", "decided") else 1
    return {"v": version, "kind": kind, "at": round(at, 3), **plain}


def decision(verdict: Verdict, now: float) -> Event:
    """The verdict as an event."""
    return event("decided", now, verdict=verdict.to_json())


def checked(found: Event) -> Event:
    """The event in the present format. An older one would be rewritten here; a newer one is refused."""
    if found.get("v", 0) > VERSION:
        raise JournalError(
            f"this study was written by a newer logts (journal version {found['v']}; this one knows "
            f"{VERSION}): upgrade logts"
        )
    return found


class Outcomes(Window):
    """What is known of every trial, for repeated tells; written in two bits for each."""

    _kept = ("packed",)

    @property
    def packed(self) -> tuple[int, Array, Array]:
        low, high = (np.packbits((self.values & bit).astype(np.bool_)) for bit in (1, 2))
        return len(self.values), low, high

    @packed.setter
    def packed(self, said: tuple[int, Array, Array]) -> None:
        count, low, high = said
        bits = np.unpackbits(low, count=count) + 2 * np.unpackbits(high, count=count)
        self.values = (((bits + 2) & 3).astype(np.int8) - 2).astype(np.int8)  # 2 and 3 are -2 and -1


class Fold(Stateful):
    """All that is known after some events.

    Methods that make events change nothing; what is written down is taken in by ``apply``.
    """

    _kept = ("policy", "leases", "moments", "verdict", "lost", "notes", "inherited", "outcomes", "_due")

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
        self.leases = Leases()
        self.moments: list[Moment] = []
        self.verdict: Verdict | None = None
        self.lost = 0  # trials abandoned
        self.notes: dict[str, dict[str, Any]] = {}
        self.inherited = 0  # outcomes of an earlier study
        self.outcomes = Outcomes(np.int8)
        self._due = 0.0
        self._asking: tuple[list[Event], Any] | None = None  # asked for and not written down yet

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self.outcomes.end

    @property
    def told(self) -> int:
        """How many trials have their outcome; those that were told as counts as well."""
        return self.asked - len(self.leases) - self.lost + self.policy.counted

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        if self.verdict is not None:
            self.verdict = Verdict.from_json(state["verdict"]["json"], self.policy.judge.rates_at_stop)

    def apply(self, found: Event) -> None:
        """Take in an event that is in the journal."""
        said = checked(found)
        if self._asking is not None and said is not self._asking[0][0]:
            self.unask()
        match said.get("kind"):
            case "asked":
                self._ask(said)
            case "told":
                self._settle(unpack(said["ids"]), unpack(said["outcomes"]).astype(np.int8))
            case "counted":
                self.policy.tell_counts(said["arm"], said["successes"], said["trials"])
                self._remember()
            case "abandoned":
                self._settle(unpack(said["ids"]), None)
            case "released":
                self.leases.release(unpack(said["ids"]))
            case "history":
                trials = np.array(said["trials"], dtype=float)
                self.policy.tell_history(trials, np.array(said["successes"], dtype=float))
            case "inherited":
                arms = unpack(said["arms"])
                self.policy.inherit(arms, unpack(said["outcomes"]).astype(np.int8))
                self.inherited = len(arms)
            case "noted":
                self.notes[said["about"]] = self.notes.get(said["about"], {}) | said["said"]
            case "decided":
                self.verdict = Verdict.from_json(said["verdict"], self.policy.judge.rates_at_stop)
            case other:
                raise JournalError(
                    f"the journal holds an event of kind {other!r}, which this logts does not know: upgrade "
                    "logts"
                )

    def ask(
        self, wanted: Sequence[Wanted], now: float, told: Indices = NONE
    ) -> tuple[list[Event], list[Indices]]:
        """Lease trials to each who wants some; the events, and the ids that each gets.

        First those that a caller has already, then those whose lease is over, then new ones; none that is
        ``told`` at the same time. The policy has chosen; if that is not written down, :meth:`unask`.
        """
        mark = self.policy.mark()
        over = self.leases.over(now, len(told) + sum(one.n for one in wanted))
        over = _without(over, told)
        first = self.asked
        made: list[Event] = []
        given: list[Indices] = []
        for one in wanted:
            has = self._has(one, wanted[: len(given)], given, told)[: one.n]
            lapsed = has[np.isin(has, over)]
            over = _without(over, lapsed)
            others, over = np.split(over, [one.n - len(has)])
            new = one.n - len(has) - len(others)
            for limit in (self.policy.max_trials, one.up_to):
                new = new if limit is None else min(new, limit - first - self.policy.counted)
            arms = self.policy.ask(new).arms if new > 0 else NONE
            again = np.concatenate([lapsed, others])
            if len(arms) or len(again):
                until = round(now + (self.lease if one.lease is None else one.lease), 3)
                made.append(
                    event("asked", now, first=first, arms=arms, again=again, until=until, worker=one.worker)
                )
            given.append(np.concatenate([has, others, np.arange(first, first + len(arms))]))
            first += len(arms)
        self._asking = (made.copy(), mark) if made else None
        return made, given

    def _has(self, one: Wanted, before: Sequence[Wanted], given: list[Indices], told: Indices) -> Indices:
        """What a caller has already, if they keep it: given just now, or earlier and to nobody else since."""
        if not one.keeps:
            return NONE
        just = [ids for other, ids in zip(before, given, strict=True) if other.worker == one.worker]
        if just:
            return just[-1]
        return _without(self.leases.of(one.worker), np.concatenate([told, *given]))

    def unask(self) -> None:
        """Somebody else was faster: what was asked for is forgotten."""
        if self._asking is not None:
            self.policy.unask(self._asking[1])
            self._asking = None

    def _ask(self, said: Event) -> None:
        new = counted(said["arms"])
        if self._asking is None and new:
            self.policy.replay(unpack(said["arms"]))
        elif self._asking is not None:
            self._asking[0].pop(0)
            if not self._asking[0]:
                self._asking = None
        self.outcomes.extend(new, WAITING)
        self.leases.give(new, unpack(said["again"]), said["until"], said["worker"])

    def tell(self, ids: Indices, outcomes: Array, now: float) -> list[Event]:
        """The outcomes that are new; if one contradicts an earlier one, all are refused."""
        self._known(ids)
        before = self.outcomes.values[ids]
        waiting = before == WAITING
        wrong = ~waiting & (before != outcomes)
        if wrong.any():
            number, old, new = (part[wrong][0] for part in (ids, before, outcomes))
            about = {"trial": int(number), "told": bool(new)}
            if old == ABANDONED:
                said = f"trial {number} was abandoned: its outcome no longer counts"
                raise RefusedError(said, **about, before="abandoned")
            said = f"trial {number} was told {_yes_no(old)} before, now {_yes_no(new)}"
            raise RefusedError(f"{said}: the first outcome stands", **about, before=bool(old))
        ids, outcomes = _once(ids[waiting], outcomes[waiting])
        return [event("told", now, ids=ids, outcomes=outcomes)] if len(ids) else []

    def tell_counts(self, arm: int, successes: int, trials: int, now: float) -> list[Event]:
        """Outcomes of one arm of which only the numbers are known."""
        return [event("counted", now, arm=arm, successes=successes, trials=trials)] if trials else []

    def abandon(self, ids: Indices, reason: str, now: float) -> list[Event]:
        """Give up trials; one that has its outcome is refused, one abandoned before is left alone."""
        self._known(ids)
        before = self.outcomes.values[ids]
        settled = ids[before >= 0]
        if len(settled):
            raise RefusedError(f"trial {settled[0]} has its outcome already: it cannot be abandoned")
        ids = np.unique(ids[before == WAITING])
        return [event("abandoned", now, ids=ids, reason=reason)] if len(ids) else []

    def release(self, ids: Indices, now: float) -> list[Event]:
        """Let trials that are out be asked again at once."""
        self._known(ids)
        ids = np.unique(ids)
        ids = ids[self.outcomes.values[ids] == WAITING]
        ids = np.setdiff1d(ids, self.leases.over(-math.inf, len(self.outcomes.values)))
        return [event("released", now, ids=ids)] if len(ids) else []

    def tell_history(self, trials: Array, successes: Array, now: float) -> list[Event]:
        """Counts from before the study."""
        checked_counts(self.policy.arms.points, trials, successes)
        return [event("history", now, trials=trials.tolist(), successes=successes.tolist())]

    def note(self, about: str, said: dict[str, Any], now: float) -> list[Event]:
        """What is not evidence; under each name the last that was said stands."""
        if not all(isinstance(word, str) for word in (about, *said)):
            raise RefusedError(f"notes have names, which are words; got {about!r} and {list(said)!r}")
        try:
            kept = json.loads(to_line(said))
        except (TypeError, ValueError) as error:
            raise RefusedError(
                f"notes hold what JSON can: words, numbers and lists of them; {error}"
            ) from error
        return [event("noted", now, about=about, said=kept)]

    def found(self, now: float) -> list[Event]:
        """What follows from the outcomes and is not in the journal yet: an alarm, the verdict."""
        made: list[Event] = []
        if self.policy.judge.alarmed and "alarm" not in self.notes:
            made += self.note("alarm", {"trials": self.policy.complete}, now)
        if self.verdict is None and self.policy.verdict is not None:
            made.append(decision(self.policy.verdict, now))
        return made

    def _known(self, ids: Indices) -> None:
        wrong = ids[(ids < 0) | (ids >= self.asked)]
        if len(wrong):
            raise UnknownTrialError(
                f"no trial has the id {wrong[0]}: ids come from ask, and {self.asked:,} have been given out"
            )

    def _settle(self, ids: Indices, outcomes: Array | None) -> None:
        if outcomes is None:
            self.outcomes.values[ids] = ABANDONED
            self.lost += len(ids)
            self.policy.abandon(ids)
        else:
            self.outcomes.values[ids] = outcomes
            self.policy.tell(ids, outcomes)
        self.leases.settle(ids, self.policy.ledger.complete)
        self._remember()

    def _remember(self) -> None:
        """Keep a moment now and then."""
        policy = self.policy
        told = policy.complete
        if told < self._due and (policy.verdict is None or self.verdict is not None):
            return
        if told >= 2 * self.arms.dimension or policy.verdict is not None:
            self.moments.append(moment_of(policy))
        self._due = STEP * told


def completed(events: list[Event]) -> tuple[Indices, Array]:
    """Arms and outcomes of a journal in the order of the asks, up to the first that is still out.

    Outcomes of which only the numbers are known come in some order, as good as any other.
    """
    rng = np.random.default_rng(len(events))
    arms: list[Indices] = [np.empty(0, dtype=np.intp)]
    outcomes: list[Array] = [np.empty(0, dtype=np.int8)]
    told: list[tuple[Indices, Any]] = []
    for said in events:
        match said["kind"]:
            case "inherited":
                arms.append(unpack(said["arms"]))
                outcomes.append(unpack(said["outcomes"]))
            case "counted":
                counts = Counts(0, said["arm"], said["successes"], said["trials"])
                outcomes.extend(counts.in_some_order(rng))
                arms.append(np.full(counts.trials, counts.arm))
            case "asked":
                arms.append(unpack(said["arms"]))
                outcomes.append(np.full(len(arms[-1]), WAITING))
            case "told":
                told.append((unpack(said["ids"]), unpack(said["outcomes"])))
            case "abandoned":
                told.append((unpack(said["ids"]), ABANDONED))
    tried = np.concatenate(arms)
    found = np.concatenate(outcomes).astype(np.int8)
    asked = np.flatnonzero(found == WAITING)  # by id
    for ids, values in told:
        found[asked[ids]] = values
    waiting = np.flatnonzero(found == WAITING)
    done = int(waiting[0]) if len(waiting) else len(tried)
    kept = found[:done] != ABANDONED
    return tried[:done][kept], found[:done][kept]


def _once(ids: Indices, outcomes: Array) -> tuple[Indices, Array]:
    """Each id once; told twice at once, it must be the same."""
    if (np.diff(np.sort(ids)) > 0).all():
        return ids, outcomes
    first: dict[int, int] = {}
    for number, outcome in zip(ids.tolist(), outcomes.tolist(), strict=True):
        if first.setdefault(number, outcome) != outcome:
            raise RefusedError(f"trial {number} is told both yes and no here: tell each id once")
    return np.array(list(first), dtype=np.intp), np.array(list(first.values()), dtype=np.int8)


def _without(ids: Indices, others: Indices) -> Indices:
    """Those that are not among others, in order."""
    return ids[~np.isin(ids, others)] if len(ids) and len(others) else ids


def _yes_no(outcome: int) -> str:
    return "yes" if outcome == 1 else "no"
