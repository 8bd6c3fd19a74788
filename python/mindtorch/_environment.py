"""An environment's metadata of `torch`: what pip and importlib.metadata read, and how to enable and disable it."""

import base64
import hashlib
import json
import os
import re
import site
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path

from . import _pip_settings, _proxy
from .version import __version__, mindtorch as own_version

INSTALLER = "mindtorch"
LOCAL = "+mindtorch"  # ends the version of every record of ours, enable's and the shim wheel's
PTH_NAME = "mindtorch-as-torch.pth"
ENTRY_POINTS = "[console_scripts]\ntorchrun = torch.distributed.run:main\n"
TORCHRUN = """\
#!{python}
import sys

from torch.distributed.run import main

sys.exit(main())
"""

METADATA = """\
Metadata-Version: 2.1
Name: torch
Version: {version}
Summary: mindtorch {own_version}, answering as torch
License: Apache-2.0
"""

# Runs at every start of the interpreter: must not fail, and must load only the stub.
PTH = (
    "import sys; exec('try:\\n from mindtorch._proxy import install_as_fallback\\n install_as_fallback({record})\\n"
    "except ImportError:\\n pass')\n"
)


class TorchDistribution(Distribution):
    """The metadata of `torch` in a process that uses mindtorch as torch."""

    _texts = {
        "METADATA": METADATA.format(version=__version__, own_version=own_version),
        "INSTALLER": INSTALLER + "\n",
        "RECORD": "",
        "top_level.txt": "torch\n",
    }

    def read_text(self, filename):
        return self._texts.get(filename)

    def locate_file(self, path):
        return Path(_proxy.PACKAGE).parent / path


def torch_distribution():
    """Returns the record of this process, or None if one on disk exists (perhaps with another version)."""
    on_disk = any(_is_written_by_enable(folder) for folder in _find_torch_record_folders(Path(_proxy.PACKAGE).parent))
    return None if on_disk else TorchDistribution()


def version_to_record(wanted=None):
    """Returns the version in torch's metadata: this library's, or `wanted` for packages that require another."""
    if wanted is None:
        return __version__
    release = wanted.removesuffix(LOCAL)
    if not re.fullmatch(r"\d+\.\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", release):
        raise SystemExit(f"mindtorch: {wanted!r} is no version of torch, such as 2.14.1")
    return release + LOCAL


# ---- the current state ---------------------------------------------------------------------------------------------


def _find_pip_install_scheme():
    """Returns the folder in which pip put the package: the user's own, or None for the environment's."""
    in_user_site = site.ENABLE_USER_SITE and Path(_proxy.PACKAGE).parent == Path(site.getusersitepackages())
    return sysconfig.get_preferred_scheme("user") if in_user_site else None


def _install_path(kind):
    scheme = _find_pip_install_scheme()
    return Path(sysconfig.get_path(kind) if scheme is None else sysconfig.get_path(kind, scheme))


def site_packages():
    """The folder that enable writes to."""
    return _install_path("purelib")


def _make_torchrun_command():
    """Returns the path and text of the command: only for this environment, since a real torch has its own."""
    return _install_path("scripts") / "torchrun", TORCHRUN.format(python=sys.executable)


def _find_torch_record_folders(folder):
    return sorted(folder.glob("torch-*.dist-info"))


def _is_written_by_enable(folder):
    installer = folder / "INSTALLER"
    return installer.is_file() and installer.read_text().strip() == INSTALLER


def recorded_version():
    """Returns the version in enable's record, or None."""
    for folder in _find_torch_record_folders(site_packages()):
        if _is_written_by_enable(folder):
            return folder.name.removeprefix("torch-").removesuffix(".dist-info")
    return None


def shim_version():
    """Returns the version of the shim wheel that is installed, or None."""
    for distribution in distributions(name="torch"):
        installer = (distribution.read_text("INSTALLER") or "").strip()
        if distribution.version.endswith(LOCAL) and installer != INSTALLER:
            return distribution.version
    return None


def real_torch():
    """Returns the sign that another torch is installed, or None."""
    for distribution in distributions(name="torch"):
        if not distribution.version.endswith(LOCAL):
            return f"torch {distribution.version}"
    spec = _proxy.real_torch_spec()
    return None if spec is None else f"torch in {os.path.dirname(spec.origin)}"


# ---- pip's lists of a package's files ------------------------------------------------------------------------------


def format_record_line(path, content):
    """Returns a line of a RECORD: path, digest and size."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


def _find_own_record():
    """Returns the RECORD by which pip uninstalls mindtorch, or None: checkouts and Debian packages have none."""
    found = sorted(site_packages().glob("mindtorch-*.dist-info/RECORD"))
    return found[0] if found else None


def _drop_record_lines_of_paths(record, paths):
    """Returns the text of a RECORD without the lines of some paths."""
    lines = record.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if line.rpartition(",")[0].rpartition(",")[0] not in paths)


def _replace_file(path, text):
    """Writes a whole file or nothing."""
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.replace(new, path)


def _remove_from_own_record(paths):
    own = _find_own_record()
    if own is None:
        return
    text = _drop_record_lines_of_paths(own, paths)
    if text != own.read_text():
        _replace_file(own, text)


# ---- on and off ----------------------------------------------------------------------------------------------------


def enable(as_version=None):
    """Makes mindtorch the torch of this environment, for `import torch` and for pip."""
    version = version_to_record(as_version)
    found = real_torch()
    if found is not None:
        raise SystemExit(f"mindtorch: {found} is installed here; uninstall it first (pip uninstall torch)")
    shim = shim_version()
    if shim is not None:
        if as_version is not None and shim != version:
            raise SystemExit(f"mindtorch: the shim wheel torch {shim} is installed here; install one of {version}")
        print(f"mindtorch {own_version} is torch {shim} here already, by the shim wheel")
        return
    folder = site_packages()
    try:
        _remove_enabled_files()
        constrained, whole_files = (
            (False, {}) if _find_pip_install_scheme() else _pip_settings.write_constraint(version)
        )
        _write_record(folder, version, whole_files)
    except OSError as error:
        raise SystemExit(f"mindtorch: cannot write to {error.filename or folder}: {error.strerror}") from None
    print(f"mindtorch {own_version} is torch {version} in {folder}")
    print(_pip_settings.installer_advice(version, constrained))


def _write_record(folder, version, whole_files):
    """Writes the record, the .pth and torchrun, and lists them for pip together with files that exist already."""
    own = _find_own_record()
    record_folder = folder / f"torch-{version}.dist-info"
    torchrun, torchrun_text = _make_torchrun_command()
    parent = Path(_proxy.PACKAGE).parent
    path_line = "" if parent == folder else f"{parent}\n"  # a checkout is not on its own path
    record = json.dumps(record_folder.name if parent == folder else str(record_folder))
    pth = {folder / PTH_NAME: path_line + PTH.format(record=record.replace("\\", "\\\\").replace("'", "\\'"))}
    files = {
        record_folder / "METADATA": METADATA.format(version=version, own_version=own_version),
        record_folder / "INSTALLER": INSTALLER + "\n",
        record_folder / "top_level.txt": "torch\n",
        record_folder / "entry_points.txt": ENTRY_POINTS,
    }
    if not torchrun.exists() or torchrun.read_text() == torchrun_text:  # keeps another package's command
        files[torchrun] = torchrun_text
    record_folder.mkdir(exist_ok=True)
    torchrun.parent.mkdir(parents=True, exist_ok=True)
    for path, text in (files | pth).items():
        path.write_text(text)
    if torchrun in files:
        torchrun.chmod(0o755)

    def record_lines_of(texts):
        return "".join(format_record_line(os.path.relpath(path, folder), text.encode()) for path, text in texts.items())

    # When torch is uninstalled, the .pth stays if mindtorch's RECORD lists it, and then reports what replaced torch.
    mine = files | whole_files | ({} if own else pth)
    (record_folder / "RECORD").write_text(record_lines_of(mine) + f"{record_folder.name}/RECORD,,\n")
    if own:
        _replace_file(
            own, own.read_text() + record_lines_of(files | whole_files | pth) + f"{record_folder.name}/RECORD,,\n"
        )


def _remove_enabled_files():
    """Removes the files that enable wrote; returns whether there were any."""
    folder = site_packages()
    torchrun, text = _make_torchrun_command()
    pth = folder / PTH_NAME
    names = {PTH_NAME} | {os.path.relpath(path, folder) for path in (torchrun, *_pip_settings.settings_paths())}
    removed = pth.exists()
    for record_folder in filter(_is_written_by_enable, _find_torch_record_folders(folder)):
        names |= {f"{record_folder.name}/{file.name}" for file in record_folder.iterdir()}
        for file in record_folder.iterdir():
            file.unlink()
        record_folder.rmdir()
        if torchrun.exists() and torchrun.read_text() == text:
            torchrun.unlink()
        removed = True
    pth.unlink(missing_ok=True)
    if _find_pip_install_scheme() is None:
        removed |= _pip_settings.remove_constraint_from_settings()
    own = _find_own_record()
    if own:  # pip has replaced the record, but lists it still
        lines = own.read_text().splitlines()
        names |= {line.split(",")[0] for line in lines if re.match(r"torch-[^/]*\+mindtorch\.dist-info/", line)}
    _remove_from_own_record(names)
    return removed


def disable():
    """Removes the files that enable wrote."""
    folder = site_packages()
    try:
        removed = _remove_enabled_files()
    except OSError as error:
        raise SystemExit(f"mindtorch: cannot write to {error.filename or folder}: {error.strerror}") from None
    shim = shim_version()
    if shim is not None:
        raise SystemExit(f"mindtorch: torch {shim} is the shim wheel; take it out with: pip uninstall torch")
    print(f"mindtorch is no longer torch in {folder}" if removed else f"mindtorch was not enabled in {folder}")


# ---- installers other than pip -------------------------------------------------------------------------------------


def check_after_pip(record):
    """Called at the start of a pip process in an enabled environment: at its end, checks pip's changes."""
    import atexit

    version = recorded_version()
    if version is not None:
        try:
            _keep_file_with_settings_of_others()
        except OSError:
            return  # pip cannot change a read-only environment either
        atexit.register(_repair_after_pip, Path(record), version)


def _keep_file_with_settings_of_others():
    """If someone has added settings to enable's file, pip must not delete it with a package."""
    if _pip_settings.contains_only_own_lines():
        return
    folder = site_packages()
    names = {os.path.relpath(path, folder) for path in _pip_settings.settings_paths()}
    records = [found / "RECORD" for found in _find_torch_record_folders(folder) if _is_written_by_enable(found)]
    for record in filter(None, [_find_own_record(), *records]):
        if (text := _drop_record_lines_of_paths(record, names)) != record.read_text():
            _replace_file(record, text)


def _repair_after_pip(record, version):
    """Enables again after an upgrade of mindtorch, and reports if pip has replaced it by another torch."""
    if record.is_dir() or _find_own_record() is None:
        return  # nothing has changed, or mindtorch was uninstalled
    found = real_torch()
    if found is not None:
        torchrun, _ = _make_torchrun_command()
        _remove_from_own_record({os.path.relpath(torchrun, site_packages())})  # the file belongs to the other torch now
        print(f"mindtorch: {replacement_message(found)}", file=sys.stderr)
    elif shim_version() is None and not (site_packages() / PTH_NAME).exists():
        subprocess.run([sys.executable, "-m", "mindtorch", "enable", "--as", version], check=False)


def replacement_message(found):
    """The message for a user whose enabled environment got another torch."""
    return (
        f"this environment was made mindtorch's by `python -m mindtorch enable`, but {found} has been installed since "
        "and takes its place. To go back: pip uninstall torch, then python -m mindtorch enable. To keep the other: "
        "python -m mindtorch disable."
    )
