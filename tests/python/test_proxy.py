"""The proxy: the root name of the tree, and its effects on the rest of the process."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from mindtorch._proxy import PACKAGE

PARENT = Path(PACKAGE).parent


def test_importing_the_stub_loads_neither_tree_nor_numpy(run_python):
    out = run_python(
        "import sys, mindtorch; print([m for m in sys.modules if m.startswith(('numpy', 'torch', 'mindtorch.'))])"
    ).ok()
    assert out.split() == ["['mindtorch._proxy',", "'mindtorch.version']"]


def test_loading_the_tree_imports_no_numpy(run_as_torch):
    assert run_as_torch("import sys, torch; torch.ones(2) + 1; print('numpy' in sys.modules)").ok() == "False\n"


def test_first_use_under_its_own_name_leaves_torch_alone(run_python):
    out = run_python(
        "import sys, mindtorch; t = mindtorch.ones(2); print('torch' in sys.modules, mindtorch.nn.Linear.__module__)"
    ).ok()
    assert out == "False mindtorch.nn.modules.linear\n"


def test_types_made_in_c_say_torch_under_either_name(run_python):
    out = run_python("import mindtorch as m; print(m.float32, m.ones(1).type(), m.Size, m.dtype)").ok()
    assert out == "torch.float32 torch.FloatTensor <class 'torch.Size'> <class 'torch.dtype'>\n"


def test_submodule_import_decides_the_name_too(run_python):
    assert run_python("import mindtorch.nn.functional as F; print(F.__name__)").ok() == "mindtorch.nn.functional\n"


def test_installed_tree_is_torch_and_its_aliases_are_the_same_objects(run_python):
    out = run_python(
        "import mindtorch; mindtorch.install()\n"
        "import torch, mindtorch.nn, mindtorch.nn.functional as F\n"
        "from mindtorch import nn, Tensor\n"
        "print(torch.nn is mindtorch.nn is nn, F is torch.nn.functional, Tensor is torch.Tensor)\n"
        "print(torch.nn.Linear.__module__, torch.__version__, nn.__spec__.name)"
    ).ok()
    assert out == "True True True\ntorch.nn.modules.linear 2.13.0+mindtorch torch.nn\n"


def test_first_use_after_install_loads_as_torch(run_python):
    out = run_python("import sys, mindtorch as m; m.install(); m.ones(1); print(m.nn.Module.__module__)").ok()
    assert out == "torch.nn.modules.module\n"


def test_install_after_first_use_raises(run_python):
    finished = run_python("import mindtorch; mindtorch.float32; mindtorch.install()")
    assert "RuntimeError: mindtorch.install() must be called before the first use of mindtorch" in finished.err


def test_install_twice_is_one_install(run_as_torch):
    out = run_as_torch("import torch, mindtorch; mindtorch.install(); print(mindtorch.nn is torch.nn)").ok()
    assert out == "True\n"


def test_install_after_real_torch_raises(oracle, run_python):
    finished = run_python("import torch, mindtorch; mindtorch.install()")
    assert "RuntimeError: mindtorch.install() must be called before torch is imported" in finished.err


def test_real_torch_and_ours_live_side_by_side(oracle, mt):
    assert mt.nn.Linear is not oracle.nn.Linear
    assert mt.ones(2).tolist() == oracle.ones(2).tolist()
    assert mt.__name__ == "mindtorch"
    assert not isinstance(mt.ones(1), oracle.Tensor)


def test_real_torch_is_overridden_only_on_request(oracle, run_python):
    out = run_python("import mindtorch; mindtorch.ones(1); import torch; print(torch.__version__)").ok()
    assert "mindtorch" not in out
    code = "import mindtorch._proxy as p; p.install_as_fallback(); import torch; print(torch.__version__)"
    out = run_python(code).ok()
    assert "mindtorch" not in out


def test_metadata_and_find_spec_answer_without_importing(run_as_torch):
    out = run_as_torch(
        "import sys, importlib.metadata as m, importlib.util as u\n"
        "print(m.version('torch'), u.find_spec('torch').name, 'torch' in sys.modules)\n"
        "print(m.metadata('torch')['Name'], m.requires('torch'))"
    ).ok()
    assert out == "2.13.0+mindtorch torch False\ntorch None\n"


def test_packages_with_longer_names_are_not_captured(run_as_torch):
    out = run_as_torch("import importlib.util as u; print(u.find_spec('torchvision_of_nobody'))").ok()
    assert out == "None\n"


def test_unknown_names_raise_torchs_texts(run_as_torch):
    finished = run_as_torch("import torch\ntry:\n torch.zzz\nexcept AttributeError as e: print(e)\nimport torch.zzz")
    assert finished.out == "module 'torch' has no attribute 'zzz'\n"
    assert "ModuleNotFoundError: No module named 'torch.zzz'" in finished.err


def test_unknown_submodules_of_the_alias_are_not_found(run_as_torch):
    finished = run_as_torch("import mindtorch.zzz")
    assert "ModuleNotFoundError: No module named 'mindtorch.zzz'" in finished.err


def test_every_lazy_name_that_hasattr_finds_is_importable(run_as_torch):
    out = run_as_torch(
        "import importlib, torch\n"
        "for name in sorted(torch._lazy_modules):\n"
        "    if hasattr(torch, name): assert importlib.import_module('torch.' + name) is getattr(torch, name), name\n"
        "print('ok')"
    ).ok()
    assert out == "ok\n"


def test_script_sees_its_arguments_and_folder(tmp_path, run_python):
    script = tmp_path / "program.py"
    script.write_text("import sys, torch; print(sys.argv[1:], __name__, sys.path[0], torch.__version__); sys.exit(3)")
    finished = run_python(None, "-m", "mindtorch", str(script), "a", "--b")
    assert finished.out == f"['a', '--b'] __main__ {tmp_path} 2.13.0+mindtorch\n"
    assert finished.returncode == 3


def test_module_runs_as_python_m_does(run_python, tmp_path):
    (tmp_path / "program.py").write_text("import sys, torch; print(sys.argv[1:], __name__, torch.nn.__name__)")
    out = run_python(None, "-m", "mindtorch", "-m", "program", "a").ok()
    assert out == "['a'] __main__ torch.nn\n"


def test_pytest_runs_as_torch(run_python, tmp_path):
    (tmp_path / "test_it.py").write_text("import torch\ndef test(): assert 'mindtorch' in torch.__version__")
    arguments = ("-m", "mindtorch", "-m", "pytest", "-p", "no:cacheprovider", "test_it.py")
    assert "1 passed" in run_python(None, *arguments).ok()


@pytest.mark.parametrize("arguments", [["--zzz"], ["-m"], ["-c"]])
def test_wrong_use_explains_itself(run_python, arguments):
    finished = run_python(None, "-m", "mindtorch", *arguments)
    assert finished.returncode == 1 and "usage: python -m mindtorch" in finished.err


def test_versions(run_python):
    own, cuda = run_python("import mindtorch; print(mindtorch.version.mindtorch, mindtorch.version.cuda)").ok().split()
    assert re.fullmatch(r"\d+\.\d+\.\d+", own) and cuda == "None"
    assert run_python(None, "-m", "mindtorch", "--version").ok() == f"mindtorch {own} (torch 2.13.0+mindtorch)\n"


def test_old_name_is_an_alias(run_python):
    out = run_python("import mindtorch_v2 as v2, mindtorch_v2.nn, mindtorch as m\nprint(v2 is m, v2.nn is m.nn)").ok()
    assert out == "True True\n"


def test_child_processes_follow_the_environment_variable(run_python, tmp_path):
    # What mindtorch.pth does in an installed environment; a checkout has no such file.
    line = (PARENT / "mindtorch.pth").read_text()
    code = f"{line}\nimport torch; print(torch.__version__)"
    assert run_python(code, env={"MINDTORCH_AS_TORCH": "1"}).ok() == "2.13.0+mindtorch\n"


@pytest.fixture(scope="module")
def bare_environment(tmp_path_factory):
    """A virtual environment with pip and a view of our package, but without torch."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    # A folder with only our package: its own folder may contain real torch too.
    (folder / "view").mkdir()
    (folder / "view" / "mindtorch").symlink_to(PACKAGE, target_is_directory=True)
    return folder / "bin" / "python"


def _run_python_of_environment(python, *arguments):
    """Runs a command of the environment."""
    environment = {"PYTHONPATH": str(python.parents[1] / "view"), "PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1"}
    return subprocess.run([python, *arguments], capture_output=True, text=True, env=environment, cwd=python.parent)


def test_enable_makes_pip_see_torch_and_disable_undoes_it(bare_environment):
    enabled = _run_python_of_environment(bare_environment, "-m", "mindtorch", "enable")
    assert enabled.returncode == 0, enabled.stderr
    shown = _run_python_of_environment(bare_environment, "-m", "pip", "show", "-f", "torch").stdout
    assert "Version: 2.13.0+mindtorch" in shown and "mindtorch-as-torch.pth" in shown
    torchrun = bare_environment.parent / "torchrun"
    assert "bin/torchrun" in shown and "usage: torchrun" in _run_python_of_environment(torchrun, "--help").stdout
    assert _run_python_of_environment(bare_environment, "-m", "pip", "check").returncode == 0
    needs_torch = _run_python_of_environment(bare_environment, "-m", "pip", "install", "--dry-run", "torch>=2.2")
    assert "Requirement already satisfied: torch>=2.2" in needs_torch.stdout, needs_torch.stderr
    imported = _run_python_of_environment(bare_environment, "-c", "import torch; print(torch.__version__)")
    assert imported.stdout == "2.13.0+mindtorch\n", imported.stderr

    disabled = _run_python_of_environment(bare_environment, "-m", "mindtorch", "disable")
    assert disabled.returncode == 0 and not torchrun.exists()
    assert _run_python_of_environment(bare_environment, "-m", "pip", "show", "torch").returncode == 1
    assert "No module named 'torch'" in _run_python_of_environment(bare_environment, "-c", "import torch").stderr


def test_enabled_environment_can_be_uninstalled_by_pip(bare_environment):
    _run_python_of_environment(bare_environment, "-m", "mindtorch", "enable")
    assert _run_python_of_environment(bare_environment, "-m", "pip", "uninstall", "-y", "torch").returncode == 0
    assert "No module named 'torch'" in _run_python_of_environment(bare_environment, "-c", "import torch").stderr


def test_enable_leaves_another_torchrun_alone(bare_environment):
    torchrun = bare_environment.parent / "torchrun"
    torchrun.write_text("#!/bin/sh\n")
    for command in ("enable", "disable"):
        assert _run_python_of_environment(bare_environment, "-m", "mindtorch", command).returncode == 0
        assert torchrun.read_text() == "#!/bin/sh\n"
    torchrun.unlink()


def test_enable_refuses_where_real_torch_is_installed(oracle):
    finished = subprocess.run([sys.executable, "-m", "mindtorch", "enable"], capture_output=True, text=True)
    assert finished.returncode == 1
    assert "torch 2.13.0" in finished.stderr and "uninstall it first" in finished.stderr
