"""Many numbers in little room, and windows that grow behind and shrink in front."""

import json
from collections import deque

import numpy as np
import pytest

from logts.tools.packing import MANY, counted, pack, packed, unpack
from logts.tools.window import Window


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [3, 1, 2],
        range(7, 7 + MANY),
        [0, 1, 1] * MANY,
        [250, 3] * MANY,
        [70_000, 2, 300] * MANY,
        [2**40, 0] * MANY,
        [1, *range(1, MANY)],
        np.random.default_rng(0).permutation(10**4),
    ],
)
def test_numbers_come_back_from_json(numbers: list[int]) -> None:
    said = json.loads(json.dumps(pack(np.array(numbers, dtype=np.intp))))
    assert unpack(said).tolist() == list(numbers)
    assert unpack(said).dtype == np.intp
    assert counted(said) == len(numbers)
    assert packed(said) == (len(numbers) >= MANY)


def test_many_take_little_room() -> None:
    rng = np.random.default_rng(0)
    assert len(json.dumps(pack(np.arange(10**6)))) < 100
    assert len(json.dumps(pack(rng.integers(2, size=10**6)))) < 180_000  # bits, in letters of six
    assert len(json.dumps(pack(np.tile([3, 1, 2], 10**5)))) < 10_000


def test_a_window_is_a_queue() -> None:
    rng = np.random.default_rng(1)
    window, expected, first = Window(np.intp), deque[int](), 0
    for step in range(2000):
        new = rng.integers(100, size=rng.integers(0, 40)).tolist()
        if step % 3:
            window.extend(len(new), new)
            expected.extend(new)
        else:
            window.extend(len(new), 7)
            expected.extend([7] * len(new))
        gone = int(rng.integers(0, min(len(expected), 45) + 1)) if step % 50 else len(expected)
        window.drop(gone)
        first += gone
        for _ in range(gone):
            expected.popleft()
        cut = int(rng.integers(0, min(len(expected), 3) + 1))
        window.cut(window.end - cut)
        for _ in range(cut):
            expected.pop()
        assert window.values.tolist() == list(expected)
        assert (window.first, window.end) == (first, first + len(expected))
        if step % 100 == 0:
            other = Window(np.intp)
            other.restore(json.loads(json.dumps(window.state())))
            window = other
