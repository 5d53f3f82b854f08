"""A release as its users get it: a wheel and an sdist, each installed into an empty environment and tried.

``make release-check`` runs this. It takes minutes: numba compiles for each environment anew.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

CORE = """
import importlib.util
import numpy as np
import logts

for name in ("pandas", "rich", "sqlalchemy", "matplotlib", "formulaic"):
    assert importlib.util.find_spec(name) is None, f"{name} is installed: the core does without"
arms = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], names=["plain", "bold", "short", "both"])
rates = np.array([0.3, 0.45, 0.5, 0.8])
policy = logts.LogTS(arms, logts.BestArm(), delta=0.1, rng=0)
rng = np.random.default_rng(0)
while policy.verdict is None:
    asked = policy.ask(policy.block)
    policy.tell(asked.ids, rng.random(len(asked.ids)) < rates[asked.arms])
assert policy.verdict.answer.text == "best: both", policy.verdict
assert len(policy.verdict._repr_html_()) > 1000
print(policy.verdict)
"""

TABLE = "cache,threads,rate\noff,1,0.1\noff,4,0.3\non,1,0.6\non,4,0.9\n"
TRY = "import random, sys; sys.exit(random.random() > float(sys.argv[1]))"


def main() -> None:
    """Build, install, try."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, sdist = built(folder / "dist")
        same_files(wheel)
        core(installed(folder / "core", str(wheel)), folder)
        core(installed(folder / "source", str(sdist)), folder)
        commands(installed(folder / "cli", f"{wheel}[cli]"), folder)
    print("wheel and sdist install into empty environments, and work there")


def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist; the wheel is made from the sdist."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def same_files(wheel: Path) -> None:
    """Everything that git knows of the package is in the wheel, and nothing else."""
    listed = run("git", "ls-files", "src/logts", cwd=ROOT).split()
    wanted = {name.removeprefix("src/") for name in listed}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == wanted, f"the wheel lacks {wanted - held} and should not hold {held - wanted}"


def installed(folder: Path, what: str) -> Path:
    """An empty environment with this installed; returns its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(str(programs / "python"), "-m", "pip", "install", "--quiet", what)
    run(str(programs / "python"), "-m", "pip", "check")
    return programs


def core(programs: Path, folder: Path) -> None:
    """A study to its verdict, with what the core needs and nothing else."""
    print(run(str(programs / "python"), "-c", CORE, cwd=empty(folder)).strip())


def commands(programs: Path, folder: Path) -> None:
    """A simulation, and a study of a command, on the command line."""
    here = empty(folder)
    (here / "options.csv").write_text(TABLE)
    (here / "try.py").write_text(TRY)
    logts = str(programs / "logts")
    rates = ("--rates", "rate", "--runs", "2", "--seed", "0")
    print(run(logts, "simulate", "options.csv", *rates, cwd=here).strip())
    trial = ("--", str(programs / "python"), "try.py", "{rate}")
    run(logts, "run", "options.csv", "--formula", "~ cache + threads", *trial, cwd=here)
    print(run(logts, "status", cwd=here).strip().splitlines()[-1])
    run(logts, "report", "--out", "report.html", cwd=here)
    assert "What the columns do" in (here / "report.html").read_text(encoding="utf-8")


def empty(folder: Path) -> Path:
    """An empty folder to be in."""
    return Path(tempfile.mkdtemp(dir=folder))


def run(*words: str, cwd: Path | None = None) -> str:
    """What a program prints. Nothing of this checkout is on its path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(words, cwd=cwd, env=kept, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(
            f"{' '.join(words)[:200]}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


if __name__ == "__main__":
    main()
