"""The pages without a browser: every kind of study, names that are no names, prefixes, broken uploads."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from scipy.special import expit

import logts
from logts.server.tokens import Role
from tests.servers import TABLE, Answer, Serving, serving
from tests.studies import X

NASTY = "<script>alert(1)</script>"
LINE = np.array([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
BENT = LINE @ [-0.5, 0.4, 0.3] + np.where(np.arange(12) == 5, 2.0, np.where(np.arange(12) == 11, -2.0, 0.0))
FORM = "application/x-www-form-urlencoded"
NAMES = logts.Arms(names=[NASTY, "b & c", "plain"])
# How a study is made (options, question, rates, trials at most), and what its page says.
KINDS: dict[str, tuple[logts.Arms, Any, Any, int, list[str]]] = {
    "nothing": (NAMES, logts.BestArm(), [0.1, 0.5, 0.9], 0, ["No outcome yet."]),
    "few": (NAMES, logts.BestArm(), [0.1, 0.5, 0.9], 3, ["3</span>"]),
    "decided": (
        NAMES,
        logts.BestArm(),
        [0.1, 0.4, 0.9],
        10**6,
        ["Best: plain.", "This assumes", "ruled out"],
    ),
    "model": (
        logts.Arms(X),
        logts.BestArm(),
        expit(X @ [-1.5, 2.0, 0.5]),
        400,
        ["target", "Second opinion", "5 options"],
    ),
    "alarmed": (logts.Arms(LINE), logts.BestArm(), expit(BENT), 300, ["The outcomes refute the model"]),
    "pairwise": (
        logts.Arms.pairwise(["tea", "coffee", "milk"]),
        logts.Ranking(),
        [0.6, 0.8, 0.7],
        90,
        ["wins"],
    ),
    "threshold": (NAMES, logts.Threshold(0.5), [0.2, 0.4, 0.9], 60, ["more often than 50%"]),
    "top": (NAMES, logts.TopM(2), [0.2, 0.5, 0.9], 60, ["Which 2 of 3 options are the best?"]),
    "control": (NAMES, logts.VersusControl("plain"), [0.2, 0.5, 0.9], 60, ["better than plain"]),
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("pages") / "studies.db")


@pytest.fixture(scope="module")
def server(db: str) -> Iterator[Serving]:
    with serving(db) as found:
        yield found


def made(db: str, name: str, arms: logts.Arms, problem: Any, rates: Any, most: int) -> None:
    rng = np.random.default_rng(3)
    with logts.Study.create(db, name, arms=arms, problem=problem) as study:
        count = 0
        while count < most and (trials := study.ask(min(20, most - count))):
            count += len(trials)
            arm = np.array([trial.number for trial in trials])
            study.tell(trials, rng.random(len(arm)) < np.asarray(rates)[arm])


def checked(answer: Answer, status: int = 200) -> str:
    """The text of a page that holds no script or style of its own, and nothing from elsewhere."""
    assert answer.status == status, answer.text[:500]
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert NASTY not in answer.text
    assert not re.search(r"<script(?! src=)|<style|\sstyle=|\son\w+=|javascript:", answer.text)
    assert not re.search(r"(src|href|action)=\"(https?:|//)", answer.text)
    return answer.text


def form(server: Serving, path: str, **fields: str) -> Answer:
    return server.post(path, urlencode(fields).encode(), Content_Type=FORM)


def test_an_empty_list(tmp_path: Path) -> None:
    with serving(str(tmp_path / "studies.db")) as server:
        assert "There are no studies yet." in checked(server.get("/"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_every_kind(server: Serving, db: str, kind: str) -> None:
    *how, wanted = KINDS[kind]
    made(db, kind, *how)
    text = checked(server.get(f"/studies/{kind}"))
    for words in wanted:
        assert words in text
    if NASTY in how[0].names:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert kind in checked(server.get("/"))


def test_nothing_grows_with_the_trials(server: Serving, db: str) -> None:
    sizes = []
    for name, many in (("thousand", 500), ("million", 500_000)):
        with logts.Study.create(
            db, name, arms=logts.Arms(names=["a", "b"]), problem=logts.Ranking()
        ) as study:
            study.tell_counts("a", many // 2, many)
            study.tell_counts("b", many // 2, many)
            study.ask(10_000)
        sizes.append(len(checked(server.get(f"/studies/{name}"))))
    assert "10,000</strong> in the air" in server.get("/studies/million").text
    assert sizes[1] < 1.2 * sizes[0]


def test_a_study_by_its_form(server: Serving) -> None:
    said = {"table": TABLE, "names": "headline", "model": "none", "question": "BestArm", "delta": "10"}
    text = checked(form(server, "/new", **said, do="look"))
    assert "No model: each of 3 options has a rate of its own" in text
    assert "Good day" in text
    planned = checked(form(server, "/new", **said, do="plan", effect="40"))
    assert "half of the studies" in planned
    assert "All options equally often" in planned
    begun = form(server, "/new", **said, do="begin", name="by form")
    assert begun.status == 303
    assert begun.headers["location"] == "/studies/by%20form"
    assert server.get("/api/studies/by%20form").json["delta"] == 0.1
    assert "No model: each of 3 options" in checked(server.get("/studies/by%20form"))
    again = checked(form(server, "/new", **said, do="begin", name="by form"), 409)
    assert "by form" in again


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"table": ""}, "give a table of options"),
        ({"table": "a\n"}, "has a header and no rows"),
        ({"table": "a;b\n1;2\n"}, "save it with commas"),
        ({"table": 'a,b\n"1,2\n3,4\n'}, "the table"),
        ({"table": TABLE, "names": "nobody"}, "no column is called"),
        ({"table": TABLE, "model": "formula"}, "write the formula"),
        ({"table": TABLE, "model": "formula", "formula": "~ nobody"}, "nobody"),
        ({"table": TABLE, "question": "TopM", "m": "many"}, "give a number"),
        ({"table": TABLE, "question": "Everything"}, "kind"),
        ({"table": TABLE, "delta": "99"}, "delta"),
        ({"table": TABLE, "name": "a/b"}, "without slashes"),
        ({"table": f"x\n{NASTY}\n{NASTY}\n"}, "rows 2 and 3"),
    ],
)
def test_what_is_wrong_is_a_sentence(server: Serving, fields: dict[str, str], said: str) -> None:
    answer = form(server, "/new", **({"name": "wrong", "do": "begin"} | fields))
    assert said.lower() in checked(answer, 422).lower()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00a", b"a,b\n\x00,1\n", bytes(range(256))])
def test_files_that_are_no_tables(server: Serving, content: bytes) -> None:
    edge = "----edge"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'.encode()
    body = head + content + f"\r\n--{edge}--\r\n".encode()
    answer = server.post("/new", body, Content_Type=f"multipart/form-data; boundary={edge}")
    assert "save the table as CSV" in checked(answer, 422)


def test_a_person_answers_without_script(server: Serving) -> None:
    server.begin("asked")
    invited = checked(server.get("/studies/asked/answer"))
    assert "Show the first option" in invited
    assert server.get("/api/studies/asked").json["asked"] == 0  # to look asks for nothing
    first = form(server, "/studies/asked/answer")
    cookie = first.headers["set-cookie"].partition(";")[0]
    trial = re.search(r'name="trial" value="(\d+)"', checked(first))
    assert trial is not None
    same = server.post("/studies/asked/answer", b"", Content_Type=FORM, Cookie=cookie)
    assert f'value="{trial[1]}"' in same.text
    for _ in range(2):  # sent twice, counted once
        said = urlencode({"trial": trial[1], "outcome": "yes"}).encode()
        told = server.post("/studies/asked/answer", said, Content_Type=FORM, Cookie=cookie)
        assert "Trial 1: yes." in checked(told)
    other = urlencode({"trial": trial[1], "outcome": "no"}).encode()
    refused = server.post("/studies/asked/answer", other, Content_Type=FORM, Cookie=cookie)
    assert "the first outcome stands" in checked(refused)
    progress = server.get("/api/studies/asked").json
    assert (progress["told"], progress["waiting"]) == (1, 1)
    assert "a person" in checked(server.get("/studies/asked"))


def test_a_prefix_is_before_every_link(tmp_path: Path) -> None:
    name = "50% / 50?"
    db = str(tmp_path / "studies.db")
    made(db, name, NAMES, logts.BestArm(), [0.1, 0.5, 0.9], 30)
    with serving(db, root_path="/logts") as server:
        place = f"/logts/studies/{quote(name, safe='')}"
        for path in ("/", "/new", "/studies/none"):
            text = checked(server.get(path), 404 if "none" in path else 200)
            links = re.findall(r'(?:href|src|action|data-live)="([^"#?]*)', text)
            assert all(link.startswith("/logts") for link in links if link)
        assert place in server.get("/").text


def test_pages_behind_tokens(tmp_path: Path) -> None:
    with serving(str(tmp_path / "studies.db")) as server:
        server.begin("kept")
        token = server.app.state.tokens.make(Role.READ, studies=None, label="", days=None)
        away = server.get("/studies/kept")
        assert (away.status, away.headers["location"]) == (303, "/sign-in?to=%2Fstudies%2Fkept")
        into = form(server, "/sign-in", token=token, to="/studies/kept")
        assert into.headers["location"] == "/studies/kept"
        assert form(server, "/sign-in", token=token, to="//elsewhere.org").headers["location"] == "/"
        cookie = into.headers["set-cookie"].partition(";")[0]
        text = checked(server.get("/studies/kept", Cookie=cookie))
        assert "Answer trials" not in text
        assert "Archive this study" not in text
        assert "takes the role" in checked(server.get("/new", Cookie=cookie), 403)


def test_archived_and_taken_out_again(server: Serving) -> None:
    server.begin("put away")
    assert server.post("/studies/put%20away/archive", b"", Content_Type=FORM).status == 303
    assert "put away" not in checked(server.get("/"))
    assert "put away" in checked(server.get("/?archived=true"))
    assert "This study is archived" in checked(server.get("/studies/put%20away"))
    assert "This study is archived" in checked(server.get("/studies/put%20away/answer"))
    assert server.post("/studies/put%20away/archive", b"", Content_Type=FORM).status == 303
    assert "put away" in checked(server.get("/"))
