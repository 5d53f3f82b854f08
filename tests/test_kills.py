"""Workers killed at random moments: a short version of ``benchmarks/kills.py``."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_nothing_acknowledged_is_lost_or_counted_twice(tmp_path: Path) -> None:
    words = ["--rounds", "4", "--seconds", "2", "--out", str(tmp_path / "kills.md")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "kills.py"), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [
        line.split("|") for line in (tmp_path / "kills.md").read_text().splitlines() if line.startswith("|")
    ]
    assert [row[1].strip() for row in rows] == ["store", "---", "SQLite", "PostgreSQL"] * 2
    for head, row in ((rows[0], rows[2]), (rows[0], rows[3]), (rows[4], rows[6]), (rows[4], rows[7])):
        found = {
            name.strip(): int(value.replace(",", ""))
            for name, value in zip(head[2:-1], row[2:-1], strict=True)
        }
        assert found["acknowledged"] > 20
        assert found["told"] >= found["acknowledged"]
        assert found["lost"] == found["counted twice"] == found["differs from replay"] == 0
