"""The folders of torch and of our libraries, and how to compile an extension for them."""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HEADERS = (
    "stable/c/shim.h",
    "inductor/aoti_torch/c/shim.h",
    "inductor/aoti_torch/c/shim_deprecated.h",
    "inductor/aoti_torch/c/shim_cpu.h",
    "inductor/aoti_torch/generated/c_shim_aten.h",
    "inductor/aoti_torch/generated/c_shim_cpu.h",
)
PROTOTYPE = re.compile(r"\bAOTI_TORCH_EXPORT\s+([\w\s*]+?)\b((?:aoti|torch)_\w+)\s*\(([^;{]*)\)\s*;", re.DOTALL)


def _run_program_for_path(program):
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


@functools.cache
def real_torch_folder():
    """The package of the real torch, without importing it."""
    return _run_program_for_path(
        "import importlib.util; print(importlib.util.find_spec('torch').submodule_search_locations[0])"
    )


@functools.cache
def our_libraries():
    """The folder of our libraries under libtorch's names."""
    return _run_program_for_path(
        "import mindtorch; mindtorch.install(); import torch._extensions as e; print(e.libraries_folder())"
    )


@functools.cache
def our_headers():
    return _run_program_for_path(
        "import mindtorch; mindtorch.install(); import torch._extensions as e; print(e.include_folder())"
    )


def compile_extension(source, out, *options, headers=None):
    """Compiles an extension, against torch's own headers by default."""
    headers = headers or real_torch_folder() / "include"
    command = ["c++", "-std=c++17", "-O1", "-fPIC", "-shared", str(source), f"-I{headers}"]
    subprocess.run([*command, "-o", str(out), *options], check=True)
    return out


def run_python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=280,
        env=os.environ | {name: str(value) for name, value in environment.items()},
    )


def linker_options_for_torch():
    return [f"-L{real_torch_folder() / 'lib'}", "-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"]


@functools.cache
def parse_declared_functions():
    """{name: (result, parameters)} as declared in torch's headers."""
    found = {}
    for header in HEADERS:
        text = (real_torch_folder() / "include/torch/csrc" / header).read_text(encoding="utf-8")
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        for result, name, parameters in PROTOTYPE.findall(text):
            found[name] = result, " ".join(parameters.split())
    return found


@functools.cache
def list_exported_functions():
    names = set()
    for library in ("libtorch_cpu.so", "libtorch_cuda.so"):
        listed = subprocess.run(
            ["nm", "-D", "--defined-only", our_libraries() / library], check=True, capture_output=True, text=True
        ).stdout
        names.update(line.split()[-1] for line in listed.splitlines())
    return names
