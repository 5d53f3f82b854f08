"""Pictures of the gallery: figures that a block of an example has made, which belong to no window."""

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that are new among the names of the example."""
    paths = []
    for name, figure in block_vars["example_globals"].items():
        if isinstance(figure, Figure) and not hasattr(figure, "_shown_in_gallery"):
            figure._shown_in_gallery = name  # type: ignore[attr-defined]  # a note of our own
            path = next(block_vars["image_path_iterator"])
            figure.savefig(path, dpi=110)
            paths.append(path)
    return str(figure_rst(paths, gallery_conf["src_dir"]))
