"""How long a certified design takes, beside a conic solver and the paper's Frank-Wolfe.

Arms are uniform on the sphere, theta has norm 1, the question is the best arm. Each figure is the median over
three instances, to a certified gap of 1e-3, after compilation. Clarabel gets the semidefinite form, scaled
and well conditioned, and only the time inside the solver counts for it. Writes
``benchmarks/results/designs.md``.
"""

import math
import platform
import statistics
import time
from pathlib import Path

import cvxpy as cp
import numpy as np

from logts import Arms, BestArm
from logts.design import Game, frank_wolfe, solve
from logts.problems import Question
from logts.tools.algebra import Array
from ways import sphere

GAP = 1e-3
COUNTS = (100, 1_000, 10_000, 100_000)
DIMENSIONS = (2, 5, 20)
COMPARED = 1_000  # arms, at most, for the other solvers
PATIENCE = 60.0  # seconds for Clarabel; beyond, or without an optimum, it counts as not solved


def game(arms: Arms, theta: Array, *, exact: bool) -> Game:
    posed = Question(BestArm(), arms).pose(arms.coordinates(theta))
    return Game(arms.points, posed.theta, posed.alternatives, "kl" if exact else "quadratic")


def clarabel_seconds(arms: Arms, played: Game) -> tuple[float, float]:
    """Time inside Clarabel, and the characteristic time that it finds, from the semidefinite form."""
    rows = played.alternatives.take(np.arange(len(played.alternatives)))
    slopes = 0.25 / np.cosh(0.5 * played.eta) ** 2
    a: Array = arms.points * np.sqrt(slopes)[:, None]
    u: Array = rows.normals / rows.margins(played.theta)[:, None] * math.sqrt(2)
    balance = np.linalg.cholesky(a.T @ a / len(arms))
    a = np.linalg.solve(balance, a.T).T
    u = np.linalg.solve(balance, u.T).T
    scale = (u**2).sum(axis=1).max()
    u /= math.sqrt(scale)
    w = cp.Variable(len(arms), nonneg=True)
    h = cp.Variable((arms.dimension, arms.dimension), symmetric=True)
    blocks = [cp.bmat([[h, v[:, None]], [v[None, :], np.ones((1, 1))]]) >> 0 for v in u]
    program = cp.Problem(cp.Minimize(cp.sum(w)), [h == a.T @ cp.diag(w) @ a, *blocks])
    try:
        program.solve(solver=cp.CLARABEL, tol_gap_rel=GAP, tol_gap_abs=GAP, time_limit=PATIENCE)
    except cp.SolverError:
        return math.inf, math.nan
    if program.status != cp.OPTIMAL:
        return math.inf, math.nan
    return float(program.solver_stats.solve_time), float(program.value * scale)


def measure(count: int, d: int) -> dict[str, float | str]:
    seconds: dict[bool, list[float]] = {False: [], True: []}
    scans: dict[bool, list[int]] = {False: [], True: []}
    conic: list[float] = []
    slow: list[str] = []
    for seed in range(3):
        arms, theta = sphere(count, d, seed)
        spanning = arms.spanning
        for exact in (False, True):
            played = game(arms, theta, exact=exact)
            begin = time.perf_counter()
            design = solve(played, spanning, tolerance=GAP)
            seconds[exact].append(time.perf_counter() - begin)
            scans[exact].append(design.scans)
            if design.gap > GAP:
                raise RuntimeError(f"gap {design.gap:.1e} at K={count}, d={d}: {design.status}")
            if not exact and count <= COMPARED and seed < (3 if count <= 100 and d <= 5 else 1):
                spent, found = clarabel_seconds(arms, played)
                conic.append(spent / seconds[False][-1])
                if spent < math.inf and abs(found / design.characteristic_time - 1) > 10 * GAP:
                    raise RuntimeError(f"Clarabel finds {found}, this package {design.characteristic_time}")
                begin = time.perf_counter()
                comparison = frank_wolfe(played, spanning, tolerance=GAP, iterations=2000)
                slow.append(
                    f"{(time.perf_counter() - begin) / seconds[False][-1]:.0f}x, gap {comparison.gap:.0e}"
                )
    return {
        "quadratic": statistics.median(seconds[False]),
        "scans": statistics.median(scans[False]),
        "exact": statistics.median(seconds[True]),
        "exact scans": statistics.median(scans[True]),
        "clarabel": "-"
        if not conic
        else f"{ratio:.0f}x"
        if (ratio := statistics.median(conic)) < math.inf
        else "not solved",
        "frank-wolfe": slow[0] if slow else "-",
    }


def main() -> None:
    """Measure everything, print the table as it grows, and write it down."""
    for exact in (False, True):  # compile
        arms, theta = sphere(50, 3, 0)
        solve(game(arms, theta, exact=exact), arms.spanning, tolerance=GAP)
    lines = [
        "| K | d | quadratic | scans | growth in K | exact KL | scans | Clarabel | Frank-Wolfe, 2,000 steps "
        "|",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    for d in DIMENSIONS:
        before = None
        for count in COUNTS:
            row = measure(count, d)
            quadratic = float(row["quadratic"])
            growth = f"{quadratic / before:.1f}x" if before else "-"
            before = quadratic
            lines.append(
                f"| {count:,} | {d} | {1e3 * quadratic:,.1f} ms | {row['scans']} | {growth} | "
                f"{1e3 * float(row['exact']):,.1f} ms "
                f"| {row['exact scans']} | {row['clarabel']} | {row['frank-wolfe']} |"
            )
            print(lines[-1], flush=True)
    text = (
        f"# Certified designs: time to a gap of {GAP:g}\n\n"
        f"Made by `python benchmarks/designs.py` with Python {platform.python_version()}, "
        f"NumPy {np.__version__}, "
        f'on {platform.machine()}; median of three instances. "Clarabel" and "Frank-Wolfe" are multiples of '
        "the quadratic column, "
        'measured in the same run; "growth" is the ratio to a tenth of the arms. A scan looks at every arm '
        "once.\n\n"
    )
    Path(__file__).with_name("results").joinpath("designs.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
