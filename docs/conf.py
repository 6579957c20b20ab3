"""How Sphinx makes the site: the source is the whole repository, so that links between its pages work as they stand."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "rankcast"
version = release = installed("rankcast")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "mathml",
    "pages",
]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/results/*.md", "training/*.md", "CHANGELOG.md", "CONTRIBUTING.md"]
exclude_patterns = ["docs/gallery", "docs/_*"]
templates_path = [str(HERE / "_templates")]
html_math_renderer = "mathml"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_heading_slug_func = "pages.slug"

autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "docs/gallery",
    "gallery_dirs": "docs/start",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "pages.Order",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "rankcast"
html_static_path = ["_static"]
html_css_files = ["rankcast.css"]
html_extra_path = ["_root"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {page: [] for page in ("docs/index", "docs/theory", "CHANGELOG", "CONTRIBUTING")}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}
copyright = f"rankcast {release}, Apache-2.0"
