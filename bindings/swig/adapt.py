"""Writes C++ adapters over the public C headers for SWIG: results are returned instead of written through pointers.

`mt_status* mt_tensor_grad(const mt_tensor* tensor, mt_tensor** out)` becomes a throwing
`mt_tensor* tensor_grad(const mt_tensor* tensor)`: in Java an out-pointer would be an opaque type, and a handle that is
returned belongs to the language's collector.
Functions with callbacks, raw memory or boxed values are left to support.h.
"""

import pathlib
import re
import sys

HEADERS = ("base", "op", "tensor", "autograd", "device", "dispatch", "runtime")
HANDLES = ("mt_tensor", "mt_storage", "mt_generator", "mt_node", "mt_saved")
NUMBERS = ("int32_t", "int64_t", "uint64_t", "mt_device")
STRUCTS = ("mt_tensor_info", "mt_op_info", "mt_arg_info", "mt_allocator_stats")
PLAIN = (*NUMBERS, "const char*", *(f"{h}*" for h in HANDLES), *(f"const {h}*" for h in HANDLES), "const mt_op*")


def yield_function_declarations(folder):
    """(result, name, [(type, name), ...]) of every function that the headers declare."""
    for header in HEADERS:
        text = (folder / f"{header}.h").read_text()
        text = re.sub(r"^#.*$", " ", re.sub(r"/\*.*?\*/", " ", text, flags=re.S), flags=re.M)
        for result, name, rest in re.findall(r"MT_API\s+([\w\s*]+?)\s*(\bmt_\w+)\s*\(([^;]*)\)\s*;", text):
            yield " ".join(result.split()), name, parse_parameters(rest)


def parse_parameters(text):
    if text.strip() == "void" or "(" in text:
        return [] if text.strip() == "void" else None
    found = [re.fullmatch(r"\s*(.*?[\s*])\s*(\w+)\s*", part, flags=re.S).groups() for part in text.split(",")]
    return [(" ".join(kind.split()).replace(" *", "*"), name) for kind, name in found]


def describe_out_parameter(kind):
    """What a pointer parameter named `out` gives: (type, whether the caller owns it, whether it has a struct_size)."""
    for handle in HANDLES:
        if kind == f"{handle}**":
            return f"{handle}*", True, False
    if kind in ("const mt_op**", "const char**"):
        return kind[:-1], False, False
    if kind[:-1] in NUMBERS or kind[:-1] in STRUCTS:
        return kind[:-1], False, kind[:-1] in STRUCTS
    return None


def write_adapter(c_result_type, name, params):
    """The adapter's text, or None for a function that is not plain."""
    given, passed, before, result = [], [], [], None
    for kind, param in params:
        if param == "out" and describe_out_parameter(kind):
            result = describe_out_parameter(kind)
            before.append(f"{result[0]} out{{}};" + (" out.struct_size = sizeof(out);" if result[2] else ""))
            passed.append("&out")
        elif kind == "const int64_t*":
            given.append(f"const std::vector<int64_t>& {param}")
            passed.append(f"{param}.empty() ? nullptr : {param}.data()" if param == "strides" else f"{param}.data()")
        elif param == "ndim":
            passed.append("static_cast<int64_t>(sizes.size())")
        elif kind in PLAIN:
            given.append(f"{kind} {param}")
            passed.append(param)
        else:
            return None
    call = f"::{name}({', '.join(passed)})"
    if c_result_type == "mt_status*":
        body = [*before, f"mindtorch::check({call});"] + (["return out;"] if result else [])
        returns = result[0] if result else "void"
    elif c_result_type in PLAIN and not result:
        body, returns = [f"return {call};"], c_result_type
    else:
        return None
    owned = f"%newobject {name[3:]};\n" if result and result[1] else ""
    return owned, f"inline {returns} {name[3:]}({', '.join(given)}) {{ {' '.join(body)} }}\n"


def main(headers, output):
    newobjects, functions = [], []
    for result, name, params in yield_function_declarations(pathlib.Path(headers)):
        made = None if params is None or name.startswith("mt_status_") else write_adapter(result, name, params)
        if made:
            newobjects.append(made[0])
            functions.append(made[1])
    text = "// Adapters over the C ABI, written by adapt.py. SWIG wants %newobject before the declarations.\n"
    text += "#include <mindtorch/mindtorch.hpp>\n"
    text += "#ifdef SWIG\n" + "".join(newobjects) + "#endif\n"
    text += "namespace mindtorch_swig {\n" + "".join(functions) + "}  // namespace mindtorch_swig\n"
    path = pathlib.Path(output)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:3])
