"""How trials are shared while nobody knows whether the model is right.

Three have a claim on trials. *The model*: the policy's own choice, for evidence within the model. *The second
opinion*: options whose own outcomes do not bear out the model yet. *The duels*: for evidence without the
model. If the model is right, what the first two still need decides when the study ends; if it is wrong, what
the third needs. So trials go where less is needed, more of them to the duels the likelier it is that the
model is wrong, and nobody starves.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Posed
from logts.arms import Arms
from logts.judge import Finding, Judge, Opinion
from logts.sampling import Duels, Lasting, OptimalTracking, Patrol, Sampler, Studious, lasts
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import record
from logts.tools.window import Window

PATROL = 10  # without the model every so many trials one goes to all in turn: the best may have had bad luck
LEAST = 0.05  # of the trials go to either side
MOST = 0.3  # of those by the model, at most, go to the second opinion while evidence is missing
OVERHEAD = 8.0  # what evidence without the model costs beyond log(1/delta)

MakeSampler = Callable[[Arms, np.random.Generator], Sampler]


@record
@dataclass(frozen=True)
class Shares:
    """The parts of the trials that go to each."""

    model: float
    opinion: float
    duels: float


class Sharing(Lasting):
    """The sampler of a study: that of the policy, and what the judge wants to know beside it.

    Parameters
    ----------
    make
        Makes the policy's sampler, given arms and a source of randomness.
    judge
        Who says how far the model is trusted, and what is missing.
    rng
        For samplers that draw lots.
    alone
        Whether the policy's sampler has all trials.
    duels
        Whether, where arms share nothing, duels take its place.
    """

    _kept = (
        "_sampler",
        "_duels",
        "_shares",
        "_credit",
        "_open",
        "_turn",
        "_by_model",
        "_by_opinion",
        "_by_duels",
    )

    def __init__(
        self,
        make: MakeSampler,
        judge: Judge,
        rng: np.random.Generator,
        *,
        alone: bool = False,
        duels: bool = False,
    ) -> None:
        arms = judge.arms
        self._judge = judge
        self._shared = judge.trust.watching and not alone
        by_duels = duels and judge.trust.without_model
        self._duels = Duels(len(arms), PATROL if by_duels else 0)
        self._sampler: Sampler = self._duels
        if not by_duels:
            self._sampler = make(arms, rng)
        self._studious: Studious | None = None
        if judge.trust.without_model and isinstance(self._sampler, Studious):
            self._studious = self._sampler
        if judge.trust.without_model and self._sampler is not self._duels:
            self._sampler = Patrol(self._sampler, len(arms), PATROL)
        self._shares = Shares(1.0, 0.0, 0.0)
        self._credit = np.zeros(3)
        self._open: Indices = np.empty(0, dtype=np.intp)
        self._turn = 0
        # what each has tried since the last look
        self._by_model, self._by_opinion, self._by_duels = (Window(np.intp) for _ in range(3))

    def next(self, n: int) -> Indices:
        """The next ``n`` trials, shared; the same whether they are asked for at once or one by one."""
        if not self._shared:
            return self._sampler.next(n)
        shares = self._shares
        places, ends = _lanes(n, np.array([shares.model, shares.opinion, shares.duels]), self._credit)
        out = np.empty(n, dtype=np.intp)
        begin = 0
        for end, choose, made in (
            (ends[0], self._sampler.next, self._by_model),
            (ends[1], self._next_open, self._by_opinion),
            (ends[2], self._duels.next, self._by_duels),
        ):
            if end > begin:
                chosen = choose(int(end - begin))
                made.extend(len(chosen), chosen)
                out[places[begin:end]] = chosen
                begin = end
        return out

    def _next_open(self, n: int) -> Indices:
        """Options that want a second opinion, in turn."""
        turns = (self._turn + np.arange(n)) % len(self._open)
        self._turn += n
        return self._open[turns]

    def _exchange(self) -> None:
        """Let each know what the others have tried since the last look."""
        model, opinion, duels = (made.values for made in (self._by_model, self._by_opinion, self._by_duels))
        for sampler, others in ((self._sampler, (opinion, duels)), (self._duels, (model, opinion))):
            if isinstance(sampler, Lasting) and any(map(len, others)):
                sampler.correct(_NOBODY, np.concatenate(others))
        for made in (self._by_model, self._by_opinion, self._by_duels):
            made.drop(len(made.values))

    def correct(self, chosen: Indices, tried: Indices) -> None:
        if self._shared:
            self._exchange()  # now all count what was chosen
        self._duels.correct(chosen, tried)
        if isinstance(self._sampler, Lasting) and not isinstance(self._sampler, Duels):
            self._sampler.correct(chosen, tried)

    def inherit(self, arms: Indices) -> None:
        """Count the trials of an earlier study, where its outcomes are evidence like those to come."""
        if isinstance(self._sampler, Duels):
            self._duels.correct(_NOBODY, arms)

    def prepare(self, posed: Posed, trials: Array) -> None:
        """Take in what was known before the study."""
        self._sampler.learn(posed, trials)

    def learn(self, found: Finding) -> None:
        """Adapt to what a look found."""
        judge = self._judge
        if judge.trust.hedged:
            self._duels.study(*judge.own_case())
        if self._shared:
            self._exchange()
        if self._studious is not None:
            self._studious.study(*judge.own_case())
        elif not judge.alarmed:
            self._sampler.learn(judge.pose(found), judge.tally.trials)
        if not self._shared:
            return
        if judge.alarmed:
            self._open = np.arange(len(judge.tally.trials))
            self._shares = Shares(0.0, 1.0 / PATROL, 1.0 - 1.0 / PATROL)
        elif found.opinion is not None:
            self._open = found.opinion.open
            self._shares = self._share(found, found.opinion)

    def _share(self, found: Finding, opinion: Opinion) -> Shares:
        """By what each is expected to need, if the model is right and if it is wrong."""
        missing = max(found.reading.threshold - found.reading.statistic, 0.0)
        # a margin within its standard error counts as that
        model = missing * min(self._sampler.characteristic_time, 2.0 * self._judge.tally.total)
        duels = 0.0
        if self._judge.trust.hedged:
            own = self._duels.remaining(math.log(1.0 / self._judge.delta) + OVERHEAD, self._judge.tally)
            needed = model + opinion.missing
            duels = needed**2 / (needed**2 + own**2) if 0.0 < needed + own < math.inf else 0.5
            trusted = max(0.5, 1.0 - (2.0 * found.doubt) ** 2)
            duels = min(max(1.0 - trusted * (1.0 - duels), LEAST), 1.0 - LEAST)
        checks = 0.0
        if len(opinion.open):
            checks = min(opinion.missing / (opinion.missing + model), MOST) if model > 0.0 else 1.0
        return Shares((1.0 - duels) * (1.0 - checks), (1.0 - duels) * checks, duels)

    def patience(self, t: int) -> float:
        return self._sampler.patience(t)

    @property
    def weights(self) -> Array | None:
        """The shares of the trials that the policy tracks within the model; None if it tracks none."""
        return self._sampler.weights if isinstance(self._sampler, OptimalTracking) else None

    @property
    def lasts(self) -> bool:
        return lasts(self._sampler)

    @property
    def characteristic_time(self) -> float:
        """Trials for each unit of evidence of the kind that decides."""
        judge = self._judge
        return self._duels.characteristic_time if judge.alarmed else self._sampler.characteristic_time


_NOBODY = np.empty(0, dtype=np.intp)


@compiled
def _lanes(n: int, shares: Array, credit: Array) -> tuple[Indices, Indices]:
    """Whose turn it is, one trial after the other: who is furthest behind its share.

    Returns the places of the trials of the first, of the second and so on, and where those of each end.
    """
    turns = np.empty(n, dtype=np.intp)
    ends = np.zeros(shares.size, dtype=np.intp)
    for s in range(n):
        for lane in range(shares.size):
            credit[lane] += shares[lane]
        best = 0
        for lane in range(1, shares.size):
            if shares[lane] > 0.0 and (credit[lane] > credit[best] or shares[best] == 0.0):
                best = lane
        credit[best] -= 1.0
        turns[s] = best
        for lane in range(best, shares.size):
            ends[lane] += 1
    places = np.empty(n, dtype=np.intp)
    filled = np.zeros(shares.size, dtype=np.intp)
    for s in range(n):
        lane = turns[s]
        before = ends[lane - 1] if lane > 0 else 0
        places[before + filled[lane]] = s
        filled[lane] += 1
    return places, ends
