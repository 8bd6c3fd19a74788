"""Sphinx's settings. The sources are in build/docs/source, which docs/build.py fills; `repo` there is the checkout."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

project = "MindTorch"
author = "the MindTorch contributors"
copyright = "the MindTorch contributors; Apache-2.0"  # noqa: A001

version_file = (ROOT / "python" / "mindtorch" / "version.py").read_text(encoding="utf-8")
release = next(line.split('"')[1] for line in version_file.splitlines() if line.startswith("mindtorch ="))
version = release

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["repo", "_shared"]
root_doc = "index"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "literal"
add_module_names = False
highlight_language = "none"
maximum_signature_line_length = 90
# Each page copies the table of contents of all: with 3,000 functions in it, that would be most of the build's time.
toc_object_entries = False

html_theme = "furo"
html_title = f"MindTorch {release}"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
# The search shows titles alone. Summaries would be fetched page by page, which a browser refuses for files on a disk.
html_show_search_summary = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b5d63", "color-brand-content": "#0b5d63"},
    "dark_css_variables": {"color-brand-primary": "#6cc5cc", "color-brand-content": "#6cc5cc"},
}

# Pygments' grammar of Tcl knows no line that goes on after a backslash; the text is shown all the same.
suppress_warnings = ["ref.python", "misc.highlighting_failure"]


def setup(app):
    """`.. operator:: lerp` is an entry that the search finds by its name, and `:operator:` a link to it."""
    app.add_object_type("operator", "operator", objname="operator")
