"""An environment's record of `torch`: what pip and importlib.metadata are told, and switching it on and off."""

import base64
import hashlib
import os
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path

from . import _proxy
from .version import __version__, mindtorch as own_version

INSTALLER = "mindtorch"
PTH_NAME = "mindtorch-as-torch.pth"
RECORD_NAME = f"torch-{__version__}.dist-info"
ENTRY_POINTS = "[console_scripts]\ntorchrun = torch.distributed.run:main\n"
TORCHRUN = """\
#!{python}
import sys

from torch.distributed.run import main

sys.exit(main())
"""

METADATA = f"""\
Metadata-Version: 2.1
Name: torch
Version: {__version__}
Summary: mindtorch {own_version}, answering as torch
License: Apache-2.0
"""

# Runs at every start of the interpreter: it must neither fail nor load anything but the stub.
PTH = (
    "import sys; exec('try:\\n from mindtorch._proxy import install_as_fallback\\n install_as_fallback()\\n"
    "except ImportError:\\n pass')\n"
)


class TorchDistribution(Distribution):
    """The record of `torch` in a process that was asked to use mindtorch in its place."""

    _texts = {"METADATA": METADATA, "INSTALLER": INSTALLER + "\n", "RECORD": "", "top_level.txt": "torch\n"}

    def read_text(self, filename):
        return self._texts.get(filename)

    def locate_file(self, path):
        return Path(_proxy.PACKAGE).parent / path


def torch_distribution():
    return TorchDistribution()


def _is_ours(distribution):
    return (distribution.read_text("INSTALLER") or "").strip() == INSTALLER


def _torchrun():
    """The command's path and text: of this environment only, for a real torch brings its own."""
    return Path(sysconfig.get_path("scripts")) / "torchrun", TORCHRUN.format(python=sys.executable)


def _site_packages():
    return Path(sysconfig.get_path("purelib"))


def _real_torch():
    """What says that another torch is installed here, or None."""
    for distribution in distributions(name="torch"):
        if not _is_ours(distribution):
            return f"torch {distribution.version}"
    spec = _proxy.real_torch_spec()
    return None if spec is None else f"torch in {os.path.dirname(spec.origin)}"


def _record_line(path, content, base):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{os.path.relpath(path, base)},sha256={digest},{len(content)}\n"


def enable():
    """Makes `import torch` and pip's view of torch mindtorch in this environment."""
    found = _real_torch()
    if found is not None:
        raise SystemExit(f"mindtorch: {found} is installed here; uninstall it first (pip uninstall torch)")
    site = _site_packages()
    record_folder = site / RECORD_NAME
    parent = Path(_proxy.PACKAGE).parent
    torchrun, torchrun_text = _torchrun()
    path_line = "" if parent == site else f"{parent}\n"  # a checkout is on no path of its own
    files = {
        site / PTH_NAME: path_line + PTH,
        record_folder / "METADATA": METADATA,
        record_folder / "INSTALLER": INSTALLER + "\n",
        record_folder / "top_level.txt": "torch\n",
        record_folder / "entry_points.txt": ENTRY_POINTS,
    }
    if not torchrun.exists() or torchrun.read_text() == torchrun_text:  # another's stays
        files[torchrun] = torchrun_text
    record = ""
    try:
        record_folder.mkdir(exist_ok=True)
        for path, text in files.items():
            path.write_text(text)
            record += _record_line(path, text.encode(), site)
        if torchrun in files:
            torchrun.chmod(0o755)
        (record_folder / "RECORD").write_text(record + f"{RECORD_NAME}/RECORD,,\n")
    except OSError as error:
        raise SystemExit(f"mindtorch: cannot write to {error.filename or site}: {error.strerror}") from None
    print(f"mindtorch {own_version} is torch {__version__} in {site}")


def disable():
    """Takes back what enable wrote."""
    site = _site_packages()
    removed = False
    for folder in site.glob("torch-*.dist-info"):
        installer = folder / "INSTALLER"
        if not installer.is_file() or installer.read_text().strip() != INSTALLER:
            continue
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        removed = True
    if (site / PTH_NAME).exists():
        (site / PTH_NAME).unlink()
        removed = True
    torchrun, text = _torchrun()
    if removed and torchrun.exists() and torchrun.read_text() == text:
        torchrun.unlink()
    print(f"mindtorch is no longer torch in {site}" if removed else f"mindtorch was not enabled in {site}")
