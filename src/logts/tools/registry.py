"""Things of one kind by name, entered where they are defined: to add one is to write its file."""

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Registry(dict[str, T]):
    """Names and what they stand for, in the order in which they were entered.

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

    def enter(self, name: str) -> Callable[[U], U]:
        """Enter what is decorated under a name; a name that is taken by something else is refused."""

        def entered(thing: U) -> U:
            known = self.get(name)
            if known is not None and _address(known) != _address(thing):
                raise ValueError(f"there is a {self.kind} called {name!r} already: choose another name")
            self[name] = thing  # type: ignore[assignment]  # what it must be is the caller's to say
            return thing

        return entered

    def find(self, name: str) -> T:
        """What a name stands for."""
        if name not in self:
            raise ValueError(f"no {self.kind} is called {name!r}; there are: {', '.join(self)}")
        return self[name]


def discover(package: str, path: list[str]) -> None:
    """Import every module of a package (its ``__name__`` and ``__path__``), so that what they define is entered."""
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")


def _address(thing: object) -> tuple[object, object]:
    """Where something is defined: a module that is imported again enters the same thing again."""
    return getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
