"""Writes the types of the package for Node.js: a function and a method for each operator, as TypeScript has them."""

from .schema import Argument, Schema
from .typed import Operator, make_operators, strip_type_modifiers

HEAD = """\
// Written by bindings/generate.py from the operators' schemas.
import type { Complex, DType, Generator, Scalar, Tensor } from "./index";
"""
KEYWORDS = set("break case catch class const continue debugger default delete do else enum export extends".split())
KEYWORDS |= set("finally for function if import in instanceof new null return super switch this throw true try".split())
KEYWORDS |= set("false typeof var void while with yield let static await arguments eval options".split())
TYPES = {
    "Tensor": "Tensor",
    "Scalar": "Scalar",
    "int": "number | bigint",
    "float": "number",
    "bool": "boolean",
    "str": "string",
    "ScalarType": "DType",
    "Layout": "number",
    "MemoryFormat": "number",
    "Device": "string",
    "Generator": "Generator",
    "Tensor[]": "readonly Tensor[]",
    "Tensor?[]": "readonly (Tensor | null)[]",
    "int[]": "readonly (number | bigint)[]",
    "float[]": "readonly number[]",
    "bool[]": "readonly boolean[]",
    "Scalar[]": "readonly Scalar[]",
}
RESULTS = {
    "Tensor": "Tensor",
    "Tensor[]": "Tensor[]",
    "bool": "boolean",
    "int": "number | bigint",
    "float": "number",
    "ScalarType": "DType",
    "Scalar": "number | bigint | boolean | Complex",
}


def typescript_type_of(a: Argument, s: Schema) -> str:
    made = TYPES[strip_type_modifiers(a.type)]
    if a.type.rstrip("?").endswith("]") and "[]" not in a.type and strip_type_modifiers(a.type) == "int[]":
        made += " | number"  # repeated as often as the list is long
    if "numbers_as_tensors" in s.traits and a.type == "Tensor" and a.name != "self" and not a.mutated:
        made += " | number"
    return made + (" | null" if a.type.endswith("?") else "")


def typescript_parameter_name(name: str) -> str:
    return name + "_" if name in KEYWORDS else name


def typescript_result_type(s: Schema) -> str:
    types = [RESULTS[r.type] for r in s.returns]
    return types[0] if len(types) == 1 else f"[{', '.join(types)}]" if types else "void"


def write_options_parameter(arguments: list[Argument], s: Schema) -> str:
    """The object of arguments by name, a call's last argument."""
    if not arguments:
        return ""
    fields = "; ".join(f"{a.name}{'?' if a.default is not None else ''}: {typescript_type_of(a, s)}" for a in arguments)
    return f"options{'?' if all(a.default is not None for a in arguments) else ''}: {{ {fields} }}"


def write_call_forms(s: Schema, arguments: list[Argument], wrap: str = "{}") -> list[str]:
    """The parameters and result of each way to call: optional arguments by name, and by position if some can be."""
    required = [a for a in arguments if a.default is None and not a.keyword_only]
    optional = [a for a in arguments if a.default is not None and not a.keyword_only]
    keywords = [a for a in arguments if a.keyword_only]
    given = [f"{typescript_parameter_name(a.name)}: {typescript_type_of(a, s)}" for a in required]
    ways = [[*given, write_options_parameter(optional + keywords, s)]]
    if optional:
        places = [f"{typescript_parameter_name(a.name)}?: {typescript_type_of(a, s)}" for a in optional]
        # TypeScript allows no required parameter after an optional one.
        if all(a.default is not None for a in keywords):
            ways.append([*given, *places, write_options_parameter(keywords, s)])
    result = wrap.format(typescript_result_type(s))
    return [f"({', '.join(part for part in way if part)}): {result}" for way in ways]


def has_only_convertible_arguments(operator: Operator) -> bool:
    return all(strip_type_modifiers(a.type) in TYPES for a in operator.schema.args)


def list_shortest_signature(operator: Operator) -> list[str]:
    """What the reference shows: the shortest form of the function or method."""
    s = operator.schema
    if not has_only_convertible_arguments(operator):
        return []
    if operator.is_method:
        return [f"tensor.{s.name}{write_call_forms(s, list(s.args[1:]))[0]}"]
    return [f"{s.name}{write_call_forms(s, list(s.args))[0]}"]


def generate_typescript_declarations(ops: list[Schema]) -> str:
    public = sorted(
        (o for o in make_operators(ops) if has_only_convertible_arguments(o)),
        key=lambda o: (o.schema.name, o.schema.overload),
    )
    functions, methods, renamed = [], [], []
    for operator in public:
        s = operator.schema
        if s.name in KEYWORDS:
            renamed += [f"{s.name}_ as {s.name}", f"{s.name}_Async as {s.name}Async"]
        for suffix, wrap in (("", "{}"), ("Async", "Promise<{}>")):
            name = typescript_parameter_name(s.name) + suffix
            # A name that is exported under another one is declared only.
            word = "declare function" if s.name in KEYWORDS else "export function"
            functions += [f"{word} {name}{call};" for call in write_call_forms(s, list(s.args), wrap)]
            if operator.is_method:
                methods += [f"  {s.name}{suffix}{call};" for call in write_call_forms(s, list(s.args[1:]), wrap)]
    exports = [f"export {{ {', '.join(sorted(set(renamed)))} }};"] if renamed else []
    interface = ["/** The operators as methods of their first tensor. */", "export interface Methods {", *methods, "}"]
    return "\n".join([HEAD, *interface, "", *functions, *exports, ""])
