"""Pages that read well in a repository browser and on the site."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Order:
    """Of the examples: those that most come for first."""

    names = ("faces", "retrieval", "recommender", "classifier", "decoding")

    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, file: str) -> int:
        """Place of an example."""
        return self.names.index(file.removesuffix(".py"))


def slug(heading: str) -> str:
    """As repository browsers do; the section of a warning is called after its class, as its message says."""
    if named := re.search(r"(\w+)Warning`?$", heading):
        return re.sub(r"(?<!^)([A-Z])", r"-\1", named[1]).lower()
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _site_only(app: "Sphinx", document: str, source: list[str]) -> None:
    """What a page says in a comment ``<!-- site … -->`` is for the site."""
    source[0] = re.sub(r"<!-- site\n(.*?)-->", r"\1", source[0], flags=re.S)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Read pages with what is for the site only."""
    app.connect("source-read", _site_only)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
