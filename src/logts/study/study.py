"""A live study: ask and tell over a journal, from any number of threads, processes and machines, through any crash."""

import math
import operator
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from logts._version import __version__
from logts.arms import Arms
from logts.journal import Database, Event, SqlJournal
from logts.policies import Progress, Verdict
from logts.policies.ledger import checked_outcomes
from logts.policies.moment import Moment
from logts.problems import Problem
from logts.reports.pictures import PICTURES
from logts.reports.report import write_report
from logts.reports.standing import Standing, standing_of
from logts.reports.table import trials as trials_table
from logts.stopping import Rate
from logts.study import events
from logts.study.fold import Fold, make_policy
from logts.study.live import Live
from logts.study.trial import Trial, find_arm, numbers_of, this_worker
from logts.tools.algebra import Array
from logts.tools.frames import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEASE = 3600.0


# A study has a method called list.
Trials = list[Trial]
Waiting = list[tuple[Trial, str, float]]
Events = list[Event]
Names = list[str]
Rates = list[Rate]
Moments = list[Moment]


class Study:
    """Which option is best, over days and crashes. Make one with :meth:`create` or :meth:`open`.

    What ``tell`` has acknowledged is on disk. Several processes may work on one study at once: all of them see the same state,
    which is nothing but a replay of the journal.

    Examples
    --------
    >>> import tempfile, logts
    >>> folder = tempfile.TemporaryDirectory()
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> study = logts.Study.create(f"{folder.name}/studies.db", "buttons", arms=arms, problem=logts.BestArm(), delta=0.05)
    >>> for trial in study.ask(2):
    ...     study.tell(trial.id, trial.arm == "blue")
    >>> study.close()
    >>> logts.Study.open(f"{folder.name}/studies.db", "buttons").summary()
    'Undecided after 2 trials. Leading: best: blue (confidence 0.0%, wanted 95%).'
    >>> folder.cleanup()
    """

    def __init__(self, journal: SqlJournal, problem: Problem | None = None) -> None:
        self._journal, self._live = journal, Live(journal, problem)
        self._live.read()

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
        **settings: Any,
    ) -> "Study":
        """Begin a study and write it down.

        Parameters
        ----------
        url
            The file to keep it in (SQLite), or a URL such as ``postgresql://user@host/name``. It may hold other studies.
        name
            Its name there.
        arms, problem, delta
            What can be tried, the question, and the permitted probability of a wrong answer.
        policy
            ``"log-ts"``, or ``"uniform"`` or ``"lazy-track-and-stop"`` for comparison.
        lease
            Seconds after which a trial without an outcome may be asked again.
        rng
            Seed of the fit check's bootstrap; None draws one. It is kept in the journal.
        **settings
            Those of :class:`logts.LogTS`, such as ``max_trials`` or ``guard``.
        """
        if not name:
            raise ValueError("give the study a name")
        _check_lease(lease)
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else operator.index(rng)
        kept = {name: plain(value) for name, value in settings.items()} | {"rng": seed}
        made = make_policy(policy, arms, problem, delta, kept)  # refuses what cannot be studied before anything is written
        said = {"arms": events.write_arms(arms), "problem": events.write_problem(problem), "delta": delta}
        first = events.event("created", time.time(), logts=__version__, policy=policy, settings=kept, lease=lease, **said)
        known = [events.event("decided", time.time(), verdict=made.verdict.to_json())] if made.verdict is not None else []
        return cls(Database(url, create=True).create(name, [first, *known]), problem)

    @classmethod
    def open(cls, url: str | Path, name: str | None = None, *, problem: Problem | None = None) -> "Study":
        """Go on with a study; without a name, the only one there is. ``problem`` is needed for questions of your own."""
        database = Database(url)
        if name is None:
            names = database.names()
            if len(names) != 1:
                raise ValueError(
                    f"{database.where} holds {len(names)} studies; say which: {', '.join(names) or 'there are none yet'}"
                )
            name = names[0]
        return cls(database.journal(name), problem)

    @classmethod
    def list(cls, url: str | Path) -> Names:
        """Names of the studies in a database, the oldest first."""
        return Database(url).names()

    def close(self) -> None:
        """Let go of the database. Everything is written already."""
        self._journal.database.close()

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Study({self.where!r}, {self.name!r}: {self.problem!r} of {len(self.arms)} arms)"

    # What is studied.

    @property
    def name(self) -> str:
        return self._journal.name

    @property
    def where(self) -> str:
        """The file or database that keeps it, without a password."""
        return self._journal.database.where

    @property
    def arms(self) -> Arms:
        return self._live.seen().arms

    @property
    def problem(self) -> Problem:
        return self._live.seen().problem

    @property
    def delta(self) -> float:
        return self._live.seen().delta

    @property
    def created(self) -> Event:
        """The first event of the journal: settings, seed, and the version of the package that began the study."""
        return self._live.seen().created

    # Ask and tell.

    def ask(self, n: int = 1, *, lease: float | None = None, worker: str | None = None, up_to: int | None = None) -> Trials:
        """Up to ``n`` trials to make: first those whose lease is over, then new ones.

        Fewer come back, or none, once the study is decided or has spent its budget, ``max_trials`` or ``up_to`` trials in all.
        ``worker`` says who asks, by default this host and process.
        """
        if operator.index(n) < 1:
            raise ValueError(f"ask for at least one trial; got {n!r}")
        if lease is not None:
            _check_lease(lease)
        asked: Events = []

        def decide(fold: Fold) -> Events:
            asked.clear()
            if known := fold.decided(time.time()):  # in a journal that was cut before it was written down
                return known
            if fold.verdict is None:
                seconds = fold.lease if lease is None else lease
                made = fold.ask(n, time.time(), seconds, this_worker() if worker is None else worker, up_to)
                asked.extend([made] if made is not None else [])
            return asked

        with self._lock:
            # What is asked follows from what was told: should a power cut take this event, the same ids get the same arms again.
            fold = self._live.write(decide, durable=False)
            if not asked:
                return []
            said = asked[0]
            return [
                self._trial(fold, number) for number in [*said["again"], *range(said["first"], said["first"] + len(said["arms"]))]
            ]

    def tell(self, ids: "int | Trial | Iterable[int | Trial]", outcomes: ArrayLike) -> None:
        """Report outcomes: 1 or True for yes, 0 or False for no. On return they are on disk.

        To repeat an outcome is harmless; another outcome for the same trial is refused. All ids of a call are taken in, or none.
        """
        numbers = numbers_of(ids)
        marks = checked_outcomes(outcomes, len(numbers))
        self._live.write(lambda fold: fold.tell(numbers, marks, time.time()))

    def abandon(self, ids: "int | Trial | Iterable[int | Trial]", reason: str = "") -> None:
        """Give up trials that will never have an outcome. Their loss must not depend on the outcome they would have had."""
        self._live.write(lambda fold: fold.abandon(numbers_of(ids), reason, time.time()))

    def release(self, ids: "int | Trial | Iterable[int | Trial]") -> None:
        """Give trials back: the next to ask gets them, without waiting for the lease to end."""
        self._live.write(lambda fold: fold.release(numbers_of(ids), time.time()))

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
        known = self.arms
        if (arms is None) != (outcomes is None) or (trials is None) != (successes is None) or (arms is None) == (trials is None):
            raise ValueError("give arms and outcomes, or trials and successes for every arm")
        if arms is not None:
            listed = [arms] if isinstance(arms, (str, int, np.integer)) else list(arms)
            at = np.array([find_arm(known, arm) for arm in listed], dtype=np.intp)
            values = checked_outcomes(outcomes if outcomes is not None else (), len(at))
            counts = np.bincount(at, minlength=len(known)), np.bincount(at[values == 1], minlength=len(known))
        else:
            counts = np.asarray(trials), np.asarray(successes)
            if any(array.shape != (len(known),) for array in counts):
                raise ValueError(
                    f"give one number for each of {len(known)} arms; got shapes {counts[0].shape} and {counts[1].shape}"
                )
        told, yes = (array.astype(float) for array in counts)
        self._live.write(lambda fold: fold.tell_history(told, yes, time.time()))

    # How it stands.

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        return self._read().verdict

    @property
    def progress(self) -> Progress:
        """How far the study is."""
        with self._lock:
            return self._read().policy.progress

    @property
    def confidence(self) -> float:
        """What could be claimed now."""
        with self._lock:
            fold = self._read()
            return fold.verdict.confidence if fold.verdict is not None else fold.policy.progress.confidence

    @property
    def counts(self) -> Array:
        """Outcomes that count as evidence, for each arm."""
        with self._lock:
            return self._read().policy.counts

    def rates(self) -> Rates:
        """Rates of all items now (at the stop, once decided), with intervals that hold for all items and times at once."""
        with self._lock:
            fold = self._read()
            return fold.verdict.rates if fold.verdict is not None else fold.policy.rates()

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self._read().asked

    @property
    def waiting(self) -> Waiting:
        """Trials whose outcome is still to come, each with its worker and the time until which it is leased."""
        with self._lock:
            fold = self._read()
            return [(self._trial(fold, number), trial.worker, trial.until) for number, trial in fold.out.items()]

    @property
    def abandoned(self) -> int:
        """How many trials were abandoned."""
        return self._read().lost

    @property
    def moments(self) -> Moments:
        """How the study stood at some times, about ten for each doubling of the trials."""
        return [*self._read().moments]

    def summary(self) -> str:
        """How it stands, in words."""
        with self._lock:
            fold = self._read()
            if fold.verdict is not None:
                return fold.verdict.summary()
            progress, made = fold.policy.progress, int(fold.policy.counts.sum())
            leader = progress.leader.text if progress.leader is not None else "nobody yet"
            sure = f"confidence {progress.confidence:.1%}, wanted {100 * (1 - fold.delta):g}%"
            left = "" if progress.remaining is None else f" About {float(f'{progress.remaining:.2g}'):,.0f} trials to go."
            return f"Undecided after {made:,} trials. Leading: {leader} ({sure}).{left}"

    def events(self) -> Events:
        """The journal itself, from its beginning."""
        return self._journal.read_from(0)

    # For people.

    def plot(self, name: str, **options: Any) -> "Figure":
        """A picture by its name (``logts.reports.pictures.PICTURES``), as a figure of matplotlib.

        ``study.plot("rates").savefig("rates.png")``; options such as ``title`` are those of the picture.
        """
        return PICTURES.find(name)(self._standing(), **options)

    def plot_rates(self, *, most: int = 20) -> "Figure":
        """Rates of the ``most`` best options with their intervals, and where the trials went."""
        return self.plot("rates", most=most)

    def plot_confidence(self) -> "Figure":
        """Confidence over trials, and who led."""
        return self.plot("confidence")

    def plot_settled(self, *, most: int = 20) -> "Figure":
        """When each option was settled: ruled out, or proven to belong to the answer."""
        return self.plot("settled", most=most)

    def plot_fit(self) -> "Figure":
        """Whether the model fits: observed against fitted rates."""
        return self.plot("fit")

    def report(self, path: str | Path) -> Path:
        """Write one HTML page with the verdict, the pictures and the numbers; returns its path."""
        journal = self.events()
        return write_report(self._standing(), path, name=self.name, created=self.created, journal=journal)

    def to_pandas(self) -> Any:
        """A row for each trial, as a pandas frame: what was asked and told, when (UTC), and by whom."""
        import pandas as pd

        return pd.DataFrame(trials_table(self.events(), self.arms)).astype({"outcome": "Int8"})

    def to_polars(self) -> Any:
        """The same as a polars frame."""
        import polars as pl

        return pl.DataFrame(trials_table(self.events(), self.arms), schema_overrides={"outcome": pl.Int8})

    # Behind it.

    @property
    def _lock(self) -> Any:
        return self._live.lock

    def _read(self) -> Fold:
        """The state after all events of the journal."""
        return self._live.read()

    def _standing(self) -> Standing:
        with self._lock:
            fold = self._read()
            return standing_of(fold.policy, fold.moments, fold.verdict)

    def _trial(self, fold: Fold, number: int) -> Trial:
        arm = fold.out[number].arm
        return Trial(number, fold.arms.names[arm], arm, fold.arms.columns[arm])


def _check_lease(lease: float) -> None:
    if not 0.0 < lease < math.inf:
        raise ValueError(f"a lease is a number of seconds above 0; got {lease!r}")
