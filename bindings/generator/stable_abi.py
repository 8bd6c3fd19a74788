"""Generates the functions of LibTorch's stable ABI that each call one operator, from the operators' schemas.

capi/compat/libtorch/operators.txt lists these operators. The ABI defines how a schema maps to C parameters: out
tensors come first, a list is a pointer and a length, an optional value is a pointer, and out-pointers for results
come last.
"""

import re
from pathlib import Path

from .schema import Argument, Schema

HEAD = """\
// Calls of single operators by LibTorch's stable ABI. Written by bindings/generate.py from the operators' schemas.
#include "calls.h"

using namespace mt::stable;
"""
DECLARATIONS = """\
// Calls of single operators by LibTorch's stable ABI. Written by bindings/generate.py from the operators' schemas.
// What is written into comes first, what may be None by pointer, and places for results, which the caller owns, last.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>

extern "C" {{
{}
}}  // extern "C"
"""
TYPE = re.compile(r"(?P<base>\w+)(?P<items>\?)?(?P<list>\[\d*\])?(?P<optional>\?)?$")
C_WORDS = ("default", "int", "float", "double", "generator")
# For a schema type: its C parameters and the expression that boxes them, as a required and as an optional argument.
INTEGER = ("int64_t", "const int64_t*"), ("mt_int({})", "optional_int({})")
REAL = ("double", "const double*"), ("mt_double({})", "optional_double({})")
SINGLE = {
    "Tensor": (("mt_tensor*", "mt_tensor* const*"), ("tensor_argument({})", "optional_tensor({})")),
    "Generator": (("mt_generator* const*",) * 2, ("generator_argument({})",) * 2),
    "bool": (("int32_t", "const int32_t*"), ("mt_bool({})", "optional_bool({})")),
    "str": (("const char*", "const char* const*"), ("mt_box_string({})", "optional_string({})")),
    "int": INTEGER,
    "SymInt": INTEGER,
    "float": REAL,
    "Scalar": REAL,
} | {
    name: (
        ("int32_t", "const int32_t*"),
        (f"mt_box_enum({tag}, {{}})", f"optional_enum({tag}, {{}})"),
    )
    for name, tag in (
        ("ScalarType", "MT_TAG_DTYPE"),
        ("Layout", "MT_TAG_LAYOUT"),
        ("MemoryFormat", "MT_TAG_MEMORY_FORMAT"),
    )
}
LISTS = {
    "int": ("const int64_t", "MT_TAG_INTS"),
    "SymInt": ("const int64_t", "MT_TAG_INTS"),
    "float": ("const double", "MT_TAG_DOUBLES"),
    "Tensor": ("mt_tensor* const", "MT_TAG_TENSORS"),
}
RESULTS = {"Tensor": "mt_tensor**", "int": "int64_t*", "SymInt": "int64_t*", "float": "double*"}


def write_parameter_and_box(a: Argument) -> tuple[str, str]:
    """Returns the C parameters of an argument and the expression that boxes them."""
    found = TYPE.match(a.type)
    base, name = found["base"], f"{a.name}_" if a.name in C_WORDS else a.name
    if found["list"]:
        return write_list_parameter_and_box(a, found, name)
    optional = bool(found["optional"] or found["items"])
    if base == "Device":
        star, function = ("const int32_t*", "optional_device") if optional else ("int32_t", "device_argument")
        return f"{star} {name}, int32_t device_index_", f"{function}({name}, device_index_)"
    if base not in SINGLE:
        raise ValueError(f"the stable ABI has no parameter for '{a.type}'")
    kinds, values = SINGLE[base]
    return f"{kinds[optional]} {name}", values[optional].format(name)


def write_list_parameter_and_box(a: Argument, parsed_type: re.Match, name: str) -> tuple[str, str]:
    base, length = parsed_type["base"], f"{name}_len_"
    if base == "Tensor" and parsed_type["items"]:
        return f"mt_tensor* const* const* {name}, int64_t {length}", f"optional_tensors_{name}"
    if base == "bool" and not parsed_type["optional"]:
        return f"const int32_t* {name}, int64_t {length}", f"bools_{name}"
    if base not in LISTS:
        raise ValueError(f"the stable ABI has no parameter for '{a.type}'")
    item, tag = LISTS[base]
    if parsed_type["optional"]:
        return f"{item}* const* {name}, int64_t {length}", f"optional_list({tag}, {name}, {length})"
    return f"{item}* {name}, int64_t {length}", f"list_argument({tag}, {name}, {length})"


def write_list_declarations(boxed_values: list[str]) -> list[str]:
    """The declarations of the converted lists among boxed values; they must live as long as the call."""
    kinds = {"optional_tensors": "OptionalTensors", "bools": "Bools"}
    found = (re.match(r"(optional_tensors|bools)_(\w+)$", value) for value in boxed_values)
    return [f"const {kinds[m[1]]} {m[0]}({m[2]}, {m[2]}_len_);" for m in found if m]


def is_out(a: Argument) -> bool:
    return a.mutated and a.keyword_only


def list_c_parameters(s: Schema) -> list[str]:
    """The parameters: out tensors, then arguments, then pointers for the results."""
    written = [write_parameter_and_box(a)[0] for a in s.args if is_out(a)]
    read = [write_parameter_and_box(a)[0] for a in s.args if not is_out(a)]
    return [*written, *read, *list_result_parameters(s)]


def list_result_parameters(s: Schema) -> list[str]:
    return [] if s.mutates else [f"{RESULTS[r.type]} ret{i}" for i, r in enumerate(s.returns)]


def write_c_function(prefix: str, name: str, s: Schema) -> str:
    values = {a.name: write_parameter_and_box(a)[1] for a in s.args}
    results = list_result_parameters(s)
    parameters = ", ".join(list_c_parameters(s))
    places = ", ".join(f"ret{i}" for i in range(len(results)))
    joined = ", ".join(values[a.name] for a in s.args)
    passed = f"site, args, {len(s.args)}, {'places' if results else 'nullptr'}, {len(results)}"
    head = f'static Site site{{"{s.ns}::{s.name}", "{s.overload}"}};'
    body = [f"const mt_value args[] = {{{joined}}};", f"void* const places[] = {{{places}}};" if results else ""]
    if lists := write_list_declarations(list(values.values())):
        # Making these lists can fail.
        within = [*lists, *body, f"call({passed});"]
        body = [head, "return guarded([&] {", *(f"  {line}" for line in within if line), "});"]
    else:
        body += [head, f"return call_into({passed});"]
    lines = [
        f"STABLE_ABI int32_t aoti_torch_{prefix}_{name}({parameters}) {{",
        f"  // {s.text}",
        *(f"  {line}" for line in body if line),
        "}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def stable_abi_names_of(s: Schema) -> list[str]:
    tail = f"_{s.overload}" if s.overload else ""
    return [s.name + tail, *(alias + tail for alias in s.aliases if s.forms)]


def read_operator_list(ops: list[Schema], list_path: Path) -> list[tuple[str, str, Schema]]:
    """(prefix, name, schema) for each line of the list."""
    known = {name: s for s in reversed(ops) for name in stable_abi_names_of(s)}
    found = []
    for line in list_path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        prefix, name = line.split()
        if name not in known:
            raise ValueError(f"{list_path}: no operator is named {name}")
        found.append((prefix, name, known[name]))
    return found


def generate_stable_abi_source(ops: list[Schema], list_path: Path) -> str:
    return "\n".join([HEAD, *(write_c_function(*operator) for operator in read_operator_list(ops, list_path))])


def generate_stable_abi_headers(ops: list[Schema], list_path: Path) -> dict[str, str]:
    """The same functions as C++ declarations: a header for each prefix."""
    lines: dict[str, list[str]] = {}
    for prefix, name, s in read_operator_list(ops, list_path):
        parameters = ", ".join(list_c_parameters(s))
        parameters = parameters.replace("mt_tensor*", "AtenTensorHandle").replace(
            "mt_generator*", "AtenGeneratorHandle"
        )
        lines.setdefault(prefix, []).append(
            f"AOTI_TORCH_EXPORT AOTITorchError aoti_torch_{prefix}_{name}({parameters});"
        )
    return {
        f"torch/csrc/inductor/aoti_torch/generated/c_shim_{prefix}.h": DECLARATIONS.format("\n".join(functions))
        for prefix, functions in lines.items()
    }
