"""Single bits of a study's file flipped: a short version of ``benchmarks/flips.py``."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_no_flipped_bit_takes_events_without_a_word(tmp_path: Path) -> None:
    words = ["--flips", "150", "--seed", "7", "--out", str(tmp_path / "flips.md")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "flips.py"), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|")[1:3] for line in (tmp_path / "flips.md").read_text().splitlines() if "|" in line]
    opening, rescue = (
        {name.strip(): count.strip() for name, count in part} for part in (rows[2:6], rows[8:])
    )
    assert int(opening["opens whole"]) + int(opening["says what is wrong"]) == 150
    assert int(opening["opens whole"]) > 30
    assert int(opening["says what is wrong"]) > 30
    assert opening["opens short without a word"] == opening["raw error"] == "0"
    assert int(rescue["all events"]) + int(rescue["fewer, and says so"]) > 140
    assert rescue["fewer without a word"] == rescue["raw error"] == "0"
