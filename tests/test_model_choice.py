"""The model is a choice: what a table becomes, what is said before the first trial, and what is refused."""

import itertools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from logts import Study
from tests.commands import call


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "options.csv") -> None:
    Path(name).write_text(text, encoding="utf-8")


def dry(*words: str) -> str:
    """What is said before the first trial."""
    result = call("run", "options.csv", *words, "--dry-run", "--", "true", "{x}" if "{x}" in words else "")
    return " ".join(result.output.split())


LEFTOVERS = {
    "a guess": "prompt,guess\na,0.1\nb,0.9\nc,0.5\n",
    "an id": "prompt,id\na,17\nb,4\nc,99\n",
    "equal features": "prompt,kind\na,x\nb,x\n",
    "a constant": "prompt,where\na,here\nb,here\n",
    "nothing else": "prompt\na\nb\n",
}


@pytest.mark.parametrize("text", LEFTOVERS.values(), ids=LEFTOVERS.keys())
def test_no_column_becomes_a_feature_unasked(text: str) -> None:
    write(text)
    assert "each of" in dry("--names", "prompt")
    assert "has a rate of its own" in dry("--names", "prompt")
    result = call("run", "options.csv", "--names", "prompt", "--budget", "6", "--", "true", "{prompt}")
    assert result.exit_code == 3
    with Study.open("logts.db") as study:
        assert study.arms.by_name
        assert study.counts.sum() == 6


def test_a_model_is_said_column_by_column() -> None:
    rows = itertools.product(["7c", "9c"], [1, 2, 5], ["here"], ["1,5", "2,5"])
    pd.DataFrame(list(rows), columns=["price", "years", "place", "size"]).to_csv("options.csv", index=False)
    said = dry("--additive")
    assert "price + years + size; 4 parameters for 12 options" in said
    assert "price category with 2 levels: 7c, 9c" in said
    assert "years number, 1 to 5; C(years) in a --formula makes it a category" in said
    assert "size category with 2 levels: 1,5, 2,5 (text: write numbers without separators" in said
    assert "The same for all options, so of no use: place." in said
    assert "--formula '~ price + years + size + price:years'" in said
    assert "Nothing was tried" in said
    assert not Path("logts.db").exists()
    chosen = dry("--formula", "~ price*C(years) + size")
    assert "7 parameters" in chosen
    assert "taken not to depend" not in chosen
    assert "Left out: years" not in chosen
    assert "Left out: size" in dry("--formula", "~ price*C(years)", "--equal")


def test_what_the_model_cannot_tell_apart_is_refused_unless_it_is_meant() -> None:
    write("name,kind\na,x\nb,x\nc,y\n")
    refused = call("run", "options.csv", "--names", "name", "--additive", "--", "true", "{name}")
    assert refused.exit_code == 1
    assert "cannot tell apart: a and b" in refused.output
    assert "--equal" in refused.output
    assert "Taken to be equal: a and b." in dry("--names", "name", "--additive", "--equal")


REFUSED = [
    ("a,b\n1,x\n1,x\n2,y\n", [], "rows 2 and 3 are both '1 | x'"),
    ("name,b\nn,1\nn,2\n", ["--names", "name"], "rows 2 and 3 are both 'n'"),
    ("name,b\nn,1\n,2\n", ["--names", "name"], "row 3 has no name"),
    ("a,b\n1,x\n,y\n3,x\n", ["--additive"], "column 'a' is empty in row 3"),
    ("a,b\n1,x\n,y\n,x\n", ["--formula", "~ a"], "column 'a' is empty in rows 3, 4"),
    ("id,b\n1,x\n2,y\n3,x\n", ["--additive"], "column 'id' seems to number the options"),
    ("t,b\nu,1\nv,2\nw,3\n", ["--additive"], "column 't' has another text in every row"),
    ("a,b\n1,1\n2,1\n", ["--additive", "--formula", "~ a"], "give one of them"),
    ("a,b\n1,1\n2,1\n", ["--formula", "~ c"], "names 'c', and no column is called that"),
    ("a,b\n1,1\n2,1\n", ["--formula", "~ a +"], "cannot be read"),
    ("a\n1\n2\n", ["--names", "a", "--additive"], "no column tells the options apart"),
    ("a,b\n1,1\n2,1\n", ["--names", "z"], "no column is called 'z'"),
]


@pytest.mark.parametrize(("text", "words", "said"), REFUSED, ids=[said for _, _, said in REFUSED])
def test_careless_tables_get_a_sentence(text: str, words: list[str], said: str) -> None:
    write(text)
    for command in (
        ["run", "options.csv", *words, "--", "true"],
        ["plan", "options.csv", *words, "--effect", "0.2"],
    ):
        result = call(*command)
        assert result.exit_code in (1, 2)
        assert said in " ".join(result.output.split())
        assert "Traceback" not in result.output


def test_a_hundred_careless_tables() -> None:
    """Leftover columns of every kind, gaps, equal rows, commas, ids, constants.

    Each gets a study by names or a sentence; none rests on a column that the user did not name.
    """
    rng = np.random.default_rng(0)
    kinds: dict[str, Callable[[int], Any]] = {
        "guess": lambda k: rng.random(k).round(2),
        "id": lambda k: np.arange(1, k + 1),
        "note": lambda k: [f"text {i}" for i in range(k)],
        "where": lambda k: ["here"] * k,
        "size": lambda k: [f"{i},5" for i in rng.integers(0, 3, k)],
        "amount": lambda k: [f"{i},000" for i in rng.integers(1, 4, k)],
        "gaps": lambda k: [v if rng.random() < 0.6 else "" for v in rng.choice(["x", "y"], k)],
        "kind": lambda k: rng.choice(["x", "y"], k),
        "=sum": lambda k: ["=1+1"] * k,
        "Unnamed: 0": lambda k: np.arange(k),
        "dose": lambda k: rng.choice([1, 2, 3], k),
    }
    ends = {"studied": 0, "refused": 0}
    for number in range(100):
        k = int(rng.integers(2, 7))
        names = [f"option {i}" for i in range(k)]
        if rng.random() < 0.15:
            names[-1] = names[0]
        table = pd.DataFrame({"name": names})
        for column in rng.choice(list(kinds), size=rng.integers(0, 4), replace=False):
            table[column] = kinds[column](k)
        table.to_csv("options.csv", index=False)
        named = ["--names", "name"] if rng.random() < 0.7 else []
        words = [
            "run",
            "options.csv",
            *named,
            "--name",
            f"s{number}",
            "--budget",
            "4",
            "--",
            "true",
            "{name}",
        ]
        result = call(*words)
        assert "Traceback" not in result.output
        if result.exit_code == 3:
            ends["studied"] += 1
            with Study.open("logts.db", f"s{number}") as study:
                assert study.arms.by_name  # no model
        else:
            assert result.exit_code in (1, 2)
            assert "rows 2 and" in result.output or "every option needs a name" in result.output
            ends["refused"] += 1
    assert ends["studied"] > 70
    assert ends["refused"] > 5


def test_a_plan_shows_both_prices() -> None:
    rows = itertools.product(["on", "off"], ["red", "blue", "green"], ["s", "m"])
    pd.DataFrame(list(rows), columns=["power", "colour", "size"]).to_csv("options.csv", index=False)
    words = ("plan", "options.csv", "--effect", "0.1", "--seconds", "1", "-j", "1")
    own = call(*words).output
    assert "No model: each of 12 options" in own
    added = call(*words, "--additive", "--json").output
    facts = json.loads(added)
    assert "5 parameters for 12 options" in facts["model"][0]
    for said in (own, facts["prices"][0]):
        plain = " ".join(said.split())
        price = r"(about|more than) [\d,]+ trials"
        assert re.search(
            f"Prices: on their own {price}; if the columns add up on the logit scale {price}", plain
        )


def test_a_grid_stands_for_a_table() -> None:
    grid = ("--grid", "cache=on,off", "--grid", "threads=1,2,4")
    said = call("run", *grid, "--additive", "--dry-run", "--", "./try.sh", "{cache}").output
    assert "cache + threads; 3 parameters for 6 options" in said
    assert "threads  number, 1 to 4" in said
    result = call("run", *grid, "--budget", "6", "--", "test", "{cache}", "=", "on")
    assert result.exit_code == 3, result.output
    with Study.open("logts.db", "grid") as study:
        assert study.arms.names[:2] == ("on | 1", "on | 2")
        frame = study.to_pandas()
        assert ((frame["outcome"] == 1) == frame["option"].str.startswith("on")).all()
    for words, sentence in (
        (("run", "--", "true"), "does not exist"),
        (("run",), "give a table of options, or --grid"),
        (("run", "--grid", "a", "--", "true"), "a grid is NAME=V1,V2"),
        (("run", "--grid", "a=1", "--grid", "a=2", "--", "true"), "each name once"),
        (("plan", "options.csv", "--grid", "a=1,2", "--effect", "0.2"), "not both"),
    ):
        refused = call(*words)
        assert refused.exit_code == 2
        assert sentence in " ".join(refused.output.split())


def test_options_are_compared_in_pairs() -> None:
    write("draft,length\na,1\nb,2\nc,3\n")
    words = ("run", "options.csv", "--names", "draft", "--pairwise", "--rank")
    said = call(*words, "--dry-run", "--", "true", "{first}").output
    assert "3 pairs of 3 options; yes means that the first one wins" in said
    assert "the difference of the two" in said
    assert (
        "The strength of an option is length" in call(*words, "--additive", "--dry-run", "--", "true").output
    )
    script = 'open("seen", "a").write("{first} {second} {first_length} {second_length}" + chr(10))'
    result = call(*words, "--budget", "6", "--", sys.executable, "-c", script)
    assert result.exit_code == 3, result.output
    assert set(Path("seen").read_text().splitlines()) <= {"a b 1 2", "a c 1 3", "b c 2 3"}
    with Study.open("logts.db") as study:
        assert study.arms.items.names == ("a", "b", "c")
