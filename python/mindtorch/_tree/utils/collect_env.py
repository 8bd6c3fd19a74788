"""Prints what a bug report needs to state about this machine: `python -m torch.utils.collect_env`."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections import namedtuple

from .._root import torch

# The report: blocks of lines, each a label and the field that it shows.
_BLOCKS = (
    {
        "PyTorch version": "torch_version", "Is debug build": "is_debug_build",
        "CUDA used to build PyTorch": "cuda_compiled_version", "ROCM used to build PyTorch": "hip_compiled_version",
    },
    {
        "OS": "os", "GCC version": "gcc_version", "Clang version": "clang_version", "CMake version": "cmake_version",
        "Libc version": "libc_version",
    },
    {
        "Python version": "python_version", "Python platform": "python_platform",
        "Is CUDA available": "is_cuda_available", "CUDA runtime version": "cuda_runtime_version",
        "CUDA_MODULE_LOADING set to": "cuda_module_loading", "GPU models and configuration": "nvidia_gpu_models",
        "Nvidia driver version": "nvidia_driver_version", "cuDNN version": "cudnn_version",
        "Is XPU available": "is_xpu_available", "HIP runtime version": "hip_runtime_version",
        "MIOpen runtime version": "miopen_runtime_version", "Is XNNPACK available": "is_xnnpack_available",
        "Caching allocator config": "caching_allocator_config",
    },
)

SystemEnv = namedtuple(
    "SystemEnv",
    "torch_version is_debug_build cuda_compiled_version gcc_version clang_version cmake_version os libc_version "
    "python_version python_platform is_cuda_available cuda_runtime_version cuda_module_loading nvidia_driver_version "
    "nvidia_gpu_models cudnn_version is_xpu_available pip_version pip_packages conda_packages hip_compiled_version "
    "hip_runtime_version miopen_runtime_version caching_allocator_config is_xnnpack_available cpu_info",
)
SystemEnv.__doc__ = """What is known of this machine, by the names of the printed text; None is not known.

Args:
    torch_version, is_debug_build, cuda_compiled_version (str): of this package.
    gcc_version, clang_version, cmake_version (str, optional): of the tools on the path.
    os, libc_version (str): the system.
    python_version, python_platform (str): the interpreter.
    is_cuda_available, cuda_runtime_version, cuda_module_loading, nvidia_driver_version (str): CUDA.
    nvidia_gpu_models, cudnn_version (str, optional): its devices and library.
    is_xpu_available (str): whether there is an XPU.
    pip_version, pip_packages, conda_packages (str, optional): relevant packages, one a line.
    hip_compiled_version, hip_runtime_version, miopen_runtime_version (str): HIP.
    caching_allocator_config (dict): environment variables of allocators.
    is_xnnpack_available (str): whether XNNPACK is there.
    cpu_info (str): the processor, as `lscpu` describes it.

Example:
    >>> from torch.utils.collect_env import SystemEnv
    >>> "python_version" in SystemEnv._fields
    True
"""

_PACKAGES = re.compile("^[^#]*(torch|numpy|triton|optree|mypy|flake8|onnx|cuda|cudnn|nccl|mkl|tbb|magma)")


def run(command):
    """Runs a command and returns its exit code, output and errors.

    Args:
        command (str or list of str): the command; the shell runs a string.

    Returns:
        tuple of int, str and str: the exit code, output and errors, without white space around.

    Example:
        >>> from torch.utils.collect_env import run
        >>> run("echo text")
        (0, 'text', '')
    """
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", shell=isinstance(command, str))
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def _search_output_of(command, pattern):
    code, out, _ = run(command)
    match = re.search(pattern, out, re.S if pattern == "(.*)" else 0) if code == 0 else None
    return match and match.group(1)


def _list_packages(command):
    listed = _search_output_of(command, "(.*)")
    return listed and "\n".join(filter(_PACKAGES.search, listed.splitlines()))


def _describe_os():
    name = _search_output_of("lsb_release -a", r"Description:\t(.*)")
    name = name or _search_output_of("cat /etc/*-release", r'PRETTY_NAME="(.*)"')
    if sys.platform == "darwin":
        name = "macOS " + platform.mac_ver()[0]
    return f"{name or platform.system().lower()} ({platform.machine()})"


def get_env_info():
    """Describes this machine, Python and packages; None means unknown.

    Returns:
        SystemEnv: the named tuple of all of it.
    """
    gpus = _search_output_of("nvidia-smi -L", "(.*)")
    cpu = run("sysctl -n machdep.cpu.brand_string" if sys.platform == "darwin" else "lscpu")
    allocators = (f"PYTORCH_{kind}ALLOC_CONF" for kind in ("CUDA_", "HIP_", ""))
    return SystemEnv(
        torch_version=torch.__version__,
        is_debug_build=str(torch.version.debug),
        cuda_compiled_version=torch.version.cuda,
        gcc_version=_search_output_of("gcc --version", "gcc (.*)"),
        clang_version=_search_output_of("clang --version", "clang version (.*)"),
        cmake_version=_search_output_of("cmake --version", "cmake (.*)"),
        os=_describe_os(),
        libc_version="-".join(platform.libc_ver()) if sys.platform == "linux" else "N/A",
        python_version=f"{sys.version} ({sys.maxsize.bit_length() + 1}-bit runtime)".replace("\n", " "),
        python_platform=platform.platform(),
        is_cuda_available=str(torch.cuda.is_available()),
        cuda_runtime_version=_search_output_of("nvcc --version", "release .+ V(.*)"),
        cuda_module_loading="N/A",
        nvidia_driver_version=_search_output_of("nvidia-smi", "Driver Version: (.*?) "),
        nvidia_gpu_models=gpus and re.sub(r" \(UUID: .+?\)", "", gpus),
        cudnn_version=None,
        is_xpu_available=str(torch.xpu.is_available()),
        pip_version="pip3",
        pip_packages=_list_packages(
            [sys.executable, "-mpip", "list", "--format=freeze", "--disable-pip-version-check"]
        ),
        conda_packages=_list_packages(os.environ.get("CONDA_EXE", "conda") + " list"),
        hip_compiled_version="N/A",
        hip_runtime_version="N/A",
        miopen_runtime_version="N/A",
        caching_allocator_config={name: os.environ[name] for name in allocators if os.environ.get(name)},
        is_xnnpack_available="False",
        cpu_info=cpu[2] if cpu[0] else cpu[1],
    )


def pretty_str(envinfo):
    """Returns a `SystemEnv` as text.

    Args:
        envinfo (SystemEnv): of `get_env_info`.

    Returns:
        str: the text, a line for each field; "Could not collect" for unknown ones.

    Example:
        >>> from torch.utils.collect_env import SystemEnv, pretty_str
        >>> nothing = SystemEnv(**dict.fromkeys(SystemEnv._fields))
        >>> pretty_str(nothing).splitlines()[0]
        'PyTorch version: Could not collect'
    """
    shown = envinfo._asdict()
    gpus = shown["nvidia_gpu_models"]
    if gpus and "\n" in gpus:
        shown["nvidia_gpu_models"] = f"\n{gpus}\n"
    cuda = ("cuda_runtime_version", "nvidia_gpu_models", "nvidia_driver_version")
    if not torch.cuda.is_available() and all(shown[name] is None for name in cuda):
        shown.update(dict.fromkeys((*cuda, "cudnn_version"), "No CUDA"))
        shown["cuda_compiled_version"] = shown["cuda_compiled_version"] or "None"
    for name, value in shown.items():
        if value is None or isinstance(value, bool):
            shown[name] = {None: "Could not collect", True: "Yes", False: "No"}[value]
    for name, tag in (("pip_packages", envinfo.pip_version), ("conda_packages", "conda")):
        lines = (shown[name] or "No relevant packages").split("\n")
        shown[name] = "\n".join(f"[{tag}] {line}" for line in lines)
    shown["cpu_info"] = envinfo.cpu_info
    shown["caching_allocator_config"] = envinfo.caching_allocator_config or "N/A"
    blocks = ["\n".join(f"{label}: {shown[field]}" for label, field in block.items()) for block in _BLOCKS]
    blocks.append(f"CPU:\n{shown['cpu_info']}")
    blocks.append(f"Versions of relevant libraries:\n{shown['pip_packages']}\n{shown['conda_packages']}")
    return "\n\n".join(blocks)


def get_pretty_env_info():
    """Returns the text that `main` prints.

    Returns:
        str: the text, for a report of a bug.
    """
    return pretty_str(get_env_info())


def main() -> None:
    """Prints a description of this machine: ``python -m torch.utils.collect_env``.

    Returns:
        None.
    """
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
