"""What people fill in to begin a study, as they typed it, and as the interface takes it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData, UploadFile

from logts.server.options import options_of, question_of, rows_of
from logts.server.schemas import NewStudy, Options, PlanOf
from logts.server.settings import Limits
from logts.tables import Rows

ROWS = 6  # of the table that are shown
WIDE = 8  # columns
QUESTIONS = {
    "BestArm": "Which option is best?",
    "TopM": "Which are the best few?",
    "Threshold": "Which succeed more often than a rate?",
    "VersusControl": "Which beat a control?",
    "Ranking": "What is the whole order?",
}
NO_TEXT = "this file is no text in UTF-8: save the table as CSV, with the encoding UTF-8"
# What numbers are called in the form.
CALLED = {"m": "how many", "rate": "the rate", "points": "the tolerance", "delta": "may be wrong"}
CALLED |= {"effect": "the difference", "max_trials": "trials at most"}


@dataclass
class Filled:
    """A form as it is filled in.

    Attributes
    ----------
    table
        The text of a CSV file.
    typed
        All other fields, by their names.
    head, rows, count, model, options
        What was found in the table, once it was looked at.
    """

    table: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    count: int = 0
    model: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    questions = QUESTIONS

    def get(self, name: str, default: str = "") -> str:
        """What was typed into a field; the default in a form that is new."""
        return self.typed.get(name, "" if self.typed else default)

    def look(self, limits: Limits) -> None:
        """Find the options of the table and the model in words; an error says what is wrong with it."""
        body = _body(Options, self._options())
        rows = rows_of(body, limits)
        self.head = [str(name) for name in rows.written.columns]
        self.rows = [
            [str(cell) for cell in row[:WIDE]] for row in rows.written.head(ROWS).itertuples(index=False)
        ]
        self.count = len(rows.written)
        if "names" not in self.typed:
            self.typed = {**self.typed, "names": _likely_names(rows)}
            body = _body(Options, self._options())
        plain = {"formula": None, "additive": False, "pairwise": False}
        self.options = list(options_of(body.model_copy(update=plain), limits, rows).arms.names)
        self.model = options_of(body, limits, rows).words

    def to_study(self) -> NewStudy:
        """The study to begin."""
        options = self._options()
        name = self.get("name").strip()
        if not name or not re.fullmatch(r"[^/\\\x00-\x1f\x7f]{1,200}", name):
            raise ValueError("give the study a name, of up to 200 letters and without slashes")
        budget = self._number("max_trials")
        more: dict[str, Any] = {
            "name": name,
            "delta": self._number("delta", 5.0) / 100.0,
            "question": self._question(),
            "max_trials": None if budget is None else int(budget),
        }
        return _body(NewStudy, options | more)

    def to_plan(self) -> PlanOf:
        """What to plan."""
        options = self._options()
        more: dict[str, Any] = {
            "effect": self._number("effect", 10.0) / 100.0,
            "delta": self._number("delta", 5.0) / 100.0,
            "question": self._question(),
        }
        return _body(PlanOf, options | more)

    def _options(self) -> dict[str, Any]:
        if not self.table.strip():
            raise ValueError("give a table of options: drop a CSV file, choose one, or type it")
        model = self.get("model")
        formula = self.get("formula").strip()
        if model == "formula" and not formula:
            raise ValueError("write the formula, such as ~ price + tone, or choose another model")
        return {
            "table": self.table,
            "names": self.get("names") or None,
            "additive": model == "additive",
            "formula": formula if model == "formula" else None,
            "equal": bool(self.get("equal")),
            "pairwise": bool(self.get("pairwise")),
        }

    def _question(self) -> dict[str, Any]:
        kind = self.get("question") or "BestArm"
        said: dict[str, Any] = {"kind": kind}
        if kind == "TopM":
            said["m"] = int(self._number("m", 3.0))
        if kind == "Threshold":
            said["rate"] = self._number("rate", 50.0) / 100.0
        if kind == "VersusControl":
            if not self.get("control"):
                raise ValueError("choose the control, one of the options")
            said["control"] = self.get("control")
        points = self._number("points", 0.0)
        if points and kind in ("BestArm", "VersusControl"):
            said["epsilon"] = 4.0 * points / 100.0  # as --within does
        question_of(_body(Options, {"question": said}).question)
        return said

    def _number(self, name: str, default: float | None = None) -> Any:
        text = self.get(name).strip().removesuffix("%").replace(",", "").strip()
        if not text:
            return default
        if not re.fullmatch(r"\d{1,15}(\.\d*)?|\.\d+", text):
            raise ValueError(f"{CALLED[name]}: give a number; got {text[:40]!r}")
        return float(text)


async def read_form(sent: FormData, limits: Limits) -> Filled:
    """A form that was sent. A file that came with it takes the place of the table."""
    typed = {name: value for name, value in sent.items() if isinstance(value, str)}
    table = typed.pop("table", "")
    file = sent.get("file")
    if isinstance(file, UploadFile) and file.size:
        table = _decoded(await file.read())
        if not typed.get("name"):
            typed["name"] = re.sub(r"\.\w+$", "", file.filename or "")[:100]
        typed.pop("names", None)
    typed.pop("do", None)
    return Filled(table, typed)


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(NO_TEXT) from error
    if "\0" in text:
        raise ValueError(NO_TEXT)
    return text


def _likely_names(rows: Rows) -> str:
    """The first column with another text in every row; empty if there is none."""
    for name in rows.values.columns:
        column = rows.values[name]
        if column.dtype.kind not in "biuf" and column.is_unique and not column.isna().any():
            return str(name)
    return ""


T = TypeVar("T", bound=BaseModel)


def _body(kind: type[T], said: dict[str, Any]) -> T:
    try:
        return kind.model_validate(said)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from error
