"""Small dense linear algebra for compiled code: Cholesky factors and triangular solves, in place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from logts.tools.compiling import compiled

Array = NDArray[Any]  # of float64, unless said otherwise
Indices = NDArray[np.intp]


@compiled
def dot(a: Array, b: Array) -> float:
    """Inner product of two contiguous vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@compiled
def add(target: Array, scale: float, source: Array) -> None:
    """``target += scale source``. Loops compile several times faster than array expressions."""
    for i in range(target.size):
        target[i] += scale * source[i]


@compiled
def assign(target: Array, scale: float, source: Array) -> None:
    """``target = scale source``."""
    for i in range(target.size):
        target[i] = scale * source[i]


@compiled
def assign_all(target: Array, source: Array) -> None:
    """``target[:] = source`` for contiguous arrays of one size; numba's check of shapes takes two seconds."""
    assign(target.reshape(-1), 1.0, source.reshape(-1))


@compiled
def ranked(values: Array, count: int) -> float:
    """The value that ``count`` others are not above, found by parting what is left at some value of it.

    ``np.partition`` would do, and takes four seconds to compile.
    """
    rest = values.copy()
    first = 0
    last = rest.size - 1
    while first < last:
        pivot = rest[(first + last) // 2]
        i = first
        j = last
        while i <= j:
            while rest[i] < pivot:
                i += 1
            while pivot < rest[j]:
                j -= 1
            if i <= j:
                rest[i], rest[j] = rest[j], rest[i]
                i += 1
                j -= 1
        if count <= j:
            last = j
        elif count >= i:
            first = i
        else:
            break
    return rest[count]


@compiled
def cholesky(a: Array) -> bool:
    """Overwrite the lower triangle of ``a`` with its Cholesky factor.

    False if ``a`` is not positive definite.
    """
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - dot(a[i, :j], a[j, :j])) / a[j, j]
        pivot = a[i, i] - dot(a[i, :i], a[i, :i])
        # A pivot at rounding level says nothing about the sign of the true one.
        if not pivot > 1e-15 * a[i, i]:
            return False
        a[i, i] = np.sqrt(pivot)
    return True


@compiled
def solve_lower(factor: Array, b: Array) -> None:
    """Overwrite ``b`` with ``L^-1 b``."""
    for i in range(b.size):
        b[i] = (b[i] - dot(factor[i, :i], b[:i])) / factor[i, i]


@compiled
def solve_upper(factor: Array, b: Array) -> None:
    """Overwrite ``b`` with ``L^-T b``."""
    for i in range(b.size - 1, -1, -1):
        b[i] /= factor[i, i]
        for j in range(i):
            b[j] -= factor[i, j] * b[i]


@compiled
def weighted_gram(x: Array, weights: Array, out: Array) -> None:
    """Overwrite ``out`` with the sum of ``weights[k] x[k] x[k]'``; rows of weight zero cost nothing."""
    d = x.shape[1]
    out[:] = 0.0
    for k in range(x.shape[0]):
        if weights[k] != 0.0:
            for i in range(d):
                scaled = weights[k] * x[k, i]
                if scaled != 0.0:
                    for j in range(i + 1):
                        out[i, j] += scaled * x[k, j]
    for i in range(d):
        for j in range(i):
            out[j, i] = out[i, j]


@compiled
def row_products(a: Array, b: Array) -> Array:
    """``a b'`` where it is known to be symmetric.

    Not a call of BLAS, whose threads wait for each other on a busy machine.
    """
    out = np.empty((a.shape[0], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(i + 1):
            out[i, j] = dot(a[i], b[j])
            out[j, i] = out[i, j]
    return out


@compiled
def squared_norms(points: Array, factor: Array) -> Array:
    """``|L^-1 x|^2`` for every row x, by blocks, so that inner loops run over rows."""
    count, d = points.shape
    out = np.zeros(count)
    block = np.empty((d, 128))
    for first in range(0, count, 128):
        width = min(128, count - first)
        for i in range(d):
            row = block[i]
            for k in range(width):
                row[k] = points[first + k, i]
            for j in range(i):
                above = block[j]
                entry = factor[i, j]
                for k in range(width):
                    row[k] -= entry * above[k]
            scale = 1.0 / factor[i, i]
            for k in range(width):
                row[k] *= scale
                out[first + k] += row[k] * row[k]
    return out
