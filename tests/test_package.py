"""The package as it is found: its names, and ``python -m logts``."""

import subprocess
import sys
from pathlib import Path


def ended(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, check=False)


def test_every_public_name_is_listed_before_it_is_loaded(tmp_path: Path) -> None:
    program = """
import sys, logts
assert set(logts.__all__) <= set(dir(logts)), set(logts.__all__) - set(dir(logts))
assert "logts.study" not in sys.modules
assert "__getattr__" in dir(logts)
"""
    done = ended(tmp_path, "-c", program)
    assert done.returncode == 0, done.stderr


def test_the_module_is_the_command(tmp_path: Path) -> None:
    told = ended(tmp_path, "-m", "logts", "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage: python -m logts ")
    missing = ended(tmp_path, "-m", "logts", "status", "nowhere.db")
    assert missing.returncode == 1
    assert missing.stderr.startswith("Error: there is no file nowhere.db")
