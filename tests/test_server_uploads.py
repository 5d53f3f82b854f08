"""Two hundred careless or broken files are uploaded: each begins a study, or is refused with a sentence."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logts.server.settings import Limits
from tests.servers import Answer, Serving, serving

GOOD = b"headline,tone,length\nHello,plain,5\nHi there,warm,8\nGood day,formal,8\n"
BODY = 1_000_000
EDGE = "--edge"
ODD = ["nan", "inf", "1e999", "NULL", "", "0x10", "1_000", "\u0661\u0662", " ", "'"]


def binary(draw: random.Random) -> bytes:
    return draw.randbytes(draw.randrange(3000))


def spoilt(draw: random.Random) -> bytes:
    return bytes(draw.randrange(256) if draw.random() < 0.03 else letter for letter in GOOD)


def letters(draw: random.Random) -> bytes:
    rows = ("".join(chr(draw.choice([*range(1, 0xD800)])) for _ in range(9)) for _ in range(4))
    return ("a,b\n" + ",1\n".join(rows)).encode()


KINDS: list[Callable[[random.Random], bytes]] = [
    binary,
    spoilt,
    letters,
    lambda draw: b"PK\x03\x04" + draw.randbytes(500),  # a spreadsheet that was renamed
    lambda draw: GOOD[: draw.randrange(len(GOOD))],
    lambda draw: GOOD.replace(b"warm", b"wa\0rm"),
    lambda draw: b"\xef\xbb\xbf" + GOOD,
    lambda draw: GOOD.decode().encode(draw.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32"])),
    lambda draw: "Gruß,Ton\nGrüß Gott,höflich\nMoin,kühl\n".encode(draw.choice(["latin-1", "utf-8"])),
    lambda draw: GOOD.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n"])),
    lambda draw: GOOD.replace(b",", draw.choice([b";", b"\t", b"|", b" "])),
    lambda draw: draw.choice([b"", b"\n", b" ", b",", b",\n", b",,\n,,\n", b"a\n"]),
    lambda draw: b"a,a,a\n1,2,3\n4,5,6\n",
    lambda draw: b"a,a.1,a\nx,y,z\nu,v,w\n",
    lambda draw: b"a,b\n1\n2,3,4\n5,6,7,8,9\n",
    lambda draw: b'a,b\n"never closed,1\n2,3\n',
    lambda draw: b"n,f\n=cmd|' /C calc'!A0,1\n@SUM(1),2\n+1+1,3\n-2,4\n",
    lambda draw: b"<script>alert(1)</script>,b\n<b>,1\n</b>,2\n",
    lambda draw: ("a\n" + "\n".join(draw.choice(ODD) for _ in range(8)) + "\n").encode(),
    lambda draw: b"a,b\n" + b"x" * draw.choice([300_000, BODY, 10_000_000]) + b",1\ny,2\n",
    lambda draw: b"a" + b",b" * draw.choice([500, 50_000]) + b"\n1,2\n3,4\n",
    lambda draw: b"a\n" + b"\n".join(b"%d" % row for row in range(draw.choice([999, 1_001, 50_000]))),
]


def upload(server: Serving, content: bytes, **fields: str) -> Answer:
    """As a browser sends a form with a file."""
    parts = "".join(
        f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in fields.items()
    )
    head = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'
    body = f"{parts}{head}".encode() + content + f"\r\n--{EDGE}--\r\n".encode()
    return server.post("/new", body, Content_Type=f"multipart/form-data; boundary={EDGE}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(str(tmp_path / "studies.db"), limits=Limits(body=BODY, options=1_000)) as running:
        yield running


def test_any_file_begins_a_study_or_is_refused_with_a_sentence(server: Serving) -> None:
    draw = random.Random(15)
    seen: Counter[tuple[str, int]] = Counter()
    for number in range(200):
        content = KINDS[number % len(KINDS)](draw)
        said = {
            "name": f"file {number}",
            "do": draw.choice(["look", "begin", "begin"]),
            "model": draw.choice(["none", "none", "additive", "formula"]),
            "formula": "~ a",
            "question": draw.choice(["BestArm", "BestArm", "TopM", "Threshold", "VersusControl", "Ranking"]),
            "pairwise": draw.choice(["", "", "1"]),
        }
        answer = upload(server, content, **said)
        seen["form", answer.status] += 1
        assert answer.status in (200, 303, 413, 422), (number, answer.text)
        if answer.status == 422:
            wrong = re.search(r'class="alert" role="alert">([^<]{10,})<', answer.text)
            assert wrong is not None, (number, answer.text)
            assert "--" not in wrong[1]  # what the command line would say
        if answer.status == 303:  # what was begun can be looked at
            assert server.get(answer.headers["location"]).status == 200
        body = {"name": f"text {number}", "table": content.decode("utf-8", "replace")}
        answer = server.post("/api/studies", body | {"additive": number % 3 == 0})
        seen["api", answer.status] += 1
        assert answer.status in (201, 413, 422), (number, answer.text)
    assert seen["form", 303] > 5
    assert seen["form", 422] > 50
    assert seen["api", 201] > 20


def test_what_would_be_very_wide_is_not_even_read(server: Serving) -> None:
    wide = "a" + ",b" * 1_000 + "\n1\n2\n"
    rows = [{f"column {row}": row} for row in range(900)]
    for said in ({"table": wide}, {"options": [{**one, f"more {k}": k} for k, one in enumerate(rows)]}):
        answer = server.post("/api/studies", {"name": "wide", **said})
        assert answer.status == 422
        assert "at most 1,000 columns" in answer.json["detail"]
    answer = server.post("/api/studies", {"name": "long", "options": [{"a": k} for k in range(1_001)]})
    assert "at most 1,000 options" in answer.json["detail"]
