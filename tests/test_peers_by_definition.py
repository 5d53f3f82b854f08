"""Sampling rules of the peers against their definitions, written plainly."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import expit, logsumexp

from logts import Arms, BestArm, Ranking, Threshold, TopM, lower_bound
from logts.policies.frank_wolfe_sampling import OneStep
from logts.policies.lin_game import LinGame, NoRegret, take_in, weigh
from logts.policies.oracle import Oracle
from logts.policies.top_two import LeaderAndChallenger, TopTwo, narrows_most
from logts.sampling.matrix_game import best_mixture
from logts.sampling.rounds import Field, Known, Rivals, absorb, costs, payoffs
from logts.tools.algebra import Array
from tests.instances import soare
from tests.test_peers_sampling import FEATURES, THETA, at, moves, psi, samples, slopes_at


def test_adahedge_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    gains = np.zeros(6)
    shortfall = np.zeros(1)
    w = np.empty(6)
    total = np.zeros(6)
    lost = 0.0
    earned_by_it = 0.0
    for t in range(400):
        earned = rng.random(6) + 0.2 * (np.arange(6) == 2)
        mixed_before = weigh(gains, shortfall[0], w)
        expected = (
            np.full(6, 1 / 6)
            if t == 0
            else np.exp(total * math.log(6) / lost - logsumexp(total * math.log(6) / lost))
        )
        assert w == pytest.approx(expected, abs=1e-12)
        take_in(gains, shortfall, w, mixed_before, earned)
        rate = math.log(6) / lost if lost > 0.0 else math.inf
        mixed = earned.max() if t == 0 else logsumexp(rate * earned, b=expected) / rate
        lost = lost + mixed - expected @ earned
        total = total + earned
        earned_by_it += expected @ earned
    assert shortfall[0] == pytest.approx(lost)
    assert total.max() - earned_by_it <= 2 * lost + 1e-9  # what AdaHedge promises


def test_nature_responds_as_the_gradient_says() -> None:
    arms = Arms(FEATURES)
    theta = THETA
    posed = at(arms, theta, TopM(2))
    rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
    slopes = slopes_at(posed, arms)
    rivals = Rivals(rows.normals, rows.margins(posed.theta))
    w = np.random.default_rng(0).dirichlet(np.ones(5))
    factor = np.empty((3, 3))
    pay = np.empty(5)
    found = costs(arms.points, w * slopes, rivals, factor)
    assert found == pytest.approx(psi(arms, posed, w))
    steps = 1e-6 * np.eye(5)
    gradient = np.array(
        [(psi(arms, posed, w + step) - psi(arms, posed, w - step)) / 2e-6 for step in steps]
    ).T
    for j in range(len(rows)):
        payoffs(Field(arms.points, slopes), rivals, j, found[j], factor, pay)
        assert pay == pytest.approx(gradient[j], rel=1e-5, abs=1e-9)
    assert costs(arms.points, np.eye(5)[0], rivals, factor).max() == 0.0


def test_a_trial_more_is_a_rank_more() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(7, 3))
    slopes = rng.uniform(0.05, 0.25, 7)
    h = points.T @ points
    inverse = np.linalg.inv(h)
    widths = np.einsum("ki,ij,kj->k", points, inverse, points)
    known = Known(inverse, widths)
    field = Field(points, slopes)
    for arm in rng.integers(0, 7, 50):
        absorb(known, field, arm)
        h += slopes[arm] * np.outer(points[arm], points[arm])
    assert inverse == pytest.approx(np.linalg.inv(h))
    assert widths == pytest.approx(np.einsum("ki,ij,kj->k", points, np.linalg.inv(h), points))


def game(pay: Array) -> tuple[Array, float]:
    """A matrix game by a general solver."""
    rivals, arms = pay.shape
    found = linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.hstack([-pay, np.ones((rivals, 1))]),
        b_ub=np.zeros(rivals),
        A_eq=np.append(np.ones(arms), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * arms + [(None, None)],
    )
    return found.x[:-1], -found.fun


def test_matrix_games_agree_with_a_general_solver() -> None:
    rng = np.random.default_rng(0)
    for trial in range(150):
        pay = rng.normal(size=(rng.integers(1, 12), rng.integers(1, 30)))
        if trial % 3 == 0:
            pay = np.round(pay)  # ties
        elif trial % 3 == 1:
            # As nature's moves pay.
            pay = (rng.normal(size=(len(pay), 2)) @ rng.normal(size=(2, pay.shape[1]))) ** 2
        z = np.empty(pay.shape[1])
        best_mixture(1e-4 * pay, z)
        assert z.min() >= 0.0
        assert z.sum() == pytest.approx(1.0)
        assert (pay @ z).min() == pytest.approx(game(pay)[1], abs=1e-8 * max(1.0, pay.max()))


def test_frank_wolfe_sampling_by_its_definition() -> None:
    arms = Arms(soare(3, 0.6))
    theta = np.array([1.0, 0.5, 0.4])
    posed = at(arms, theta, BestArm())
    sampler = OneStep(arms)
    count = len(arms)
    assert sampler.next(count).tolist() == [0, 1, 2, 3]
    sampler.learn(posed, np.ones(count))
    x = np.full(count, 1 / count)
    made = np.ones(count)
    mixed = 0
    expected = []
    for t in range(count, 400):
        if math.isqrt(t // count) ** 2 == t // count:
            z = np.full(count, 1 / count)
        else:
            values = psi(arms, posed, x)
            near = values <= values.min() + t**-0.9 / count
            pay = 0.5 * slopes_at(posed, arms) * (moves(arms, posed, x)[near] @ arms.points.T) ** 2
            z = game(100.0 * (pay - (pay @ x)[:, None]))[0]
            mixed += near.sum() > 1
        x += (z - x) / (t + 1)
        expected.append(int(np.argmax(x / made)))
        made[expected[-1]] += 1
    assert mixed > 50
    assert sampler.next(len(expected)).tolist() == expected


def test_lin_game_by_its_definition() -> None:
    arms = Arms(soare(3, 0.6))
    theta = np.array([1.0, 0.2, -0.1])
    posed = at(arms, theta, BestArm())
    count = len(arms)
    slopes = slopes_at(at(arms, theta, BestArm()), arms)
    sampler = NoRegret(arms)
    opening = sampler.next(9)
    assert sorted(set(opening.tolist())) == arms.spanning.tolist()
    made = np.bincount(opening, minlength=count).astype(float)
    sampler.learn(posed, made)
    target = made.copy()
    total = np.zeros(count)
    lost = 0.0
    expected = []
    for t in range(9, 300):
        rate = math.log(count) / lost if lost > 0.0 else 1.0  # all sums are equal while nothing is lost
        w = np.exp(rate * total - logsumexp(rate * total))
        u = moves(arms, posed, w)[np.argmin(psi(arms, posed, w))]
        inverse = np.linalg.inv((arms.points * (made * slopes)[:, None]).T @ arms.points)
        reach = np.abs(arms.points @ u) + np.sqrt(
            2 * math.log(t) * np.einsum("ki,ij,kj->k", arms.points, inverse, arms.points)
        )
        earned = np.minimum(0.5 * slopes * reach**2, math.log(t))
        mixed = logsumexp(rate * earned, b=w) / rate if lost > 0.0 else earned.max()
        lost = lost + mixed - w @ earned
        total = total + earned
        target = target + w
        expected.append(int(np.argmin(made - target)))
        made[expected[-1]] += 1
    # Nature sees a millionth of the weights spread evenly.
    assert (sampler.next(len(expected)) == expected).mean() > 0.98


def test_top_two_draws_leaders_from_the_posterior() -> None:
    """Each trial goes to the leader or to a challenger drawn after it: frequencies by plain simulation."""
    arms = Arms(names=["a", "b", "c"])
    theta = np.array([0.3, 0.1, 0.0])
    posed = at(arms, theta, BestArm())
    trials = np.array([40.0, 60.0, 50.0])
    sampler = LeaderAndChallenger(arms, pair=True, rng=np.random.default_rng(1))
    sampler.learn(posed, trials)
    found = np.bincount(sampler.next(40_000), minlength=3) / 40_000
    spread = 1 / np.sqrt(trials * expit(theta) * expit(-theta))
    best = np.argmax(theta + spread * np.random.default_rng(2).normal(size=(400_000, 3)), axis=1)
    shares = np.bincount(best) / len(best)
    others = sum(
        share * np.where(np.arange(3) == k, 0.0, shares) / (1 - share) for k, share in enumerate(shares)
    )
    assert found == pytest.approx(0.5 * shares + 0.5 * others, abs=0.01)


def narrowest(points: Array, slopes: Array, h: Array, y: Array) -> int:
    """The arm after a trial of which ``y.theta`` has the least variance, by inverting anew for each."""
    left = [y @ np.linalg.solve(h + s * np.outer(x, x), y) for s, x in zip(slopes, points, strict=True)]
    return int(np.argmin(left))


def test_top_two_finds_the_arm_that_narrows_most() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        points = rng.normal(size=(9, 3))
        slopes = rng.uniform(0.02, 0.25, 9)
        normals = rng.normal(size=(2, 3))
        h = 0.3 * points[:4].T @ points[:4]
        covariance = np.linalg.inv(h)
        widths = np.einsum("ki,ij,kj->k", points, covariance, points)
        known = Known(covariance, widths)
        field = Field(points, slopes)
        for leader, challenger, y in (
            (-1, 0, normals[0]),
            (1, -1, normals[1]),
            (0, 1, normals[0] - normals[1]),
        ):
            assert narrows_most(field, known, normals, leader, challenger) == narrowest(points, slopes, h, y)


def test_top_two_takes_the_nearest_alternative_when_no_draw_differs() -> None:
    arms = Arms(FEATURES)
    trials = np.array([3e4, 2e4, 2.5e4, 1e4, 4e4])
    for problem in (BestArm(), TopM(2), Threshold(0.45), Ranking()):
        posed = at(arms, THETA, problem)
        sampler = LeaderAndChallenger(arms, pair=False, rng=np.random.default_rng(0))
        slopes = slopes_at(posed, arms)
        sampler.learn(posed, trials)
        y = posed.alternatives.take([int(np.argmin(psi(arms, posed, trials)))]).normals[0]
        h = (arms.points * (trials * slopes)[:, None]).T @ arms.points
        assert sampler.next(1)[0] == narrowest(arms.points, slopes, h, y)


def test_playing_the_pair_alone_costs_samples_where_arms_share_features() -> None:
    policy = TopTwo(Arms(soare(2, 0.8)), BestArm(), delta=0.1, guard=False, play="pair")
    rng = np.random.default_rng(0)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < expit(soare(2, 0.8)[asked.arms, 0]))
    assert policy.verdict.answer.items == (0,)
    assert policy.verdict.trials > samples("top-two")


def test_top_two_draws_depend_on_the_seed_alone() -> None:
    found = []
    for seed in (0, 0, 1):
        sampler = TopTwo(Arms(FEATURES), BestArm(), guard=False, rng=seed)._sampler
        sampler.prepare(at(Arms(FEATURES), 0.1 * THETA, BestArm()), np.full(5, 4.0))
        found.append(sampler.next(50).tolist())
    assert found[0] == found[1] != found[2]


def test_the_oracle_tracks_the_weights_of_the_lower_bound() -> None:
    arms = Arms(soare(2, 0.8))
    policy = Oracle(arms, BestArm(), theta=[1.0, 0.0], guard=False)
    share = np.bincount(policy.ask(20_000).arms, minlength=3) / 20_000
    assert share == pytest.approx(lower_bound(arms, [1.0, 0.0], BestArm()).weights, abs=0.02)


def test_what_peers_refuse() -> None:
    arms = Arms(soare(2))
    with pytest.raises(ValueError, match="play must be 'informative' or 'pair'; got 'both'"):
        TopTwo(arms, BestArm(), play="both")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ValueError, match="needs BestArm and items that are arms"):
        TopTwo(arms, TopM(2), play="pair")
    with pytest.raises(ValueError, match="theta must have an answer; at the one given arm 0 and arm 1"):
        Oracle(arms, BestArm(), theta=[0.0, 0.0])
    with pytest.raises(ValueError, match="theta must hold 2 numbers"):
        Oracle(arms, BestArm(), theta=[1.0])
    with pytest.raises(ValueError, match="delta is a probability"):
        LinGame(arms, BestArm(), delta=1.5)
