"""The one way this package compiles a function: numba, cached on disk, free of the interpreter lock."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])

# Sums may be reordered so that loops use vector instructions; NaN and infinity keep their meaning.
_FAST_SUMS = {"reassoc", "contract", "nsz"}


def compiled(function: F) -> F:
    """Compile ``function`` at its first call and keep the machine code for later processes."""
    jit = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST_SUMS)
    dispatcher = jit(function)
    _forgive(getattr(dispatcher, "_cache", None))
    return cast(F, dispatcher)


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


class _Notice(event.Listener):
    """Tells once, when code is compiled and not found on disk, why nothing seems to happen."""

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
