"""The one way this package compiles a function: numba, cached on disk, free of the interpreter lock."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., object])

# Sums may be reordered so that loops use vector instructions; NaN and infinity keep their meaning.
_FAST_SUMS = {"reassoc", "contract", "nsz"}


def compiled(function: F) -> F:
    """Compile ``function`` at its first call and keep the machine code for later processes."""
    dispatcher = numba.njit(nogil=True, error_model="numpy", fastmath=_FAST_SUMS)(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = _Kept(function)  # what numba does for cache=True, with a cache of its own kind
    return cast(F, dispatcher)


class _Kept(FunctionCache):
    """Machine code on disk. What names a class that was since renamed or moved cannot be read, and is thrown away.

    Such are left behind by other versions of the package: named tuples are part of what compiled functions take.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (AttributeError, ImportError):
            self.flush()
            return None


class _Notice(event.Listener):
    """Tells once, when code of this package is compiled and not found on disk, why nothing seems to happen."""

    told = False

    def on_start(self, event_: event.Event) -> None:
        if not self.told and event_.data["dispatcher"].py_func.__module__.startswith("logts."):
            self.told = True
            print(
                "logts: compiling for this machine; this takes some seconds, once, and is kept for later.",
                file=sys.stderr,
            )

    def on_end(self, event_: event.Event) -> None:
        pass


event.register("numba:compile", _Notice())
