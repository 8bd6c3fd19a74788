"""The stable ABI for extensions: one binary, on real torch and on mindtorch."""

import re

import pytest
from extension_support import HERE, compile_extension, linker_options_for_torch, our_headers, our_libraries, run_python


@pytest.fixture(scope="session")
def probe_of_torch(tmp_path_factory):
    """The probe, compiled against torch's own headers and linked to torch's own libraries."""
    return compile_extension(
        HERE / "probe.cpp", tmp_path_factory.mktemp("probe") / "probe.so", *linker_options_for_torch()
    )


@pytest.fixture(scope="session")
def probe_of_mindtorch(tmp_path_factory):
    """The probe, compiled against our headers and linked to our libraries."""
    libraries = [f"-L{our_libraries()}", "-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"]
    out = tmp_path_factory.mktemp("own_probe") / "probe.so"
    return compile_extension(HERE / "probe.cpp", out, *libraries, headers=our_headers())


def run_and_split_lines(*arguments):
    done = run_python(*arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_extension_results_and_errors_match_torch(probe_of_torch):
    assert run_and_split_lines(HERE / "drive.py", probe_of_torch, "mindtorch") == run_and_split_lines(
        HERE / "drive.py", probe_of_torch
    )


def test_extension_over_our_headers_runs_on_torch_too(probe_of_mindtorch):
    assert run_and_split_lines(HERE / "drive.py", probe_of_mindtorch, "mindtorch") == run_and_split_lines(
        HERE / "drive.py", probe_of_mindtorch
    )


def test_extension_behaves_the_same_with_either_headers(probe_of_torch, probe_of_mindtorch):
    def list_comparable_lines(library):
        # Error texts contain line numbers of headers and of expanded macros.
        return [
            line
            for line in run_and_split_lines(HERE / "drive.py", library, "mindtorch")
            if "Error: " not in line and ".cpp:" not in line
        ]

    assert list_comparable_lines(probe_of_torch) == list_comparable_lines(probe_of_mindtorch)


def test_warning_of_a_kernel_goes_to_stderr_as_in_torch(probe_of_torch):
    """Also if Python's filters make errors of warnings, and each time."""
    program = (
        "import sys, warnings\nif sys.argv[2:]: import mindtorch; mindtorch.install()\nimport torch\n"
        "torch.ops.load_library(sys.argv[1])\nwarnings.simplefilter('error')\n"
        "for _ in range(2): torch.ops.extension_probe.warned(torch.ones(2))"
    )

    def read_warnings_on_stderr(*library):
        done = run_python("-c", program, probe_of_torch, *library)
        assert done.returncode == 0, done.stderr[-2000:]
        return re.sub(r"W\d{4} \d\d:\d\d:\d\d\.\d{9}", "W", done.stderr).splitlines()

    assert read_warnings_on_stderr() == ["[W probe.cpp:12] Warning: take care (function warned)"] * 2
    assert read_warnings_on_stderr("mindtorch") == read_warnings_on_stderr()


def last_stderr_line_of_failure(body, *arguments):
    """The last line on stderr of a program that starts with mindtorch as torch."""
    program = f"import sys, mindtorch\nmindtorch.install()\nimport torch\n{body}"
    done = run_python("-c", program, *arguments)
    assert done.returncode == 1, (done.returncode, done.stderr[-2000:])
    return done.stderr.strip().splitlines()[-1]


LOAD = "for path in sys.argv[1:]: torch.ops.load_library(path)"


def test_second_definition_of_a_namespace_is_an_error_of_the_load(probe_of_torch, tmp_path):
    copy = tmp_path / "copy.so"
    copy.write_bytes(probe_of_torch.read_bytes())
    message = last_stderr_line_of_failure(LOAD, probe_of_torch, copy)
    assert message.startswith(
        "RuntimeError: Only a single TORCH_LIBRARY can be used to register the namespace extension_probe;"
    )


SOURCE = """
#include <cstdint>
extern "C" int32_t {name}(uint64_t);
extern "C" int32_t run() {{ return {name}(0); }}
"""


@pytest.mark.parametrize(
    "name, said",
    [
        ("torch_of_a_later_release", "not in LibTorch's stable ABI of 2.13"),
        ("_ZN2at4_ops3add4callEv", "libtorch's C++ interface, which is not here"),
    ],
)
def test_undefined_symbol_is_named(tmp_path, name, said):
    source, library = tmp_path / "later.cpp", tmp_path / "later.so"
    source.write_text(SOURCE.format(name=name))
    compile_extension(source, library, *linker_options_for_torch(), "-Wl,--unresolved-symbols=ignore-all")
    message = last_stderr_line_of_failure(LOAD, library)
    assert message.startswith(f"OSError: Could not load this library: {library}: ")
    assert f"undefined symbol: {name} ({said}" in message


def test_library_of_another_architecture_is_refused_by_its_name(probe_of_torch, tmp_path):
    other = bytearray(probe_of_torch.read_bytes())
    other[18:20] = (183).to_bytes(2, "little")  # e_machine: aarch64
    path = tmp_path / "other.so"
    path.write_bytes(other)
    assert "built for aarch64, and this process runs on x86_64" in last_stderr_line_of_failure(LOAD, path)


VERSION = """
#include <torch/csrc/stable/library.h>
extern "C" const char* refused() {
  StableIValue stack[1] = {};
  const uint64_t next = uint64_t{3} << 56;
  return torch_call_dispatcher("aten::rand", "", stack, next) ? torch_exception_get_what() : "";
}
"""


def test_call_for_a_later_major_version_is_refused_by_its_number(tmp_path):
    source = tmp_path / "version.cpp"
    source.write_text(VERSION)
    library = compile_extension(source, tmp_path / "version.so", *linker_options_for_torch())
    body = (
        f"{LOAD}\nimport ctypes\nlibrary = ctypes.CDLL(sys.argv[1])\nlibrary.refused.restype = ctypes.c_char_p\n"
        "raise SystemError(library.refused().decode())"
    )
    message = last_stderr_line_of_failure(body, library)
    assert message == (
        "SystemError: the extension was built for version 3.0 of LibTorch's stable ABI; this library has that of 2.13"
    )


def test_extension_is_refused_where_mindtorch_is_not_torch(probe_of_torch):
    program = "import sys, mindtorch as torch\ntorch.ops.load_library(sys.argv[1])"
    done = run_python("-c", program, probe_of_torch)
    assert "RuntimeError: this extension links to libtorch by name" in done.stderr


def test_import_of_torch_loads_none_of_the_libraries():
    program = "import mindtorch; mindtorch.install(); import torch; print(open('/proc/self/maps').read())"
    done = run_python("-c", program)
    assert "libmindtorch" in done.stdout
    assert not re.search(r"libtorch|libc10|libcudart", done.stdout)


MODULE = """
#include <Python.h>
#include <torch/csrc/stable/tensor.h>
static PyObject* version(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(aoti_torch_abi_version() >> 48); }
static PyMethodDef methods[] = {{"version", version, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "stable_module", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_stable_module() { return PyModule_Create(&module); }
"""


def test_module_in_c_that_links_to_libtorch_is_imported(tmp_path):
    import sysconfig

    source = tmp_path / "module.cpp"
    source.write_text(MODULE)
    compile_extension(
        source, tmp_path / "stable_module.so", f"-I{sysconfig.get_path('include')}", *linker_options_for_torch()
    )
    program = (
        "import sys, mindtorch\nmindtorch.install()\nimport torch\nsys.path.insert(0, sys.argv[1])\n"
        "import stable_module\nprint(hex(stable_module.version()))"
    )
    done = run_python("-c", program, tmp_path)
    assert done.stdout.strip() == "0x20d", done.stderr
