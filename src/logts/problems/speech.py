"""What else a question may say: its sentence, its flag, its JSON form, hints for plans; all have defaults."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, ClassVar

from logts.arms import Items
from logts.problems.base import Problem
from logts.tools.registry import Registry

QUESTIONS: Registry[type] = Registry("question")

# What it means that an option is settled, after the words "After how many trials".
ON_WHICH_SIDE = "it was settled on which side an option lies"
IN_OR_OUT = "an option was ruled out, or proven to belong to the answer"

LISTED = 100  # names in the words of an answer


@dataclass(frozen=True)
class Flag:
    """How a question is asked on the command line.

    Parameters
    ----------
    name
        As it is typed, such as ``"--top"``.
    help
        What the help says.
    make
        Makes the question from the value given (True if the flag takes none) and from ``--epsilon``.
    takes
        What the value is: int, float or str; None for a flag without a value.
    metavar
        What stands for the value in the help.
    epsilon
        Whether ``--epsilon`` means something to it.
    place
        Where it stands in the help: small numbers first.
    """

    name: str
    help: str
    make: Callable[[Any, float], Problem]
    takes: type | None = None
    metavar: str | None = None
    epsilon: bool = False
    place: int = 100


class Spoken:
    """A question that says more than it must: inherit from this, and override what should not be the default.

    Attributes
    ----------
    flag
        How it is asked on the command line; None if it is not.
    settled
        What it means that an option is settled, after the words "After how many trials".
    marks
        Whether the answer is a choice of some items, which pictures show in colour.
    """

    flag: ClassVar[Flag | None] = None
    settled: ClassVar[str] = ON_WHICH_SIDE
    marks: ClassVar[bool] = True

    def sentence(self, names: Sequence[str]) -> str:
        """What is asked, of items with these names.

        Parameters
        ----------
        names
            The names of the items.

        Returns
        -------
        str
            A sentence with a question mark.
        """
        return f"{self!r}, of {count(names)}"

    @property
    def several(self) -> bool:
        """Whether several answers may be right at once; by default, whether it has a positive ``epsilon``.

        Then what one of them costs is no bound for every strategy.
        """
        return float(getattr(self, "epsilon", 0.0)) > 0.0

    @property
    def base_rate(self) -> float:
        """The rate around which all others lie in a world that is made up for a plan."""
        return 0.5

    def every_answer(self, items: Items) -> list[tuple[int, ...]] | None:
        """All answers that there can be, for a plan to try each; None if they are too many to be listed.

        Parameters
        ----------
        items
            The things judged.

        Returns
        -------
        list of tuple, or None
            Item numbers, as ``answer`` gives them.
        """
        return None


class _Plain(Spoken):
    """What is said of a question that has its three methods and no more."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.epsilon = getattr(problem, "epsilon", 0.0)

    def __repr__(self) -> str:
        return repr(self._problem)


def spoken(problem: Problem) -> Spoken:
    """What a question says, its own words or the defaults."""
    return problem if isinstance(problem, Spoken) else _Plain(problem)


def count(names: Sequence[str]) -> str:
    """How many options there are, in words."""
    return f"{len(names)} option{'s' if len(names) != 1 else ''}"


def listed(items: Items, answer: Sequence[int], joint: str = ", ") -> str:
    """The names of the items of an answer; of very many, the first ones."""
    names = [items.names[i] for i in answer[:LISTED]]
    more = [f"and {len(answer) - LISTED:,} more"] if len(answer) > LISTED else []
    return joint.join(names + more) or "none"


def flags() -> list[Flag]:
    """The flags of all questions that are registered by now, in the order of the help."""
    found = [kind.flag for kind in QUESTIONS.values() if issubclass(kind, Spoken) and kind.flag is not None]
    return sorted(found, key=lambda flag: flag.place)


def to_json(problem: Problem) -> dict[str, Any] | None:
    """A registered question as JSON: the name under which it is known, and its fields. None for any other."""
    name = next((name for name, kind in QUESTIONS.items() if kind is type(problem)), None)
    if name is None or not is_dataclass(problem) or isinstance(problem, type):
        return None
    said = {"kind": name, **asdict(problem)}
    try:
        same = from_json(json.loads(json.dumps(said))) == problem
    except (TypeError, ValueError):
        same = False
    if not same:
        raise ValueError(f"{problem!r} comes back from JSON as another: let its fields be numbers or words")
    return said


def from_json(said: dict[str, Any]) -> Problem:
    """The question that was written."""
    fields = {name: value for name, value in said.items() if name != "kind"}
    found: Problem = QUESTIONS.find(said["kind"])(**fields)
    return found
