"""python -m mindtorch doctor: checks an environment, and reports what is missing and how to fix it."""

import ctypes
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from . import _environment, _pip_settings, _proxy
from .version import __version__, mindtorch as own_version

SMALL_SHARED_MEMORY = 256 << 20  # enough for a few workers with batches of images
FINE, NOTE, MISSING = "ok", "note", "missing"


class Report:
    """The findings, in order."""

    def __init__(self):
        self.findings = []

    def add_finding(self, name, state, text, advice=None, **facts):
        self.findings.append({"name": name, "state": state, "text": text, "advice": advice, **facts})

    @property
    def has_no_problem(self):
        return all(finding["state"] != MISSING for finding in self.findings)

    def print_findings(self):
        for finding in self.findings:
            print(f"{finding['state']:8}{finding['name']}: {finding['text']}")
            if finding["advice"]:
                print(f"{'':8}-> {finding['advice']}")
        print("All is well." if self.has_no_problem else "Something is missing; see the lines with an arrow.")


def _find_installed_version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# ---- the package ---------------------------------------------------------------------------------------------------


def _report_python(report):
    kind = "virtual environment" if sys.prefix != sys.base_prefix else "no virtual environment"
    text = f"{platform.python_version()}, {sys.executable} ({kind})"
    report.add_finding("Python", FINE, text, version=platform.python_version(), prefix=sys.prefix)


def _report_package(report):
    installed = _find_installed_version("mindtorch")
    how = "installed" if installed else "a checkout, which pip knows nothing of"
    text = f"{own_version} (torch {__version__}), {how}, in {_proxy.PACKAGE}"
    report.add_finding("mindtorch", FINE, text, version=own_version, torch=__version__, path=_proxy.PACKAGE)
    names = [re.match(r"[\w.-]+", requirement)[0] for requirement in (requires("mindtorch") or [])] if installed else []
    absent = [name for name in names if _find_installed_version(name) is None]
    if absent:
        report.add_finding(
            "requirements", MISSING, f"not installed: {', '.join(absent)}", f"pip install {' '.join(absent)}"
        )


def _load_root(report):
    """Returns the root of the tree, or None if it does not load."""
    try:
        torch = _proxy.load()
    except Exception as error:
        advice = "install the wheel that was made for this Python and machine"
        report.add_finding("extension", MISSING, f"does not load: {type(error).__name__}: {error}", advice)
        return None
    report.add_finding("extension", FINE, torch._C.__file__)
    return torch


# ---- the machine ---------------------------------------------------------------------------------------------------


def _report_cpu(report, torch):
    threads = torch.get_num_threads()
    level = torch.backends.cpu.get_cpu_capability()
    text = f"{platform.machine()}, instruction set {level}, {threads} threads of {os.cpu_count()} processors"
    report.add_finding("CPU", FINE, text, capability=level, threads=threads)


def _find_blas_load_error():
    """Returns the dynamic linker's error for the installed library, or ''."""
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None:
        return ""
    library = Path(spec.submodule_search_locations[0]) / "lib" / "libscipy_openblas.so"
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        return f" ({error})"
    return f" ({library} loads, but was not found by mindtorch)"


def _report_blas(report, torch):
    described = re.search(r"- BLAS: (.*)", torch.__config__.show())[1]
    try:
        torch.linalg.svd(torch.eye(2))
    except RuntimeError:
        wish = os.environ.get("MINDTORCH_BLAS")
        text = f"no LAPACK, so svd, qr, eigh, cholesky, solve and orthogonal_ raise{_find_blas_load_error()}"
        advice = "pip install scipy-openblas32, or on Debian: apt-get install libopenblas0"
        if wish:
            text += f"; MINDTORCH_BLAS={wish}"
            advice = f"unset MINDTORCH_BLAS, or {advice}"
        report.add_finding("BLAS", MISSING, text, advice, lapack=False)
    else:
        report.add_finding("BLAS", FINE, described, lapack=True)


def _report_shared_memory(report, torch):
    try:
        room = os.statvfs("/dev/shm")
        torch.ones(1).share_memory_()
    except (OSError, RuntimeError) as error:
        advice = "mount a tmpfs on /dev/shm, writable for this user; DataLoader workers need it"
        report.add_finding("shared memory", MISSING, str(error), advice, writable=False)
        return
    size, free = room.f_frsize * room.f_blocks, room.f_frsize * room.f_bavail
    text = f"/dev/shm, {size >> 20} MiB, {free >> 20} MiB free"
    small = size < SMALL_SHARED_MEMORY
    advice = "batches of DataLoader workers may not fit: docker run --shm-size=1g, or fewer workers" if small else None
    report.add_finding("shared memory", NOTE if small else FINE, text, advice, size=size, free=free, writable=True)


def _report_numpy(report):
    found = _find_installed_version("numpy")
    text = found or "not installed; only conversions from and to arrays need it"
    report.add_finding("NumPy", FINE if found else NOTE, text, version=found)


def _report_npus(report, torch):
    wish = os.environ.get("MINDTORCH_ACL_PATH")
    try:
        count = torch.npu.device_count()
        text = f"{count} devices" if count else f"no device by MINDTORCH_ACL_PATH={wish}"
    except RuntimeError as error:
        count, text = 0, str(error)
    if count:
        report.add_finding("NPU", FINE, text, devices=count)
    elif wish:
        advice = "MINDTORCH_ACL_PATH has to name libascendcl.so or its folder; unset it where there is none"
        report.add_finding("NPU", MISSING, text, advice, devices=0)


# ---- which package `import torch` finds -----------------------------------------------------------------------------


def _find_imported_torch():
    """Returns the file that `import torch` would run in a new process of this environment, or None."""
    environment = {name: value for name, value in os.environ.items() if name != "MINDTORCH_AS_TORCH"}
    code = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False).stdout.strip() or None


def _report_imported_torch(report):
    origin, real = _find_imported_torch(), _environment.real_torch()
    shim, enabled = _environment.shim_version(), _environment.recorded_version()
    ours = origin is not None and Path(origin).parent == Path(_proxy.TREE)
    recorded = enabled or shim
    facts = {"ours": ours, "record": recorded, "origin": origin}
    has_pth = (_environment.site_packages() / _environment.PTH_NAME).exists()
    if ours:
        by = "enable" if enabled else "the shim wheel"
        report.add_finding("import torch", FINE, f"mindtorch, which pip knows as torch {recorded} (by {by})", **facts)
    elif real and has_pth:
        report.add_finding("import torch", MISSING, _environment.replacement_message(real), "as it says", **facts)
    elif real:
        report.add_finding("import torch", NOTE, f"{real}; mindtorch answers to its own name", **facts)
    elif recorded:
        advice = "python -m mindtorch enable" if enabled else "pip install --force-reinstall the shim wheel"
        text = f"pip has a record of torch {recorded}, but nothing can be imported"
        report.add_finding("import torch", MISSING, text, advice, **facts)
    else:
        text = "there is none here; `import mindtorch as torch` and `python -m mindtorch script.py` work"
        report.add_finding("import torch", NOTE, text, "python -m mindtorch enable makes it mindtorch", **facts)
    if recorded and ours:
        _report_torchrun(report)
    if enabled:
        constraint = _pip_settings.settings_paths()[1]
        if constraint.exists():
            report.add_finding("pip", FINE, f"held to torch {enabled} by {constraint}")
        else:
            advice = _pip_settings.installer_advice(enabled, constrained=False)
            report.add_finding("pip", NOTE, "not held: it may put another torch in this one's place", advice)


def _report_torchrun(report):
    beside = shutil.which("torchrun", path=os.path.dirname(sys.executable))
    found = beside or shutil.which("torchrun")
    text = found or "not found; python -m torch.distributed.run does the same"
    report.add_finding("torchrun", FINE if found else NOTE, text, path=found)


def report_environment():
    """Returns the report on this environment."""
    report = Report()
    _report_python(report)
    _report_package(report)
    torch = _load_root(report)
    if torch is not None:
        _report_cpu(report, torch)
        _report_blas(report, torch)
        _report_shared_memory(report, torch)
        _report_npus(report, torch)
    _report_numpy(report)
    _report_imported_torch(report)
    return report


def main(as_json):
    report = report_environment()
    if as_json:
        print(json.dumps({"well": report.has_no_problem, "findings": report.findings}, indent=2))
    else:
        report.print_findings()
    return 0 if report.has_no_problem else 1
