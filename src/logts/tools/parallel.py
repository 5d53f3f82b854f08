"""Many independent pieces of work: over several processes or a cluster, and with a progress bar."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

PIECES = (
    32  # for each thread of a cluster: so many that none is idle at the end, so few that they cost little
)


def run_all(
    work: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, jobs: int = 1, cluster: str | None = None
) -> Iterator[T]:
    """``work(*task)`` for every task, as they end.

    Parameters
    ----------
    work, tasks
        A function that can be pickled, and what to call it with.
    jobs
        Processes on this machine (more than one needs joblib).
    cluster
        The address of a Dask scheduler, ``tcp://host:port``, instead (needs distributed). The function
        travels once, and tasks go out several at a time. Work of a worker that dies is done again by another.
    """
    if cluster is not None:
        yield from _on_cluster(work, tasks, cluster)
    elif jobs == 1:
        for task in tasks:
            yield work(*task)
    else:
        try:
            import joblib
        except ImportError as error:
            raise ImportError("more than one job needs joblib: pip install 'logts[parallel]'") from error
        pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        yield from pool(joblib.delayed(work)(*task) for task in tasks)


def _on_cluster(work: Callable[..., T], tasks: Sequence[tuple[Any, ...]], address: str) -> Iterator[T]:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ImportError("a cluster needs distributed: pip install 'logts[cluster]'") from error
    try:
        client = Client(address, timeout=10)
    except OSError as error:
        raise ValueError(f"no scheduler answers at {address}: start one with 'dask scheduler'") from error
    with client:
        threads = sum(client.nthreads().values())
        size = max(1, len(tasks) // (PIECES * max(threads, 1)))
        pieces = [tasks[i : i + size] for i in range(0, len(tasks), size)]
        there = client.submit(_itself, work, pure=False)
        futures = [client.submit(_each, there, piece, pure=False) for piece in pieces]
        for future in as_completed(futures):
            yield from future.result()
            future.release()


def _itself(work: Callable[..., T]) -> Callable[..., T]:
    return work


def _each(work: Callable[..., T], tasks: Sequence[tuple[Any, ...]]) -> list[T]:
    return [work(*task) for task in tasks]


def watched(results: Iterable[T], total: int, what: str, *, show: bool) -> Iterator[T]:
    """The same results, with a progress bar on standard error while they come."""
    if not show:
        yield from results
        return
    try:
        from rich import progress
        from rich.console import Console
    except ImportError as error:
        raise ImportError("a progress bar needs rich: pip install 'logts[cli]'") from error
    columns = (
        progress.TextColumn(what),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(results, total=total)
