"""Formulas as MathML, which browsers draw by themselves: no script, no font and no network."""

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)


def _mathml(node: nodes.Node, block: bool) -> str:
    try:
        return latex2mathml.tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        _log.warning("%s", error, location=node)
        return ""


def _inline(writer: nodes.NodeVisitor, node: nodes.math) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(writer: nodes.NodeVisitor, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make ``html_math_renderer = "mathml"`` known."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
