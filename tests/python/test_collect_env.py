"""torch.utils.collect_env prints the same report as torch's."""

from importlib import import_module

import pytest

# Removes lines about the library rather than the machine.
OWN = {"torch_version", "is_xnnpack_available"}


def _collect_environment(torch):
    return import_module(torch.__name__ + ".utils.collect_env")


@pytest.fixture(scope="module")
def environments_of_both(mt, oracle):
    return _collect_environment(mt).get_env_info(), _collect_environment(oracle).get_env_info()


def test_the_machine_is_torchs(environments_of_both):
    ours, theirs = (info._asdict() for info in environments_of_both)
    varying = OWN | {"cpu_info", "pip_packages"}
    assert list(ours) == list(theirs)
    assert {key: ours[key] for key in ours.keys() - varying} == {key: theirs[key] for key in theirs.keys() - varying}


def test_the_packages_that_torch_names_are_named(environments_of_both):
    ours, theirs = ((info.pip_packages or "").split("\n") for info in environments_of_both)
    assert set(theirs) <= set(ours)


CHANGES = {
    "as it is": {},
    "nothing known": {"gcc_version": None, "pip_packages": None, "conda_packages": None, "cpu_info": None},
    "no packages": {"pip_packages": "", "conda_packages": ""},
    "packages": {"pip_packages": "a==1\nb==2", "conda_packages": "c 1\nd 2", "pip_version": "pip"},
    "answers": {"is_debug_build": True, "is_cuda_available": False, "is_xpu_available": True},
    "graphics cards": {"nvidia_gpu_models": "GPU 0: A\nGPU 1: B", "cudnn_version": None, "cuda_compiled_version": None},
    "a graphics card": {"nvidia_gpu_models": "GPU 0: A", "nvidia_driver_version": "1.2"},
    "no graphics card": {"nvidia_gpu_models": None, "nvidia_driver_version": None, "cuda_runtime_version": None},
    "an allocator": {"caching_allocator_config": {"PYTORCH_ALLOC_CONF": "expandable_segments:True"}},
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_text_is_torchs(name, environments_of_both, mt, oracle):
    info = environments_of_both[1]._replace(**CHANGES[name])
    assert _collect_environment(mt).pretty_str(_collect_environment(mt).SystemEnv(*info)) == _collect_environment(
        oracle
    ).pretty_str(info)


def test_allocator_settings_are_found(mt, monkeypatch):
    monkeypatch.setenv("PYTORCH_ALLOC_CONF", "a:1")
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "")
    assert _collect_environment(mt).get_env_info().caching_allocator_config == {"PYTORCH_ALLOC_CONF": "a:1"}


def test_packages_are_those_of_interest(mt):
    listed = "printf '# torch\\n\\npytorch 1\\nzlib 2\\nmkl 3'"
    assert _collect_environment(mt)._list_packages(listed) == "pytorch 1\nmkl 3"
    assert _collect_environment(mt)._list_packages("exit 1") is None


def test_command_returns_its_exit_code_and_output(mt, oracle):
    for command in ("echo a; echo b >&2; exit 3", ["echo", " c "], "no-such-program-here"):
        assert _collect_environment(mt).run(command) == _collect_environment(oracle).run(command)


def test_the_module_prints_the_environment(mt, run_as_torch):
    printed = run_as_torch(
        "import runpy, sys, warnings; warnings.simplefilter('error');"
        "runpy.run_module('torch.utils.collect_env', run_name='__main__')"
    ).ok()
    assert printed.startswith(f"Collecting environment information...\nPyTorch version: {mt.__version__}\n")
    assert "\nVersions of relevant libraries:\n" in printed
