"""The one way this package compiles a function: numba, cached on disk, free of the interpreter lock.

*When.* At the first call of a function, for the types it is called with. numba itself is loaded then, too:
what only imports or describes does not wait for it.

*How long.* The cost is in types and calls, not in arithmetic. Each function goes through type inference by
itself, and its machine code holds a copy of every compiled function below it, which LLVM optimises again. So
a deep tower of large functions is dear, above all when tuples of many arrays are handed down. Loops are cheap
where ``a[i:j] = b``, ``np.argsort``, ``np.max`` or ``@`` bring in code of numba's own: seconds, for the first
two. ``logts compile --slowest 20`` shows where the time goes.

*Why not before it is installed.* numba's compiler to libraries, ``numba.pycc``, is pending deprecation since
0.57 with nothing in its place yet (0.68), wants every signature written out, and compiles for a generic
processor unless the user's is known; what is kept on disk is for one processor and one version of numba.
"""

import math
import sys
import time
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])

# Sums may be reordered so that loops use vector instructions; NaN and infinity keep their meaning.
_FAST_SUMS = {"reassoc", "contract", "nsz"}
# Nobody calls what is compiled from C, and without a way in for C a fifteenth less is compiled.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": _FAST_SUMS,
    "no_cfunc_wrapper": True,
}
_PACKAGE = __name__.partition(".")[0]
_QUIET = 5.0  # seconds between lines of progress where these cannot be overwritten


def compiled(function: F) -> F:
    """Compile ``function`` at its first call and keep the machine code for later processes."""
    return cast(F, _Compiled(function))


class _Compiled:
    """Stands for a compiled function until it is first used, by Python or by compiled code."""

    def __init__(self, function: Callable[..., object]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of an object that compiled code refers to: it finds the function itself."""
        return self.dispatcher._numba_type_

    @cached_property
    def dispatcher(self) -> Any:
        """The function itself, which takes this one's place wherever it is known by its name."""
        import numba

        progress.watch()
        function = self._function
        dispatcher = numba.njit(**_OPTIONS)(function)
        _forgive(getattr(dispatcher, "_cache", None))
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == _PACKAGE and vars(module).get(function.__name__) is self:
                setattr(module, function.__name__, dispatcher)
        return dispatcher


def _forgive(cache: Any) -> None:
    """Let a cache start anew when what it holds cannot be read.

    Another version of the package leaves such behind. Named tuples are part of what compiled functions take,
    and one that was since renamed or moved is not found again.
    """
    if cache is None:  # compiling is turned off
        return
    load = cache.load_overload

    def load_or_forget(*wanted: Any) -> Any:
        try:
            return load(*wanted)
        except (AttributeError, ImportError):
            cache.flush()
            return None

    cache.load_overload = load_or_forget


class Progress:
    """Says on standard error what is being compiled and for how long, when it is not found on disk.

    On a terminal this is one line, which goes away; elsewhere a line now and then.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}  # of each function of this package, without those that it calls
        self._open: list[str] = []  # what is under way, the outermost first
        self._since = 0.0
        self._told = -math.inf
        self._watching = False

    def watch(self) -> None:
        """Listen to numba, from now on."""
        if not self._watching:
            from numba.core import event

            self._watching = True
            event.register("numba:compile", _listener(self, event.Listener))

    def start(self, function: Callable[..., object]) -> None:
        """Note that a function is now being compiled; code of numba's own counts for whoever needs it."""
        name = f"{function.__module__}.{function.__name__}"
        if not name.startswith(f"{_PACKAGE}.") and self._open:
            name = self._open[-1]
        self._count()
        self._open.append(name)
        if self._ours and name not in self.seconds:
            self.seconds[name] = 0.0
            self._tell(name.removeprefix(f"{_PACKAGE}."))

    def end(self) -> None:
        """Note that the last one that was started is done."""
        self._count()
        ours = self._ours
        self._open.pop()
        if ours and not self._open and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    @property
    def total(self) -> float:
        """Seconds spent, by all functions."""
        return sum(self.seconds.values())

    @property
    def _ours(self) -> bool:
        """Whether what goes on was asked for by a function of this package."""
        return bool(self._open) and self._open[0].startswith(f"{_PACKAGE}.")

    def _count(self) -> None:
        """Add the time since the last note to what was under way."""
        now = time.perf_counter()
        if self._ours:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def _tell(self, name: str) -> None:
        count = len(self.seconds)
        text = f"logts: compiling for this machine, once: {count} functions, {self.total:.0f} s: {name}"
        if sys.stderr.isatty():
            print(f"\r{text[:79]}\x1b[K", end="", file=sys.stderr, flush=True)
        elif self.total - self._told >= _QUIET:
            self._told = self.total
            print(text, file=sys.stderr, flush=True)


def _listener(told: Progress, kind: type) -> Any:
    """Make of a progress what numba calls when it compiles."""

    class Listener(kind):  # type: ignore[misc]  # numba is not typed
        def on_start(self, event: Any) -> None:
            told.start(event.data["dispatcher"].py_func)

        def on_end(self, event: Any) -> None:
            told.end()

    return Listener()


progress = Progress()
