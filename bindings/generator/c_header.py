"""Writes mindtorch/ops.h, one typed C99/C++11 function per operator, inline over mt_op_call, and mindtorch/ops_short.h,
where the functions have no parameters for arguments with a default."""

from .schema import TENSOR_OPTIONS, Argument, Schema

HEAD = """\
/* Typed calls of every operator, inline over mt_op_call. Written by bindings/generate.py from the operators' schemas.
 *
 * Arguments are borrowed. Optional ones: NULL tensors, strings, generators, pointers and lists are None, and so is
 * -1 for a dtype, layout or memory format. So "int", "float", "bool" and "Device" are values, while "int?", "float?",
 * "bool?" and "Device?" are pointers. A Scalar is an mt_value: mt_int(1), mt_double(0.5), mt_none(), mt_default().
 * Integers that select a variant have names (arguments.h): MT_REDUCTION_MEAN. Results are owned by the caller; where a
 * result pointer is NULL, that result is released. ops_short.h has the same calls without the arguments that have a
 * default.
 * Above each operator stands its schema. The forms that write into an argument stand without one where they take what
 * the operator takes: add_ writes `self`, and add_out the tensors after the operator's own arguments. */
"""
SHORT_HEAD = """\
/* Typed calls of the operators that have arguments with defaults, without those arguments: they keep their defaults.
 * mt_short_aten_add_Tensor(a, b, &sum) is mt_aten_add_Tensor(a, b, mt_int(1), &sum). Otherwise as ops.h. Written by
 * bindings/generate.py from the operators' schemas. */
"""
START = """\
#ifndef MINDTORCH_@_H_
#define MINDTORCH_@_H_

#include <mindtorch/box.h>
#include <mindtorch/mindtorch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Short, since this file is long: each stands some thousand times below, and is no more at its end. */
#define MT_FN MT_TYPED_CALL
#define MT_R(name, overload, ...) MT_BOX_TENSOR(name, overload, result, __VA_ARGS__)
#define MT_RS MT_BOX_TENSORS
#define MT_T mt_box_tensor
#define MT_L(tag, list) mt_box_list(MT_TAG_##tag, list, n_##list)
#define MT_LN(tag, list) mt_box_list_or_none(MT_TAG_##tag, list, n_##list)
#define MT_EN(tag, value) mt_box_enum_or_none(MT_TAG_##tag, value)
#define MT_N(kind, value) mt_box_##kind##_or_none(value)

"""
TAIL = """\
#undef MT_FN
#undef MT_R
#undef MT_RS
#undef MT_T
#undef MT_L
#undef MT_LN
#undef MT_EN
#undef MT_N

#ifdef __cplusplus
}
#endif

#endif
"""

# C++ keywords among torch's argument names, and the names of the functions' own variables.
RESERVED = {
    "new",
    "this",
    "class",
    "template",
    "operator",
    "default",
    "register",
    "int",
    "long",
    "float",
    "double",
    "short",
}
RESERVED |= {"values", "results", "places", "status", "op", "site", "n"}
ENUMS = {"ScalarType": "DTYPE", "Layout": "LAYOUT", "MemoryFormat": "MEMORY_FORMAT"}
LISTS = {
    "Tensor": ("mt_tensor* const*", "TENSORS"),
    "Tensor?": ("mt_tensor* const*", "OPTIONAL_TENSORS"),
    "int": ("const int64_t*", "INTS"),
    "SymInt": ("const int64_t*", "INTS"),
    "float": ("const double*", "DOUBLES"),
    "bool": ("const uint8_t*", "BOOLS"),
    "Scalar": ("const mt_value*", "SCALARS"),
    "str": ("const mt_value*", "STRINGS"),
}
NUMBERS = {
    "int": ("int64_t", "int"),
    "SymInt": ("int64_t", "int"),
    "float": ("double", "double"),
    "bool": ("int32_t", "bool"),
}
HANDLES = {
    "str": ("const char*", "string"),
    "Dimname": ("const char*", "string"),
    "Generator": ("mt_generator*", "generator"),
    "Storage": ("mt_storage*", "storage"),
    "Stream": ("void*", "stream"),
}
MEMBERS = {"int": ("int64_t", "i"), "SymInt": ("int64_t", "i"), "bool": ("int64_t", "i"), "float": ("double", "d")}


def write_parameters_and_box(a: Argument, name: str) -> tuple[list[str], str]:
    """The C parameters of one argument, and the expression that boxes them."""
    kind = a.type
    if "[" in kind:
        optional = kind.endswith("?")
        ctype, tag = LISTS[kind[: kind.index("[")]]
        return [f"{ctype} {name}", f"int64_t n_{name}"], f"{'MT_LN' if optional else 'MT_L'}({tag}, {name})"
    optional, kind = kind.endswith("?"), kind.rstrip("?")
    if kind == "Tensor":
        return [f"mt_tensor* {name}"], f"MT_N(tensor, {name})" if optional else f"MT_T({name})"
    if kind in ("Scalar", "Any"):
        return [f"mt_value {name}"], name
    if kind in ENUMS:
        tag = ENUMS[kind]
        return [f"int32_t {name}"], f"MT_EN({tag}, {name})" if optional else f"mt_box_enum(MT_TAG_{tag}, {name})"
    if kind == "Device":
        if optional:
            return [f"const mt_device* {name}"], f"MT_N(device, {name})"
        return [f"mt_device {name}"], f"mt_box_device({name})"
    if kind in NUMBERS:
        ctype, word = NUMBERS[kind]
        if optional:
            return [f"const {ctype}* {name}"], f"MT_N({word}, {name})"
        return [f"{ctype} {name}"], f"mt_{word}({name})"
    ctype, word = HANDLES[kind]
    return [f"{ctype} {name}"], f"mt_box_{word}({name})"


def write_out_parameter_and_store(r: Argument, i: int, name: str) -> tuple[str, str]:
    """The out-parameter of one result, and the statement that stores the result there."""
    if r.type == "Tensor":
        return f"mt_tensor** {name}", f"mt_box_give_tensor(&results[{i}], {name});"
    if r.type in MEMBERS:
        ctype, member = MEMBERS[r.type]
        return f"{ctype}* {name}", f"if ({name}) *{name} = results[{i}].as.{member};"
    return f"mt_value* {name}", f"mt_box_give_value(&results[{i}], {name});"


def c_function_name(s: Schema) -> str:
    return f"mt_{s.ns}_{s.name}" + (f"_{s.overload}" if s.overload else "")


def has_defaults(s: Schema) -> bool:
    return any(a.default is not None for a in s.args)


def signature_key(s: Schema) -> tuple:
    """Parameters of the C functions for in-place forms and for out= forms, whose out tensors come last."""
    args = [a for a in s.args if not (a.mutated and a.keyword_only) and a.name not in TENSOR_OPTIONS]
    return s.base_name, *((a.type, a.name, a.default) for a in args)


def write_parameters_and_boxes(s: Schema, omits_defaults: bool) -> tuple[list[str], list[str], set[str]]:
    """Returns the C parameters, the boxed values and the names of a function's arguments."""
    params, boxes, names = [], [], set()
    for a in s.args:
        if omits_defaults and a.default is not None:
            boxes.append("mt_default()")
            continue
        name = a.name + "_" if a.name in RESERVED else a.name
        names.add(name)
        more, box = write_parameters_and_box(a, name)
        params += more
        boxes.append(box)
    while boxes and boxes[-1] == "mt_default()":
        boxes.pop()
    return params, boxes, names


def write_function(s: Schema, says_schema: bool, omits_defaults: bool = False) -> str:
    params, boxes, names = write_parameters_and_boxes(s, omits_defaults)
    gives = []
    for i, r in enumerate(s.returns):
        name = r.name or ("result" if len(s.returns) == 1 else f"result{i}")
        if name in names or name in RESERVED:
            name += "_result"
        param, give = write_out_parameter_and_store(r, i, name)
        params.append(param)
        gives.append(give)
    # The beginning of each function body: the cached lookup and the operator's name.
    site = f'&site, "{s.ns}::{s.name}", "{s.overload}", {"values" if boxes else "NULL"}, {len(boxes)}'
    lines = [f"/* {s.text.removeprefix('aten::')} */"] if says_schema else []
    called = c_function_name(s).replace("mt_", "mt_short_", 1) if omits_defaults else c_function_name(s)
    lines.append(f"MT_FN {called}({', '.join(params) or 'void'}) {{")
    one_tensor = len(s.returns) == 1 and s.returns[0].type == "Tensor"
    if s.returns and all(r.type == "Tensor" for r in s.returns) and boxes and s.ns == "aten":
        places = [param.split()[-1] for param in params[-len(s.returns) :]]
        if places == ["result"]:
            lines.append(f'  MT_R("{s.name}", "{s.overload}", {", ".join(boxes)});')
        else:
            lines.append(f'  MT_RS("{s.name}", "{s.overload}", ({", ".join(places)}), {", ".join(boxes)});')
        return "\n".join([*lines, "}", ""])
    lines.append("  MT_BOX_SITE;")
    plain = one_tensor or not gives
    if boxes:
        lines.append(f"  mt_value values[] = {{{', '.join(boxes)}}};")
    if not plain:
        lines += [f"  mt_value results[{len(gives)}];", "  mt_status* status;"]
    if one_tensor:
        lines.append(f"  return mt_box_call_tensor({site}, {params[-1].split()[-1]});")
    elif plain:
        lines.append(f"  return mt_box_call({site}, NULL, 0);")
    else:
        lines += [f"  status = mt_box_call({site}, results, {len(gives)});", "  if (status) return status;"]
        lines += [f"  {give}" for give in gives]
        lines.append("  return NULL;")
    return "\n".join([*lines, "}", ""])


def generate_header(ops: list[Schema]) -> str:
    functional = {signature_key(s) for s in ops if not s.mutates}
    functions = (
        write_function(s, not s.mutates or signature_key(s) not in functional) for s in sorted(ops, key=c_function_name)
    )
    return HEAD + START.replace("@", "OPS") + "\n".join(functions) + "\n" + TAIL


def generate_short_header(ops: list[Schema]) -> str:
    functions = (
        write_function(s, says_schema=True, omits_defaults=True)
        for s in sorted(ops, key=c_function_name)
        if has_defaults(s)
    )
    return SHORT_HEAD + START.replace("@", "OPS_SHORT") + "\n".join(functions) + "\n" + TAIL
