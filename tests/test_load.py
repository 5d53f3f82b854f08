"""A server, and PostgreSQL, killed under load: a short version of ``benchmarks/load.py``."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    words = ["--kills", "--seconds", "3", "--out", str(tmp_path / "load.md")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "load.py"), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in (tmp_path / "load.md").read_text().splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert [row[:2] for row in rows] == [
        ["SQLite", "a server"],
        ["PostgreSQL", "a server"],
        ["PostgreSQL", "PostgreSQL"],
    ]
    for row in rows:
        found = dict(zip(head, row, strict=True))
        assert int(found["acknowledged"]) > 20
        assert int(found["failed requests"]) > 0  # it was killed indeed
        assert found["lost"] == found["doubled"] == found["differs from replay"] == "0"
