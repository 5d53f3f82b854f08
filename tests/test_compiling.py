"""What is compiled, when, and what is said about it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from logts.tools.algebra import assign_all, ranked

SOLVE = """
import sys
import numpy as np
from logts.tools import algebra
from logts.tools.compiling import progress
from logts.tools.algebra import dot, solve_lower

assert "numba" not in sys.modules
b = np.array([2.0, 5.0])
solve_lower(np.array([[2.0, 0.0], [1.0, 4.0]]), b)
assert b.tolist() == [1.0, 1.0]
assert len(algebra.solve_lower.signatures) == 1  # numba's own by now
assert dot(b, b) == 2.0  # what was imported before still works
print(*sorted(progress.seconds))
"""


def solved(cache: Path) -> subprocess.CompletedProcess[str]:
    there = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    words = [sys.executable, "-c", SOLVE]
    return subprocess.run(words, env=there, capture_output=True, text=True, check=True)


def test_a_compiled_function_says_so_once_and_is_kept(tmp_path: Path) -> None:
    first = solved(tmp_path)
    assert first.stdout.split() == ["logts.tools.algebra.dot", "logts.tools.algebra.solve_lower"]
    [line] = first.stderr.splitlines()
    assert line == "logts: compiling for this machine, once: 1 functions, 0 s: tools.algebra.solve_lower"
    later = solved(tmp_path)
    assert (later.stdout.split(), later.stderr) == ([], "")


def test_ranked_is_the_place_in_order() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 50):
        for values in (rng.normal(size=n), rng.integers(0, n, n).astype(float)):
            before = values.copy()
            assert [ranked(values, i) for i in range(n)] == np.sort(values).tolist()
            assert (values == before).all()


def test_arrays_are_copied_whatever_their_shape() -> None:
    source = np.arange(24.0).reshape(2, 3, 4)
    source[0, 0, 0] = -np.inf
    target = np.zeros((5, 3, 4))
    assign_all(target[:2], source)
    assert (target[:2] == source).all()
    assert not target[2:].any()
