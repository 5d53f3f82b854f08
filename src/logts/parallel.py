"""Many independent pieces of work: over several processes, and with a progress bar."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def spread(work: Callable[..., T], tasks: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[T]:
    """``work(*task)`` for every task, in their order, on ``jobs`` processes."""
    if jobs == 1:
        return (work(*task) for task in tasks)
    try:
        import joblib
    except ImportError as error:
        raise ImportError("more than one job needs joblib: pip install 'logts[parallel]'") from error
    found: Iterator[T] = joblib.Parallel(n_jobs=jobs, return_as="generator")(joblib.delayed(work)(*task) for task in tasks)
    return found


def watched(results: Iterable[T], total: int, what: str, *, show: bool) -> Iterator[T]:
    """The same results, with a progress bar on standard error while they come."""
    if not show:
        yield from results
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    except ImportError as error:
        raise ImportError("a progress bar needs rich: pip install 'logts[cli]'") from error
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(results, total=total)
