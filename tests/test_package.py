"""The package as it is found: its names, what it loads and when, and ``python -m logts``."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import logts


def ended(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, check=False)


def loaded(cwd: Path, program: str) -> set[str]:
    """Packages that are loaded after a program."""
    program += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = ended(cwd, "-c", program)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_every_public_name_is_listed_before_it_is_loaded(tmp_path: Path) -> None:
    program = """
import sys, logts
assert set(logts.__all__) <= set(dir(logts)), set(logts.__all__) - set(dir(logts))
assert "logts.study" not in sys.modules
assert "__getattr__" in dir(logts)
"""
    done = ended(tmp_path, "-c", program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", logts.__all__)
def test_every_public_name_is_there(name: str) -> None:
    found = getattr(logts, name)
    assert name == "__version__" or found.__name__ == name


def test_rooms_are_loaded_by_their_names(tmp_path: Path) -> None:
    program = "import logts; print(logts.policies.RageGLM.__name__, hasattr(logts, 'nowhere'))"
    assert ended(tmp_path, "-c", program).stdout.split() == ["RageGLM", "False"]


def test_to_import_loads_nothing_large(tmp_path: Path) -> None:
    assert not {"numpy", "scipy", "numba", "pandas"} & loaded(tmp_path, "import logts")


def test_what_computes_nothing_does_without_a_compiler(tmp_path: Path) -> None:
    names = loaded(tmp_path, "import logts; [getattr(logts, name) for name in logts.__all__]")
    assert not {"numba", "pandas", "matplotlib", "joblib"} & names
    told = loaded(tmp_path, "import logts.cli.app")
    assert not {"numba", "pandas", "matplotlib", "joblib"} & told


def test_the_module_is_the_command(tmp_path: Path) -> None:
    told = ended(tmp_path, "-m", "logts", "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage: python -m logts ")
    missing = ended(tmp_path, "-m", "logts", "status", "nowhere.db")
    assert missing.returncode == 1
    assert missing.stderr.startswith("Error: there is no file nowhere.db")


def test_the_lowest_versions_that_are_permitted_are_those_that_are_tested() -> None:
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    asked = [Requirement(line) for line in project["dependencies"]]
    asked += [Requirement(line) for extra in project["optional-dependencies"].values() for line in extra]
    pinned: dict[str, str] = {}
    # The lowest Inspect is the one that all other tests meet: it brings half a hundred packages.
    for name in ("requirements.txt", "requirements-lowest.txt"):
        lines = (root / name).read_text().lower().replace("_", "-").splitlines()
        pinned |= dict(line.split("==") for line in lines if "==" in line)
    for wanted in asked:
        if wanted.name != "logts":
            (least,) = (bound.version for bound in wanted.specifier)
            assert Version(pinned[wanted.name]) == Version(least), wanted.name
