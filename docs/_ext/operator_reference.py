"""Writes the reference of operators: a page for each family, from the registry as the build writes it.

Which devices have a kernel, the library says.
"""

import re
from collections import defaultdict
from pathlib import Path

from generator import c_header, schema, stubs
from generator.schema import Schema
from plain_docs import convert_inline, convert_to_rst, indent_lines, write_code_block

FAMILIES = {
    "pointwise": "Pointwise",
    "reduction": "Reductions",
    "view": "Views and shapes",
    "index": "Indexing, sorting, searching",
    "copy": "Copies and conversions",
    "factory": "New tensors",
    "random": "Random numbers",
    "matmul": "Matrix products",
    "linalg": "Linear algebra",
    "fft": "Fourier transforms and signals",
    "special": "Special functions",
    "nn": "Layers, activations, losses",
    "norm": "Normalisation",
    "conv": "Convolutions",
    "pool": "Pooling",
    "resample": "Resampling and patches",
    "rnn": "Recurrent layers",
    "foreach": "Lists of tensors",
    "optim": "Fused optimizers",
    "sparse": "Sparse tensors",
}
MODULES = {
    "": "torch",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "special": "torch.special",
    "sparse": "torch.sparse",
}
KEYS = {"CPU": 0, "NPU": 1, "meta": 2, "sparse COO": 3, "sparse compressed": 4}


def describe_gradient(s: Schema) -> str:
    arguments = {a.name for a in s.args}
    names = [name for name in s.differentiable if name in arguments]
    if s.gradient == "formula" and names:
        return "yes, with respect to " + ", ".join(f"`{name}`" for name in names)
    if s.gradient == "steps":
        return "that of the operators that it is made of"
    if s.gradient == "none" or not any(a.type.startswith("Tensor") for a in s.args):
        return "no: the result does not depend on the arguments in a differentiable way"
    return "no formula: `backward` through it raises an error"


def find_python_name(s: Schema, package) -> str:
    """Where Python has the function, or "" for torch.ops alone."""
    if s.module in MODULES:
        where = MODULES[s.module]
        name = s.base_name.removeprefix(f"{s.module}_") if s.module else s.base_name
    else:
        where, name = "torch.nn.functional", s.base_name
    value = package
    for part in [*where.split(".")[1:], name]:
        value = getattr(value, part, None)
    return f"{where}.{name}" if value is not None else ""


def write_python_signature(s: Schema, name: str, method: bool, takes_out: bool) -> str:
    params, star = [], False
    for a in s.args:
        if method and a.name == "self":
            continue
        if a.keyword_only and not star:
            params.append("*")
            star = True
        params.append(write_parameter(a, s))
    if takes_out and not method:
        params += ["out=None"] if star else ["*", "out=None"]
    return f"{name}({', '.join(params)})"


def write_parameter(a, s: Schema) -> str:
    name = "input" if a.name == "self" else a.name
    numbers = "numbers_as_tensors" in s.traits and not a.mutated and a.name != "self"
    default = {"True": "True", "False": "False", "None": "None", "[]": "()"}.get(a.default, a.default)
    if default and re.match(r"[a-z]\w+$", default):  # the name of a constant: Mean, contiguous_format
        default = repr(default)
    return f"{name}: {stubs.python_type_of(a.type, 'Tensor', numbers)}" + (
        f" = {default}" if default is not None else ""
    )


def file_name_of_family(family: str) -> str:
    return "indexing" if family == "index" else family  # index.rst lists all


def list_devices(group: list[Schema], extension) -> list[str]:
    has = []
    for words, key in KEYS.items():
        if any(extension._mt_has_kernel(f"aten::{s.name}", s.overload, key) for s in group):
            has.append(words)
    return has


def write_entry(base: str, group: list[Schema], package) -> list[str]:
    functional = [s for s in group if not s.mutates] or group
    doc = next((s.doc for s in group if s.doc), "")
    lines = convert_to_rst(doc)
    shown = []
    with_out = any("out" in s.forms for s in group)
    for s in functional:
        name = find_python_name(s, package) if "function" in s.forms else ""
        if name:
            shown.append(write_python_signature(s, name, False, with_out))
        elif "method" in s.forms:
            shown.append(write_python_signature(s, f"Tensor.{s.name}", True, False))
        elif not s.name.startswith("__"):
            shown.append(write_python_signature(s, f"torch.ops.aten.{s.name}", False, False))
    also = []
    if any({"function", "method"} <= s.forms for s in functional):
        also.append(f"a method, `Tensor.{base}`")
    inplace = sorted({s.name for s in group if "inplace" in s.forms})
    if inplace:
        also.append("in place, " + ", ".join(f"`{name}`" for name in inplace))
    aliases = sorted({name for s in functional for name in s.aliases})
    if aliases:
        also.append("by the name " + ", ".join(f"`{name}`" for name in aliases))
    has = list_devices(functional, package._C)
    composite = any(s.gradient == "steps" for s in functional)
    where = (
        ", ".join(has)
        if has
        else "every device that has the operators it is made of"
        if composite
        else "none of its own"
    )
    grads = {s.full_name: describe_gradient(s) for s in functional}
    if len(set(grads.values())) == 1:
        gradient = next(iter(grads.values()))
    else:
        gradient = "; ".join(f"`{name.removeprefix('aten::')}`: {words}" for name, words in grads.items())
    facts = [f":Also: {convert_inline('; '.join(also))}"] if also else []
    facts += [f":Gradient: {convert_inline(gradient)}", f":Kernels: {convert_inline(where)}"]
    if shown:
        lines += ["Python:", "", *write_code_block(list(dict.fromkeys(shown)), "python")]
    c = [
        c_header.write_function(s, False).split("\n")[0].replace("MT_FN", "mt_status*").removesuffix(" {") + ";"
        for s in functional
    ]
    lines += [
        "C (``mindtorch/ops.h``):",
        "",
        *write_code_block(c, "c"),
        "Schemas:",
        "",
        *write_code_block([s.text for s in group], "none"),
    ]
    return [f".. operator:: {base}", "", *indent_lines([*lines, *facts], 3), ""]


def is_internal(base: str) -> bool:
    return base.startswith("_") or "_backward" in base


def write_pages(root: Path) -> dict[str, str]:
    import mindtorch as package

    package.install()
    import torch

    ops = schema.read_registry(root / "build/release/generated/registry.json")
    families: dict[str, dict[str, list[Schema]]] = defaultdict(lambda: defaultdict(list))
    home: dict[str, str] = {}
    for s in ops:
        family = home.setdefault(s.base_name, s.file.split("/")[0])
        families[family][s.base_name].append(s)
    unknown = set(families) - set(FAMILIES)
    if unknown:
        raise ValueError(f"docs/_ext/operator_reference.py has no title for impl/ops/{', '.join(sorted(unknown))}")
    made = {}
    for family, title in FAMILIES.items():
        names = sorted(families[family], key=lambda name: (is_internal(name), name))
        public = [name for name in names if not is_internal(name)]
        lines = [title, "=" * len(title), "", f"The operators of ``impl/ops/{family}``.", ""]
        lines += [", ".join(f":operator:`{name}`" for name in public), ""]
        for i, name in enumerate(names):
            if i == len(public):
                lines += [
                    ".. rubric:: Steps of other operators",
                    "",
                    "What backward passes and fused kernels call; programs rarely do.",
                    "",
                ]
            lines += write_entry(name, families[family][name], torch)
        made[f"{file_name_of_family(family)}.rst"] = "\n".join(lines) + "\n"
    made["index.rst"] = write_index(families, len(ops))
    return made


def write_index(families, count: int) -> str:
    operators = sum(len(names) for names in families.values())
    lines = ["Operators", "=========", ""]
    lines += [
        f"{count:,} schemas of {operators:,} operators, as the registry has them. Each operator has one file below",
        "``impl/ops``, and everything that is said here comes from there: schemas, documentation, gradients, kernels,",
        "and the signatures in Python and C.",
        "",
        "- *Gradient* says which arguments a formula is there for. An operator that is made of others needs none.",
        "- *Kernels* names the devices and layouts for which the operator has a kernel. On another device",
        "  it raises ``NotImplementedError``, unless it is made of operators that have one there. Nothing goes back to",
        "  another device.",
        "- In C, the result is the last parameter; :doc:`/c` says how to call an operator.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *indent_lines([file_name_of_family(family) for family in FAMILIES], 3),
        "",
    ]
    return "\n".join(lines)
