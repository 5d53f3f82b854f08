"""Draws the pictures of the pages anew: those of studies, of the terminal and of reports.

    python docs/pictures.py [NAME ...]     # into docs/images; all of them, or some by name

Needs Chromium, as the test of the dashboard does. ``docs/wealth.py`` draws the one of the wealth. The picture
of the dashboard is a photograph of a study on a server.
"""

import io
import itertools
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright
from rich.console import Console, RenderableType
from scipy.special import expit

import logts
from logts.cli.app import app
from logts.experiments import datasets
from logts.logistic import maximum_likelihood
from logts.plots import plot_allocation, plot_verdict
from logts.reports.screen import study_screen
from logts.reports.standing import standing_of

IMAGES = Path(__file__).with_name("images")
RUN = "$ logts run flags.csv --additive -j 4 -- python flaky.py --cache {cache} --threads {threads} ..."
DOTS = 150  # to the inch
NUMBERS = itertools.count()


def contracts() -> tuple[logts.Arms, pd.DataFrame]:
    """The recorded experiment of ``logts demo``."""
    table = pd.read_csv(datasets.path("electricity_choice"))
    return logts.Arms(table, "~ price + contract + supplier"), table


def replayed(trials: float = np.inf) -> logts.LogTS:
    """The study of ``logts demo``, up to its end or so many trials."""
    arms, table = contracts()
    rates = (table["successes"] / table["trials"]).to_numpy()
    policy = logts.LogTS(arms, logts.BestArm(), delta=0.05)
    rng = np.random.default_rng(1)
    while policy.verdict is None and policy.counts.sum() < trials:
        asked = policy.ask(40)
        policy.tell(asked.ids, rng.random(40) < rates[asked.arms])
    return policy


def flaky(trials: float = np.inf) -> logts.Study:
    """The study of ``examples/flaky``, up to its end or so many trials, with its program's rates."""
    values = itertools.product(["off", "on"], [1, 2, 4], ["no", "yes"])
    flags = pd.DataFrame(list(values), columns=["cache", "threads", "backoff"])
    logits = -2.2 + 1.4 * (flags.cache == "on") + 0.5 * flags.threads + (flags.backoff == "yes")
    arms = logts.Arms(flags, "~ cache + threads + backoff")
    study = logts.Study.create(f"memory://{next(NUMBERS)}", "flags", arms=arms, problem=logts.BestArm())
    rates, luck = expit(logits.to_numpy()), np.random.default_rng(7)
    while study.verdict is None and study.told < trials:
        asked = study.ask(4)
        study.tell(asked, luck.random(len(asked)) < rates[asked.numbers])
    return study


def photograph(html: str | Path, name: str, width: int, *, height: int = 100, part: str = "body") -> None:
    """A page as a browser shows it."""
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=1.5)
        if isinstance(html, Path):
            page.goto(html.as_uri())
            page.screenshot(path=IMAGES / f"{name}.png")
        else:
            page.set_content(html)
            page.locator(part).screenshot(path=IMAGES / f"{name}.png", omit_background=True)
        browser.close()


def terminal(name: str, title: str, *shown: RenderableType) -> None:
    """What a terminal shows."""
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    for part in shown:
        console.print(part, highlight=False, markup=False)
    svg = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title=title), flags=re.DOTALL)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    photograph(f"<style>body {{ margin: 0 }} svg {{ width: 1000px }}</style>{svg}", name, 1000, part="svg")


def demo() -> None:
    """The recorded experiment on its way."""
    screen = study_screen(
        standing_of(replayed(1560), [], None),
        "Which of 35 electricity contracts do people choose most often?",
    )
    terminal("demo", "logts demo", "$ logts demo\n", screen)


def run_live() -> None:
    """The flaky program on its way."""
    screen = study_screen(flaky(280).standing(), "flags: Which of 12 options is best?", pace=30.9)
    terminal("run_live", "logts run", f"{RUN}\n", screen)


def run_end() -> None:
    """The same, decided."""
    study = flaky()
    screen = study_screen(study.standing(), "flags: Which of 12 options is best?")
    terminal("run_end", "logts run", f"{RUN}\n", screen, f"\n{study.summary()}")


def report() -> None:
    """The upper part of its report."""
    with tempfile.TemporaryDirectory() as folder:
        photograph(flaky().report(Path(folder) / "report.html"), "report", 1000, height=1290)


def electricity_verdict() -> None:
    """What ``logts demo`` draws at its end."""
    policy = replayed()
    assert policy.verdict is not None
    figure = plot_verdict(policy.verdict, policy.arms, most=16)
    figure.savefig(IMAGES / "electricity_verdict.png", dpi=DOTS)


def electricity_bound() -> None:
    """The optimal allocation of the same."""
    arms, table = contracts()
    fit = maximum_likelihood(arms.points, table["trials"].to_numpy(), table["successes"].to_numpy())
    theta = arms.parameter(fit.theta)
    bound = logts.lower_bound(arms, theta, logts.BestArm(), delta=0.05)
    title = f"To know the best of 35 contracts with 95% confidence takes at least {bound.samples:,.0f} trials"
    figure = plot_allocation(bound, theta, most=16, title=title)
    figure.savefig(IMAGES / "electricity_bound.png", dpi=DOTS)


def plan() -> None:
    """The plan of the page on planning, by its command."""
    grid = ["model=small,large", "tone=plain,formal,friendly", "examples=none,one,three,ten"]
    options = [word for axis in grid for word in ("--grid", axis)]
    how = ["--additive", "--effect", "0.05", "--base", "0.7", "--force", "--out", str(IMAGES / "plan.png")]
    app.main(["plan", *options, *how], standalone_mode=False)


ALL: list[Callable[[], None]] = [
    demo,
    run_live,
    run_end,
    report,
    electricity_verdict,
    electricity_bound,
    plan,
]

if __name__ == "__main__":
    for draw in ALL:
        if draw.__name__ in sys.argv[1:] or not sys.argv[1:]:
            draw()
            print(IMAGES / f"{draw.__name__}.png")
