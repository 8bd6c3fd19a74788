"""The registry JSON equals the library's report; the outputs of bindings/generate.py compile."""

import ast
import ctypes
import functools
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = ROOT / "build/release/generated/registry.json"
GENERATE = [sys.executable, str(ROOT / "bindings" / "generate.py"), "--registry", str(REGISTRY)]
FORM_BITS = {"function": 1, "method": 2, "inplace": 4, "out": 8}  # MT_FORM_* of mindtorch/op.h


class OpInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        *((name, ctypes.c_char_p) for name in ("ns", "name", "base_name", "overload", "schema", "doc", "module")),
        *((name, ctypes.c_char_p) for name in ("aliases", "deprecated", "kernel_name")),
        *((name, ctypes.c_int32) for name in ("forms", "traits", "n_args", "n_returns")),
    ]


class Operator(NamedTuple):
    ns: str
    schema: str
    base_name: str
    module: str
    doc: str
    forms: int


def load_libmindtorch():
    spec = importlib.util.find_spec("mindtorch")
    folders = [Path(p) / "lib" for p in spec.submodule_search_locations] if spec else []
    for folder in [*folders, ROOT / "build" / "release" / "lib"]:
        if (folder / "libmindtorch.so.0").exists():
            return ctypes.CDLL(str(folder / "libmindtorch.so.0"))
    pytest.fail("no libmindtorch.so.0 is built")


@functools.cache
def read_operators_from_library():
    """The operators of a fresh process: this one may have defined more."""
    printed = subprocess.run([sys.executable, __file__], check=True, capture_output=True, text=True).stdout
    return [Operator(*fields) for fields in json.loads(printed)]


def yield_operators():
    lib = load_libmindtorch()
    lib.mt_op_count.restype = ctypes.c_int64
    lib.mt_op_at.restype = ctypes.c_void_p
    lib.mt_op_at.argtypes = [ctypes.c_int64]
    lib.mt_op_get_info.restype = ctypes.c_void_p
    lib.mt_op_get_info.argtypes = [ctypes.c_void_p, ctypes.POINTER(OpInfo)]
    for i in range(lib.mt_op_count()):
        info = OpInfo(struct_size=ctypes.sizeof(OpInfo))
        assert not lib.mt_op_get_info(lib.mt_op_at(i), ctypes.byref(info))
        texts = (getattr(info, name).decode() for name in ("ns", "schema", "base_name", "module", "doc"))
        yield Operator(*texts, info.forms)


@pytest.fixture(scope="module")
def generated_folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("generated")
    subprocess.run([*GENERATE, "--out", str(out)], check=True)
    return out


def test_registry_json_equals_the_librarys_report():
    printed = [
        (op["schema"], op["base_name"], op["module"], op["doc"], sum(FORM_BITS[form] for form in op["forms"]))
        for op in json.loads(REGISTRY.read_text(encoding="utf-8"))
    ]
    reported = [
        (info.schema, info.base_name, info.module, info.doc, info.forms)
        for info in read_operators_from_library()
        if info.ns == "aten"
    ]
    assert printed == reported


def test_registry_json_has_the_fields_of_a_definition():
    # The expected fields are those of the definition in impl/ops/pointwise/lerp.cpp.
    lerp = {op["overload"]: op for op in json.loads(REGISTRY.read_text(encoding="utf-8")) if op["name"] == "lerp"}
    assert sorted(lerp) == ["Scalar", "Scalar_out", "Tensor", "Tensor_out"]
    assert lerp["Tensor"]["file"] == "impl/ops/pointwise/lerp.cpp"
    assert lerp["Tensor"]["args"] == [{"name": name, "type": "Tensor"} for name in ("self", "end", "weight")]
    assert lerp["Tensor"]["gradient"] == {"kind": "formula", "wrt": ["self", "end", "weight"]}
    assert lerp["Tensor"]["npu"] == ["Lerp", "Lerps"]
    assert lerp["Tensor_out"]["args"][-1] == {"name": "out", "type": "Tensor", "keyword_only": True, "mutated": True}


def test_every_operator_has_a_sentence_of_documentation():
    missing = sorted(
        {info.base_name for info in read_operators_from_library() if info.ns == "aten" and not info.doc}
    )
    assert missing == []


@pytest.mark.parametrize(
    ("compiler", "language", "standard"), [("gcc", "c", "c99"), ("gcc", "c", "c11"), ("g++", "c++", "c++11")]
)
def test_typed_calls_compile(generated_folder, tmp_path, compiler, language, standard):
    source = tmp_path / "one.c"
    source.write_text("#include <mindtorch/ops.h>\n#include <mindtorch/ops_short.h>\nint main(void) { return 0; }\n")
    include = [f"-I{generated_folder / 'include'}", f"-I{ROOT / 'capi' / 'include'}"]
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror", "-x", language, f"-std={standard}"]
    subprocess.run([compiler, *flags, *include, str(source)], check=True)


def test_c_header_has_each_schema_once_and_all_its_forms(generated_folder):
    header = (generated_folder / "include" / "mindtorch" / "ops.h").read_text()
    schemas = [
        info.schema.removeprefix("aten::") for info in read_operators_from_library() if info.ns == "aten"
    ]
    said = re.findall(r"/\* (.*) -> .* \*/\nMT_FN", header)
    assert len(said) == len(set(said))
    assert {s for s in schemas if "!" not in s} <= set(re.findall(r"/\* (.*) \*/\nMT_FN", header))
    called = re.findall(r"^MT_FN mt_aten_(\w+)\(", header, re.MULTILINE)
    assert sorted(called) == sorted(s.partition("(")[0].replace(".", "_") for s in schemas)


def test_short_calls_are_those_of_the_operators_with_defaults(generated_folder):
    header = (generated_folder / "include" / "mindtorch" / "ops_short.h").read_text()
    with_defaults = {
        info.schema.removeprefix("aten::") for info in read_operators_from_library() if info.ns == "aten"
    }
    with_defaults = {schema for schema in with_defaults if "=" in schema}
    assert set(re.findall(r"/\* (.*) \*/\nMT_FN mt_short_aten_", header)) == with_defaults
    assert re.search(r"mt_short_aten_add_Tensor\(mt_tensor\* self, mt_tensor\* other, mt_tensor\*\* result\)", header)


def test_stubs_are_python(generated_folder):
    stubs = sorted(generated_folder.rglob("*.pyi"))
    assert stubs
    for stub in stubs:
        ast.parse(stub.read_text())


def test_unchanged_files_are_not_rewritten(generated_folder):
    header = generated_folder / "include" / "mindtorch" / "ops.h"
    before = header.stat().st_mtime_ns
    subprocess.run([*GENERATE, "--out", str(generated_folder)], check=True)
    assert header.stat().st_mtime_ns == before


if __name__ == "__main__":
    print(json.dumps(list(yield_operators())))
