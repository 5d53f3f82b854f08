"""The one way this package compiles a function: numba, cached on disk, free of the interpreter lock."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

# Sums may be reordered so that loops use vector instructions; NaN and infinity keep their meaning.
_FAST_SUMS = {"reassoc", "contract", "nsz"}


def compiled(function: F) -> F:
    """Compile ``function`` at its first call and keep the machine code for later processes."""
    jit = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST_SUMS)
    return cast(F, jit(function))
