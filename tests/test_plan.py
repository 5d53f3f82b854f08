"""How many trials to expect: the guessed world, the simulated studies, and the command."""

import json
import math
from itertools import combinations, product
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from scipy.optimize import minimize
from scipy.special import expit, logit

import logts
from logts.planning import Expected, plan, world_with_effect
from logts.planning.effect import _answers, _clear_by, _level, _shortest
from logts.planning.simulate import Run
from logts.plots import plot_plan
from logts.problems import Comparable
from logts.tools.algebra import Array
from tests.commands import typed

FACTORIAL = pd.DataFrame(list(product("ab", "cde", "fghi")), columns=["x", "y", "z"])
ARMS = {
    "names": logts.Arms(names=list("abcdefg")),
    "factorial": logts.Arms(FACTORIAL, "~ x + y + z"),
    "no constant": logts.Arms(np.random.default_rng(1).normal(size=(20, 4))),
    "pairs": logts.Arms.pairwise(list("abcde")),
}
QUESTIONS: list[logts.Problem] = [
    logts.BestArm(),
    logts.TopM(3),
    logts.Threshold(0.6),
    logts.VersusControl(1),
    logts.Ranking(),
]


def item_rates(arms: logts.Arms, theta: Array) -> Array:
    """Rates of the items. Of compared ones: against an average item."""
    features = (
        arms.item_features - arms.item_features.mean(axis=0)
        if arms.items.points is not arms.points
        else arms.features
    )
    return np.asarray(expit(features @ theta))


def smallest_difference(problem: logts.Problem, rates: Array) -> float:
    """By brute force: the smallest difference that decides the question."""
    match problem:
        case logts.BestArm():
            return float(min(rates.max() - rate for i, rate in enumerate(rates) if i != rates.argmax()))
        case logts.TopM(m):
            order = np.argsort(-rates)
            return float(min(rates[i] - rates[k] for i in order[:m] for k in order[m:]))
        case logts.Threshold(rate):
            return float(np.abs(rates - rate).min())
        case logts.VersusControl(control):
            return float(np.delete(np.abs(rates - rates[int(control)]), int(control)).min())
        case _:
            return min(float(abs(one - other)) for one, other in combinations(rates, 2))


@pytest.mark.parametrize("effect", [0.01, 0.04])
@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
@pytest.mark.parametrize("kind", ARMS)
def test_the_answer_is_clear_by_exactly_the_effect(kind: str, problem: logts.Problem, effect: float) -> None:
    arms = ARMS[kind]
    if kind == "pairs" and isinstance(problem, logts.Threshold):
        with pytest.raises(ValueError, match="No amount of trials"):
            world_with_effect(arms, problem, effect)
        return
    if isinstance(problem, logts.Ranking) and len(arms.items) * effect > 0.5:
        return  # 24 rates that far apart leave no room
    theta = world_with_effect(arms, problem, effect)
    assert smallest_difference(problem, item_rates(arms, theta)) == pytest.approx(effect, abs=1e-9)


@pytest.mark.parametrize("base", [0.1, 0.8])
@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_rates_lie_around_the_base(problem: logts.Problem, base: float) -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], problem, 0.02, base))
    assert smallest_difference(problem, rates) == pytest.approx(0.02, abs=1e-9)
    assert rates.min() <= base + 1e-9 <= rates.max() + 2e-9


def test_by_names_alone_one_option_leads_and_the_others_are_equal() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.BestArm(), 0.05))
    best = rates.argmax()
    assert np.delete(rates, best) == pytest.approx(rates[best] - 0.05, abs=1e-9)
    assert logit(rates).mean() == pytest.approx(0.0, abs=1e-9)  # nearest to equal rates of one half


def test_every_option_is_an_effect_away_from_a_threshold() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.Threshold(0.3), 0.05))
    assert np.abs(rates - 0.3) == pytest.approx(0.05, abs=1e-9)


def test_a_ranking_fills_the_room_there_is() -> None:
    rates = item_rates(ARMS["names"], world_with_effect(ARMS["names"], logts.Ranking(), 0.14))
    # Equal steps in logits would reach 0.09 at most.
    assert np.diff(np.sort(rates)) == pytest.approx(0.14, abs=1e-9)


def test_items_with_equal_features_are_not_told_apart() -> None:
    arms = logts.Arms([[1, 0], [1, 0], [1, 1], [1, 1], [1, 3]])
    for problem in QUESTIONS[:1] + QUESTIONS[2:]:
        rates = item_rates(arms, world_with_effect(arms, problem, 0.03))[[0, 2, 4]]
        asked = logts.VersusControl(0) if isinstance(problem, logts.VersusControl) else problem
        assert smallest_difference(asked, rates) == pytest.approx(0.03, abs=1e-9)


@pytest.mark.parametrize("kind", ["factorial", "no constant"])
@pytest.mark.parametrize("problem", QUESTIONS[:4], ids=repr)
def test_the_hardest_answer_is_taken(kind: str, problem: logts.Problem) -> None:
    arms = ARMS[kind]
    found = logts.lower_bound(arms, world_with_effect(arms, problem, 0.03), problem).samples
    start = _level(arms.points, 0.6 if isinstance(problem, logts.Threshold) else 0.5)
    for answer in _answers(arms.items, problem, np.random.default_rng(0)):
        assert isinstance(problem, Comparable)
        compared = problem.comparisons(arms.items, answer)
        world = _clear_by(arms.points, compared, 0.03, np.zeros(arms.dimension) if start is None else start)
        if world is not None:  # exact where the choice is made by the quadratic
            assert logts.lower_bound(arms, arms.parameter(world), problem).samples <= 1.02 * found


@pytest.mark.parametrize("seed", range(8))
def test_least_distance_agrees_with_slsqp(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=4)
    normals = rng.normal(size=(rng.integers(3, 25), 4))
    wanted = normals @ inside - rng.exponential(size=len(normals))
    step, active = _shortest(normals, wanted, np.empty(0, dtype=np.intp))
    assert step is not None
    again = minimize(
        lambda x: x @ x,
        inside,
        jac=lambda x: 2 * x,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: normals @ x - wanted, "jac": lambda _: normals},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert step == pytest.approx(again.x, abs=1e-5)
    assert (normals @ step >= wanted - 1e-9).all()
    assert (normals @ step)[active] == pytest.approx(wanted[active])


def test_least_distance_copes_with_dependent_half_spaces_and_contradictions() -> None:
    """Three items above three others: scipy's nnls errs on all nine at once when sides differ by rounding."""
    rng = np.random.default_rng(0)
    z = np.eye(6)
    normals = np.array([z[i] - z[k] for i in range(3) for k in range(3, 6)])
    for _ in range(20):
        step, _ = _shortest(normals, 0.2 + 1e-16 * rng.integers(-3, 3, size=9), np.empty(0, dtype=np.intp))
        assert step == pytest.approx([0.1, 0.1, 0.1, -0.1, -0.1, -0.1], abs=1e-12)
    apart, _ = _shortest(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.ones(2), np.empty(0, dtype=np.intp))
    assert apart is None


@pytest.mark.parametrize(
    ("problem", "effect", "base", "sentence"),
    [
        (logts.BestArm(), 0.0, None, "strictly between 0 and 1"),
        (logts.BestArm(), 1.0, None, "strictly between 0 and 1"),
        (logts.BestArm(), math.nan, None, "strictly between 0 and 1"),
        (logts.BestArm(), 0.05, 1.5, "the base is a rate"),
        (logts.BestArm(), 0.05, 0.97, "give a smaller effect or base"),
        (logts.Ranking(), 0.2, None, "give a smaller effect, another base, or rates"),
        (logts.TopM(9), 0.05, None, "m must be less than 7"),
        (logts.VersusControl("nobody"), 0.05, None, "no item is called"),
    ],
)
def test_impossible_effects_are_answered_with_a_sentence(
    problem: logts.Problem, effect: float, base: float | None, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        world_with_effect(ARMS["names"], problem, effect, base)


def test_worlds_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no constant"):
        world_with_effect(ARMS["no constant"], logts.BestArm(), 0.05, 0.3)
    with pytest.raises(ValueError, match="no trial is needed"):
        world_with_effect(logts.Arms(names=["alone"]), logts.BestArm(), 0.05)

    class MyOwn:
        def answer(self, items: logts.arms.Items, theta: Array) -> tuple[int, ...]:
            return ()

        def alternatives(
            self, items: logts.arms.Items, answer: tuple[int, ...]
        ) -> logts.alternatives.half_spaces.HalfSpaces:
            raise NotImplementedError

        def describe(self, items: logts.arms.Items, answer: tuple[int, ...]) -> str:
            return ""

    with pytest.raises(ValueError, match="give a truth"):
        world_with_effect(ARMS["names"], MyOwn(), 0.05)


def test_quantiles_are_those_of_the_same_simulated_studies() -> None:
    arms = logts.Arms([[1, 0], [1, 1], [1, 2], [1, 3]])
    theta = [-1.5, 1.0]
    found = plan(arms, logts.BestArm(), truth=theta, runs=55, rng=3, seconds=math.inf)
    ours, even, _ = np.random.default_rng(3).spawn(3)
    again = logts.simulate("log-ts", arms, theta, logts.BestArm(), runs=55, rng=ours)
    samples = [run.samples for run in again]
    assert found.log_ts.trials.tolist() == samples
    assert found.log_ts.median == np.quantile(samples, 0.5, method="higher")
    assert found.log_ts.quantile(0.9) == np.quantile(samples, 0.9, method="higher")
    assert sum(found.log_ts.basis.values()) == 55
    uniform = [
        run.samples for run in logts.simulate("uniform", arms, theta, logts.BestArm(), runs=40, rng=even)
    ]
    assert found.uniform.trials.tolist() == uniform
    assert found.bound.samples == logts.lower_bound(arms, theta, logts.BestArm(), delta=0.05).samples
    assert f"Expect {found.log_ts.median:,.0f} trials" in found.summary()
    assert found.answer == "best: arm 3"


def test_the_interval_of_the_median_holds_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth = math.exp(3.0)

    def covered(count: int) -> bool:
        runs = logts.Runs([_run(samples) for samples in np.exp(rng.normal(3.0, 1.0, size=count))])
        low, high = Expected(runs, None).median_interval
        return low <= truth <= high

    assert sum(covered(41) for _ in range(500)) >= 460  # at least 95%; four standard deviations below are 455
    assert Expected(logts.Runs([_run(5), _run(6)]), None).median_interval == (0.0, math.inf)


def _run(samples: float) -> Run:
    return Run(0, samples, True, "", 1.0, True, "model", "", 0.0, (), 0.0)  # type: ignore[arg-type]


def test_studies_beyond_the_budget_count_as_undecided() -> None:
    arms = logts.Arms(names=["a", "b"])
    found = plan(arms, logts.BestArm(), truth=logts.Rates([0.45, 0.55]), runs=20, max_trials=200)
    assert found.log_ts.basis["guess"] == np.isinf(found.log_ts.trials).sum() > 10
    assert found.log_ts.limit == 200
    assert "More than half of the studies are not decided within 200 trials" in found.summary()
    assert found.log_ts.written(found.log_ts.median) == "over 200"


def test_without_time_there_are_fewer_studies_but_forty() -> None:
    arms = logts.Arms(names=["a", "b"])
    found = plan(arms, logts.BestArm(), truth=logts.Rates([0.3, 0.7]), runs=300, seconds=1e-3)
    assert len(found.log_ts.runs) == 40
    assert len(found.uniform.runs) >= 10
    assert "no time for 300" in found.summary()


def test_rates_off_the_model_are_told() -> None:
    arms = logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    straight = plan(arms, logts.BestArm(), truth=logts.Rates(expit([-1.0, 0.0, 1.0])), runs=2)
    assert straight.misfit == 0.0
    assert straight.bound.samples == pytest.approx(
        logts.lower_bound(arms, [-1, 1], logts.BestArm(), delta=0.05).samples
    )
    bent = plan(arms, logts.BestArm(), truth=logts.Rates([0.2, 0.9, 0.3]), runs=10)
    assert bent.answer == "best: arm 1"
    free = logts.lower_bound(
        logts.Arms(names=["a", "b", "c"]), logit([0.2, 0.9, 0.3]), logts.BestArm(), delta=0.05
    )
    assert bent.bound_without_model is not None
    assert bent.bound_without_model.samples == pytest.approx(free.samples)
    nearest = minimize(
        lambda p: (
            -sum(
                r * math.log(expit(p[0] + p[1] * i)) + (1 - r) * math.log(expit(-p[0] - p[1] * i))
                for i, r in enumerate(RATES)
            )
        ),
        [0.0, 0.0],
        tol=1e-12,
    ).x
    assert bent.misfit == pytest.approx(
        np.abs(expit(nearest[0] + nearest[1] * np.arange(3)) - RATES).max(), abs=1e-5
    )
    assert "off a straight logit" in bent.summary()
    assert bent.log_ts.basis.get("model-free", 0) + bent.log_ts.wrong == 10


RATES = [0.2, 0.9, 0.3]


def test_comparisons_are_planned_by_their_parameter() -> None:
    arms = logts.Arms.pairwise(["tea", "coffee", "milk"])
    found = plan(arms, logts.Ranking(), truth=[1.0, 0.0, -1.0], runs=5)
    assert found.bound_without_model is None
    assert found.answer == "order: tea > coffee > milk"
    assert found.rates == pytest.approx(expit([1.0, 2.0, 1.0]))
    with pytest.raises(ValueError, match="give theta"):
        plan(arms, logts.Ranking(), truth=logts.Rates([0.7, 0.8, 0.7]))


@pytest.mark.parametrize(
    ("rates", "settings", "sentence"),
    [
        ([0.5, 0.5], {}, "nothing to plan"),
        ([0.5, math.nan], {}, "strictly between 0 and 1"),
        ([0.5, 1.0], {}, "strictly between 0 and 1"),
        ([0.5], {}, "each of 2 arms"),
        ([0.4, 0.6], {"runs": 0}, "runs and jobs"),
        ([0.4, 0.6], {"seconds": 0.0}, "seconds positive"),
        ([0.4, 0.6], {"delta": 2.0}, "delta is a probability"),
        ([0.4, 0.6], {"max_trials": 0}, "at least 1"),
    ],
)
def test_plans_that_cannot_be_are_refused(
    rates: list[float], settings: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        plan(logts.Arms(names=["a", "b"]), logts.BestArm(), truth=logts.Rates(rates), **settings)  # type: ignore[arg-type]


def test_the_picture_marks_what_the_plan_says() -> None:
    trials = {"Log-TS": [100.0, 200.0, 300.0, 400.0], "uniform": [500.0, math.inf, math.inf]}
    axes = plot_plan(trials, {"at least": 50.0}, title="a plan").axes[0]
    marks = {float(line.get_xdata()[0]) for line in axes.lines}  # type: ignore[index, arg-type]
    assert marks == {50.0, 300.0, 400.0}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["uniform\n2 of 3 undecided", "Log-TS"]
    assert {"at least 50", "median 300", "90% 400"} <= {text.get_text() for text in axes.texts}
    plot_plan({"Log-TS": [math.inf]}, {"at least": 50.0})
    assert (
        plot_plan({"Log-TS": [math.inf]}, {"at least": 0.0}).texts[-1].get_text() == "No study was decided."
    )


OPTIONS = """name,bold,short,guess,word
plain,0,0,0.1,few
bold,1,0,0.3,some
short,0,1,0.6,most
both,1,1,0.95,all
"""


def command(*words: str, fails: bool = False) -> Result:
    return typed("plan", *words, "-j", "1", fails=fails)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "options.csv"
    path.write_text(OPTIONS)
    return str(path)


def test_the_command_tells_and_draws_a_plan(table: str, tmp_path: Path) -> None:
    words = ["--formula", "~ bold + short", "--names", "name", "--rates", "guess", "--runs", "12"]
    told = " ".join(command(table, *words, "--out", str(tmp_path / "plan.png")).output.split())
    assert "4 arms in 3 dimensions" in told
    assert "best: both" in told
    assert "Expect" in told
    assert "simulated studies 12 12" in told
    assert "No method that errs at most 5% of the time" in told
    picture = matplotlib.image.imread(tmp_path / "plan.png")
    assert min(picture.shape[:2]) > 400


def test_rates_come_from_a_column_or_a_table_by_names_or_by_rows(table: str, tmp_path: Path) -> None:
    words = [table, "--formula", "~ bold + short", "--names", "name", "--runs", "3", "--seed", "1", "--json"]
    column = json.loads(command(*words, "--rates", "guess").output)
    named = tmp_path / "named.csv"
    rows = tmp_path / "rows.csv"
    named.write_text("which,rate\nboth,0.95\nplain,0.1\nshort,0.6\nbold,0.3\n")
    rows.write_text("rate\n0.1\n0.3\n0.6\n0.95\n")
    for path in (named, rows):
        found = json.loads(command(*words, "--rates", str(path)).output)
        assert found["rates"] == column["rates"] == {"plain": 0.1, "bold": 0.3, "short": 0.6, "both": 0.95}
        assert found["log_ts"]["trials"] == column["log_ts"]["trials"]
    assert column["log_ts"]["median"] == sorted(column["log_ts"]["trials"])[1]
    assert column["lower_bound"]["proven"]


@pytest.mark.parametrize(
    "question", [["--best"], ["--top", "2"], ["--above", "0.4"], ["--beat", "plain"], ["--rank"]]
)
def test_every_question_is_planned_for_an_effect(table: str, question: list[str]) -> None:
    words = [
        "--formula",
        "~ bold + short",
        "--names",
        "name",
        "--effect",
        "0.15",
        "--base",
        "0.4",
        "--runs",
        "2",
        "--json",
    ]
    found = json.loads(command(table, *words, *question).output)
    assert found["lower_bound"]["trials"] < found["log_ts"]["median"]
    assert found["misfit"] == 0.0


def test_a_budget_shows_as_undecided_studies(table: str) -> None:
    words = [
        "--formula",
        "~ bold + short",
        "--names",
        "name",
        "--effect",
        "0.01",
        "--runs",
        "6",
        "--max-trials",
        "100",
    ]
    assert json.loads(command(table, *words, "--json").output)["log_ts"]["median"] is None
    assert "not decided 6" in " ".join(command(table, *words).output.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "--rates COLUMN or FILE.csv, or --effect"),
        (["--rates", "guess", "--effect", "0.05"], "--rates COLUMN or FILE.csv, or --effect"),
        (["--rates", "guess", "--base", "0.5"], "--base goes with --effect"),
        (["--rates", "guess", "--out", "plan.docx"], "ends in .png, .svg, .pdf"),
        (["--rates", "guess", "--out", "nowhere/plan.png"], "a folder that exists"),
        (["--rates", "nobody"], "the columns are name, bold, short"),
        (["--rates", "word"], "that of plain is few"),
        (["--rates", "bold"], "that of plain is 0"),
        (["--effect", "0"], "strictly between 0 and 1"),
        (["--effect", "1"], "strictly between 0 and 1"),
        (["--effect", "nan"], "strictly between 0 and 1"),
        (["--effect", "0.4", "--rank"], "give a smaller effect"),
        (["--effect", "0.05", "--base", "0.96"], "give a smaller effect or base"),
        (["--effect", "0.05", "--top", "2", "--rank"], "one question at a time"),
        (["--effect", "0.05", "--beat", "nobody"], "no item is called"),
        (["--effect", "0.05", "--formula", "~ colour"], "does not fit a frame"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(table: str, words: list[str], sentence: str) -> None:
    formula = [] if "--formula" in words else ["--formula", "~ bold + short"]
    told = command(table, "--names", "name", *formula, *words, fails=True).output
    assert sentence in " ".join(told.split())
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("rate\n0.1\n0.2\n", "2 rates for 4 options"),
        ("name,guess\nplain,0.1\n", "no column is called 'rate'"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\nbroth,0.4\n", "only one of them has both"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\n", "only one of them has both"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\nboth,0.4\nshort,0.5\n", "more than one rate for short"),
        ("rate\n0.1\n0.2\nnan\n0.4\n", "that of short is nan"),
        ("", "not a CSV table"),
    ],
)
def test_guesses_that_do_not_fit_are_named(table: str, tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "guesses.csv"
    path.write_text(content)
    told = command(
        table, "--names", "name", "--formula", "~ bold + short", "--rates", str(path), fails=True
    ).output
    assert sentence in " ".join(told.split())
