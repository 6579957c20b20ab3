"""Pages that read well in a repository browser and on the site."""

import re

from sphinx.application import Sphinx


def slug(heading: str) -> str:
    """As repository browsers do; the section of a warning is called after its class, as its message says.

    Examples
    --------
    >>> slug("Which system is better there? rc.compare(ev_a, ev_b)"), slug("Few classes: FewClassesWarning")
    ('which-system-is-better-there-rccompareev_a-ev_b', 'few-classes')
    """
    if named := re.search(r"(\w+)Warning$", heading):
        return re.sub(r"(?<!^)([A-Z])", r"-\1", named[1]).lower()
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _site_only(app: Sphinx, document: str, source: list[str]) -> None:
    """What a page says in a comment ``<!-- site … -->`` is for the site."""
    source[0] = re.sub(r"<!-- site\n(.*?)-->", r"\1", source[0], flags=re.S)


def setup(app: Sphinx) -> dict[str, bool]:
    """Read pages with what is for the site only."""
    app.connect("source-read", _site_only)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
