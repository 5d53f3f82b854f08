"""What callers send. What comes back is what a study says of itself, as JSON."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[int, Field(ge=0, le=2**53)]
Ids = Annotated[list[Id], Field(min_length=1)] | Id
# What an address can hold as one of its parts.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f\x7f]+$")]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Cell = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str | None
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Body(BaseModel):
    """A body; a field that it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid")


class Question(Body):
    """What is asked of the options."""

    kind: Literal["BestArm", "TopM", "Threshold", "VersusControl", "Ranking"] = "BestArm"
    m: Annotated[int, Field(ge=1)] | None = Field(default=None, description="How many are the best m (TopM).")
    rate: Annotated[float, Field(gt=0.0, lt=1.0)] | None = Field(
        default=None, description="The rate (Threshold)."
    )
    control: str | int | None = Field(default=None, description="The control, by name (VersusControl).")
    epsilon: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = Field(
        default=None, description="A difference in logits that does not matter."
    )


class Options(Body):
    """A table of options, one row each, and the model that is chosen for them."""

    table: str | None = Field(
        default=None,
        description="The text of a CSV file with a header.",
        examples=["headline,tone\nHello,plain\nHi there,warm\n"],
    )
    options: list[dict[str, Cell]] | None = Field(default=None, description="Or the rows, each by column.")
    names: str | None = Field(default=None, description="The column with the options' names; by default all.")
    formula: str | None = Field(default=None, description="The model, such as '~ price + tone'.")
    additive: bool = Field(default=False, description="The model that adds up all columns.")
    equal: bool = Field(default=False, description="What the model cannot tell apart is meant to be equal.")
    pairwise: bool = Field(default=False, description="Compare options in pairs.")
    question: Question = Question()


class NewStudy(Options):
    """A study to begin."""

    name: Name
    delta: Annotated[float, Field(gt=0.0, le=0.5)] = Field(
        default=0.05, description="How often it may be wrong."
    )
    guard: bool = Field(default=True, description="Watch whether the model fits.")
    max_trials: Annotated[int, Field(ge=1, le=2**53)] | None = None
    lease: Annotated[float, Field(gt=0.0, le=1e9)] = Field(
        default=3600.0, description="Seconds after which a trial without an outcome may be asked again."
    )
    seed: Annotated[int, Field(ge=0, le=2**63)] | None = 0
    after: str | None = Field(default=None, description="A study of the same options to go on from.")

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "headlines", "table": "headline\nHello\nHi there\n"}]},
    )


class PlanOf(Options):
    """Options to plan a study of, and what to expect of them."""

    effect: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.05, description="How clear the answer is at least, as a difference in rates."
    )
    delta: Annotated[float, Field(gt=0.0, le=0.5)] = 0.05
    seconds: Annotated[float, Field(gt=0.0, le=60.0)] = Field(
        default=4.0, description="About how long it takes."
    )

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"table": "headline\nHello\nHi there\n", "effect": 0.1}]},
    )


class Ask(Body):
    """Trials that somebody wants to make."""

    n: Annotated[int, Field(ge=1)] = 1
    caller: Key | None = Field(
        default=None,
        description="A key of yours: the same caller gets the same trials while they are open.",
    )
    lease: Annotated[float, Field(gt=0.0, le=1e9)] | None = None
    up_to: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="A budget: no new trial once so many were asked for in all."
    )

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"n": 1, "caller": "visitor 7"}]}
    )


class Tell(Body):
    """Outcomes of trials, by id: one of each, or lists."""

    ids: Ids
    outcomes: Annotated[list[bool], Field(min_length=1)] | bool

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"ids": [0, 1], "outcomes": [True, False]}]}
    )


class Abandon(Body):
    """Trials that will never have an outcome."""

    ids: Ids
    reason: Annotated[str, StringConstraints(max_length=1000)] = ""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"ids": [2], "reason": "the visitor left"}]}
    )


class Release(Body):
    """Trials to be given back."""

    ids: Ids

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ids": [2]}]})


class Counts(Body):
    """Trials of one option of which only the numbers are known."""

    option: str | int
    successes: Annotated[int, Field(ge=0, le=10_000_000)]
    trials: Annotated[int, Field(ge=0, le=10_000_000)]

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"option": "Hello", "successes": 12, "trials": 340}]},
    )


class History(Body):
    """Outcomes from before the study: options and an outcome for each."""

    options: Annotated[list[str | int], Field(min_length=1)]
    outcomes: Annotated[list[bool], Field(min_length=1)]

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"options": ["Hello"], "outcomes": [True]}]},
    )


class Note(Body):
    """What is worth knowing and is no evidence."""

    about: Key
    said: dict[str, Any]

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"about": "source", "said": {"who": "survey 3"}}]}
    )


class Archive(Body):
    """Whether a study is put away."""

    archived: bool = True


class Trial(BaseModel):
    """A trial to make."""

    id: int
    option: str
    number: int
    columns: dict[str, Any]


class Asked(BaseModel):
    """Trials to make; none once the study is decided or its budget is spent."""

    trials: list[Trial]
    ended: bool = Field(description="Whether the study has ended: then there is nothing to ask.")


class Done(BaseModel):
    """What was acknowledged is on disk."""

    position: int = Field(description="How many events the journal has now.")
