"""The interface over HTTP: studies, trials, how they stand; on every store, and by several servers."""

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import logts
from tests.servers import TABLE, Answer, Serving, serving
from tests.studies import bits, fresh


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(str(tmp_path / "studies.db")) as running:
        yield running


def tell(server: Serving, name: str, ids: object, outcomes: object) -> Answer:
    return server.post(f"/api/studies/{name}/tell", {"ids": ids, "outcomes": outcomes})


def test_a_study_from_its_beginning_to_its_verdict(server: Serving) -> None:
    made = server.begin("headlines", delta=0.1)
    assert made.status == 201
    assert made.json["options"] == ["Hello", "Hi there", "Good day"]
    assert made.json["model"][0].startswith("No model: each of 3 options has a rate of its own")
    rng, rates = np.random.default_rng(0), [0.1, 0.5, 0.9]
    while (asked := server.post("/api/studies/headlines/ask", {"n": 10}).json)["trials"]:
        ids = [trial["id"] for trial in asked["trials"]]
        outcomes = [bool(rng.random() < rates[trial["number"]]) for trial in asked["trials"]]
        assert tell(server, "headlines", ids, outcomes).status == 200
    assert asked["ended"]
    verdict = server.get("/api/studies/headlines/verdict").json
    assert verdict["verdict"]["answer"]["text"] == "best: Good day"
    assert verdict["verdict"]["proven"]
    standing = server.get("/api/studies/headlines/standing").json
    assert [rate["option"] for rate in standing["rates"]] == ["Hello", "Hi there", "Good day"]
    assert standing["assumes"]
    (listed,) = server.get("/api/studies").json["studies"]
    assert (listed["study"], listed["decided"], listed["answer"]) == ("headlines", True, "best: Good day")
    table = server.get("/api/studies/headlines/trials")
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.splitlines()) == 1 + listed["asked"]
    journal = server.get("/api/studies/headlines/journal?from=1").text.splitlines()
    assert len(journal) == listed["position"] - 1
    report = server.get("/api/studies/headlines/report")
    assert "Good day" in report.text
    assert "sandbox" in report.headers["content-security-policy"]


def test_to_tell_twice_is_harmless_and_another_outcome_a_conflict_that_names_both(server: Serving) -> None:
    server.begin("a")
    server.post("/api/studies/a/ask", {"n": 3})
    assert tell(server, "a", 0, True).json == tell(server, "a", [0], [True]).json == {"position": 3}
    wrong = tell(server, "a", [1, 0], [True, False])
    assert (wrong.status, wrong.headers["content-type"]) == (409, "application/problem+json")
    assert wrong.json["detail"] == "trial 0 was told yes before, now no: the first outcome stands"
    assert (wrong.json["trial"], wrong.json["before"], wrong.json["told"]) == (0, True, False)
    assert server.get("/api/studies/a/progress").json["told"] == 1  # all or none
    assert tell(server, "a", 7, True).status == 404
    assert tell(server, "a", [1, 2], [True]).status == 422
    assert tell(server, "nobody", 0, True).status == 404
    assert server.post("/api/studies/a/abandon", {"ids": 2, "reason": "left"}).status == 200
    assert tell(server, "a", 2, True).json["before"] == "abandoned"
    assert server.post("/api/studies/a/abandon", {"ids": 0}).status == 409


def test_the_same_caller_gets_the_same_trial_while_it_is_open(lasting_url: str) -> None:
    name = str(uuid.uuid4())

    def ask(server: Serving, caller: str, n: int = 1) -> list[int]:
        said = server.post(f"/api/studies/{name}/ask", {"caller": caller, "n": n}).json
        return [trial["id"] for trial in said["trials"]]

    with serving(lasting_url) as server, serving(lasting_url) as other:
        server.begin(name)
        assert [ask(server, "ann"), ask(server, "bob"), ask(server, "ann")] == [[0], [1], [0]]
        assert ask(other, "ann") == [0]
        assert ask(other, "bob", 2) == [1, 2]
        assert other.post(f"/api/studies/{name}/tell", {"ids": 0, "outcomes": True}).status == 200
        assert ask(server, "ann") == [3]
        with ThreadPoolExecutor(16) as pool:  # at the same time, at two servers
            given = list(pool.map(lambda k: ask((server, other)[k % 2], f"caller {k % 8}"), range(32)))
        assert all(given[k] == given[k % 8] for k in range(32))
        assert len({ids[0] for ids in given}) == 8
    with serving(lasting_url) as again:
        assert ask(again, "ann") == [3]
        waiting = again.get(f"/api/studies/{name}/waiting").json
        assert waiting["trials"][0]["worker"] == "caller bob"


def test_a_trial_whose_lease_is_over_comes_back_to_its_caller_or_goes_to_another(tmp_path: Path) -> None:
    arms = logts.Arms(names=["a", "b"])
    study = logts.Study.create(tmp_path / "a.db", "a", arms=arms, problem=logts.BestArm(), lease=1e-3)

    def ask(n: int, caller: str, lease: float | None = None) -> list[int]:
        time.sleep(0.005)
        return [trial.id for trial in study.ask(n, caller=caller, lease=lease)]

    assert ask(2, "ann") == [0, 1]
    assert ask(3, "ann") == [0, 1, 2]
    assert ask(1, "bob", 60.0) == [0]
    assert ask(3, "ann", 60.0) == [1, 2, 3]
    assert ask(1, "bob") == [0]
    assert bits(fresh(study)) == bits(study._read())
    with pytest.raises(ValueError, match="give a worker, who gets other trials each time, or a caller"):
        study.ask(caller="ann", worker="me")


def test_what_is_said_at_once_is_one_commit_and_who_is_refused_spoils_nothing(server: Serving) -> None:
    server.begin("a")
    ids = [trial["id"] for trial in server.post("/api/studies/a/ask", {"n": 40}).json["trials"]]
    before = server.app.state.metrics.counts["commits"]
    with ThreadPoolExecutor(20) as pool:
        told = list(pool.map(lambda k: tell(server, "a", k if k % 4 else 1000, True), ids))
    assert [answer.status for answer in told] == [200 if k % 4 else 404 for k in ids]
    assert server.app.state.metrics.counts["commits"] - before < len(ids)
    study = logts.Study.open(server.app.state.settings.db, "a")
    assert study.told == 30
    assert bits(fresh(study)) == bits(study._read())


def test_counts_history_notes_and_what_is_given_back(server: Serving) -> None:
    server.begin("a")
    at = "/api/studies/a"
    assert server.post(f"{at}/counts", {"option": "Hello", "successes": 3, "trials": 10}).status == 200
    assert server.post(f"{at}/counts", {"option": "Bye", "successes": 3, "trials": 10}).status == 422
    assert server.post(f"{at}/history", {"options": ["Hello", 1], "outcomes": [True, False]}).status == 200
    assert server.post(f"{at}/notes", {"about": "source", "said": {"who": "survey"}}).status == 200
    first = server.post(f"{at}/ask").json["trials"][0]["id"]
    assert server.post(f"{at}/release", {"ids": first}).status == 200
    assert server.post(f"{at}/ask").json["trials"][0]["id"] == first
    assert server.get(f"{at}/progress").json["trials"] == 10


def test_an_archived_study_is_put_away_and_comes_back(server: Serving) -> None:
    server.begin("a")
    assert server.post("/api/studies/a/archive", {"archived": True}).json["archived"]
    assert server.get("/api/studies").json["studies"] == []
    assert len(server.get("/api/studies?archived=true").json["studies"]) == 1
    assert server.post("/api/studies/a/ask").status == 409
    server.post("/api/studies/a/archive", {"archived": False})
    assert server.post("/api/studies/a/ask").status == 200


def test_a_list_goes_on_where_a_part_of_it_ended(server: Serving) -> None:
    for name in "abcdef":
        server.begin(name)
    for name in "bcef":
        server.post(f"/api/studies/{name}/archive", {"archived": True})

    def listed(**query: object) -> tuple[str, int | None]:
        said = server.get(f"/api/studies?{urlencode(query)}").json
        return "".join(one["study"] for one in said["studies"]), said["next"]

    assert listed() == ("da", None)
    assert listed(most=1) == ("d", 3)  # as many as were asked for, though others lie between
    assert listed(most=1, first=3) == ("a", None)
    assert listed(archived="true", most=3) == ("fec", 4)
    assert listed(archived="any", most=2) == ("fe", 2)
    assert logts.Client.list(server.url) == list("abcdef") == logts.Study.list(server.app.state.settings.db)


def test_a_plan_shows_the_model_and_both_prices(server: Serving) -> None:
    table = "cache,threads\non,1\non,2\noff,1\noff,2\n"
    shown = server.post("/api/options", {"table": table, "additive": True}).json
    assert shown["dimension"] == 3
    assert "  cache    category with 2 levels: off, on" in shown["model"]
    said = server.post("/api/plan", {"table": table, "additive": True, "effect": 0.3, "seconds": 1.0}).json
    # How far a median is seen depends on how busy the machine is.
    assert said["log_ts"]["studies"] > 0
    assert said["lower_bound"]["trials"] < said["other"]["lower_bound"]["trials"]
    assert said["prices"][0].startswith("Prices: on their own ")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"table": "a;b\n1;2\n"}, "seems to have its columns parted by"),
    ({"table": "a\n"}, "has a header and no rows"),
    ({"table": ""}, "is not a CSV table with a header"),
    ({"table": "a\nx\nx\n"}, "rows 2 and 3 are both 'x'"),
    ({"table": TABLE, "names": "nothing"}, "no column is called 'nothing'; the columns are headline, tone"),
    ({"table": TABLE, "formula": "~ nothing"}, "nothing"),
    ({"table": TABLE, "formula": "~ headline", "additive": True}, "additive adds up all columns and formula"),
    ({"table": None}, "give the options as a table"),
    ({"options": [{"a": 1}], "table": TABLE}, "give the options as a table"),
    ({"question": {"kind": "TopM", "m": 9}}, ""),
    ({"question": {"kind": "VersusControl", "control": "x"}}, "'x'"),
    ({"question": {"kind": "VersusControl"}}, "question: VersusControl needs control"),
    ({"question": {"kind": "TopM"}}, "question: TopM needs m"),
    ({"question": {"kind": "Threshold", "m": 2}}, "question: Threshold needs rate"),
    ({"question": {"kind": "BestArm", "rate": 0.5}}, "question: BestArm has no rate; it takes epsilon"),
    ({"question": {"kind": "Ranking", "m": 2}}, "question: Ranking has no m; it takes nothing"),
    ({"name": "a/b"}, "name: "),
    ({"name": "logts: tokens"}, "names that begin with 'logts: '"),
    ({"delta": 2}, "delta: "),
    ({"nonsense": 1}, "nonsense: "),
]


def test_what_cannot_be_studied_is_refused_with_a_sentence(server: Serving) -> None:
    for said, wanted in WRONG:
        answer = server.post("/api/studies", {"name": "a", "table": TABLE} | said)
        assert answer.status == 422, said
        assert wanted in answer.json["detail"]
    assert server.get("/api/studies").json["studies"] == []


def test_a_name_is_taken_once(server: Serving) -> None:
    assert server.begin("a").status == 201
    assert server.begin("a").status == 409
    assert server.begin("b", after="a").status == 201
    assert server.begin("c", after="nobody").status == 404


def test_a_database_that_does_not_answer_is_said_and_not_taken_for_well(tmp_path: Path) -> None:
    with serving(str(tmp_path / "studies.db")) as server:
        server.begin("a")
        assert server.get("/healthz").status == 200
        for path in tmp_path.iterdir():  # the database and what belongs to it
            path.write_bytes(b"no database" * 2000)
        for found in (server.get("/healthz"), server.post("/api/studies/a/ask", {"n": 1})):
            assert found.status == 503
            assert "not a database" in found.json["detail"]
            assert int(found.headers["retry-after"]) >= 1
