"""Writes the typed part of the Rust crate: a method or function for each operator, and the structs of their options."""

from .schema import Argument, Schema
from .typed import Operator, make_operators, strip_type_modifiers

HEAD = """\
//! Every operator: methods of the first tensor, functions without one, and structs of optional arguments.
// Written by bindings/generate.py from the operators' schemas.

use std::borrow::Borrow;

use crate::autograd::{handles, optional_handles};
use crate::error::Result;
use crate::operator::{self, or_default, or_none, Boxed, Site};
use crate::tensor::Tensor;
use crate::types::{DType, Device, Generator, Layout, MemoryFormat, Scalar, Storage};
"""
KEYWORDS = set("as break const continue crate else enum extern false fn for if impl in let loop match mod".split())
KEYWORDS |= set("move mut pub ref return self static struct super trait true type unsafe use where while".split())
KEYWORDS |= set("abstract async await become box do dyn final macro override priv try typeof unsized virtual".split())
KEYWORDS |= {"yield"}
LOCALS = {"options", "site"}  # the functions' own names
# Rust's own trait has this method; an operator of this name would hide it.
RENAMED = {"clone": "deep_clone"}
# Types of required arguments, and of the fields for optional ones. Both borrow.
TYPES = {
    "Tensor": "&{}Tensor",
    "Scalar": "Scalar",
    "int": "i64",
    "float": "f64",
    "bool": "bool",
    "str": "&{}str",
    "ScalarType": "DType",
    "Layout": "Layout",
    "MemoryFormat": "MemoryFormat",
    "Device": "Device",
    "Generator": "&{}Generator",
    "Storage": "&{}Storage",
    "Tensor[]": "&{0}[&{0}Tensor]",
    "Tensor?[]": "&{0}[Option<&{0}Tensor>]",
    "int[]": "&{}[i64]",
    "float[]": "&{}[f64]",
    "bool[]": "&{}[bool]",
    "Scalar[]": "&{}[Scalar]",
}
GENERIC = {"Scalar": "impl Into<Scalar>", "Tensor[]": "&[impl Borrow<Tensor>]"}
# Lists that need memory of their own for the call: the function that makes it, and the one that boxes it.
PREPARED = {
    "Tensor[]": ("handles", "operator::tensor_list"),
    "Tensor?[]": ("optional_handles", "operator::optional_tensor_list"),
    "Scalar[]": ("operator::scalars", "operator::scalar_list"),
}
RESULTS = {
    "Tensor": ("Tensor", "tensor"),
    "Tensor[]": ("Vec<Tensor>", "tensors"),
    "bool": ("bool", "bool"),
    "int": ("i64", "int"),
    "ScalarType": ("DType", "dtype"),
}


def rust_function_name(operator: Operator) -> str:
    name = "_".join(operator.words)
    name = RENAMED.get(name, name)
    if operator.suffix == "out":
        return name + "_out"
    if operator.suffix == "inplace":
        return name + "_"
    return name + "_op" if name in KEYWORDS else name


def rust_parameter_name(a: Argument) -> str:
    name = "upper_n" if a.name == "N" else a.name.lower()
    return name + "_" if name in KEYWORDS | LOCALS else name


class Options:
    """The structs of optional arguments; forms of an operator with the same ones share a struct."""

    def __init__(self):
        self.fields: dict[str, list[tuple[str, str, str]]] = {}

    def options_struct_name(self, operator: Operator) -> str:
        """The name of the operator's struct, with its lifetime; "" without optional arguments."""
        fields = [
            (rust_parameter_name(a), TYPES[strip_type_modifiers(a.type)], a.name)
            for _, a in operator.optional_arguments
        ]
        if not fields:
            return ""
        base = "".join(word.capitalize() for word in operator.words)
        for name in (base, base + operator.suffix.capitalize()):
            name += "Options"
            if self.fields.setdefault(name, fields) == fields:
                return name + ("<'_>" if needs_lifetime(fields) else "")
        raise ValueError(f"two operators need {name} with different fields: {operator.schema.text}")

    def write_structs(self) -> str:
        parts = []
        for name, fields in sorted(self.fields.items()):
            lifetime = "<'a>" if needs_lifetime(fields) else ""
            parts += ["/// Optional arguments; `None` is torch's default.", "#[derive(Clone, Copy, Default)]"]
            parts.append(f"pub struct {name}{lifetime} {{")
            parts += [f"    pub {field}: Option<{kind.format(chr(39) + 'a ')}>," for field, kind, _ in fields]
            parts.append("}\n")
        return "\n".join(parts)


def needs_lifetime(fields) -> bool:
    return any("&" in kind for _, kind, _ in fields)


def rust_result_type(operator: Operator) -> str:
    if operator.written_arguments:
        is_self = operator.is_method and operator.written_arguments[0] is operator.schema.args[0]
        return "Result<&Tensor>" if is_self and len(operator.written_arguments) == 1 else "Result<()>"
    types = [RESULTS[r.type][0] for r in operator.schema.returns]
    return f"Result<{types[0]}>" if len(types) == 1 else f"Result<({', '.join(types)})>"


def list_rust_parameters(operator: Operator) -> list[str]:
    params = []
    for i, a in operator.required_arguments:
        kind = strip_type_modifiers(a.type)
        if operator.is_method and i == 0:
            params.append("&self")
        elif a.type == "Tensor?":
            params.append(f"{rust_parameter_name(a)}: Option<&Tensor>")
        else:
            params.append(f"{rust_parameter_name(a)}: {GENERIC.get(kind, TYPES[kind].format(''))}")
    return params


def write_rust_signatures(operator: Operator, options: str) -> list[str]:
    """The function with required arguments, and the one with options as well."""
    name, params, returns = rust_function_name(operator), list_rust_parameters(operator), rust_result_type(operator)
    plain = f"fn {name}({', '.join(params)}) -> {returns}"
    with_name = f"{name.removesuffix('_')}_with_" if operator.suffix == "inplace" else f"{name}_with"
    with_options = f"fn {with_name}({', '.join([*params, f'options: {options}'])}) -> {returns}"
    return [plain, with_options] if options else [plain]


def write_boxed_argument(operator: Operator, argument_index: int, a: Argument) -> tuple[str, str]:
    """A statement to run before, or "", and the expression of the value."""
    kind, name = strip_type_modifiers(a.type), rust_parameter_name(a)
    if operator.is_method and argument_index == 0:
        return "", "self.boxed()"
    is_option = (argument_index, a) in operator.optional_arguments
    if kind in PREPARED:
        prepare, box = PREPARED[kind]
        if is_option:
            other = "or_none" if a.default is None else "or_default"
            missing = f"operator::tagged(mindtorch_sys::MT_TAG_{other.removeprefix('or_').upper()})"
            before = f"let {name} = options.{name}.map({prepare});"
            return before, f"{name}.as_deref().map_or_else(|| {missing}, {box})"
        return f"let {name} = {prepare}({name});", f"{box}(&{name})"
    if is_option:
        return "", f"{'or_none' if a.default is None else 'or_default'}(options.{name})"
    if a.type == "Tensor?":
        return "", f"or_none({name})"
    if kind == "Scalar":
        return "", f"{name}.into().boxed()"
    return "", f"{name}.boxed()"


def write_rust_function(operator: Operator, options: Options) -> str:
    s, struct = operator.schema, options.options_struct_name(operator)
    declared = write_rust_signatures(operator, struct)
    lines = [f"/// `{s.text.removeprefix('aten::')}`", f"pub {declared[-1]} {{"]
    lines.append(f'    static SITE: Site = Site::new("{s.ns}::{s.name}", "{s.overload}");')
    parts = [write_boxed_argument(operator, i, a) for i, a in enumerate(s.args)]
    lines += [f"    {before}" for before, _ in parts if before]
    values = f"&[{', '.join(value for _, value in parts)}]"
    returns = [r.type for r in s.returns]
    if operator.written_arguments:
        lines.append(
            f"    SITE.nothing::<{len(returns)}>({values})" + ("" if "()" in rust_result_type(operator) else "?;")
        )
        if "()" not in rust_result_type(operator):
            lines.append("    Ok(self)")
    elif not returns:
        lines.append(f"    SITE.nothing::<0>({values})")
    elif returns == ["Tensor"]:
        lines.append(f"    SITE.one({values})")
    else:
        names = [f"r{i}" for i in range(len(returns))]
        lines.append(f"    let [{', '.join(names)}] = SITE.call({values})?;")
        taken = [f"operator::{RESULTS[kind][1]}({name})" for name, kind in zip(names, returns, strict=True)]
        if len(taken) == 1:
            lines.append(f"    {taken[0]}")
        else:
            # All are taken before the first error returns, so that none leaks.
            lines.append(f"    let ({', '.join(names)}) = ({', '.join(taken)});")
            lines.append(f"    Ok(({', '.join(name + '?' for name in names)}))")
    lines.append("}")
    if struct:
        given = [rust_parameter_name(a) for i, a in operator.required_arguments if not (operator.is_method and i == 0)]
        called = declared[1].split("(")[0].removeprefix("fn ")
        place = "self." if operator.is_method else ""
        lines = [
            f"/// `{s.text.removeprefix('aten::')}` with torch's defaults.",
            f"pub {declared[0]} {{",
            f"    {place}{called}({', '.join([*given, 'Default::default()'])})",
            "}",
            "",
            *lines,
        ]
    return "\n".join(lines)


def generate_rust_source(ops: list[Schema]) -> str:
    public, options = make_operators(ops), Options()
    methods, functions = [], []
    for operator in public:
        made = write_rust_function(operator, options)
        if operator.is_method:
            methods.append("\n".join("    " + line if line else "" for line in made.split("\n")))
        else:
            functions.append(made)
    return "\n".join(
        [HEAD, options.write_structs(), "impl Tensor {", "\n\n".join(methods), "}\n", "\n\n".join(functions), ""],
    )
