"""What there is to see of a study: what is studied, how it stands, and what happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logts.arms import Arms
from logts.evidence.intervals import RateTable, tabled
from logts.journal import Event, Journal
from logts.judge import Progress, Verdict
from logts.policies.moment import Moment
from logts.problems import Problem
from logts.reports.card import study_card
from logts.reports.effects import Effects, effects_of
from logts.reports.fit_words import alarm_in_words
from logts.reports.pictures import PICTURES
from logts.reports.preview import Preview, preview_of
from logts.reports.report import write_report
from logts.reports.standing import Standing, standing_of
from logts.reports.table import trials as trials_table
from logts.study.fold import Fold
from logts.study.live import Live
from logts.study.replay import Replay
from logts.study.trial import Trials, Waiting
from logts.tools.algebra import Array, Indices
from logts.tools.tabular import pandas_frame, polars_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class View:
    """A study as it is seen: a replay of its journal. Nothing here changes it."""

    def __init__(self, journal: Journal, problem: Problem | None = None) -> None:
        self._journal = journal
        self._replay = Replay(journal, problem)
        self._replay.read()

    def __repr__(self) -> str:
        return f"Study({self.where!r}, {self.name!r}: {self.problem!r} of {len(self.arms)} arms)"

    def _repr_html_(self) -> str:
        return study_card(self.name, self.standing())

    # What is studied.

    @property
    def name(self) -> str:
        """What it is called where it is kept."""
        return self._journal.name

    @property
    def where(self) -> str:
        """The file or database that keeps it, without a password."""
        return self._journal.store.where

    @property
    def arms(self) -> Arms:
        """What can be tried, and what is judged."""
        return self._replay.seen().arms

    @property
    def problem(self) -> Problem:
        """The question."""
        return self._replay.seen().problem

    @property
    def delta(self) -> float:
        """The permitted probability of a wrong answer."""
        return self._replay.seen().delta

    @property
    def created(self) -> Event:
        """The first event of the journal: settings, seed, and the version of the package that wrote it."""
        return self._replay.seen().created

    @property
    def position(self) -> int:
        """How many events the journal has, as it was last read here."""
        return self._replay.position

    def read(self) -> int:
        """Take in what is new in the journal; returns the position after it.

        Returns
        -------
        int
            How many events there are.
        """
        self._read()
        return self.position

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

    def rates(self) -> RateTable:
        """Rates of all items, now or at the stop; their intervals hold for all items and times at once.

        Where items are only compared with each other, an item has no rate by itself: then it is the rate at
        which it wins against an average one.

        Returns
        -------
        Sequence of Rate
            One for each item.
        """
        if not self.arms.own_items:
            return tabled(self.standing().shown)
        with self._lock:
            fold = self._read()
            return fold.verdict.rates() if fold.verdict is not None else fold.policy.rates()

    def standing(self) -> Standing:
        """All of how it stands, now or at the stop: what words, pictures and the report are made from.

        Returns
        -------
        Standing
            Counts, rates, the course, the fit.
        """
        with self._lock:
            fold = self._read()
            return standing_of(fold.policy, fold.moments, fold.verdict)

    @contextmanager
    def at_rest(self) -> Iterator[Standing]:
        """The same, while nothing of the study can change: what is found of it then goes together.

        Yields
        ------
        Standing
            How it stands.
        """
        with self._lock:
            yield self.standing()

    def effects(self) -> Effects:
        """What each column of the model does to the logit of a rate, with intervals that hold at all times.

        A category goes from its first level to each other one, a number from its smallest value to its
        largest; all else stays, and the change is averaged over the options. Where the model multiplies two
        columns there is a row for how much more they do together than each by itself. The intervals hold
        for all of them at once. It is a sequence, and a table: ``to_pandas()``.

        Returns
        -------
        Effects
            One for each change, and for each pair of columns that the model multiplies.
        """
        return effects_of(self.standing())

    def preview(self) -> Preview:
        """What is known before the proof: who leads, how likely that is right, by how much.

        Each number says whether it is proven or by the posterior.

        Returns
        -------
        Preview
            Leader, probability, difference, what is ruled out.
        """
        return preview_of(self.standing())

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self._read().asked

    @property
    def told(self) -> int:
        """How many outcomes have been told; those told as counts as well."""
        return self._read().told

    @property
    def out(self) -> int:
        """How many trials are out: their outcome is still to come."""
        return len(self._read().leases)

    @property
    def waiting(self) -> Waiting:
        """Trials whose outcome is still to come, each with its worker and the time its lease ends."""
        return self.first_waiting(None)

    def first_waiting(self, most: int | None) -> Waiting:
        """The same of the first ``most`` only: there may be very many.

        Parameters
        ----------
        most
            How many; None for all.

        Returns
        -------
        Waiting
            A sequence of trial, worker and time.
        """
        with self._lock:
            fold = self._read()
            ids, until, workers = fold.leases.out(most)
            return Waiting(self._trials(fold, ids), workers, until)

    @property
    def abandoned(self) -> int:
        """How many trials were abandoned."""
        return self._read().lost

    @property
    def notes(self) -> dict[str, dict[str, Any]]:
        """What was noted: the ``command`` that makes the trials, the last ``failures``, and the like."""
        return {about: dict(said) for about, said in self._read().notes.items()}

    @property
    def moments(self) -> list[Moment]:
        """How the study stood at some times, about ten for each doubling of the trials."""
        return [*self._read().moments]

    def summary(self) -> str:
        """How it stands, in words.

        Returns
        -------
        str
            The verdict in words; or who leads, and what is missing.
        """
        alarm = self.alarm
        return f"{self._summary()}\n{alarm}" if alarm else self._summary()

    @property
    def alarm(self) -> str:
        """What the outcomes say against the model, if they refute it, and what would mend it; else empty."""
        with self._lock:
            return alarm_in_words(self.standing()) if self._read().policy.judge.alarmed else ""

    def _summary(self) -> str:
        with self._lock:
            fold = self._read()
            if fold.verdict is not None:
                return fold.verdict.summary()
            progress = fold.policy.progress
            made = int(fold.policy.counts.sum())
            leader = progress.leader.text if made and progress.leader is not None else "nobody yet"
            sure = f"confidence {progress.confidence:.1%}, wanted {100 * (1 - fold.delta):g}%"
            left = ""
            if progress.remaining is not None:
                left = f" About {float(f'{progress.remaining:.2g}'):,.0f} trials to go."
            return f"Undecided after {made:,} trials. Leading: {leader} ({sure}).{left}"

    # What happened.

    def events(self, first: int = 0) -> list[Event]:
        """The journal itself, from its beginning or from a position on.

        Parameters
        ----------
        first
            How many events to leave out.

        Returns
        -------
        list of dict
            The events, in their order.
        """
        return self._journal.read_from(first)

    def to_pandas(self) -> Any:
        """A row for each trial, as a pandas frame: what was asked and told, when (UTC), and by whom.

        Returns
        -------
        pandas.DataFrame
            A row for each trial.
        """
        return pandas_frame(trials_table(self.events(), self.arms)).astype({"outcome": "Int8"})

    def to_polars(self) -> Any:
        """The same as a polars frame.

        Returns
        -------
        polars.DataFrame
            A row for each trial.
        """
        import polars as pl

        outcome = pl.col("outcome").fill_nan(None).cast(pl.Int8)
        return polars_frame(trials_table(self.events(), self.arms)).with_columns(outcome)

    # For people.

    def live(self, *, every: float = 1.0) -> Live:
        """A view that stays in place while a loop of yours runs: ``with study.live() as view``.

        ``view.update()`` shows how the study stands, at most once in ``every`` seconds, so that it may be
        called after every outcome: a card in a notebook, the screen of ``logts run`` in a terminal (needs
        rich), and a line a minute on standard error elsewhere.

        Parameters
        ----------
        every
            Seconds between two updates, at the least.

        Returns
        -------
        Live
            The view; it closes at the end of the ``with``.
        """
        return Live(self.name, self.standing, every=every)

    def plot(self, name: str, **options: Any) -> "Figure":
        """A picture by its name (``logts.reports.pictures.PICTURES``), as a figure of matplotlib.

        ``study.plot("rates").savefig("rates.png")``; options such as ``title`` are those of the picture.

        Parameters
        ----------
        name
            ``"rates"``, ``"confidence"``, ``"settled"``, ``"fit"``, or one of your own.
        **options
            Those of the picture.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return PICTURES.find(name)(self.standing(), **options)

    def plot_rates(self, *, most: int = 20) -> "Figure":
        """Rates of the ``most`` best options with their intervals, and where the trials went.

        Parameters
        ----------
        most
            How many options.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return self.plot("rates", most=most)

    def plot_confidence(self) -> "Figure":
        """Confidence over trials, and who led.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return self.plot("confidence")

    def plot_settled(self, *, most: int = 20) -> "Figure":
        """When each option was settled: ruled out, or proven to belong to the answer.

        Parameters
        ----------
        most
            How many options.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return self.plot("settled", most=most)

    def plot_effects(self, *, most: int = 20) -> "Figure":
        """What the columns of the model do: see :meth:`effects`.

        Parameters
        ----------
        most
            How many effects, the first ones.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return self.plot("effects", most=most)

    def plot_fit(self) -> "Figure":
        """Whether the model fits: observed against fitted rates.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; ``figure.savefig(path)`` keeps it.
        """
        return self.plot("fit")

    def report(self, path: str | Path) -> Path:
        """Write one HTML page with the verdict, the pictures and the numbers; returns its path.

        Parameters
        ----------
        path
            Where to write it.

        Returns
        -------
        Path
            The file.
        """
        journal = self.events()
        return write_report(self.standing(), path, name=self.name, created=self.created, journal=journal)

    # Behind it.

    @property
    def _lock(self) -> Any:
        return self._replay.lock

    def _read(self) -> Fold:
        """The state after all events of the journal."""
        return self._replay.read()

    def _trials(self, fold: Fold, ids: Indices) -> Trials:
        """Trials that are out."""
        return Trials(ids, fold.policy.ledger.arms_of(ids), fold.arms)
