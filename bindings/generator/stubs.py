"""Writes .pyi stubs: the functions of `_C._VariableFunctions` and its modules, and the methods of `_C.TensorBase`."""

import keyword
from collections import defaultdict

from .schema import Argument, Schema

HEAD = """\
# Written by bindings/generate.py from the operators' schemas.
# ruff: noqa
from collections.abc import Sequence
from typing import Any, overload
"""
NUMBER = """
Number = int | float | bool | complex

"""
IMPORTS = "\nfrom . import Generator, TensorBase as Tensor, device, dtype, layout, memory_format\n"
FUNCTIONS_HEAD = HEAD + IMPORTS + NUMBER
CLASSES_HEAD = (
    HEAD
    + NUMBER
    + """\
class Generator: ...
class device: ...
class dtype: ...
class layout: ...
class memory_format: ...
class TensorBase:
"""
)
TYPES = {
    "Scalar": "Number",
    "SymInt": "int",
    "Dimname": "str",
    "ScalarType": "dtype",
    "Layout": "layout",
    "MemoryFormat": "memory_format",
    "Device": "device | str | int",
    "Storage": "Any",
    "Stream": "Any",
}  # other types have the same name


def python_type_of(kind: str, tensor_type: str, accepts_numbers: bool = False) -> str:
    if kind.endswith("]?") or ("[" not in kind and kind.endswith("?")):
        return f"{python_type_of(kind[:-1], tensor_type, accepts_numbers)} | None"
    if "[" in kind:
        item, size = kind[:-1].split("[")
        inner = python_type_of(item, tensor_type)
        return f"Sequence[{inner}]" + (f" | {inner}" if size and item != "bool" else "")
    if kind == "Tensor":
        return f"{tensor_type} | Number" if accepts_numbers else tensor_type
    return TYPES.get(kind, kind)


def write_stub_parameter(a: Argument, s: Schema, tensor_type: str) -> str:
    numbers = "numbers_as_tensors" in s.traits and not a.mutated
    name = a.name + "_" if keyword.iskeyword(a.name) else a.name
    out = f"{'input' if name == 'self' else name}: {python_type_of(a.type, tensor_type, numbers and a.name != 'self')}"
    return out + (" = ..." if a.default is not None else "")


def write_stub_signature(s: Schema, name: str, is_method: bool, tensor_type: str) -> str:
    params, star = ["self"] if is_method else [], False
    for a in s.args:
        if is_method and a.name == "self":
            continue
        if a.keyword_only and not star:
            params.append("*")
            star = True
        params.append(write_stub_parameter(a, s, tensor_type))
    returns = [python_result_type(r.type, tensor_type) for r in s.returns]
    result = returns[0] if len(returns) == 1 else f"tuple[{', '.join(returns)}]" if returns else "None"
    return f"def {name}({', '.join(params)}) -> {result}:"


def python_result_type(kind: str, tensor_type: str) -> str:
    """Lists come back as tuples."""
    return (
        f"tuple[{python_type_of(kind.split('[')[0], tensor_type)}, ...]"
        if "[" in kind
        else python_type_of(kind, tensor_type)
    )


def write_stub_block(schemas_by_name: dict[str, list[Schema]], is_method: bool, tensor_type: str, indent: str) -> str:
    lines = []
    for name in sorted(schemas_by_name):
        seen = []
        for s in schemas_by_name[name]:
            line = write_stub_signature(s, name, is_method, tensor_type)
            if line not in seen:
                seen.append(line)
        doc = schemas_by_name[name][0].doc.partition("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
        for i, line in enumerate(seen):
            if len(seen) > 1:
                lines.append(f"{indent}@overload")
            if (
                i == 0 and doc and not (name.endswith("_") and name[:-1] in schemas_by_name)
            ):  # in place as the function does it
                lines += [f"{indent}{line}", f'{indent}    """{doc}"""']
            else:
                lines.append(f"{indent}{line} ...")
    return "\n".join(lines) + "\n"


def python_names_of(s: Schema, is_method: bool) -> list[str]:
    names = [s.name if "inplace" in s.forms else s.base_name, *s.aliases]
    return [n for n in names if n.isidentifier() and not keyword.iskeyword(n) and (is_method or not n.startswith("__"))]


def generate_stub_files(ops: list[Schema]) -> dict[str, str]:
    """Path below the package's tree -> text."""
    functions: dict[str, dict[str, list[Schema]]] = defaultdict(lambda: defaultdict(list))
    methods: dict[str, list[Schema]] = defaultdict(list)
    of_functions = {s.base_name for s in ops if "function" in s.forms}
    for s in ops:
        if "function" in s.forms or ("out" in s.forms and s.base_name in of_functions):
            for name in python_names_of(s, False):
                functions[s.module][name].append(s)
        if "method" in s.forms and any(a.name == "self" for a in s.args):
            for name in python_names_of(s, True):
                methods[name].append(s)
    out = {}
    for module, groups in functions.items():
        name = f"_{module.strip('_')}" if module else "_VariableFunctions"
        out[f"_C/{name}.pyi"] = FUNCTIONS_HEAD + write_stub_block(groups, False, "Tensor", "")
    out["_C/__init__.pyi"] = CLASSES_HEAD + write_stub_block(methods, True, "TensorBase", "    ")
    return out
