"""``logts demo``: a recorded experiment replayed as if it were live."""

import time
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.live import Live

from logts.arms import Arms
from logts.cli.commands import COMMANDS
from logts.cli.options import DELTA
from logts.experiments import datasets
from logts.policies import LogTS, TrackAndStop
from logts.problems import BestArm
from logts.reports.screen import study_screen
from logts.reports.standing import standing_of

STEP = 40  # trials a frame
PACE = 500.0  # trials a second


@COMMANDS.enter("demo", place=90)
@click.command()
@DELTA
@click.option("--seed", type=int, default=1, show_default=True, help="Which replay.")
@click.option("--fast", is_flag=True, help="Do not wait between trials.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out"), show_default=True
)
def demo(delta: float, seed: int, fast: bool, out: Path) -> None:
    """Replay a recorded experiment: which of 35 electricity contracts do people choose most often?

    361 customers made 4,308 choices among four offers each. Here every trial shows one contract and draws yes
    or no at the rate at which it was chosen; Log-TS decides what to show next, and when to stop.
    """
    import pandas as pd

    table = pd.read_csv(datasets.path("electricity_choice"))
    arms = Arms(table, "~ price + contract + supplier")
    rates = (table["successes"] / table["trials"]).to_numpy()
    policy = LogTS(arms, BestArm(), delta=delta)
    rng = np.random.default_rng(seed)
    title = f"Which of {len(arms)} electricity contracts do people choose most often?"
    console = Console()
    with Live(console=console, refresh_per_second=15) as screen:
        while policy.verdict is None:
            begin = time.perf_counter()
            asked = policy.ask(STEP)
            policy.tell(asked.ids, rng.random(STEP) < rates[asked.arms])
            if console.is_terminal and not fast:
                screen.update(study_screen(standing_of(policy, [], None), title))
                time.sleep(max(0.0, begin + STEP / PACE - time.perf_counter()))
        screen.update(study_screen(standing_of(policy, [], None), title))
    verdict = policy.verdict
    if not console.is_terminal:
        console.print()  # the last screen of a live display ends without a line of its own there
    console.print(f"\n{verdict.summary()}\n", highlight=False)
    best = int(np.argmax(rates))
    agrees = "the same contract" if verdict.answer.items == (best,) else arms.names[best]
    recorded = f"{int(table['trials'].sum()):,} trials"
    console.print(f"In the record, which took {recorded}, {agrees} did best.", highlight=False)
    console.print(f"Picture: {_picture(policy, out)}", highlight=False)


def _picture(policy: TrackAndStop, folder: Path) -> Path:
    import matplotlib as mpl

    from logts.plots import plot_verdict

    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "electricity.png"
    if policy.verdict is not None:
        plot_verdict(policy.verdict, policy.arms, most=16).savefig(path, dpi=150)
    return path
