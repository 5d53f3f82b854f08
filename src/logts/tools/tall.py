"""Matrices with very many rows: decomposed block by block, so that no second copy of them is made.

A matrix of at most ``BLOCK`` rows is one block. Larger ones may lie in a file (``numpy.memmap``): of these no
more than one block is in memory at a time.
"""

from collections.abc import Iterator

import numpy as np
import scipy.linalg

from logts.tools.algebra import Array, Indices, add, assign, dot, weighted_gram
from logts.tools.compiling import compiled

BLOCK = 16_384  # rows


def is_tall(matrix: Array) -> bool:
    """Whether a matrix is worth being worked on in blocks."""
    return len(matrix) > BLOCK


def blocks(matrix: Array) -> Iterator[Array]:
    """The rows, a block at a time, as float64."""
    for first in range(0, len(matrix), BLOCK):
        yield np.ascontiguousarray(matrix[first : first + BLOCK], dtype=float)


def column_norms(matrix: Array) -> Array:
    """The Euclidean norm of each column."""
    return np.sqrt(sum((block**2).sum(axis=0) for block in blocks(matrix)))


def singular_values(matrix: Array, scale: Array) -> tuple[Array, Array]:
    """Singular values and right vectors of ``matrix / scale``.

    From the products of its columns, which alone would lose half of the digits: so the products are taken
    again of columns made orthogonal by the first ones.
    """
    sizes, axes = np.linalg.eigh(_products(matrix, scale, None))
    sizes = np.sqrt(np.maximum(sizes, 1e-16 * sizes[-1]))
    again, turn = np.linalg.eigh(_products(matrix, scale, axes / sizes))
    root = np.sqrt(np.maximum(again, 0.0))[:, None] * turn.T
    _, singular, right = np.linalg.svd(root * sizes @ axes.T)
    return singular, right


def _products(matrix: Array, scale: Array, turned: Array | None) -> Array:
    """``X'X`` for ``X = matrix / scale @ turned``."""
    out = np.zeros((len(scale), len(scale)))
    part = np.empty_like(out)
    for block in blocks(matrix):
        scaled = block / scale
        # Not by BLAS, whose threads wait for each other on a busy machine.
        weighted_gram(scaled if turned is None else times(scaled, turned), np.ones(len(block)), part)
        out += part
    return out


def times(matrix: Array, right: Array) -> Array:
    """``matrix @ right``, the same to the last bit for equal rows, wherever they stand."""
    out = np.empty((len(matrix), right.shape[1]))
    done = 0
    for block in blocks(matrix):
        _times(block, np.ascontiguousarray(right), out[done : done + len(block)])
        done += len(block)
    return out


@compiled
def _times(matrix: Array, right: Array, out: Array) -> None:
    for k in range(matrix.shape[0]):
        row = out[k]
        row[:] = 0.0
        for i in range(right.shape[0]):
            entry = matrix[k, i]
            if entry != 0.0:
                for j in range(row.size):
                    row[j] += entry * right[i, j]


def equal_rows(matrix: Array) -> Indices:
    """Equal numbers for equal rows.

    Rows that are equal have equal products with any vector; only if some that differ have as well, by rare
    chance, are rows sorted as a whole.
    """
    direction = np.random.default_rng(0).normal(size=(matrix.shape[1], 1))
    _, first, group = np.unique(times(matrix, direction)[:, 0], return_index=True, return_inverse=True)
    done = 0
    for block in blocks(matrix):
        if not np.array_equal(block, matrix[first[group[done : done + len(block)]]]):
            return np.unique(matrix, axis=0, return_inverse=True)[1].ravel()
        done += len(block)
    return group


def spanning_rows(matrix: Array) -> Indices:
    """As many rows as there are columns, chosen far apart, that span the space, by pivoting.

    Among very many rows the winners of each block play against each other.
    """
    rows = np.arange(len(matrix))
    size = max(512, 8 * matrix.shape[1])
    while is_tall(matrix) and len(rows) > 4 * size:
        winners = np.empty(len(rows), dtype=np.intp)
        rows = winners[: _far_apart(matrix, rows, size, winners)]
    pivots = scipy.linalg.qr(matrix[rows].T, mode="r", pivoting=True)[1]
    return np.sort(rows[pivots[: matrix.shape[1]]]).astype(np.intp)


@compiled
def _far_apart(matrix: Array, rows: Indices, size: int, winners: Indices) -> int:
    """Write down, of each ``size`` of the rows, those that pivoting chooses; returns how many they are.

    That is, the row farthest from the span of those chosen before, until all lie in it.
    """
    d = matrix.shape[1]
    found = 0
    basis = np.empty((d, d))
    for first in range(0, rows.size, size):
        block = matrix[rows[first : first + size]]
        left = np.empty(block.shape[0])
        for k in range(left.size):
            left[k] = dot(block[k], block[k])
        least = 1e-20 * left.max()
        for i in range(min(d, left.size)):
            chosen = np.argmax(left)
            if not left[chosen] > least:
                break
            new = basis[i]
            assign(new, 1.0, block[chosen])
            for _ in range(2):  # what rounding leaves the first time
                for j in range(i):
                    add(new, -dot(new, basis[j]), basis[j])
            assign(new, 1.0 / np.sqrt(dot(new, new)), new)
            for k in range(left.size):
                left[k] -= dot(block[k], new) ** 2
            left[chosen] = 0.0
            winners[found] = rows[first + chosen]
            found += 1
    return found
