"""The folders of torch and of our libraries, and how to compile an extension for them."""

import functools
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def _run_and_print(program):
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


@functools.cache
def torch_folder():
    """The package of the real torch, without importing it."""
    return _run_and_print(
        "import importlib.util; print(importlib.util.find_spec('torch').submodule_search_locations[0])"
    )


@functools.cache
def our_libraries():
    """The folder of our libraries under libtorch's names."""
    return _run_and_print("import mindtorch; mindtorch.install(); import torch._extensions as e; print(e.folder())")


@functools.cache
def our_headers():
    return _run_and_print(
        "import mindtorch; mindtorch.install(); import torch._extensions as e; print(e.include_folder())"
    )


def compile_extension(source, out, *options, headers=None):
    """Compiles an extension, against torch's own headers by default."""
    headers = headers or torch_folder() / "include"
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


def linked_to_torch():
    return [f"-L{torch_folder() / 'lib'}", "-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"]
