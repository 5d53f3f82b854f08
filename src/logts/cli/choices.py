"""A choice among what is entered in a registry when the command is typed, not when it was defined."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    Text = click.ParamType[str]
else:  # not generic in older versions of click
    Text = click.ParamType


class Entered(Text):
    """One of the names in a registry; the same as ``click.Choice``, for names that may still come.

    Parameters
    ----------
    names
        Gives the names, such as ``REGISTRY.keys``.
    """

    name = "choice"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._choice().convert(value, param, ctx)

    def get_metavar(self, *about: Any, **named: Any) -> str | None:
        return self._choice().get_metavar(*about, **named)

    def get_missing_message(self, *about: Any, **named: Any) -> str:
        return self._choice().get_missing_message(*about, **named)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return self._choice().shell_complete(ctx, param, incomplete)

    def _choice(self) -> "click.Choice[str]":
        return click.Choice(list(self._names()))
