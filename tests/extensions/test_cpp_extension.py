"""torch.utils.cpp_extension: sources over the stable ABI compile and load; others are refused with advice."""

import os
import shutil

import pytest
from extension_support import ROOT, run_python

EXAMPLE = ROOT / "examples/extension"
BEGIN = "import sys, mindtorch\nmindtorch.install()\nimport torch\nfrom torch.utils import cpp_extension\n"
SOURCE = """
#include <torch/csrc/stable/library.h>
using torch::stable::Tensor;
int64_t dims(Tensor x) { return x.dim() + %d; }
STABLE_TORCH_LIBRARY(inline_ops, m) { m.def("dims(Tensor x) -> int"); }
STABLE_TORCH_LIBRARY_IMPL(inline_ops, CPU, m) { m.impl("dims", TORCH_BOX(&dims)); }
"""


@pytest.fixture(scope="session")
def built_example(tmp_path_factory):
    """The example, built with our headers and libraries."""
    folder = tmp_path_factory.mktemp("example")
    source = shutil.copytree(EXAMPLE, folder / "source")
    program = (
        "import os, sys, mindtorch\nmindtorch.install()\nimport runpy\nos.chdir(sys.argv[1])\n"
        "sys.argv = ['setup.py', '-q', 'build', '--build-lib', sys.argv[2]]\nrunpy.run_path('setup.py')"
    )
    done = run_python("-c", program, source, folder / "built")
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "built"


def test_example_does_the_same_on_torch_with_the_same_binary(built_example):
    here = run_python("-m", "mindtorch", EXAMPLE / "demo.py", PYTHONPATH=_python_path_with(built_example))
    there = run_python(EXAMPLE / "demo.py", PYTHONPATH=_python_path_with(built_example))
    assert here.returncode == 0, here.stderr[-2000:]
    assert there.returncode == 0, there.stderr[-2000:]
    assert here.stdout == there.stdout
    # 2 * tanh(x / 2) at -4, -2, 0, 2 and 4, from math.tanh.
    assert here.stdout.splitlines()[0] == "[-1.928055, -1.523188, 0.0, 1.523188, 1.928055]"


def _python_path_with(folder):
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def test_load_inline_builds_once_and_again_after_a_change(tmp_path):
    program = BEGIN + (
        "import os\n"
        "options = {'is_python_module': False, 'build_directory': sys.argv[2]}\n"
        "cpp_extension.load_inline('inline_ops', sys.argv[1], **options)\n"
        "print(torch.ops.inline_ops.dims(torch.ones(2, 3)))\n"
        "print(os.stat(sys.argv[2] + '/inline_ops.so').st_mtime_ns)"
    )
    first = run_python("-c", program, SOURCE % 10, tmp_path)
    assert first.stdout.splitlines()[:1] == ["12"], first.stderr[-2000:]
    assert run_python("-c", program, SOURCE % 10, tmp_path).stdout == first.stdout
    assert run_python("-c", program, SOURCE % 20, tmp_path).stdout.splitlines()[0] == "22"


@pytest.mark.parametrize(
    "body, said",
    [
        (
            "cpp_extension.load_inline('broken', 'int f() { return x; }', is_python_module=False)",
            "RuntimeError: Error building extension 'broken': ",
        ),
        (
            "cpp_extension.load_inline('classic', '#include <torch/extension.h>', is_python_module=False)",
            "define operators with STABLE_TORCH_LIBRARY",
        ),
        (
            "cpp_extension.load_inline('classic', 'int f();', functions=['f'])",
            "NotImplementedError: torch.utils.cpp_extension.load_inline: bindings of functions need libtorch's",
        ),
        (
            "cpp_extension.load('cuda', ['a.cu'])",
            "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
        ),
        (
            "torch.classes.load_library('/nowhere/none.so')",
            "OSError: Could not load this library: /nowhere/none.so: /nowhere/none.so: cannot open shared object file",
        ),
    ],
)
def test_unbuildable_extensions_are_refused(tmp_path, body, said):
    done = run_python("-c", BEGIN + body, TORCH_EXTENSIONS_DIR=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
