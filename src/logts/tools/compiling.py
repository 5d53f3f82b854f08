"""The one way this package compiles a function: numba, cached on disk, free of the interpreter lock."""

import sys
from collections.abc import Callable
from typing import TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])

# Sums may be reordered so that loops use vector instructions; NaN and infinity keep their meaning.
_FAST_SUMS = {"reassoc", "contract", "nsz"}


def compiled(function: F) -> F:
    """Compile ``function`` at its first call and keep the machine code for later processes."""
    jit = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST_SUMS)
    return cast(F, jit(function))


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
