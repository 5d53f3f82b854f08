"""Who gets in, and what is refused: tokens, roles, scopes, origins, sizes, addresses; and the way in."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

import logts
from logts.journal import open_store
from logts.server.app import make_app
from logts.server.settings import Limits, Settings
from logts.server.tokens import Role, Tokens
from tests.commands import call
from tests.servers import TABLE, Serving, serving

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "studies.db")


@pytest.fixture
def tokens(db: str) -> Tokens:
    return Tokens(open_store(db, create=True))


def make(tokens: Tokens, role: Role, *studies: str, days: float | None = None) -> str:
    return tokens.make(role, studies=list(studies) or None, label="", days=days)


@pytest.fixture
def server(db: str) -> Iterator[Serving]:
    with serving(db) as running:
        yield running


def test_without_a_token_only_this_machine_is_served(db: str, tokens: Tokens) -> None:
    for host in ("0.0.0.0", "192.168.1.5", "example.org", "::"):
        with pytest.raises(ValueError, match="so callers need a token: make the first one"):
            make_app(Settings(db, host))
    for host in ("127.0.0.1", "localhost", "::1"):
        make_app(Settings(db, host))
    make(tokens, Role.READ)
    make_app(Settings(db, "0.0.0.0"))


def test_roles_and_scopes(server: Serving, tokens: Tokens) -> None:
    for name in ("mine", "other"):
        assert server.begin(name).status == 201  # nobody has made a token yet
    read, answer, manage = (make(tokens, role) for role in Role)
    scoped = make(tokens, Role.MANAGE, "mine", "new")
    server.app.state.tokens.refresh()
    ask, said = "/api/studies/mine/ask", {"n": 1}
    told = {"ids": 0, "outcomes": True}

    assert server.post(ask, said).status == 401
    assert server.get("/api/studies").status == 401
    assert server.get("/").status == 303
    assert server.post(ask, said, "logts_00000000_wrong").status == 401
    assert server.post(ask, said, f"{answer}x").status == 401
    assert server.post(ask, said, answer).status == 200
    assert server.post("/api/studies/mine/tell", told, read).status == 403
    assert server.get("/api/studies/mine/progress", read).json["told"] == 0
    assert server.post("/api/studies/mine/tell", told, answer).status == 200
    assert server.post("/api/studies/mine/archive", {}, answer).status == 403
    new = {"name": "new", "table": TABLE}
    assert server.post("/api/studies", new, answer).status == 403
    assert server.post("/api/studies", new | {"name": "newer"}, scoped).status == 403
    assert server.post("/api/studies", new | {"after": "other"}, scoped).status == 403
    assert server.post("/api/studies", new, scoped).status == 201
    assert server.post("/api/studies/other/ask", said, scoped).status == 403
    assert server.get("/api/studies/other/journal", scoped).status == 403
    assert server.get("/api/studies/nothing", scoped).status == 403  # nor whether it is there
    seen = [one["study"] for one in server.get("/api/studies", scoped).json["studies"]]
    assert seen == ["new", "mine"]
    assert server.get("/metrics", scoped).status == 403
    text = server.get("/metrics", read).text
    assert 'logts_requests_total{route="/api/studies/{name}/ask",method="POST",status="200"} 1' in text
    assert 'route="/studies/{name}/ask"' not in text  # a page would be called so
    assert server.post("/api/studies/other/archive", {}, manage).status == 200
    assert server.get("/healthz").json == {"status": "ok"}  # for those who watch over it


def test_tokens_end_and_only_their_hashes_are_kept(db: str, server: Serving, tokens: Tokens) -> None:
    server.begin("a")
    token, brief = make(tokens, Role.READ), make(tokens, Role.READ, days=1e-9)
    server.app.state.tokens.refresh()
    assert server.get("/api/studies/a", token).status == 200
    assert server.get("/api/studies/a", brief).status == 401
    secret = token.split("_", 2)[2].encode()
    assert not any(secret in file.read_bytes() for file in Path(db).parent.iterdir())
    tokens.revoke(token)
    server.app.state.tokens.refresh()
    assert server.get("/api/studies/a", token).status == 401
    assert server.get("/api/studies/a").status == 401  # as long as one was ever made
    assert logts.Study.list(db) == ["a"]


def test_wrong_tokens_are_answered_more_and_more_seldom(db: str, tokens: Tokens) -> None:
    good = make(tokens, Role.READ)
    with serving(db, limits=Limits(guesses=3.0)) as server:
        tried = [server.get("/api/studies", f"logts_00000000_{k}").status for k in range(6)]
        assert tried == [401, 401, 401, 429, 429, 429]
        assert server.get("/api/studies", good).status == 200


def test_who_makes_up_tokens_is_as_slow_as_one_without(db: str, tokens: Tokens) -> None:
    good = make(tokens, Role.READ)
    with serving(db, limits=Limits(pace=1.0)) as server:
        tried = [server.get("/healthz", f"made up {k}", Cookie=f"mine={k}").status for k in range(40)]
        assert tried.count(429) > 9  # unless they take half a minute
        assert server.get("/api/studies", good).status == 200


def test_a_browser_signs_in_with_a_cookie_that_no_script_can_read(db: str, tokens: Tokens) -> None:
    token = make(tokens, Role.ANSWER)
    with serving(db, root_path="/logts/") as server:
        away = server.get("/")
        assert (away.status, away.headers["location"]) == (303, "/logts/sign-in")
        page = server.get("/sign-in")
        assert 'href="/logts/static/style.css"' in page.text
        assert "New study" not in page.text  # nobody knows yet whether they may
        assert server.post("/sign-in", urlencode({"token": "x"}).encode(), Content_Type=FORM).status == 401
        form = urlencode({"token": token}).encode()
        answer = server.post("/sign-in", form, Content_Type=FORM)
        assert (answer.status, answer.headers["location"]) == (303, "/logts/")
        cookie = answer.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=strict", "Path=/logts"):
            assert part in cookie
        kept = cookie.split(";")[0]
        assert server.get("/", Cookie=kept).status == 200
        assert server.post("/api/studies", {"name": "a", "table": TABLE}, Cookie=kept).status == 403
        for foreign in ({"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "cross-site"}):
            assert server.post("/sign-in", form, Content_Type=FORM, **foreign).status == 403
        out = server.post("/sign-out", b"", Cookie=kept, Origin=server.url)
        assert 'logts_token=""' in out.headers["set-cookie"]


def test_pages_of_other_sites_can_neither_read_nor_write(server: Serving) -> None:
    body = {"name": "a", "table": TABLE}
    for header in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ):
        assert server.post("/api/studies", body, **header).status == 403
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""):
        assert server.get("/api/studies", Host=host).status == 400
    assert server.get("/api/studies", Host="localhost:1234").status == 200
    assert server.get("/api/studies", Host="[::1]:1234").status == 200
    ours = {"Origin": server.url, "Sec_Fetch_Site": "same-origin"}
    answer = server.post("/api/studies", body, **ours)
    assert answer.status == 201
    assert not [name for name in answer.headers if name.startswith("access-control")]
    # As a form of another site could send it.
    assert (
        server.post(
            "/api/studies", b'{"name": "b", "table": "a\\nx\\ny\\n"}', Content_Type="text/plain"
        ).status
        == 422
    )


def test_too_much_is_refused(db: str) -> None:
    limits = Limits(body=5_000, options=20, features=3, studies=2, trials=50)
    with serving(db, limits=limits) as server:
        assert server.begin("a", table="x" * 6_000).status == 413
        rows = "\n".join(map(str, range(21)))
        assert "at most 20 options" in server.begin("a", table=f"n\n{rows}\n", names="n").json["detail"]
        wide = "a,b,c\n" + "".join(f"{k},{k * k},{k**3}\n" for k in range(9))
        assert (
            "at most 3 parameters" in server.begin("a", table=wide, additive=True, names=None).json["detail"]
        )
        assert (
            "pairs" in server.begin("a", table=f"n\n{rows[:30]}\n", names="n", pairwise=True).json["detail"]
        )
        assert [server.begin(name).status for name in "abc"] == [201, 201, 409]
        assert server.post("/api/studies/a/ask", {"n": 51}).status == 422
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=120) as wire:  # a body that never ends
            head = f"POST /api/studies HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            wire.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            wire.sendall(b"".join(b"3e8\r\n" + b" " * 1000 + b"\r\n" for _ in range(6)))
            assert wire.recv(1000).startswith(b"HTTP/1.1 413")
    with serving(db, limits=Limits(pace=2.0)) as server:
        fast = [server.get("/healthz").status for _ in range(40)]
        assert set(fast) == {200, 429}


@pytest.mark.parametrize(
    "path", ["..", "../secret", "..%2f..%2fetc%2fpasswd", "%2e%2e%2fapp.py", "style.css%00"]
)
def test_addresses_lead_nowhere_else(server: Serving, path: str) -> None:
    for before in ("/static/", "/api/studies/", "/api/studies/a/"):
        answer = server.get(before + path)
        assert answer.status in (404, 405)
        assert "root:" not in answer.text
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_script_in_a_name_stays_a_text(server: Serving) -> None:
    script = "<script>alert(1)</script>"
    name = "<img src=x onerror=alert(2)>"
    assert server.begin(name, table=f"n\n{script}\n=cmd()\n", names="n").status == 201
    at = f"/api/studies/{quote(name, safe='')}"
    assert server.post(f"{at}/ask", {"n": 2, "caller": script}).status == 200
    for page in (server.get("/"), server.get(f"{at}/report")):
        assert page.status == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert (
            "script-src 'self'" in page.headers["content-security-policy"]
            or "sandbox" in (page.headers["content-security-policy"])
        )
    assert "'=cmd()" in server.get(f"{at}/trials").text
    answer = server.get(f"{at}/progress")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert server.post("/api/studies/%3Cscript%3E/ask").headers["content-type"] == "application/problem+json"


def test_nothing_is_changed_by_get(server: Serving) -> None:
    changing = {"ask", "tell", "abandon", "release", "counts", "history", "notes", "archive"}
    paths = server.get("/api/openapi.json").json["paths"]
    for path, operations in paths.items():
        if path.rsplit("/", 1)[1] in changing:
            assert set(operations) == {"post"}
    server.begin("a")
    for what in changing:
        assert server.get(f"/api/studies/a/{what}").status == 405


def test_tokens_on_the_command_line(folder: Path) -> None:
    made = call(
        "token", "make", "answer", "--db", "s.db", "--study", "a", "--label", "the team", "--days", "2"
    )
    token = made.stdout.strip()
    assert token.startswith("logts_")
    public = token.split("_")[1]
    listed = call("token", "list", "--db", "s.db").stdout
    assert listed.split()[:3] == [public, "answer", "a"]
    assert token not in listed
    assert call("token", "revoke", token, "--db", "s.db").exit_code == 0
    assert call("token", "list", "--db", "s.db").stdout == ""
    assert "no token is called" in call("token", "revoke", public, "--db", "s.db").output


def test_a_formula_names_columns_and_runs_nothing(server: Serving, tmp_path: Path) -> None:
    table = "a,b,long name\n" + "".join(f"{k},{'xy'[k % 2]},{k * k}\n" for k in range(9))
    sign = tmp_path / "was here"
    for formula in (
        f"~ open({str(sign)!r}, 'w').close()",
        f"~ C(open({str(sign)!r}, 'w'))",
        "~ __import__('os').getcwd()",
        "~ a + a.__class__",
        "~ `__import__('os').getcwd()`",
        "~ {a}",
        "~ np.log(a)",
        "~ C(a, b)",
        "~ a ** 9",
        "~ (a + b)",
        "~ a(b)",
        "~ C(C)",
        "~",
        "",
        "~ a +",
        "~ a" + ":b" * 600,
    ):
        answer = server.begin("no", table=table, names=None, formula=formula)
        assert answer.status == 422, formula
        assert len(answer.json["detail"]) > 20
    assert not sign.exists()
    for number, formula in enumerate(("~ a + b", "a * b", "~ 0 + C(b) + `long name`", "~a+b+a:b")):
        answer = server.begin(f"yes {number}", table=table, names="a", formula=formula, equal=True)
        assert answer.status == 201, answer.text
    many = "n,t\n" + "".join(f"{k},{k % 900}x\n" for k in range(1800))
    for model in ({"additive": True}, {"formula": "~ t"}):
        assert "at most 200 parameters" in server.begin("no", table=many, names="n", **model).json["detail"]
