"""Files that commands write: none is overwritten that somebody else made."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCE = click.option("--force", is_flag=True, help="Overwrite a file that logts did not write.")
# What a file of ours says of itself, by its ending: what a picture is saved with, and the bytes to be found.
SIGNS: dict[str, tuple[dict[str, str] | None, bytes]] = {
    ".png": ({"Software": "logts"}, b"Software\0logts"),
    ".svg": ({"Creator": "logts"}, b"<dc:title>logts</dc:title>"),
    ".pdf": ({"Creator": "logts"}, b"/Creator (logts)"),
    ".html": (None, b"<footer><p>Written by logts "),
}


def unless_taken(path: Path, force: bool) -> Path:
    """The path, if nothing is lost by writing there.

    Reports and pictures say that logts wrote them, and are written anew. A table does not say who made it.
    """
    if force or not path.is_file():
        return path
    sign = SIGNS.get(path.suffix.lower())
    if sign is not None and sign[1] in path.read_bytes():
        return path
    raise ValueError(
        f"there is a file {path} already: write to another with --out, or overwrite it with --force"
    )


def save_picture(figure: "Figure", path: Path) -> None:
    """Save a picture that says who made it. The ending says the format."""
    sign = SIGNS.get(path.suffix.lower())
    figure.savefig(path, dpi=150, metadata=sign[0] if sign is not None else None)
