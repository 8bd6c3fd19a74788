"""Every function of the C ABI refuses NULL and handles of another kind with a status; none crashes.

The headers provide the list of functions.
"""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "capi" / "include" / "mindtorch"
DECLARATION = re.compile(r"MT_API\s+(mt_status\*|[\w\s*]+?)\s*(mt_\w+)\(([^;]*)\);", re.DOTALL)
# Called with NULL or a wrong handle: retain and release functions return no status, and trust their caller.
HANDLES = ("mt_tensor*", "mt_storage*", "mt_generator*", "mt_node*", "mt_op*", "mt_saved*")

PROGRAM = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
for name in ("mt_status_kind", "mt_status_message"):
    getattr(lib, name).restype = ctypes.c_char_p
    getattr(lib, name).argtypes = [ctypes.c_void_p]
lib.mt_status_release.argtypes = [ctypes.c_void_p]
lib.mt_storage_empty.argtypes = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p]
lib.mt_generator_default.argtypes = [ctypes.c_void_p]
scratch = ctypes.create_string_buffer(1 << 16)
storage, generator = ctypes.c_void_p(), ctypes.c_void_p()
assert not lib.mt_storage_empty(64, 0xFFFFFFFF00000000, ctypes.byref(storage))
assert not lib.mt_generator_default(ctypes.byref(generator))
for line in sys.stdin:
    name, what, count = line.split()
    function = getattr(lib, name)
    function.restype = ctypes.c_void_p
    first = {"null": None, "storage": storage, "generator": generator}[what]
    # Passes pointers to zeroed memory as the other arguments, so that a function may read and write through them.
    rest = ctypes.c_void_p(None) if what == "null" else ctypes.cast(scratch, ctypes.c_void_p)
    function.argtypes = [ctypes.c_void_p] * int(count)
    print(name, what, end=" ", flush=True)
    status = function(first, *[rest] * (int(count) - 1))
    print(lib.mt_status_kind(status).decode() if status else "-", flush=True)
    lib.mt_status_release(status)
"""


def list_functions():
    """Lists (name, parameter types) of every function that returns a status."""
    for header in sorted(HEADERS.glob("*.h")):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.DOTALL)
        for returns, name, params in DECLARATION.findall(text):
            if returns.strip() == "mt_status*":
                types = [" ".join(p.split()) for p in re.split(r",(?![^()]*\))", params)]
                yield name, [] if types == ["void"] else types


def find_library() -> Path:
    spec = importlib.util.find_spec("mindtorch")
    folders = [Path(p) / "lib" for p in spec.submodule_search_locations] if spec else []
    for folder in [*folders, ROOT / "build" / "release" / "lib"]:
        if (folder / "libmindtorch.so.0").exists():
            return folder / "libmindtorch.so.0"
    pytest.fail("no libmindtorch.so.0 is built")


def call_functions_in_child(lines: list[str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(find_library())],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"died after {done.stdout.splitlines()[-1:]}: {done.stderr[-500:]}"
    return {words[0]: words[2] for words in map(str.split, done.stdout.splitlines())}


def takes_a_handle(types: list[str]) -> bool:
    return bool(types) and any(h in types[0] for h in HANDLES) and "* const*" not in types[0] and "**" not in types[0]


def test_the_headers_are_read():
    assert len(list(list_functions())) > 120


def test_null_is_refused_by_every_function_that_takes_a_handle():
    kinds = call_functions_in_child(
        [f"{name} null {len(types)}" for name, types in list_functions() if takes_a_handle(types)]
    )
    assert [name for name, kind in kinds.items() if kind != "TypeError"] == []


def test_no_function_crashes_on_null():
    # Excludes status functions, which take and return statuses, and functions without arguments.
    names = [(n, t) for n, t in list_functions() if t and not n.startswith("mt_status_") and "(*" not in t[0]]
    call_functions_in_child([f"{name} null {len(types)}" for name, types in names])


@pytest.mark.parametrize("what", ["storage", "generator"])
def test_handles_of_the_wrong_type_are_refused(what):
    lines = [f"{n} {what} {len(t)}" for n, t in list_functions() if takes_a_handle(t) and f"mt_{what}*" not in t[0]]
    kinds = call_functions_in_child(lines)
    # A function may refuse the zeroed structs before it checks the handle.
    assert [name for name, kind in kinds.items() if kind not in ("TypeError", "ValueError")] == []
