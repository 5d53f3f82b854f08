"""Log-TS with the forecast rule in plain NumPy: what ``benchmarks/speed.py`` holds the package against.

The algorithm of ``LogTS(..., stopping="forecast", guard=False)`` for the best arm, written for a reader: one
loop over trials, array operations inside, nothing compiled, no ledger of late outcomes and no proofs of
convergence. It fits the forecasts and looks at the evidence when the package would, and tests at every trial
whether exploration is forced. Weights come from multiplicative updates of both players of the design game,
which reach a gap of 2% in some tens of steps; Frank-Wolfe would need thousands.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.special import expit, log_expit

Array = NDArray[np.float64]

SCALES = np.array([0.5, 1.5, 5.0])  # prior standard deviations of a typical logit
FIRST = 16  # trials before the first look, and before forecasts are first fitted, at the least
PAUSE = 0.03  # of the trials made, until the next look,
LONGER = 0.1  # and when a verdict is not near
REFIT = 0.2  # of the trials made, until the forecasts are fitted again
# gaps of the design: up to the first it is kept, to the second it is computed
KEPT = 0.1
SOLVED = 0.02
EVEN = 1e-3  # share of the weight that is spread over all arms, so that the information matrix stays regular


@dataclass(frozen=True)
class Data:
    """Arms that have been tried, with their trials and successes."""

    x: Array
    trials: Array
    successes: Array

    def log_likelihood(self, theta: Array) -> float:
        logits = self.x @ theta
        return float(self.successes @ log_expit(logits) + (self.trials - self.successes) @ log_expit(-logits))

    def information(self, theta: Array) -> Array:
        rates = expit(self.x @ theta)
        return (self.x * (self.trials * rates * (1.0 - rates))[:, None]).T @ self.x

    def maximum(self, start: Array, ridge: float = 0.0, normal: Array | None = None) -> Array | None:
        """Newton's method, with a Gaussian prior or on the hyperplane ``normal.theta = 0`` if wanted.

        None without a maximum.
        """
        theta = start
        prior = ridge * np.eye(len(start))
        for _ in range(60):
            gradient = self.x.T @ (self.successes - self.trials * expit(self.x @ theta)) - ridge * theta
            hessian = self.information(theta) + prior
            try:
                move = np.linalg.solve(hessian, gradient)
                if normal is not None:
                    across = np.linalg.solve(hessian, normal)
                    move -= normal @ (theta + move) / (normal @ across) * across
            except np.linalg.LinAlgError:
                return None
            largest = np.abs(self.x @ move).max()
            if largest < 1e-8:
                return theta + move
            # A step that self-concordance proves to be an ascent.
            theta = theta + np.log1p(largest) / largest * move
            if np.abs(self.x @ theta).max() > 30.0:  # no maximum: the data are separable
                return None
        return None


class Forecasts:
    """A Gaussian posterior for each prior scale, mixed by how well each has forecast."""

    def __init__(self, d: int) -> None:
        self._ridges = d / SCALES**2
        self._means = np.zeros((len(SCALES), d))
        self._covariances = np.eye(d) / self._ridges[:, None, None]
        self._weights = np.full(len(SCALES), 1.0 / len(SCALES))
        self.score = 0.0

    @property
    def best(self) -> Array:
        return self._means[np.argmax(self._weights)]

    def absorb(self, x: Array, outcome: bool) -> None:
        """Score the forecast of an outcome, then learn from it by one Newton step for each scale."""
        spread = self._covariances @ x
        variance = spread @ x
        logit = self._means @ x
        flat = logit / np.sqrt(1.0 + math.pi / 8.0 * variance)
        self._weights *= expit(flat if outcome else -flat)
        forecast = self._weights.sum()
        self.score += math.log(forecast)
        self._weights = np.maximum(self._weights / forecast, 1e-100)
        rate = expit(logit)
        curvature = rate * (1.0 - rate)
        shrink = 1.0 / (1.0 + curvature * variance)
        self._means += ((outcome - rate) * shrink)[:, None] * spread
        self._covariances -= np.einsum("c,ci,cj->cij", curvature * shrink, spread, spread)

    def refit(self, data: Data) -> None:
        """Exact modes and curvatures from all counts."""
        for c, ridge in enumerate(self._ridges):
            mode = data.maximum(self._means[c], ridge)
            if mode is not None:
                self._means[c] = mode
                self._covariances[c] = np.linalg.inv(data.information(mode) + ridge * np.eye(len(mode)))


class Tracking:
    """Forced exploration, then the arm whose trials are farthest behind the sum of its weights."""

    def __init__(self, points: Array) -> None:
        self._points = points
        d = points.shape[1]
        self._spanning = np.sort(qr(points.T, mode="r", pivoting=True)[1][:d])
        basis = points[self._spanning]
        self._pace = np.linalg.eigvalsh(basis.T @ basis)[0] / math.sqrt(d)
        self._gram = np.zeros((d, d))
        self._turn = 0
        self._t = 0
        # Trials less target, infinite for arms that have never had weight.
        self._ahead = np.full(len(points), np.inf)
        self.weights = np.zeros(len(points))
        self.follow(np.bincount(self._spanning, minlength=len(points)) / d)

    def follow(self, weights: Array) -> None:
        self._ahead[np.isinf(self._ahead) & (weights > 0.0)] = 0.0
        self.weights = weights

    def next(self) -> int:
        self._ahead -= self.weights
        if self._t == 0 or np.linalg.eigvalsh(self._gram)[0] < self._pace * math.sqrt(self._t):
            arm = int(self._spanning[self._turn])
            self._turn = (self._turn + 1) % len(self._spanning)
        else:
            arm = int(self._ahead.argmin())
        self._ahead[arm] += 1.0
        self._gram += self._points[arm][:, None] * self._points[arm]
        self._t += 1
        return arm


class Game:
    """The quadratic design game: arms in units of their noise, half-spaces in units of their margins."""

    def __init__(self, points: Array, theta: Array) -> None:
        logits = points @ theta
        self.best = int(logits.argmax())
        normals = rivals(points, self.best)
        margins = normals @ theta
        self.tied = bool(margins.min() <= 1e-12 * np.abs(logits).max())
        self._arms = points * (0.5 / np.cosh(0.5 * logits))[:, None]
        self._normals = normals if self.tied else normals / margins[:, None]

    def bounds(self, weights: Array, mixture: Array) -> tuple[float, float, Array, Array]:
        """Evidence for each trial, at least and at most; what each arm earns against the mixture.

        How wide each half-space is.
        """
        steps = np.linalg.solve((self._arms * weights[:, None]).T @ self._arms, self._normals.T)
        widths = np.einsum("jd,dj->j", self._normals, steps)
        live = mixture > 1e-6
        earned = (self._arms @ steps[:, live]) ** 2 @ mixture[live]
        return 0.5 / widths.max(), 0.5 * earned.max() / (mixture[live] @ widths[live] ** 2), earned, widths


class Design:
    """Optimal weights at a moving estimate, kept while they are within 10% of the optimum."""

    def __init__(self, points: Array) -> None:
        self._points = points
        self._best = -1
        self._mixture = np.empty(0)
        self.weights = np.full(len(points), 1.0 / len(points))
        self.characteristic_time = math.inf

    def learn(self, theta: Array) -> None:
        game = Game(self._points, theta)
        if game.tied:  # no answer: the weights stay as they are
            return
        if game.best == self._best:
            lower, upper, _, _ = game.bounds(self.weights, self._mixture)
            if upper <= (1.0 + KEPT) * lower:
                self.characteristic_time = 1.0 / lower
                return
        else:
            self._best = game.best
            self._mixture = np.full(len(self._points) - 1, 1.0 / (len(self._points) - 1))
        self._solve(game)

    def _solve(self, game: Game) -> None:
        """Arms that earn more gain weight, half-spaces that are harder to rule out gain probability."""
        w = _mixed(self.weights, 0.1)
        q = _mixed(self._mixture, 0.1)
        least = 0.0
        most = math.inf
        for _ in range(1000):
            lower, upper, earned, widths = game.bounds(w, q)
            if lower > least:
                least = lower
                self.weights = w
            if upper < most:
                most = upper
                self._mixture = q
            if most <= (1.0 + SOLVED) * least:
                break
            w = _mixed(w * earned**0.7, EVEN)
            q = _mixed(q * widths, 1e-9)
        self.characteristic_time = 1.0 / least


def _mixed(mass: Array, share: float) -> Array:
    """As probabilities, with a share of it even."""
    return (1.0 - share) / mass.sum() * mass + share / len(mass)


def rivals(points: Array, best: int) -> Array:
    """Normals of the half-spaces in which another arm is at least as good."""
    return points[best] - np.delete(points, best, axis=0)


def evidence(data: Data, points: Array, score: float, enough: float) -> float:
    """``Q - sup over Alt L``, nearest half-space first.

    Once it is not enough the others cannot change that.
    """
    fit = data.maximum(np.zeros(points.shape[1]))
    if fit is None:
        return -math.inf
    normals = rivals(points, int((points @ fit).argmax()))
    widths = np.einsum("jd,dj->j", normals, np.linalg.solve(data.information(fit), normals.T))
    found = math.inf
    for j in np.argsort((normals @ fit) ** 2 / widths):
        there = data.maximum(fit, normal=normals[j])
        found = min(found, -math.inf if there is None else score - data.log_likelihood(there))
        if found <= enough:
            break
    return found


def run(features: Array, rates: Array, delta: float, rng: np.random.Generator, max_trials: int) -> int:
    """One run for the best arm; returns how many trials it took."""
    # mean(x x') = I, for the prior.
    points = math.sqrt(len(features)) * np.linalg.svd(features, full_matrices=False)[0]
    d = points.shape[1]
    forecasts = Forecasts(d)
    tracking = Tracking(points)
    design = Design(points)
    trials = np.zeros(len(points))
    successes = np.zeros(len(points))
    look = refit = max(2 * d, FIRST)
    enough = math.log(1.0 / delta)
    for t in range(1, max_trials + 1):
        arm = tracking.next()
        outcome = bool(rng.random() < rates[arm])
        forecasts.absorb(points[arm], outcome)
        trials[arm] += 1.0
        successes[arm] += outcome
        if t < min(look, refit):
            continue
        tried = trials > 0
        data = Data(points[tried], trials[tried], successes[tried])
        if t >= refit:
            forecasts.refit(data)
            refit = t + max(1, int(REFIT * t))
        if t < look:
            continue
        found = evidence(data, points, forecasts.score, enough)
        if found > enough:
            return t
        design.learn(forecasts.best)
        tracking.follow(design.weights)
        remaining = (enough - found) * design.characteristic_time
        look = t + max(1, int(max(PAUSE * t, min(0.3 * remaining, LONGER * t))))
    return max_trials
