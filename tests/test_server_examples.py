"""What the page on the server shows works as it stands there; and what needs a hand, in a browser."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import TABLE, Serving, serving
from tests.test_browser import BUSY, CHROMIUM, FLAGS

PAGE = (Path(__file__).parent.parent / "docs" / "server.md").read_text(encoding="utf-8")
BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")


def block(language: str, words: str) -> str:
    """The example on the page that holds these words."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    (shown,) = [text for text in found if words in text]
    return shown


@contextmanager
def browsing(folder: Path, **how: Any) -> Iterator[Any]:  # playwright, and so its type, may be missing
    """A page in a browser that waits as long as a busy machine needs."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=BUSY)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder / "profile", executable_path=CHROMIUM, args=FLAGS, headless=True, timeout=BUSY, **how
        )
        context.set_default_timeout(BUSY)
        yield context.new_page()
        context.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(str(tmp_path / "studies.db")) as running:
        yield running


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl or jq is not installed")
def test_the_examples_with_curl(server: Serving, tmp_path: Path) -> None:
    (tmp_path / "headlines.csv").write_text(TABLE)
    words = block("", "curl").replace("http://127.0.0.1:8000", server.url)
    done = subprocess.run(["sh", "-ec", words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert '"model":["No model: each of 3 options' in done.stdout
    assert '{"position":3}' in done.stdout
    assert "Undecided after 1 trials." in done.stdout


@BROWSER
def test_the_example_in_javascript(server: Serving, tmp_path: Path) -> None:
    server.begin("headlines")
    heard = "return new Promise((done) => live.addEventListener('progress', (e) => done(e.lastEventId)));"
    with browsing(tmp_path) as page:
        page.goto(server.url)  # of the same origin
        assert page.evaluate(f"async () => {{ {block('js', 'EventSource')}; {heard} }}") == "3"
    assert server.get("/api/studies/headlines/progress").json["told"] == 1


@BROWSER
def test_a_table_is_dropped_and_answered_by_thumb(server: Serving, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    phone = {"viewport": {"width": 375, "height": 700}, "is_mobile": True, "has_touch": True}
    drop = "(text) => { const held = new DataTransfer(); held.items.add(new File([text], 'drop.csv'));"
    drop += " return held; }"
    with browsing(tmp_path, **phone) as page:
        page.goto(f"{server.url}/new")
        held = page.evaluate_handle(drop, TABLE)
        page.dispatch_event("[data-drop]", "drop", {"dataTransfer": held})
        expect(page.locator("#preview tbody tr")).to_have_count(3)
        expect(page.locator("#name")).to_have_value("drop")
        page.fill("[name=effect]", "40")
        page.tap("[value=plan]")
        expect(page.locator("#plan")).to_contain_text("All options equally often")
        page.tap("[value=begin]")
        page.wait_for_url(f"{server.url}/studies/drop")
        page.tap("text=Answer trials")
        page.tap("text=Show the first option")
        for outcome in ("yes", "no"):
            number = page.locator("[name=trial]").get_attribute("value")
            page.tap(f"[value={outcome}]")
            expect(page.locator(f'[name=trial]:not([value="{number}"])')).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert server.get("/api/studies/drop/progress").json["told"] == 2


@BROWSER
def test_a_page_that_nobody_sees_lets_go_of_its_stream(server: Serving, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    server.begin("a")
    metrics = server.app.state.metrics
    seen = "(yes) => { Object.defineProperty(document, 'hidden', { value: !yes, configurable: true });"
    seen += " document.dispatchEvent(new Event('visibilitychange')); }"
    with browsing(tmp_path) as page:
        page.goto(f"{server.url}/studies/a")
        for yes in (True, False, True):
            page.evaluate(seen, yes)
            for _ in range(BUSY // 100):
                if metrics.listeners == yes:
                    break
                page.wait_for_timeout(100)
            assert metrics.listeners == yes
            server.post("/api/studies/a/ask", {"n": 1})
        expect(page.locator("#waiting")).to_have_text("3")
