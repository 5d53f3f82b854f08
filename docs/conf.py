"""How the site is built: ``make docs``.

Its root is that of the repository, so that links between Markdown files work here as they work there.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("SOURCE_DATE_EPOCH", "0")  # the same sources give the same pages
sys.path.insert(0, str(Path(__file__).parent))

import site_math
import site_pictures
from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

from logts import __version__
from logts.tools.algebra import Array, Indices

SHORT = {"ArrayLike": ArrayLike, "Array": Array, "Indices": Indices}

project = "logts"
author = "The logts developers"
project_copyright = "The logts developers. BSD-3-Clause"
release = version = __version__
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "docs/**.rst",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/results/**.md",
    "src/logts/experiments/datasets/README.md",
]
exclude_patterns = [".venv", "out", "tests", "**/node_modules", "docs/_templates", "docs/_static"]
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]

# Markdown as GitHub reads it, with mathematics between dollars.
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
myst_dmath_allow_labels = False
myst_dmath_double_inline = False
suppress_warnings = [
    "config.cache",  # functions in this file
]

# The interface, from its docstrings.
autosummary_generate = True
templates_path = [str(Path(__file__).parent / "_templates")]
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
numpydoc_show_class_members = False
add_module_names = False

# Examples that are run, one process after the other: their pictures are the point.
sphinx_gallery_conf = {
    "examples_dirs": ["examples/gallery"],
    "gallery_dirs": ["docs/gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "image_scrapers": (site_pictures.scrape,),
    "capture_repr": (),
    "reset_modules": ("matplotlib",),
    "abort_on_example_error": True,
}

html_theme = "furo"
html_title = "logts"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]  # index.html at the root of the site leads to that of the pages
html_copy_source = False
html_show_sphinx = False
html_favicon = "../src/logts/server/pages/static/icon.svg"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#1d5f8a", "color-brand-content": "#1d5f8a"},
    "dark_css_variables": {"color-brand-primary": "#7fc0e8", "color-brand-content": "#7fc0e8"},
}
highlight_language = "none"  # of blocks that do not say what they are: terminals
pygments_style = "default"
pygments_dark_style = "monokai"


def lead_to_the_gallery(app: Any, docname: str, source: list[str]) -> None:
    """A link to an example leads to its page here: in the repository it leads to its source."""
    up = "../" * docname.count("/")
    source[0] = re.sub(
        r"\]\((?:\.\./)*examples/gallery/(\w+)\.py\)", rf"]({up}docs/gallery/\1.rst)", source[0]
    )


def short_types(
    app: Any, what: str, name: str, thing: Any, options: Any, taken: str | None, given: str | None
) -> tuple[str | None, str | None]:
    """Names of types that Python writes out in full."""
    for kind, meant in SHORT.items():
        for whole in (stringify_annotation(meant, "smart"), stringify_annotation(meant)):
            taken = taken and taken.replace(whole, kind)
            given = given and given.replace(whole, kind)
    return taken, given


def setup(app: Any) -> None:
    """What is special here: links to examples, and formulas that the browser sets by itself."""
    app.connect("source-read", lead_to_the_gallery)
    app.connect("autodoc-process-signature", short_types)
    app.add_html_math_renderer("mathml", (site_math.inline, None), (site_math.block, None))


html_math_renderer = "mathml"
