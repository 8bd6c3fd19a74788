"""Writes what importlib.metadata and pip know of the package: dist_info.py FOLDER.

Debian's own dependencies stand in debian/control.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
version = re.search(r'^mindtorch = "(.+)"$', Path("python/mindtorch/version.py").read_text(), re.M)[1]
folder = Path(sys.argv[1]) / f"mindtorch-{version}.dist-info"
folder.mkdir(parents=True)
(folder / "METADATA").write_text(f"""\
Metadata-Version: 2.1
Name: {project["name"]}
Version: {version}
Summary: {project["description"]}
License: {project["license"]}
Requires-Python: {project["requires-python"]}
""")
(folder / "INSTALLER").write_text("debian\n")
(folder / "top_level.txt").write_text("mindtorch\nmindtorch_v2\n")
