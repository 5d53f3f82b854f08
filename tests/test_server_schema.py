"""Requests made from the OpenAPI document, right and wrong ones, and tables of all kinds: no surprise."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from logts.server.examples import ANSWERS
from logts.server.settings import Limits
from tests.servers import TABLE, Serving, serving

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
QUICK = settings(
    max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    limits = Limits(options=50, plan_seconds=0.05, studies=100_000, trials=100)
    with serving(str(tmp_path_factory.mktemp("schema") / "studies.db"), limits=limits) as running:
        running.begin("known")
        running.post("/api/studies/known/ask", {"n": 50})
        yield running


@pytest.mark.filterwarnings("ignore")
def test_no_request_made_from_the_description_brings_a_surprise(server: Serving) -> None:
    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    seen: Counter[int] = Counter()
    found: Any = schema.get_all_operations()
    operations = [one.ok() for one in found]
    assert len(operations) > 20
    for operation in operations:
        if operation.path.endswith("/live"):  # it does not end
            continue
        for mode in GenerationMode:

            @QUICK
            @given(case=operation.as_strategy(generation_mode=mode), known=st.booleans())
            def check(case: Any, known: bool) -> None:
                if known and "name" in case.path_parameters:
                    case.path_parameters["name"] = "known"
                answer = case.call(timeout=60)
                seen[answer.status_code] += 1
                case.validate_response(answer, checks=CHECKS)

            check()
    assert {200, 201, 404, 422} <= set(seen)
    assert not [status for status in seen if status >= 500 and status != 503]


def test_every_status_and_body_has_an_example(server: Serving) -> None:
    said = server.get("/api/openapi.json").json
    for operations in said["paths"].values():
        for operation in operations.values():
            assert operation["description"]
            assert {"400", "401", "403", "422", "429", "503"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    (content,) = answer["content"].values()
                    assert content["example"]["detail"]


def test_answers_are_like_their_examples(tmp_path: Path) -> None:
    table, at = "cache,threads\non,1\non,2\noff,1\noff,2\n", "/api/studies/a"
    of = {"table": table, "additive": True}
    calls: dict[tuple[str, str], Any] = {
        ("post", "/api/studies"): {"name": "a", "table": table, "delta": 0.5},
        ("post", f"{at}/ask"): {"n": 30},
        ("post", f"{at}/tell"): {"ids": 0, "outcomes": True},
        ("post", f"{at}/abandon"): {"ids": 1},
        ("post", f"{at}/release"): {"ids": 2},
        ("post", f"{at}/history"): {"options": [0], "outcomes": [True]},
        ("post", f"{at}/notes"): {"about": "source", "said": {}},
        **{("get", f"{at}{what}"): None for what in ("", "/progress", "/standing", "/waiting")},
        ("get", "/api/studies"): None,
        ("post", f"{at}/counts"): {"option": "on | 1", "successes": 500, "trials": 500},
        ("post", f"{at}/archive"): {},
        ("post", "/api/options"): of,
        ("post", "/api/plan"): of | {"effect": 0.3, "seconds": 0.2},
        ("get", "/healthz"): None,
    }
    with serving(str(tmp_path / "studies.db")) as server:
        for (method, path), body in calls.items():
            answer = server.call(method.upper(), path, body)
            example = ANSWERS[method, path.replace(at, "/api/studies/{name}")]
            assert answer.status in (200, 201), answer.text
            assert _alike(example, answer.json), (path, answer.text)
        server.begin("b")
        for option, successes in (("Hello", 500), ("Hi there", 0), ("Good day", 0)):
            said = {"option": option, "successes": successes, "trials": 500}
            assert server.post("/api/studies/b/counts", said).status == 200
        verdict = server.get("/api/studies/b/verdict").json
        assert verdict["verdict"] is not None
        assert _alike(ANSWERS["get", "/api/studies/{name}/verdict"], verdict)
    shown = {(method, path.replace(at, "/api/studies/{name}")) for method, path in calls}
    assert ANSWERS.keys() == shown | {("get", "/api/studies/{name}/verdict")}


BY_NAME = {"headline", "on | 1", "guard"}  # keys of mappings whose keys are for each study to choose


def _alike(example: Any, said: Any) -> bool:
    """The same fields, with values of the same kinds; names are a study's own."""
    if isinstance(example, dict) and isinstance(said, dict):
        if not BY_NAME.isdisjoint(example):
            return True
        return all(name in said and _alike(value, said[name]) for name, value in example.items())
    if isinstance(example, list) and isinstance(said, list):
        return not said or not example or _alike(example[0], said[0])
    number = (int, float)
    same = isinstance(said, type(example)) or (isinstance(example, number) and isinstance(said, number))
    return same or example is None or said is None


CELLS = st.text(max_size=8) | st.sampled_from(
    ["", "nan", "=1+1", '"', "\x00", "1e999", "\ufeff", "x,y", "\r", "'"]
)
TABLES = (
    st.binary(max_size=60).map(lambda raw: raw.decode("latin-1"))
    | st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), max_size=6).map("\n".join)
    | st.lists(st.integers(0, len(TABLE)), max_size=4).map(
        lambda cuts: "".join(letter for at, letter in enumerate(TABLE) if at not in cuts)
    )
)


def test_any_table_is_taken_or_refused_with_a_sentence(server: Serving) -> None:
    seen: Counter[int] = Counter()

    @settings(QUICK, max_examples=300)
    @given(table=TABLES, additive=st.booleans(), named=st.booleans())
    def check(table: str, additive: bool, named: bool) -> None:
        name = f"fuzzed {sum(seen.values())}"
        body = {"name": name, "table": table, "additive": additive, "names": "headline" if named else None}
        answer = server.post("/api/studies", body)
        seen[answer.status] += 1
        assert answer.status in (201, 422), answer.text
        if answer.status == 422:
            assert len(answer.json["detail"]) > 10
            assert "Traceback" not in answer.text
        else:  # what was taken in can be used
            assert server.post(f"/api/studies/{name.replace(' ', '%20')}/ask", {"n": 2}).status == 200

    check()
    assert seen[201] > 10
    assert seen[422] > 50


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"n": 1e999}',
        b'{"n": NaN}',
        b"[" * 100_000,
        b'{"n": ' + b"9" * 5000 + b"}",
        b"\xff",
    ],
)
def test_bodies_that_are_no_json(server: Serving, body: bytes) -> None:
    answer = server.post("/api/studies/known/ask", body, Content_Type="application/json")
    assert answer.status in (400, 422)
    assert json.loads(answer.text)["detail"]


def test_the_document_is_about_all_that_there_is(server: Serving) -> None:
    text = (Path(__file__).parent.parent / "docs" / "http.md").read_text()
    for path in server.get("/api/openapi.json").json["paths"]:
        assert f"`{path}`" in text or f" {path}`" in text, path
