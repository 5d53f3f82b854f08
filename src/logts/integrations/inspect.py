"""Evaluations with Inspect (``inspect_ai``) that stop when the best is known.

:class:`BestOption` is the source of the samples of a task (Inspect's ``SampleSource``). Prompts, models or
solvers are its options: while the task runs it chooses which option is tried next, on which item of a
dataset, until the best one is proven. :class:`StopWhenKnown` stops a task that there is already (Inspect's
``EarlyStopping``), as soon as its rate of success is proven to be above some rate or not above it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

try:
    from inspect_ai import SampleSource, Task
except ImportError as error:
    raise ImportError("evaluations need Inspect: pip install 'logts[inspect]'") from error
from inspect_ai.dataset import Dataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import SampleScore, Score, value_to_float
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import EarlyStop

from logts.integrations.fresh_items import Chooser, FreshItems
from logts.integrations.gate import Gate
from logts.integrations.same_items import SameItems
from logts.problems import BestArm, Problem

OPTION = "option"  # the metadata of a sample that says which option it is for
Passed = Callable[[Score], bool | None]


def passed(score: Score) -> bool | None:
    """Whether a score is a yes: Inspect's correct or 1; None if it is not a number.

    What lies between says neither yes nor no: say what it means, for instance
    ``passed=lambda score: score.as_float() > 0.7``.
    """
    value = score.value
    number = value_to_float()(value) if not isinstance(value, (list, dict)) else 0.5
    if math.isnan(number):
        return None
    if number not in (0.0, 1.0):
        raise ValueError(
            f"a score of {value!r} is neither yes nor no: give passed=, which says what it means"
        )
    return number == 1.0


class BestOption(SampleSource):
    """The samples of a task: options on items of a dataset, chosen while it runs.

    Parameters
    ----------
    options
        Names and what they do: a solver (``generate()``), several in a row
        (``[system_message("Think."), generate()]``), or a model (``"openai/gpt-5"``), which is asked.
    dataset
        The items. Each trial draws one at random: rates are about items like these.
    problem
        The question.
    matched
        Try all options that may be the best on the same items, and compare them there: fewer trials where
        some items are much harder than others. The question is then which option is best.
    delta
        Permitted probability of a wrong answer.
    budget
        Samples at most; None for no limit.
    at_once
        Samples in flight, about.
    passed
        What a score means: True, False, or None for neither. By default Inspect's correct (1) and incorrect
        (0).
    scorer
        Which score counts, if a task has several.
    rng
        Seed for the order of the items.
    """

    def __init__(
        self,
        options: Mapping[str, "Solver | Sequence[Solver] | str | Model"],
        dataset: "Dataset | Sequence[Sample]",
        *,
        problem: Problem | None = None,
        matched: bool = False,
        delta: float = 0.05,
        budget: int | None = None,
        at_once: int = 10,
        passed: Passed = passed,
        scorer: str | None = None,
        rng: int = 0,
    ) -> None:
        if not len(dataset):
            raise ValueError("the dataset has no items")
        if matched and problem not in (None, BestArm()):
            raise ValueError(
                f"matched pairs find the best option; the question {problem!r} needs matched=False"
            )
        names = tuple(options)
        asked = problem if problem is not None else BestArm()
        self.chooser: Chooser = (
            SameItems(names, delta=delta, budget=budget)
            if matched
            else FreshItems(names, asked, delta=delta, budget=budget)
        )
        self.options = {name: _solver_of(what) for name, what in options.items()}
        self._names = names
        self._dataset = dataset
        self._at_once = at_once
        self._passed = passed
        self._scorer = scorer
        self._rng = np.random.default_rng(rng)
        self._out: dict[str, tuple[int, int]] = {}  # by the ids of samples

    def task(self, **settings: Any) -> Task:
        """A task of these samples; ``settings`` are those of Inspect's ``Task``, such as its ``scorer``."""
        return Task(dataset=self, solver=by_option(self.options), **settings)

    def summary(self) -> str:
        """How it stands, in words."""
        return self.chooser.summary()

    # What Inspect calls.

    def initial_samples(self) -> list[Sample]:
        """The first samples."""
        return self._more()

    async def next_samples(self) -> list[Sample] | None:
        """More of them; None at the end."""
        return self._more() or None

    async def sample_complete(self, sample: EvalSample) -> list[Sample] | None:
        """Hear an outcome, and fill up."""
        place = self._out.pop(str(sample.id), None)
        if place is not None:
            self._hear(*place, _outcome(sample.scores, self._passed, self._scorer))
        return self._more()

    async def sample_abandoned(self, sample: Sample, epoch: int) -> list[Sample] | None:
        """A sample without an outcome."""
        place = self._out.pop(str(sample.id), None)
        if place is not None:
            self._hear(*place, None)
        return self._more()

    def _hear(self, item: int, option: int, outcome: bool | None) -> None:
        if outcome is None:
            self.chooser.abandon(item, option)
        else:
            self.chooser.tell(item, option, outcome)

    def _more(self) -> list[Sample]:
        made: list[Sample] = []
        while len(self._out) < self._at_once and not self.chooser.over:
            item, options = self.chooser.ask()
            if not options:
                break
            chosen = self._dataset[int(self._rng.integers(len(self._dataset)))]
            made += [self._sample(chosen, item, option) for option in options]
        return made

    def _sample(self, chosen: Sample, item: int, option: int) -> Sample:
        name = self._names[option]
        known = chosen.id if chosen.id is not None else "item"
        key = f"{item} {known} {name}"
        self._out[key] = item, option
        return chosen.model_copy(
            update={"id": key, "metadata": {**(chosen.metadata or {}), OPTION: name}}, deep=True
        )


@solver
def by_option(options: Mapping[str, Solver]) -> Solver:
    """For each sample the solver of its option."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await options[state.metadata[OPTION]](state, generate)

    return solve


@solver
def by_model(model: "str | Model") -> Solver:
    """Ask a model, whichever one the task has."""
    asked = get_model(model)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = await asked.generate(state.messages)
        state.messages.append(state.output.message)
        return state

    return solve


def _solver_of(what: "Solver | Sequence[Solver] | str | Model") -> Solver:
    if isinstance(what, (str, Model)):
        return by_model(what)
    return chain(*what) if isinstance(what, Sequence) else what


def _outcome(scores: Mapping[str, Score] | None, passed: Passed, scorer: str | None) -> bool | None:
    """What the scores of a sample say; None without one, as after an error."""
    if not scores:
        return None
    if scorer is None and len(scores) > 1:
        raise ValueError(f"say which score counts, scorer=: there are {', '.join(scores)}")
    name = next(iter(scores)) if scorer is None else scorer
    if name not in scores:
        raise ValueError(f"no score is called {name!r}; there are {', '.join(scores)}")
    return passed(scores[name])


class StopWhenKnown:
    """Stops a task once its rate of success is proven to be above a rate, or not above it.

    Give it to ``Task(early_stopping=...)``. Samples are taken to be in random order (``shuffle`` the
    dataset), and count in the order in which they were begun.

    Parameters
    ----------
    above, within, delta
        As for :class:`logts.integrations.gate.Gate`; its budget is the number of samples.
    passed, scorer
        As for :class:`BestOption`.
    """

    def __init__(
        self,
        above: float,
        *,
        within: float = 0.0,
        delta: float = 0.05,
        passed: Passed = passed,
        scorer: str | None = None,
    ) -> None:
        self.gate = Gate(above, within=within, delta=delta)
        self._passed = passed
        self._scorer = scorer
        self._out: dict[tuple[str | int, int], int] = {}

    async def start_task(self, task: Any, samples: list[Sample], epochs: int) -> str:
        """Begin, with as many trials as there are samples."""
        if epochs > 1:
            raise ValueError(
                f"{epochs} epochs run the same items again, which are no new trials: use one epoch"
            )
        given = self.gate
        self.gate = Gate(given.above, within=given.within, delta=given.delta, budget=len(samples))
        self._out = {}
        return "logts"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002  as Inspect calls it
        """Whether this sample is still needed."""
        place = self._out.get((id, epoch))
        if place is None:  # otherwise it is tried again after an error
            place = self.gate.ask()
        if place is None:
            return EarlyStop(id=id, epoch=epoch, reason=self.gate.summary())
        self._out[id, epoch] = place
        return None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002  as Inspect calls it
        """Hear an outcome."""
        place = self._out.pop((id, epoch), None)
        if place is None:
            return
        told = {name: sample.score for name, sample in scores.items()}
        outcome = _outcome(told, self._passed, self._scorer)
        if outcome is None:
            self.gate.abandon(place)
        else:
            self.gate.tell(place, outcome)

    async def complete_task(self) -> dict[str, Any]:
        """How it ended, for the log."""
        return self.gate.facts()
