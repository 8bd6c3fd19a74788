"""Renders the documentation of every Python name that operators define: signature lines, texts, shared arguments.

An operator's own file contains its text (`.doc`). This module adds what many operators share: signature lines,
arguments with the same meaning everywhere, and a sentence for in-place forms.
"""

import keyword
import re
import struct
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from .schema import Argument, Schema

# Arguments with the same meaning in all operators. An operator's own text takes precedence.
SHARED_ARGUMENTS = {
    "dtype": "(torch.dtype, optional): dtype of the result. Default: ``None``, the operator's own choice.",
    "layout": "(torch.layout, optional): layout of the result. Default: ``None``, that of a given tensor, or strided.",
    "device": "(torch.device, optional): device of the result. Default: ``None``, a given tensor's or the default.",
    "pin_memory": "(bool, optional): whether memory is page-locked; needs an accelerator. Default: ``False``.",
    "requires_grad": "(bool, optional): whether autograd records operations on the result. Default: ``False``.",
    "generator": "(torch.Generator, optional): source of random numbers. Default: ``None``, the device's own.",
    "memory_format": "(torch.memory_format, optional): order of strides. Default: ``torch.preserve_format``.",
    "keepdim": "(bool, optional): whether reduced dimensions stay in the result, with size 1. Default: ``False``.",
    "non_blocking": "(bool, optional): whether the call may return before the copy is done. Default: ``False``.",
    "out": "(Tensor, optional): receives the result; it is resized where its shape differs. Default: ``None``.",
}
OUT_TUPLE = "(tuple of Tensors, optional): tensors that receive the results, in their order. Default: ``None``."
TENSOR_OPTIONS = ("dtype", "layout", "device", "pin_memory")
PRINTED_TYPES = {"Scalar": "Number", "SymInt": "int"}

ARGUMENTS = re.compile(r"^Args:\n((?:    .*\n|\n(?=    ))*)", re.MULTILINE)
NAMES = re.compile(r"    (\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(|:)")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a Python signature; `default` is Python source, or None if the argument is required."""

    name: str
    default: str | None
    keyword_only: bool

    def write_declaration(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


def python_default(a: Argument) -> str | None:
    if a.default is None:
        return None
    kind, text = a.type.rstrip("?"), a.default
    if kind in ("ScalarType", "Layout", "Device", "MemoryFormat"):
        return "torch.contiguous_format" if text == "contiguous_format" else "None"
    if kind in ("bool", "Tensor") or text in ("None", "True", "False"):
        return text
    if kind == "str":
        return repr(text.strip("'\""))
    if kind == "int" and text[0].isalpha():
        return {"Mean": "1", "Sum": "2"}.get(text, "0")
    if "[" in kind:
        items = [item.strip() for item in text.strip("[]").split(",") if item.strip()]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})" if items else "()"
    return text


def list_python_parameters(s: Schema, is_method: bool, has_out: bool) -> list[Parameter]:
    """The signature that the argument binder uses: `self` is `input` in functions; factories take requires_grad."""
    found = []
    options = {a.name for a in s.args} >= set(TENSOR_OPTIONS)
    for a in s.args:
        if a.name == "self" and a.type == "Tensor":
            if is_method:
                continue
            found.append(Parameter("input", None, False))
            continue
        if options and a.name in TENSOR_OPTIONS:
            continue
        found.append(Parameter(a.name, python_default(a), a.keyword_only))
    if has_out:
        found.append(Parameter("out", "None", True))
    if options:
        found += [Parameter(name, "False" if name == "pin_memory" else "None", True) for name in TENSOR_OPTIONS]
        found.append(Parameter("requires_grad", "False", True))
    return found


def join_parameters(parameters: list[Parameter], first_parameter: str = "") -> str:
    parts, star = [first_parameter] if first_parameter else [], False
    for p in parameters:
        if p.keyword_only and not star:
            parts.append("*")
            star = True
        parts.append(p.write_declaration())
    return f"({', '.join(parts)})"


def write_result_type(s: Schema) -> str:
    names = []
    for r in s.returns:
        kind = r.type
        if "[" in kind:
            kind = f"tuple of {kind.split('[')[0].rstrip('?')}s"
        names.append(PRINTED_TYPES.get(kind, kind))
    return names[0] if len(names) == 1 else f"({', '.join(names)})" if names else "None"


def join_signatures(overloads: list[list[Parameter]]) -> list[Parameter]:
    """One signature that accepts what any overload accepts; `...` is the default of a parameter that only some
    overloads have."""
    if len(overloads) == 1:
        return overloads[0]
    positional = [[p for p in ps if not p.keyword_only] for ps in overloads]
    longest = max(positional, key=len)
    aligned = all([p.name for p in ps] == [p.name for p in longest[: len(ps)]] for ps in positional)
    shared = longest if aligned else common_prefix(positional)
    result, must = [], True
    for index, p in enumerate(shared):
        everywhere = all(len(ps) > index and ps[index].default is None for ps in positional)
        must = must and everywhere
        defaults = {ps[index].default for ps in positional if len(ps) > index} - {None}
        result.append(Parameter(p.name, None if must else defaults.pop() if len(defaults) == 1 else "...", False))
    if not aligned:
        return [*result, Parameter("*args", None, False), Parameter("**kwargs", None, False)]
    taken = {p.name for p in result}
    for ps in overloads:
        for p in ps:
            if p.name not in taken:
                taken.add(p.name)
                everywhere = all(q.default is None for qs in overloads for q in qs if q.name == p.name) and all(
                    any(q.name == p.name for q in qs) for qs in overloads
                )
                result.append(Parameter(p.name, None if everywhere else p.default or "...", True))
    result.sort(key=lambda p: (p.keyword_only, p.name == "out"))
    return result


def common_prefix(lists: list[list[Parameter]]) -> list[Parameter]:
    prefix = []
    for column in zip(*lists, strict=False):
        if len({p.name for p in column}) > 1:
            break
        prefix.append(column[0])
    return prefix


def find_documented_names(text: str) -> set[str]:
    section = ARGUMENTS.search(text + "\n")
    if not section:
        return set()
    return {name.strip(" *") for line in NAMES.findall(section[1]) for name in line.split(",")}


def add_missing_argument_docs(text: str, overloads: list[list[Parameter]], out_is_tuple: bool) -> str:
    """Adds the shared descriptions of arguments that the text does not describe."""
    said = find_documented_names(text)
    names = list(dict.fromkeys(p.name for ps in overloads for p in ps))
    lines = []
    for name in names:
        if name in said or name not in SHARED_ARGUMENTS:
            continue
        lines.append(f"    {name} {OUT_TUPLE if name == 'out' and out_is_tuple else SHARED_ARGUMENTS[name]}\n")
    section = ARGUMENTS.search(text + "\n")
    if not lines or (not section and "\n" not in text):
        return text
    if section:
        end = section.start() + len(section[0].rstrip("\n")) + 1
        whole = text + "\n"
        return (whole[:end] + "".join(lines) + whole[end:]).rstrip("\n")
    head, blank, rest = text.partition("\n\nReturns:")
    return f"{head}\n\nArgs:\n{''.join(lines).rstrip()}{blank}{rest}"


def drop_argument_docs(text: str, names: set[str]) -> str:
    """Drops the entries of arguments that this form does not have."""
    section = ARGUMENTS.search(text + "\n")
    if not section:
        return text
    kept, keep = [], True
    for line in section[1].splitlines(keepends=True):
        entry = NAMES.match(line)
        if entry:
            keep = not {name.strip(" *") for name in entry[1].split(",")} <= names
        if keep:
            kept.append(line)
    body = "Args:\n" + "".join(kept) if kept else ""
    whole = text + "\n"
    return re.sub(r"\n{3,}", "\n\n", whole[: section.start()] + body + whole[section.end() :]).rstrip("\n")


def rename_self_to_input(text: str) -> str:
    """A function's first argument is called `input` in Python."""
    text = re.sub(r"`[^`\n]*`", lambda span: re.sub(r"\bself\b", "input", span[0]), text)
    return re.sub(r"^(    (?:\w+, )*)self((?:, \w+)* \(|:)", r"\1input\2", text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """What help() shows of one Python name. `key` is "torch.lerp" or "Tensor.lerp_"."""

    key: str
    text_signature: str  # inspect.signature reads this
    lines: tuple[str, ...]  # a signature line for each overload
    text: str

    def write_docstring(self) -> str:
        return "\n".join(self.lines) + ("\n\n" + self.text if self.text else "")


def list_out_arguments(s: Schema) -> list[Argument]:
    """The arguments that receive the results of an out form."""
    return [a for a in s.args if a.mutated and a.keyword_only]


def make_entry(key: str, name: str, schemas: list[Schema], outs: dict[str, Schema], is_method: bool) -> Entry:
    overloads, lines = [], []
    shown = key if not is_method else f"Tensor.{name}"
    for s in schemas:
        ps = list_python_parameters(s, is_method, s.full_name in outs)
        if ps not in overloads:
            overloads.append(ps)
        line = f"{shown}{join_parameters(ps)} -> {write_result_type(s)}"
        if line not in lines:
            lines.append(line)
    first = schemas[0]
    text = first.doc if is_method else rename_self_to_input(first.doc)
    if is_method:
        text = drop_argument_docs(text, {"self"})
    missing = {"out"} if not any(p.name == "out" for ps in overloads for p in ps) else set()
    text = drop_argument_docs(text, missing)
    out_is_tuple = any(len(list_out_arguments(outs[s.full_name])) > 1 for s in schemas if s.full_name in outs)
    text = add_missing_argument_docs(text, overloads, out_is_tuple)
    if "inplace" in first.forms:
        target = "self" if is_method else "input"
        text = f"Writes the result of {first.base_name}() into `{target}` and returns it.\n\n{text}"
    elif name != first.base_name and not name.startswith("__"):
        text = f"Another name of {first.base_name}().\n\n{text}"
    signature = join_parameters(join_signatures(overloads), "$self" if is_method else "")
    return Entry(key, f"{name}{signature}", tuple(lines), text.strip())


def python_module_of(name: str, default_module: str) -> str:
    for module in ("special", "linalg", "fft"):
        if name.startswith(f"{module}_"):
            return module
    return "" if default_module.startswith("_") else default_module


def drop_tensor_options(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(kind, name) for kind, name in names if name not in TENSOR_OPTIONS]


def map_to_out_forms(ops: list[Schema]) -> dict[str, Schema]:
    """Full name of a functional form -> its out form."""
    by_inputs = {}
    for s in ops:
        if "out" in s.forms:
            inputs = [(a.type, a.name) for a in s.args if not (a.mutated and a.keyword_only)]
            by_inputs.setdefault((s.base_name, tuple(inputs)), s)
    found = {}
    for s in ops:
        inputs = [(a.type, a.name) for a in s.args]
        for wanted in (inputs, drop_tensor_options(inputs)):
            out = by_inputs.get((s.base_name, tuple(wanted)))
            if out is not None and "out" not in s.forms and not s.mutates:
                found[s.full_name] = out
                break
    return found


def select_python_overloads(ops: list[Schema]) -> list[Schema]:
    """The overloads without those for other languages, such as add.Scalar: add.Tensor also takes numbers."""
    takes_numbers = {s.name for s in ops if s.overload == "Tensor" and "numbers_as_tensors" in s.traits}
    return [s for s in ops if s.overload != "Scalar" or s.name not in takes_numbers]


def python_names_of(s: Schema) -> list[str]:
    return [s.name if "inplace" in s.forms else s.base_name, *s.aliases]


def make_operator_entries(ops: list[Schema]) -> list[Entry]:
    """Every Python function and method that operators define, by key."""
    outs = map_to_out_forms(ops)
    ops = select_python_overloads(ops)
    functions: dict[tuple[str, str], list[Schema]] = defaultdict(list)
    methods: dict[str, list[Schema]] = defaultdict(list)
    for s in ops:
        for name in python_names_of(s):
            if "function" in s.forms and not name.startswith("__"):
                functions[python_module_of(name, s.module), name].append(s)
            if "method" in s.forms and any(a.name == "self" for a in s.args) and not python_module_of(name, ""):
                methods[name].append(s)
    found = []
    for (module, name), schemas in functions.items():
        key = f"torch.{module}.{name}" if module else f"torch.{name}"
        shown = f"torch.{module}.{re.sub(f'^_?{module}_', '', name)}" if module else key
        made = make_entry(shown, name, schemas, outs, False)
        found.append(Entry(key, made.text_signature, made.lines, made.text))
    found += [make_entry(f"Tensor.{name}", name, schemas, {}, True) for name, schemas in methods.items()]
    return sorted(found, key=lambda e: e.key)


def is_valid_python_signature(signature: str) -> bool:
    """Python cannot express random_(from, to), since `from` is a keyword: inspect.signature gets nothing."""
    words = re.findall(r"[(, ](\w+)(?=[=,)])", signature)
    return not any(keyword.iskeyword(word) for word in words if word not in ("None", "True", "False"))


HAND_WRITTEN = Path(__file__).parents[1] / "python/documentation.txt"


def read_hand_written_entries(path: Path) -> list[Entry]:
    """The entries of functions and methods that are not operators; the file contains their signature lines."""
    found = []
    for block in re.split(r"\n\n(?=## )", path.read_text(encoding="utf-8").rstrip())[1:]:
        lines = block.split("\n")
        signatures = [line[3:] for line in lines if line.startswith("## ")]
        text = "\n".join(line for line in lines if not line.startswith("## ")).strip()
        head = signatures[0].partition(" -> ")[0]
        key = head.partition("(")[0]
        name = key.rpartition(".")[2]
        first = "$self" if key.startswith("Tensor.") else ""
        inner = head.partition("(")[2][:-1] if len(signatures) == 1 else "*args, **kwargs"
        found.append(Entry(key, f"{name}({', '.join(filter(None, [first, inner]))})", tuple(signatures), text))
    return found


def write_documentation_file_bytes(ops: list[Schema]) -> bytes:
    """The file that the Python extension maps: `MTDOC1`, a count, pairs of offsets (key, text) sorted by key, and
    the texts, each ended by a zero byte. A text begins in the format of inspect.signature."""
    found = {e.key: e for e in make_operator_entries(ops)} | {e.key: e for e in read_hand_written_entries(HAND_WRITTEN)}
    keys, texts = bytearray(), bytearray()
    places = []
    for _, e in sorted(found.items()):
        places.append((len(keys), len(texts)))
        keys += e.key.encode() + b"\0"
        head = f"{e.text_signature}\n--\n\n" if is_valid_python_signature(e.text_signature) else ""
        texts += (head + e.write_docstring()).encode() + b"\0"
    start = 12 + 8 * len(found)
    index = b"".join(struct.pack("<II", start + key, start + len(keys) + text) for key, text in places)
    return b"MTDOC1\0\0" + struct.pack("<I", len(found)) + index + bytes(keys) + bytes(texts)
