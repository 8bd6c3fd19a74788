"""Reads the definitions of operators, `MT_OP(OpDef{...})`, out of C++ sources, as text."""

import ast
import re
from dataclasses import replace
from pathlib import Path

from . import schema as schemas
from .schema import Schema

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"\(.*?\)"|"(?:\\.|[^"\\])*")|(?P<char>'(?:\\.|[^'\\])')|(?P<open>[({\[])|(?P<close>[)}\]])"""
    r"""|(?P<comma>,)|(?P<other>(?:(?!R"\()[^"'(){}\[\],/])+|/)""",
    re.DOTALL,
)
FIELD = re.compile(r"\.(\w+)\s*=")
FORMS = {"function", "method", "inplace", "out"}
INPLACE_WAYS = {"method": "inplace", "function": "inplace_function"}
NOT_INPLACE = ("__", "special_", "linalg_", "fft_")
OVERLOAD = re.compile(r'\boverload\("(\w*)",\s*\{')


def tokens(text: str):
    return (m for m in TOKEN.finditer(text) if m.lastgroup != "comment")


def inside(text: str) -> str:
    """What comes before the brace that closes one opened before `text`."""
    depth = 1
    for token in tokens(text):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth == 0:
            return text[: token.start()]
    return text


def bodies(text: str):
    """The text between the braces of each OpDef{...} that MT_OP registers, be it completed by a function or not."""
    for start in re.finditer(r"\bMT_OP\(\s*(?:\w+\(\s*)?OpDef\s*\{", text):
        yield inside(text[start.end() :])


def fields(body: str) -> dict[str, str]:
    """Field name -> text of its value, for the fields of the outermost level."""
    parts, depth, current = [], 0, ""
    for token in tokens(body):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth == 0 and token.lastgroup == "comma":
            parts.append(current)
            current = ""
        else:
            current += token[0]
    parts.append(current)
    out = {}
    for part in parts:
        found = FIELD.match(part.strip())
        if found:
            out[found[1]] = part.strip()[found.end() :].strip()
    return out


def strings(value: str) -> list[str]:
    """The string literals of a value; neighbours without a comma between them are one."""
    out, joined = [], False
    for token in tokens(value):
        if token.lastgroup == "string":
            text = token[0][3:-2] if token[0].startswith("R") else ast.literal_eval(token[0])
            if joined:
                out[-1] += text
            else:
                out.append(text)
            joined = True
        elif token.lastgroup != "other" or token[0].strip():
            joined = False
    return out


def text_of(value: str | None) -> str:
    return "".join(strings(value)) if value else ""


def forms_of_overloads(value: str) -> dict[str, set[str]]:
    """Overload -> words of its own forms, of `{overload("Scalar", {.forms = function, ...}), ...}`."""
    out = {}
    for start in OVERLOAD.finditer(value):
        words = set(re.findall(r"\w+", fields(inside(value[start.end() :])).get("forms", "")))
        if words:
            out[start[1]] = words
    return out


def inplace_aliases(values: dict[str, str]) -> tuple[str, ...]:
    """Those written, and "alias_" for each alias that is no dunder name and no function of a module."""
    made = [f"{name}_" for name in text_of(values.get("aliases")).split() if not name.startswith(NOT_INPLACE)]
    return (*text_of(values.get("inplace_aliases")).split(), *made)


def schemas_of(body: str, file: str, taken: set[str]) -> list[Schema]:
    values = fields(body)
    shared = set(re.findall(r"\w+", values.get("forms", "")))
    overloads = forms_of_overloads(values.get("overloads", ""))
    traits = frozenset(re.findall(r"MT_OP_\w+", values.get("traits", "")))
    aliases = tuple(text_of(values.get("aliases")).split())
    named = strings(values.get("form_overloads", ""))
    torchs = dict(zip(named[::2], named[1::2], strict=True))
    common = {"doc": text_of(values.get("doc")), "module": text_of(values.get("module")), "traits": traits}
    made = []

    def add(s: Schema, forms: set[str], base: str, names: tuple[str, ...]):
        if s.full_name in taken:
            raise ValueError(f"{file}: the operator {s.full_name} is defined twice")
        taken.add(s.full_name)
        made.append(replace(s, base_name=base, forms=frozenset(forms), aliases=names, file=file, **common))

    for text in strings(values.get("schema", "")):
        s = schemas.parse(text)
        words = overloads.get(s.overload, shared)
        add(s, words & (FORMS if s.mutates else {"function", "method"}), s.name, aliases)
        if s.mutates:
            continue
        if words & {"inplace", "inplace_function"} and s.args and s.args[0].type == "Tensor":
            ways = {way for way, word in INPLACE_WAYS.items() if word in words}
            add(schemas.inplace_form(s, torchs), {"inplace"} | ways, s.name, inplace_aliases(values))
        if "out" in words:
            add(schemas.out_form(s, torchs, taken), {"out"}, s.name, ())
    return made


def read(folder: Path) -> list[Schema]:
    """Every operator below a folder, in the registry's order: by file, then as written."""
    taken: set[str] = set()
    found = []
    for path in sorted(folder.rglob("*.cpp"), key=str):
        for body in bodies(path.read_text(encoding="utf-8")):
            found += schemas_of(body, path.relative_to(folder).as_posix(), taken)
    return found
