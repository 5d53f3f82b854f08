"""Optimal allocations of trials to arms, with certificates."""

from collections.abc import Callable

from logts.design.frank_wolfe import frank_wolfe
from logts.design.game import Design, Divergence, Game
from logts.design.solve import solve

SOLVERS: dict[str, Callable[..., Design]] = {"interior": solve, "frank-wolfe": frank_wolfe}
"""Solvers by name: ``interior`` is the package's own, ``frank-wolfe`` the paper's."""

__all__ = ["SOLVERS", "Design", "Divergence", "Game", "frank_wolfe", "solve"]
