"""The pages in a browser: a study from a table to its verdict, live, over a lost connection."""

import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from logts import Study

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BUSY = 120_000  # milliseconds: a busy machine is slow, not wrong
TABLE = "drink,size\n<b>tea</b>,small\ncoffee,large\n"


@contextmanager
def serving(db: Path, port: int) -> Iterator[None]:
    """A server process of its own, until it is told to end."""
    command = [sys.executable, "-m", "logts", "serve", "--db", str(db), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")
def test_a_study_from_a_table_to_its_verdict(tmp_path: Path) -> None:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=BUSY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    db, base = tmp_path / "studies.db", f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=CHROMIUM, args=FLAGS, headless=True, timeout=BUSY
        )
        troubles: list[str] = []
        context.on("weberror", lambda error: troubles.append(str(error.error)))
        context.set_default_timeout(BUSY)
        page, watcher = context.new_page(), context.new_page()
        with serving(db, port):
            # A study from a CSV file.
            page.goto(f"{base}/new")
            file = tmp_path / "drinks.csv"
            file.write_text(TABLE)
            page.set_input_files("[name=file]", file)
            expect(page.locator("#preview tbody tr")).to_have_count(2)
            expect(page.locator("#model")).to_contain_text("No model: each of 2 options")
            expect(page.locator("[name=names]")).to_have_value("drink")
            page.click("[value=begin]")
            page.wait_for_url(f"{base}/studies/drinks")
            expect(page.locator("#options")).to_contain_text("<b>tea</b>")
            # Somebody watches, and somebody answers by keyboard.
            watcher.goto(f"{base}/studies/drinks")
            watcher.evaluate("() => { document.body.dataset.mine = 'not reloaded'; }")
            page.goto(f"{base}/studies/drinks/answer")
            page.bring_to_front()
            expect(page.get_by_text("Show the first option")).to_be_focused()
            page.keyboard.press("Enter")
            _answer(page, 8)
            expect(watcher.locator("#trials")).to_have_text("8")
            expect(watcher.locator("#waiting")).to_have_text("1")  # the option shown
        # The server is gone: the page says so, and shows what it knew.
        expect(watcher.locator("#connection")).to_contain_text("Not connected")
        expect(watcher.locator("#trials")).to_have_text("8")
        before = watcher.locator("#sure").inner_text()
        with serving(db, port):
            expect(watcher.locator("#connection")).to_be_hidden()
            _finish(page)
            expect(watcher.locator("#head .answer")).to_have_text("Best: coffee.")
            assert watcher.locator("#sure").inner_text() != before
            expect(watcher.locator("#head")).to_contain_text("This assumes independent outcomes")
            expect(watcher.locator("body")).to_have_attribute("data-mine", "not reloaded")
            expect(page.locator("#answer")).to_contain_text("The study is decided")
        context.close()
    with Study.open(db, "drinks") as study:
        assert study.verdict is not None
        assert study.verdict.proven
        assert study.told == study.verdict.trials
    assert not troubles


def _answer(page: Any, most: int) -> None:  # playwright, and so its type, may be missing
    """Coffee is good and tea is not, said with the keys y and n."""
    from playwright.sync_api import expect

    for _ in range(most):
        option, trial = page.locator("#option"), page.locator("[name=trial]")
        expect(option).to_be_visible()
        number = trial.get_attribute("value")
        page.keyboard.press("y" if option.inner_text() == "coffee" else "n")
        page.wait_for_selector(f'#answer:not(:has([name=trial][value="{number}"]))')


def _finish(page: Any) -> None:
    for _ in range(300):
        if page.locator("#option").count() == 0:
            return
        _answer(page, 1)
    raise AssertionError("no verdict after 300 answers")
