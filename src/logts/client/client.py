"""A study on a server: the methods of a study, over HTTP."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.client.connection import TRIES, Server
from logts.evidence.intervals import Rate, RateList, RateTable
from logts.journal import Journal
from logts.judge import Verdict
from logts.policies.ledger import checked_outcomes
from logts.problems import BestArm, Problem
from logts.problems.speech import to_json
from logts.study.replay import Replay
from logts.study.trial import Trial, numbers_of
from logts.study.view import View
from logts.study.work import carry_out

Names = list[str]
Asked = list[Trial]


class Client(View):
    """A study on a server, with the methods of :class:`logts.Study`. Make one with ``create`` or ``open``.

    What is asked and told, and how it stands, is the server's work. Pictures, tables and whatever else needs
    the whole study is made here, from the journal, which is then fetched.

    Examples
    --------
    >>> study = logts.Client.open("http://127.0.0.1:8000", "headlines")  # doctest: +SKIP
    >>> for trial in study.ask(2, caller="worker 7"):  # doctest: +SKIP
    ...     study.tell(trial.id, trial.arm == "Hello")
    """

    def __init__(self, server: Server, name: str, problem: Problem | None = None) -> None:
        self._server = server
        self._journal = Journal(server, name)
        self._replay = Replay(self._journal, problem)

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        *,
        arms: Arms | Sequence[Mapping[str, Any]] | str | Path,
        problem: Problem | None = None,
        token: str | None = None,
        **settings: Any,
    ) -> Self:
        """Begin a study on a server.

        Parameters
        ----------
        url, name
            The address of the server, and the name of the study there.
        arms
            A row for each option, as a CSV file (its path), its text, or a list of mappings from columns to
            values; or arms that are known by their names alone.
        problem
            The question, by default which is the best.
        token
            By default what ``LOGTS_TOKEN`` in the environment says.
        **settings
            ``delta``, ``formula``, ``additive``, ``names``, ``equal``, ``pairwise``, ``guard``,
            ``max_trials``, ``lease``, ``seed``, ``after`` (a name).

        Returns
        -------
        Client
            The study.
        """
        asked = to_json(BestArm() if problem is None else problem)
        if asked is None:
            raise ValueError(f"a server knows the questions of the package alone; got {problem!r}")
        said = _options(arms) | settings
        with closing(Server(url, token=token)) as server:
            server.post("studies", name=name, question=asked, **said)
        return cls(Server(url, token=token), name)

    @classmethod
    def open(cls, url: str, name: str | None = None, *, token: str | None = None) -> Self:
        """Go on with a study on a server; without a name, the only one there is.

        Parameters
        ----------
        url
            The address of the server.
        name
            The study's name there; may be left out if there is only one.
        token
            By default what ``LOGTS_TOKEN`` in the environment says.

        Returns
        -------
        Client
            The study.
        """
        if name is None:
            names = cls.list(url, token=token)
            if len(names) != 1:
                there = ", ".join(names) or "there are none yet"
                raise ValueError(f"{url} holds {len(names)} studies; say which: {there}")
            name = names[0]
        with closing(Server(url, token=token)) as server:
            server.get("studies", name, "progress")  # whether it is there, and may be seen
        return cls(Server(url, token=token), name)

    @classmethod
    def list(cls, url: str, *, token: str | None = None) -> Names:
        """Names of the studies on a server that the token may see, the oldest first.

        Parameters
        ----------
        url
            The address of the server.
        token
            By default what ``LOGTS_TOKEN`` in the environment says.

        Returns
        -------
        list of str
            Their names.
        """
        with closing(Server(url, token=token)) as server:
            names: Names = []
            at: int | None = 0
            while at is not None:
                found = server.get("studies", first=at, most=1000, archived="any")
                names += [one["study"] for one in found["studies"]]
                at = found["next"]
        return names[::-1]

    def close(self) -> None:
        """Let go of the connection. Everything is written already."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self, n: int = 1, *, lease: float | None = None, caller: str | None = None, up_to: int | None = None
    ) -> Asked:
        """Up to ``n`` trials to make; to the same ``caller`` the same ones, as long as they are open.

        Parameters
        ----------
        n
            How many, at most.
        lease
            Seconds until they may be given to somebody else; by default what the study says.
        caller
            Who asks, and gets the same trials again while they are open.
        up_to
            None beyond so many trials in all.

        Returns
        -------
        list of Trial
            Each with ``id``, ``arm`` (its name), ``number`` and ``columns``.
        """
        tries = 1 if caller is None else TRIES
        budget = {} if up_to is None else {"up_to": up_to}
        said = self._post("ask", tries=tries, n=n, lease=lease, caller=caller, **budget)
        return [Trial(one["id"], one["option"], one["number"], one["columns"]) for one in said["trials"]]

    def tell(self, ids: "int | Trial | Iterable[int | Trial]", outcomes: ArrayLike) -> None:
        """Report outcomes: 1 or True for yes, 0 or False for no. On return they are on the server's disk.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        outcomes
            One for each id.
        """
        numbers = numbers_of(ids)
        told = checked_outcomes(outcomes, len(numbers)).astype(bool).tolist()
        self._post("tell", tries=TRIES, ids=numbers.tolist(), outcomes=told)

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

        The function runs here, and the server keeps what comes of it.

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
        live = self.live() if show else None
        return carry_out(self, make, live, budget=budget, jobs=jobs, retries=retries)

    def tell_counts(self, arm: str | int, successes: int, trials: int) -> None:
        """Report trials of one option of which only the numbers are known; each call counts.

        Parameters
        ----------
        arm
            The option, by name or number.
        successes, trials
            How many of how many trials said yes.
        """
        self._post("counts", option=arm, successes=successes, trials=trials)

    def abandon(self, ids: "int | Trial | Iterable[int | Trial]", reason: object = "") -> None:
        """Give up trials that will never have an outcome.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        reason
            Why, in words.
        """
        self._post("abandon", tries=TRIES, ids=numbers_of(ids).tolist(), reason=str(reason))

    def release(self, ids: "int | Trial | Iterable[int | Trial]") -> None:
        """Give trials back: the next to ask gets them.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        """
        self._post("release", tries=TRIES, ids=numbers_of(ids).tolist())

    def note(self, about: str, said: Mapping[str, Any]) -> None:
        """Write down what is worth knowing. It is no evidence.

        Parameters
        ----------
        about
            What it is about: a name under which it is found.
        said
            Words and numbers by name.
        """
        self._post("notes", tries=TRIES, about=about, said=dict(said))

    def tell_history(self, arms: "str | int | Sequence[str | int]", outcomes: ArrayLike) -> None:
        """Outcomes from before the study: they sharpen the forecasts and stay out of the evidence.

        Parameters
        ----------
        arms
            Options by name or number.
        outcomes
            One for each.
        """
        listed = [arms] if isinstance(arms, (str, int)) else [*arms]
        told = checked_outcomes(outcomes, len(listed)).astype(bool).tolist()
        self._post("history", options=listed, outcomes=told)

    # How it stands: said by the server, so that no journal has to be fetched.

    @property
    def where(self) -> str:
        """The server that keeps it."""
        return self._server.where

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        said = self._get("verdict")["verdict"]
        return None if said is None else Verdict.from_json(said, self.rates)

    @property
    def confidence(self) -> float:
        """What could be claimed now."""
        return float(self._get("progress")["confidence"])

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return int(self._get("progress")["asked"])

    @property
    def told(self) -> int:
        """How many outcomes have been told; those told as counts as well."""
        return int(self._get("progress")["told"])

    @property
    def abandoned(self) -> int:
        """How many trials were abandoned."""
        return int(self._get("progress")["abandoned"])

    def rates(self) -> RateTable:
        """Rates of all items, now or at the stop; their intervals hold for all items and times at once.

        Returns
        -------
        list of Rate
            One for each item.
        """
        found = self._get("standing")["rates"]
        return RateList(Rate(one["option"], one["low"], one["rate"], one["high"]) for one in found)

    def summary(self) -> str:
        """How it stands, in words.

        Returns
        -------
        str
            A few lines.
        """
        return str(self._get("verdict")["summary"])

    def _get(self, what: str) -> Any:
        return self._server.get("studies", self.name, what)

    def _post(self, what: str, *, tries: int = 1, **body: Any) -> Any:
        return self._server.post("studies", self.name, what, tries=tries, **body)


def _options(arms: Any) -> dict[str, Any]:
    """Options as the server takes them."""
    if isinstance(arms, Arms):
        if not arms.by_name:
            raise ValueError("give a server a table of options and a formula, not features")
        return {"options": [{"option": name} for name in arms.names]}
    if isinstance(arms, Path) or (isinstance(arms, str) and "\n" not in arms):
        return {"table": Path(arms).read_text(encoding="utf-8")}
    return {"table": arms} if isinstance(arms, str) else {"options": [dict(row) for row in arms]}
