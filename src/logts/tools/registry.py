"""Things of one kind by name, entered where they are defined: to add one is to write its file."""

import importlib
import math
import pkgutil
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Registry(dict[str, T]):
    """Names and what they stand for, in the order of their places; without places as they were entered.

    Parameters
    ----------
    kind
        What is listed here, in one word, for messages.

    Examples
    --------
    >>> greetings: Registry[str] = Registry("greeting")
    >>> greetings.enter("plain")("hello")
    'hello'
    >>> greetings.find("rude")
    Traceback (most recent call last):
    ValueError: no greeting is called 'rude'; there are: plain
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self._places: dict[str, float] = {}

    def enter(self, name: str, *, place: float = math.inf) -> Callable[[U], U]:
        """Enter what is decorated under a name; a name that is taken by something else is refused.

        Where things are listed, those with a smaller ``place`` come first, and those without one last.
        """

        def entered(thing: U) -> U:
            known = self.get(name)
            if known is not None and not _same(known, thing):
                raise ValueError(f"there is a {self.kind} called {name!r} already: choose another name")
            self[name] = thing  # type: ignore[assignment]  # what it must be is the caller's to say
            self._places[name] = place
            for other in sorted(self, key=lambda listed: self._places.get(listed, math.inf)):
                self[other] = self.pop(other)
            return thing

        return entered

    def find(self, name: str) -> T:
        """What a name stands for."""
        if name not in self:
            raise ValueError(f"no {self.kind} is called {name!r}; there are: {', '.join(self)}")
        return self[name]


def discover(package: str, path: list[str]) -> None:
    """Import every module of a package (its ``__name__`` and ``__path__``): what they define is entered."""
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")


def _same(one: object, other: object) -> bool:
    """Whether two things are one: a module that is imported again enters the same thing again."""
    if not hasattr(one, "__qualname__"):  # neither a function nor a class: it has no address
        return one is other
    return all(getattr(one, part) == getattr(other, part, None) for part in ("__module__", "__qualname__"))
