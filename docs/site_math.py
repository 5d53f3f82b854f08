"""Formulas as MathML, which browsers set by themselves: nothing to load, nothing to run."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(page: Any, node: nodes.math) -> None:
    """A formula within a line."""
    page.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(page: Any, node: nodes.math_block) -> None:
    """A formula by itself."""
    page.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode
