"""A live study: ask and tell over a journal, from any number of threads, processes and machines."""

import math
import operator
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from logts._version import __version__
from logts.arms import Arms
from logts.journal import Event, open_store
from logts.journal.base import OWN
from logts.judge import Verdict
from logts.policies import TrackAndStop
from logts.policies.ledger import checked_counts_of, checked_outcomes
from logts.problems import Problem
from logts.study.at_once import Told, write_at_once, write_found
from logts.study.dead import release_of_the_dead
from logts.study.events import make_policy, write_arms, write_problem
from logts.study.fold import Fold, completed, decision, event
from logts.study.refused import RefusedError
from logts.study.trial import Trial, Trials, Wanted, find_arm, numbers_of, this_worker
from logts.study.view import View
from logts.study.work import carry_out
from logts.tools.frames import plain

LEASE = 3600.0

# A study has a method called list.
Events = list[Event]
Names = list[str]
Answers = list[Trials]
Refusals = list[RefusedError | None]


class Study(View):
    """Which option is best, over days and crashes. Make one with :meth:`create` or :meth:`open`.

    What ``tell`` has acknowledged is on disk. Several processes may work on one study at once: all of them
    see the same state, which is nothing but a replay of the journal.

    Examples
    --------
    >>> import tempfile, logts
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = f"{folder.name}/studies.db"
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> study = logts.Study.create(file, "buttons", arms=arms, problem=logts.BestArm(), delta=0.05)
    >>> for trial in study.ask(2):
    ...     study.tell(trial.id, trial.arm == "blue")
    >>> study.close()
    >>> logts.Study.open(file, "buttons").summary()
    'Undecided after 2 trials. Leading: best: blue (confidence 0.0%, wanted 95%).'
    >>> folder.cleanup()
    """

    @classmethod
    def create(
        cls,
        url: str | Path,
        name: str,
        *,
        arms: Arms,
        problem: Problem,
        delta: float = 0.05,
        policy: str = "log-ts",
        lease: float = LEASE,
        rng: int | None = 0,
        after: "Study | None" = None,
        **settings: Any,
    ) -> Self:
        """Begin a study and write it down.

        Parameters
        ----------
        url
            The file to keep it in (SQLite), or a URL such as ``postgresql://user@host/name``;
            ``memory://name`` is gone with this process. It may hold other studies.
        name
            Its name there.
        arms, problem, delta
            What can be tried, the question, and the permitted probability of a wrong answer.
        policy
            ``"log-ts"``, or ``"uniform"`` or ``"lazy-track-and-stop"`` for comparison.
        lease
            Seconds after which a trial without an outcome may be asked again.
        rng
            Seed for policies that draw lots; None draws one. It is kept in the journal.
        after
            A study of the same options and question, under another model or none, from which this one goes
            on. Its outcomes are evidence without the model, and history within it.
        **settings
            Those of :class:`logts.LogTS`, such as ``max_trials`` or ``guard``.

        Returns
        -------
        Study
            The study.
        """
        if not name:
            raise ValueError("give the study a name")
        if name.startswith(OWN):
            raise ValueError(f"names that begin with {OWN!r} are kept for what is no study; got {name!r}")
        _check_lease(lease)
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else operator.index(rng)
        kept = {name: plain(value) for name, value in settings.items()} | {"rng": seed}
        # This refuses what cannot be studied before anything is written.
        made = make_policy(policy, arms, problem, delta, kept)
        how = {"logts": __version__, "policy": policy, "settings": kept, "lease": lease}
        what = {"arms": write_arms(arms), "problem": write_problem(problem), "delta": delta}
        first = [event("created", time.time(), **how, **what)]
        if after is not None:
            first += _inherited(made, after)
        if made.verdict is not None:
            first.append(decision(made.verdict, time.time()))
        return cls(open_store(url, create=True).create(name, first), problem)

    @classmethod
    def open(cls, url: str | Path, name: str | None = None, *, problem: Problem | None = None) -> Self:
        """Go on with a study; without a name, the only one there is.

        ``problem`` is needed for questions of your own.

        Parameters
        ----------
        url
            The file, or the URL of the store.
        name
            The study's name there; may be left out if there is only one.
        problem
            The question, if it is one of your own that is not known by its name.

        Returns
        -------
        Study
            The study.
        """
        store = open_store(url)
        if name is None:
            names = store.names()
            if len(names) != 1:
                there = ", ".join(names) or "there are none yet"
                raise ValueError(f"{store.where} holds {len(names)} studies; say which: {there}")
            name = names[0]
        return cls(store.journal(name), problem)

    @classmethod
    def list(cls, url: str | Path) -> Names:
        """Names of the studies in a store, the oldest first.

        Parameters
        ----------
        url
            The file, or the URL of the store.

        Returns
        -------
        list of str
            Their names.
        """
        return open_store(url).names()

    def close(self) -> None:
        """Let go of the store. Everything is written already."""
        self._journal.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self,
        n: int = 1,
        *,
        lease: float | None = None,
        worker: str | None = None,
        up_to: int | None = None,
        caller: str | None = None,
    ) -> Trials:
        """Up to ``n`` trials to make: first those whose lease is over, then new ones.

        Fewer come back, or none, once the study is decided or has spent its budget, ``max_trials`` or
        ``up_to`` trials in all. ``worker`` says who asks, by default this host and process. To a ``caller``,
        a key of your choice instead of a worker, the same trials come back as long as they are open.

        Parameters
        ----------
        n
            How many, at most.
        lease
            Seconds until they may be given to somebody else; by default what the study says.
        worker
            Who asks; for people to read.
        up_to
            No trial beyond so many in all.
        caller
            Who asks, and gets the same trials again while they are open.

        Returns
        -------
        Trials
            Each with ``id``, ``arm`` (its name), ``number`` and ``columns``.
        """
        if operator.index(n) < 1:
            raise ValueError(f"ask for at least one trial; got {n!r}")
        if lease is not None:
            _check_lease(lease)
        if caller is not None and worker is not None:
            raise ValueError("give a worker, who gets other trials each time, or a caller, who keeps them")
        who = this_worker() if worker is None else worker
        keeps = caller is not None
        asked, _ = self.at_once([Wanted(n, f"caller {caller}" if keeps else who, lease, up_to, keeps)], [])
        return asked[0]

    def tell(self, ids: "int | Trial | Iterable[int | Trial]", outcomes: ArrayLike) -> None:
        """Report outcomes: 1 or True for yes, 0 or False for no. On return they are on disk.

        To repeat an outcome is harmless; another outcome for the same trial is refused. All ids of a call are
        taken in, or none.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        outcomes
            One for each id.
        """
        numbers = numbers_of(ids)
        _, refused = self.at_once([], [(numbers, checked_outcomes(outcomes, len(numbers)))])
        if refused[0] is not None:
            raise refused[0]

    def at_once(self, asks: Sequence[Wanted], tells: Sequence[Told]) -> tuple[Answers, Refusals]:
        """What several callers ask and tell at the same time, in one commit.

        Returns the trials of each ask, and for each tell why it was refused, or None.

        Parameters
        ----------
        asks
            What each asks for.
        tells
            Ids and outcomes, of each that tells.

        Returns
        -------
        trials, refusals
            The trials of each ask, and for each tell why it was refused, or None.
        """
        with self._lock:
            done = write_at_once(self._replay, asks, tells)
            fold = self._replay.seen()
            return [Trials(ids, arms, fold.arms) for ids, arms in done.asked], done.refused

    def run(
        self,
        make: Callable[[Trial], Any],
        *,
        budget: int | None = None,
        jobs: int = 1,
        retries: int = 2,
        show: bool = True,
    ) -> Verdict | None:
        """Make trials with a function until the study is decided, or ``budget`` trials were asked for in all.

        It can be interrupted at any time (Ctrl-C, or the stop
        of a notebook): a trial that runs is given back, what was told is kept, and the same call goes on.

        Parameters
        ----------
        make
            Gets a :class:`logts.study.Trial`, with ``arm`` (the name of the option) and ``columns``, and says
            yes or no: True or False, 1 or 0. An exception is not a no: the trial is tried again, then given
            up with a warning. It is raised if the function has not worked once in this call, or has given up
            ten trials in a row.
        budget
            Trials at most over the life of the study; a larger one goes on.
        jobs
            Trials at a time, in so many threads. One is made in the thread of the call.
        retries
            How often a trial that ended in an exception is tried again.
        show
            Whether to show how it goes: see :meth:`live`.

        Returns
        -------
        Verdict or None
            None while there is none.
        """
        release_of_the_dead(self)
        live = self.live() if show else None
        return carry_out(self, make, live, budget=budget, jobs=jobs, retries=retries)

    def tell_counts(self, arm: str | int, successes: int, trials: int) -> None:
        """Report trials of one option, by name or number, of which only the numbers are known.

        They are evidence, as if they had been asked for and told now; on return they are on disk. Each call
        counts, a repeated one as well. Which option, and how many trials, must have been settled before their
        outcomes were seen.

        Parameters
        ----------
        arm
            The option, by name or number.
        successes, trials
            How many of how many trials said yes.
        """
        number = find_arm(self.arms, arm)
        counts = checked_counts_of(successes, trials)
        self._write(lambda fold: fold.tell_counts(number, *counts, time.time()))

    def abandon(self, ids: "int | Trial | Iterable[int | Trial]", reason: object = "") -> None:
        """Give up trials that will never have an outcome.

        Their loss must not depend on the outcome they would have had. The reason is written down as text.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        reason
            Why, in words.
        """
        why = "" if reason is None else str(reason)
        numbers = numbers_of(ids)
        self._write(lambda fold: fold.abandon(numbers, why, time.time()))

    def release(self, ids: "int | Trial | Iterable[int | Trial]") -> None:
        """Give trials back: the next to ask gets them, without waiting for the lease to end.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        """
        numbers = numbers_of(ids)
        self._replay.write(lambda fold: fold.release(numbers, time.time()))

    def note(self, about: str, said: Mapping[str, Any]) -> None:
        """Write down what is worth knowing, in words and numbers by name. It is no evidence.

        It is found in ``notes``, where the last that was said under a name stands.

        Parameters
        ----------
        about
            What it is about: a name under which it is found.
        said
            Words and numbers by name.
        """
        # It may be lost in a power cut, unless something is told after it.
        self._replay.write(lambda fold: fold.note(about, dict(said), time.time()), durable=False)

    def tell_history(
        self,
        arms: "str | int | Sequence[str | int] | None" = None,
        outcomes: ArrayLike | None = None,
        *,
        trials: ArrayLike | None = None,
        successes: ArrayLike | None = None,
    ) -> None:
        """Outcomes from before the study: they sharpen the forecasts and stay out of the evidence.

        Parameters
        ----------
        arms, outcomes
            Arms by name or number, and an outcome for each.
        trials, successes
            Or counts, one for each arm of the study.
        """
        given = tuple(value is not None for value in (arms, outcomes, trials, successes))
        if given not in ((True, True, False, False), (False, False, True, True)):
            raise ValueError("give arms and outcomes, or trials and successes for every arm")
        known = self.arms
        if arms is not None:
            listed = [arms] if isinstance(arms, (str, int, np.integer)) else list(arms)
            at = np.array([find_arm(known, arm) for arm in listed], dtype=np.intp)
            values = checked_outcomes(outcomes if outcomes is not None else (), len(at))
            told = np.bincount(at, minlength=len(known))
            yes = np.bincount(at[values == 1], minlength=len(known))
        else:
            told = np.asarray(trials)
            yes = np.asarray(successes)
            if not told.shape == yes.shape == (len(known),):
                raise ValueError(
                    f"give one number for each of {len(known)} arms; got shapes {told.shape} and {yes.shape}"
                )
        history = told.astype(float), yes.astype(float)
        self._replay.write(lambda fold: fold.tell_history(*history, time.time()))

    def _write(self, make: Callable[[Fold], Events]) -> None:
        """Write down what was told, then what follows from it: that may take long, and holds up nobody."""
        with self._lock:
            write_found(self._replay, self._replay.write(make))


def _inherited(policy: TrackAndStop, after: Study) -> Events:
    """What a policy goes on from, if it is about the same options and question."""
    if policy.arms.names != after.arms.names or policy.problem != after.problem:
        raise ValueError(
            f"a study goes on from one of the same options and question; {after.name!r} asks "
            f"{after.problem!r} of {len(after.arms)} options"
        )
    arms, outcomes = completed(after.events())
    policy.inherit(arms, outcomes)
    made = [event("inherited", time.time(), of=after.name, arms=arms, outcomes=outcomes)]
    if "command" in after.notes:  # what made these outcomes
        made.append(event("noted", time.time(), about="command", said=after.notes["command"]))
    return made


def _check_lease(lease: float) -> None:
    if not isinstance(lease, Real) or not 0.0 < lease < math.inf:
        raise ValueError(f"a lease is a number of seconds above 0; got {lease!r}")
