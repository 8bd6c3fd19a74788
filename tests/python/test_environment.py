"""Environments with mindtorch: enabled, upgraded, uninstalled; and the wheel named torch."""

import csv
import io
import subprocess
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from mindtorch import _environment, _pip_settings, _shim_wheel
from mindtorch._proxy import PACKAGE

VERSION = _environment.own_version
NEWER = VERSION + ".1"
FIND = "import importlib.util as u; spec = u.find_spec('torch'); print(spec and spec.origin)"


def write_wheel(path, name, version, files, metadata=""):
    """Makes a wheel of a few files."""
    info = f"{name}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": _shim_wheel.WHEEL,
    }
    record = "".join(_environment.format_record_line(file, text.encode()) for file, text in files.items())
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{info}/RECORD": record + f"{info}/RECORD,,\n"}).items():
            archive.writestr(file, text)
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Two releases of the package, reduced to the modules that run before the tree is loaded, and another torch."""
    folder = tmp_path_factory.mktemp("wheels")
    package = Path(PACKAGE)
    modules = [*package.glob("*.py"), package / "_tree" / "__init__.py"]
    for version in (VERSION, NEWER):
        files = {f"mindtorch/{file.relative_to(package)}": file.read_text() for file in modules}
        files["mindtorch/version.py"] = files["mindtorch/version.py"].replace(f'"{VERSION}"', f'"{version}"')
        write_wheel(folder / f"mindtorch-{version}-py3-none-any.whl", "mindtorch", version, files)
    files = {"torch/__init__.py": "__version__ = '2.14.1'"}
    write_wheel(folder / "torch-2.14.1-py3-none-any.whl", "torch", "2.14.1", files)
    return folder


class Environment:
    """A virtual environment, and the commands that run in it."""

    def __init__(self, folder, wheels):
        self.folder, self.wheels = folder, wheels

    def run(self, *arguments, **more):
        variables = {"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        variables |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}
        python = self.folder / "bin" / "python"
        return subprocess.run([python, *arguments], capture_output=True, text=True, env=variables, cwd=self.folder)

    def run_and_require_success(self, *arguments, **more):
        finished = self.run(*arguments, **more)
        assert finished.returncode == 0, f"{finished.stdout}\n{finished.stderr}"
        return finished.stdout

    def run_pip(self, *arguments, **more):
        return self.run_and_require_success("-m", "pip", *arguments, **more)

    def run_mindtorch(self, *arguments, **more):
        return self.run_and_require_success("-m", "mindtorch", *arguments, **more)

    def torch_is_ours(self):
        return self.run_and_require_success("-c", FIND).strip().endswith("mindtorch/_tree/__init__.py")

    def list_files(self):
        """Lists all files except byte code."""
        found = self.folder.rglob("*")
        return sorted(str(file) for file in found if file.suffix != ".pyc" and file.name != "__pycache__")


@pytest.fixture(scope="module")
def environment_with_pip(tmp_path_factory, wheels):
    folder = tmp_path_factory.mktemp("environment with a space")
    venv.create(folder, with_pip=True, symlinks=True)
    return Environment(folder, wheels)


@pytest.fixture
def environment(environment_with_pip):
    """An environment with the older release and nothing else."""
    before = environment_with_pip.list_files()
    environment_with_pip.run_pip("install", f"mindtorch=={VERSION}")
    yield environment_with_pip
    environment_with_pip.run("-m", "mindtorch", "disable")
    (environment_with_pip.folder / "pip.conf").unlink(missing_ok=True)  # before pip reads it
    environment_with_pip.run("-m", "pip", "uninstall", "-y", "torch", "mindtorch")
    assert environment_with_pip.list_files() == before


def test_uninstalling_mindtorch_leaves_nothing_of_enable(environment_with_pip):
    before = environment_with_pip.list_files()
    environment_with_pip.run_pip("install", f"mindtorch=={VERSION}")
    environment_with_pip.run_mindtorch("enable")
    assert environment_with_pip.torch_is_ours() and (environment_with_pip.folder / "bin" / "torchrun").exists()
    environment_with_pip.run_pip("uninstall", "-y", "mindtorch")
    assert environment_with_pip.list_files() == before
    assert environment_with_pip.run_and_require_success("-c", FIND) == "None\n"


def test_upgrade_keeps_the_environment_enabled(environment):
    environment.run_mindtorch("enable", "--as", "2.14.1")
    environment.run_pip("install", f"mindtorch=={NEWER}")
    assert environment.torch_is_ours()
    assert "Version: 2.14.1+mindtorch" in environment.run_pip("show", "torch")


def test_uninstalled_torch_is_not_imported_and_can_be_enabled_again(environment):
    environment.run_mindtorch("enable")
    environment.run_pip("uninstall", "-y", "torch")
    assert environment.run_and_require_success("-c", FIND) == "None\n"
    environment.run_mindtorch("enable")
    assert environment.torch_is_ours()


def test_pip_refuses_to_put_another_torch_in_its_place(environment):
    environment.run_mindtorch("enable")
    finished = environment.run("-m", "pip", "install", "torch>=2.14")
    assert finished.returncode == 1
    said = finished.stdout + finished.stderr
    assert "The user requested torch>=2.14" in said
    assert "The user requested (constraint) torch" in said and "==2.13.0+mindtorch" in said
    assert environment.torch_is_ours()


def test_pip_and_the_next_import_say_that_torch_was_replaced(environment):
    environment.run_mindtorch("enable")
    finished = environment.run("-m", "pip", "install", "torch==2.14.1", PIP_CONSTRAINT="/dev/null")
    assert finished.returncode == 0 and finished.stderr.count("torch 2.14.1 has been installed since") == 1
    imported = environment.run("-c", "import torch; print(torch.__version__)")
    assert imported.stdout == "2.14.1\n" and "python -m mindtorch disable" in imported.stderr
    environment.run_mindtorch("disable")
    assert environment.run("-c", "import torch").stderr == ""


def test_another_torchs_command_survives_uninstalling_mindtorch(environment):
    environment.run_mindtorch("enable")
    environment.run_pip("install", "torch==2.14.1", PIP_CONSTRAINT="/dev/null")
    torchrun = environment.folder / "bin" / "torchrun"
    torchrun.write_text("#!/bin/sh\n")
    environment.run_pip("uninstall", "-y", "mindtorch")
    assert torchrun.exists()
    torchrun.unlink()


def test_enable_as_a_newer_release_meets_its_requirement(environment):
    environment.run_mindtorch("enable", "--as", "2.14.1")
    assert "already satisfied: torch==2.14.1" in environment.run_pip("install", "--dry-run", "torch==2.14.1")
    out = environment.run_and_require_success(
        "-c", "import importlib.metadata as m; print(m.version('torch'))", MINDTORCH_AS_TORCH="1"
    )
    assert out == "2.14.1+mindtorch\n"
    environment.run_mindtorch("enable")  # again, run by itself
    assert "Version: 2.13.0+mindtorch" in environment.run_pip("show", "torch")


def test_invalid_versions_are_refused(environment):
    finished = environment.run("-m", "mindtorch", "enable", "--as", "newest")
    assert finished.returncode == 1 and "'newest' is no version of torch" in finished.stderr


SETTINGS = {
    "no section": "[global]\ntimeout = 180\n",
    "a section": "[install]\nno-compile = yes\n[global]\ntimeout = 3\n",
    "a constraint": "[install]\nconstraint = mine.txt\nno-compile = yes\n",
    "constraints on lines of their own": "# mine\n[install]\nconstraint =\n    mine.txt\n    yours.txt\n",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_others_are_merged_and_come_back(environment, name):
    settings = environment.folder / "pip.conf"
    settings.write_text(SETTINGS[name])
    for constraint in ("mine.txt", "yours.txt"):
        (environment.folder / constraint).write_text("numpy>=2\n")
    environment.run_mindtorch("enable")
    listed = environment.run_pip("config", "list")
    assert "mindtorch-constraints.txt" in listed and ("mine.txt" in listed) == ("mine.txt" in SETTINGS[name])
    assert environment.run("-m", "pip", "install", "torch>=2.14").returncode == 1
    environment.run_mindtorch("disable")
    assert settings.read_text() == SETTINGS[name]
    for constraint in ("mine.txt", "yours.txt"):
        (environment.folder / constraint).unlink()


def test_settings_added_to_ours_survive_uninstalling(environment):
    environment.run_mindtorch("enable")
    environment.run_pip("config", "--site", "set", "global.timeout", "77")
    environment.run_pip("uninstall", "-y", "mindtorch")
    assert "timeout = 77" in (environment.folder / "pip.conf").read_text()
    environment.run_pip("list")  # its settings name no missing file
    environment.run_pip("install", f"mindtorch=={VERSION}")
    environment.run_mindtorch("disable")
    assert (environment.folder / "pip.conf").read_text().split() == ["[global]", "timeout", "=", "77"]


def test_settings_that_cannot_be_read_are_left_alone(environment):
    settings = environment.folder / "pip.conf"
    settings.write_text("[install\nconstraint = x\n")
    assert "PIP_CONSTRAINT" in _call_in_prefix(
        environment.folder, lambda: _pip_settings.installer_advice("2.13.0", constrained=False)
    )
    constrained, _ = _call_in_prefix(environment.folder, lambda: _pip_settings.write_constraint("2.13.0+mindtorch"))
    assert not constrained and settings.read_text() == "[install\nconstraint = x\n"


def _call_in_prefix(folder, function):
    """Calls a function as in an environment of this folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pip_settings.sys, "prefix", str(folder))
        return function()


# ---- the wheel -----------------------------------------------------------------------------------------------------


def test_shim_wheel_has_the_same_bytes_each_time(tmp_path):
    first, second = (_shim_wheel.write_shim_wheel(tmp_path / name).read_bytes() for name in ("one", "two"))
    assert first == second


def test_shim_wheel_lists_its_contents(tmp_path):
    path = _shim_wheel.write_shim_wheel(tmp_path, "2.14.1")
    assert path.name == "torch-2.14.1+mindtorch-py3-none-any.whl"
    with zipfile.ZipFile(path) as archive:
        info = "torch-2.14.1+mindtorch.dist-info"
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        assert metadata["Name"] == "torch" and metadata["Version"] == "2.14.1+mindtorch"
        assert metadata["Requires-Dist"].startswith("mindtorch==")
        listed = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode()))}
        assert listed.keys() == set(archive.namelist())
        for name, (digest, size) in listed.items():
            if name != f"{info}/RECORD":
                content = archive.read(name)
                assert _environment.format_record_line(name, content) == f"{name},{digest},{size}\n"


def test_shim_wheel_brings_mindtorch_and_torchrun(environment_with_pip, wheels, tmp_path):
    before = environment_with_pip.list_files()
    _shim_wheel.write_shim_wheel(tmp_path)
    environment_with_pip.run_pip("install", "--find-links", str(tmp_path), "torch==2.13.0+mindtorch")
    assert environment_with_pip.torch_is_ours() and (environment_with_pip.folder / "bin" / "torchrun").exists()
    assert "here already, by the shim wheel" in environment_with_pip.run_mindtorch("enable")
    refused = environment_with_pip.run("-m", "mindtorch", "disable")
    assert refused.returncode == 1 and "pip uninstall torch" in refused.stderr
    environment_with_pip.run_pip("uninstall", "-y", "torch", "mindtorch")
    assert environment_with_pip.list_files() == before


def test_shim_wheel_reports_missing_mindtorch(environment, tmp_path):
    _shim_wheel.write_shim_wheel(tmp_path)
    environment.run_pip("install", "--find-links", str(tmp_path), "torch==2.13.0+mindtorch")
    environment.run_pip("uninstall", "-y", "mindtorch")
    text = f"ImportError: torch 2.13.0+mindtorch needs mindtorch {VERSION}, and "
    assert f"{text}that is not installed: pip install" in environment.run("-c", "import torch.nn").stderr
    write_wheel(tmp_path / "mindtorch-0.4.0-py3-none-any.whl", "mindtorch", "0.4.0", {"mindtorch/__init__.py": ""})
    environment.run_pip("install", str(tmp_path / "mindtorch-0.4.0-py3-none-any.whl"), "--no-deps")
    found = "the package mindtorch 0.4.0 that is installed is another one"
    assert text + found in environment.run("-c", "import torch").stderr
    spec = "from importlib.util import find_spec; print(find_spec('torch') is None, find_spec('torchx') is None)"
    assert environment.run_and_require_success("-c", spec) == "False True\n"
