"""Reads the definitions of operators, `MT_OP(OpDef{...})`, out of C++ sources, as text."""

import ast
import re
from dataclasses import replace
from pathlib import Path

from . import schema as schemas
from .schema import Schema

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\])*")|(?P<char>'(?:\\.|[^'\\])')|(?P<open>[({\[])|(?P<close>[)}\]])"""
    r"""|(?P<comma>,)|(?P<other>[^"'(){}\[\],/]+|/)""",
    re.DOTALL,
)
FIELD = re.compile(r"\.(\w+)\s*=")
FORMS = {"function", "method", "inplace", "out"}


def tokens(text: str):
    return (m for m in TOKEN.finditer(text) if m.lastgroup != "comment")


def bodies(text: str):
    """The text between the braces of each OpDef{...} that MT_OP registers."""
    for start in re.finditer(r"\bMT_OP\(\s*OpDef\s*\{", text):
        depth = 1
        for token in tokens(text[start.end() :]):
            depth += (token.lastgroup == "open") - (token.lastgroup == "close")
            if depth == 0:
                yield text[start.end() : start.end() + token.start()]
                break


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
            text = ast.literal_eval(token[0])
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


def schemas_of(body: str, file: str, taken: set[str]) -> list[Schema]:
    values = fields(body)
    words = set(re.findall(r"\w+", values.get("forms", "")))
    traits = frozenset(re.findall(r"MT_OP_\w+", values.get("traits", "")))
    aliases = tuple(text_of(values.get("aliases")).split())
    common = {"doc": text_of(values.get("doc")), "module": text_of(values.get("module")), "traits": traits}
    made = []

    def add(s: Schema, forms: set[str], base: str, names: tuple[str, ...]):
        if s.full_name in taken:
            raise ValueError(f"{file}: the operator {s.full_name} is defined twice")
        taken.add(s.full_name)
        made.append(replace(s, base_name=base, forms=frozenset(forms), aliases=names, file=file, **common))

    for text in strings(values.get("schema", "")):
        s = schemas.parse(text)
        add(s, words & (FORMS if s.mutates else {"function", "method"}), s.name, aliases)
        if s.mutates:
            continue
        if "inplace" in words and s.args and s.args[0].type == "Tensor":
            add(schemas.inplace_form(s), {"inplace"}, s.name, tuple(text_of(values.get("inplace_aliases")).split()))
        if "out" in words:
            add(schemas.out_form(s, taken), {"out"}, s.name, ())
    return made


def read(folder: Path) -> list[Schema]:
    """Every operator below a folder, in the registry's order: by file, then as written."""
    taken: set[str] = set()
    found = []
    for path in sorted(folder.rglob("*.cpp"), key=str):
        for body in bodies(path.read_text(encoding="utf-8")):
            found += schemas_of(body, path.relative_to(folder).as_posix(), taken)
    return found
