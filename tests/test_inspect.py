"""Evaluations with the real Inspect and its mock model: no network."""

import gc
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():  # other packages' own
    warnings.simplefilter("ignore")
    import inspect_ai
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, match
    from inspect_ai.solver import Generate, TaskState, generate, solver, system_message

    from logts.integrations.inspect import BestOption, StopWhenKnown, passed
from logts.integrations.fresh_items import FreshItems
from logts.integrations.same_items import SameItems
from logts.problems import TopM

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.filterwarnings("ignore")]
ITEMS = MemoryDataset([Sample(input=f"question {i}", target="right", id=i) for i in range(50)])
CHANCE = random.Random(0)


@pytest.fixture(autouse=True)
def _left_behind() -> Iterator[None]:
    """What Inspect did not close is closed here, not in a later test, where the warning would be an error."""
    yield
    gc.collect()


def answer(said: str) -> ModelOutput:
    """With its usage: to count tokens the mock model would fetch a table from the network."""
    output = ModelOutput.from_content("mockllm/model", said)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def always(said: str) -> Model:
    return get_model(f"mockllm/{said}", custom_outputs=lambda *_: answer(said))


def mock(*asked: Any) -> ModelOutput:
    """Right more often if told to think."""
    thinks = any("think" in message.text for message in asked[0] if message.role == "system")
    return answer("right" if CHANCE.random() < (0.9 if thinks else 0.3) else "wrong")


def run(task: Task, **settings: Any) -> EvalLog:
    model = get_model("mockllm/model", custom_outputs=mock)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir="logs", **settings)
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize("matched", [False, True])
def test_an_evaluation_ends_when_the_best_prompt_is_known(folder: Path, matched: bool) -> None:
    options: dict[str, Any] = {
        "plain": generate(),
        "think": [system_message("think"), generate()],
        "shout": [system_message("hurry"), generate()],
    }
    source = BestOption(options, ITEMS, matched=matched, budget=2000)
    log = run(source.task(scorer=match()))
    assert "Best: think" in source.summary()
    assert log.samples is not None
    assert 20 < len(log.samples) < 600
    chooser = source.chooser
    if isinstance(chooser, SameItems):
        told = [int(n) for n in chooser.trials]
        seen: dict[str, set[str]] = {}
        for sample in log.samples:
            seen.setdefault(sample.metadata["option"], set()).add(
                f"{str(sample.id).split()[0]} {sample.input}"
            )
        assert seen["think"] >= seen["plain"]  # on the same items
    else:
        assert isinstance(chooser, FreshItems)
        assert chooser.policy.verdict is not None
        assert chooser.policy.verdict.proven
        told = [int(n) for n in chooser.policy.counts]
    made = [sum(sample.metadata["option"] == name for sample in log.samples) for name in options]
    assert all(0 <= there - counted <= 12 for there, counted in zip(made, told, strict=True))


def test_models_are_options() -> None:
    options = {"bad": always("wrong"), "good": always("right")}
    source = BestOption(options, ITEMS, matched=True, at_once=2)
    log = run(source.task(scorer=match()))
    assert source.summary().startswith("Best: good.")
    assert log.samples is not None
    assert {s.metadata["option"] for s in log.samples if s.output.completion == "right"} == {"good"}


def test_the_budget_ends_an_evaluation_undecided() -> None:
    source = BestOption({"a": generate(), "b": generate()}, ITEMS, budget=30, problem=TopM(1))
    log = run(source.task(scorer=match()))
    assert log.samples is not None
    assert len(log.samples) == 30
    assert "Not proven. A guess" in source.summary()


@solver
def breaks() -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if CHANCE.random() < 0.3:
            raise RuntimeError("broken")
        state.output = answer("right")
        return state

    return solve


def test_errors_are_no_answers() -> None:
    source = BestOption({"breaks": breaks(), "plain": generate()}, ITEMS, matched=True, budget=400)
    log = run(source.task(scorer=match()), fail_on_error=False)
    assert log.samples is not None
    assert any(sample.error for sample in log.samples)
    chooser = source.chooser
    assert isinstance(chooser, SameItems)
    assert chooser.best == "breaks"
    assert chooser.successes[0] == chooser.trials[0] < len(log.samples)


@solver
def nine_in_ten() -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = answer("right" if int(state.sample_id) % 10 else "wrong")
        return state

    return solve


def stopped(above: float) -> tuple[StopWhenKnown, EvalLog]:
    stopping = StopWhenKnown(above)
    dataset = MemoryDataset([Sample(input=f"question {i}", target="right", id=i) for i in range(200)])
    task = Task(dataset, solver=nine_in_ten(), scorer=match(), early_stopping=stopping)
    return stopping, run(task, max_samples=5)


def test_a_task_that_there_is_stops_when_its_rate_is_known() -> None:
    stopping, log = stopped(0.5)
    assert stopping.gate.decision == "pass"
    assert log.samples is not None
    assert stopping.gate.trials <= len(log.samples) < 60
    assert log.results is not None
    assert log.results.early_stopping is not None
    assert len(log.results.early_stopping.early_stops) == 200 - len(log.samples)
    assert log.results.early_stopping.metadata["words"] == stopping.gate.summary()


def test_a_task_whose_rate_stays_unknown_runs_to_its_end() -> None:
    stopping, log = stopped(0.9)
    assert log.samples is not None
    assert stopping.gate.decision == "undecided"
    assert len(log.samples) == stopping.gate.trials == 200
    assert stopping.gate.successes == 180


def test_scores_that_say_neither_are_refused_with_advice() -> None:
    assert [passed(Score(value=value)) for value in ("C", "I", 1, 0, True, float("nan"))] == [
        True,
        False,
        True,
        False,
        True,
        None,
    ]
    with pytest.raises(ValueError, match="neither yes nor no: give passed="):
        passed(Score(value=0.4))
    with pytest.raises(ValueError, match="needs matched=False"):
        BestOption({"a": generate(), "b": generate()}, ITEMS, matched=True, problem=TopM(1))
