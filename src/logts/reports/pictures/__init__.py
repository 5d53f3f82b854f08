"""Pictures of a study, one file each: a function of how it stands that gives a figure of matplotlib.

A file enters its picture where it is defined. ``Study.plot`` and ``logts plot`` draw it by its name, and the
report shows it. Options are given by keyword and have defaults.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from logts.tools.registry import Registry, discover

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES: "Registry[Callable[..., Figure]]" = Registry("picture")

discover(__name__, list(__path__))
