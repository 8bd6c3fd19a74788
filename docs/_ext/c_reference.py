"""Writes the reference of the C ABI: a page for each public header, with its declarations and what it says of them.

The headers have one form (comments before a declaration or behind it, sections as `/* ---- title ---- */`). Nothing
else is parsed here; a declaration of another form stops the build.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from plain_docs import convert_prose, indent_lines, write_code_block

INTERNAL = re.compile(r"#|extern \"C\"|}\s*$")
SECTION = re.compile(r"/\* -{3,} (.+?) -{3,} \*/$")
FUNCTION = re.compile(r"(?:MT_API|static inline MT_BOX_UNUSED) ")
POINTER_TYPE = re.compile(r"typedef [^{(]*\(\*(\w+)\)")
STRUCT = re.compile(r"typedef struct(?: \w+)? \{.*\} (\w+);", re.DOTALL)
OPAQUE = re.compile(r"typedef struct (\w+) \w+;")


@dataclass
class Declaration:
    kind: str  # "function", "type", "struct", "enum", "macro"
    texts: list[str]
    comments: list[str] = field(default_factory=list)


@dataclass
class Section:
    title: str
    entries: list[Declaration | str] = field(default_factory=list)


def strip_comment_marks(comment: str) -> str:
    """A comment's text without its marks."""
    lines = comment.strip().removeprefix("/*").removesuffix("*/").split("\n")
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in lines).strip()


def strip_indent(comment: str) -> list[str]:
    lines = [line.rstrip() for line in comment.split("\n")]
    return [line if line.startswith(("- ", "  ")) else line.strip() for line in lines]


def split_trailing(text: str) -> tuple[str, str]:
    """A declaration and the comment behind it on its last line."""
    found = re.search(r"(?<=[;}])\s*(/\*(?:(?!\*/).)*\*/)\s*$", text, re.DOTALL)
    return (text[: found.start()].rstrip(), strip_comment_marks(found[1])) if found else (text.rstrip(), "")


def keep_branches_of_c(text: str) -> str:
    """Returns a header without what only C++ reads."""
    return re.sub(r"^#ifdef __cplusplus\n(?:.*\n)*?(?:#else\n((?:.*\n)*?))?#endif.*\n", r"\1", text, flags=re.MULTILINE)


def yield_statements(text: str):
    """Comments, declarations and blank lines of a header, one after the other."""
    lines, i = keep_branches_of_c(text).split("\n"), 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            yield "blank", ""
        elif line.startswith("/*"):
            start = i
            while "*/" not in lines[i]:
                i += 1
            yield "comment", "\n".join(lines[start : i + 1])
        elif line.startswith("#define"):
            start = i
            while lines[i].endswith("\\"):
                i += 1
            yield "define", "\n".join(lines[start : i + 1])
        elif INTERNAL.match(line):
            pass
        else:
            start, bare = i, ""
            while True:
                bare = re.sub(r"/\*.*?\*/", "", "\n".join(lines[start : i + 1]), flags=re.DOTALL)
                ended = bare.rstrip().endswith(";") or (FUNCTION.match(bare) and bare.rstrip().endswith("}"))
                if "/*" not in bare and ended and bare.count("{") == bare.count("}"):
                    break
                if i + 1 >= len(lines):
                    raise ValueError(f"a declaration that does not end:\n{lines[start]}")
                i += 1
            yield "declaration", "\n".join(lines[start : i + 1])
        i += 1


def classify_declaration(text: str) -> str:
    if FUNCTION.match(text):
        return "function"
    if text.startswith(("enum", "typedef enum")):
        return "enum"
    if STRUCT.match(text):
        return "struct"
    if OPAQUE.match(text) or POINTER_TYPE.match(text):
        return "type"
    raise ValueError(f"a declaration of a form that docs/_ext/c_reference.py does not know:\n{text}")


def are_two_sides_of_one(a: str, b: str) -> bool:
    """Whether two functions are two sides of one thing (get and set, enter and exit), which one comment explains."""

    def split_name_without_verbs(text: str) -> list[str]:
        name = re.search(r"(\w+)\(", text)[1]
        return [word for word in name.split("_") if word not in {"get", "set", "enter", "exit", "push", "pop"}]

    return split_name_without_verbs(a) == split_name_without_verbs(b)


def make_sentence(text: str) -> str:
    """A note behind a declaration, as a sentence; names of the C ABI are code."""
    text = re.sub(r"(?<![`\w])((?:mt|MT)_\w+(?:\(\))?)", r"`\1`", text)
    text = text if text[:1] == "`" or re.match(r"[a-z]+[_*]", text) else text[:1].upper() + text[1:]
    return text if text.endswith((".", ":", ";")) else text + "."


def parse_header(text: str) -> tuple[str, list[Section]]:
    """The header's first line, and its sections."""
    title, sections, above = "", [Section("")], None
    last: Declaration | None = None
    for kind, body in yield_statements(text):
        if kind == "comment":
            if not title:
                title = strip_comment_marks(body)
            elif found := SECTION.match(body):
                sections.append(Section(found[1]))
            else:
                if above:
                    sections[-1].entries.append(above)
                above = strip_comment_marks(body)
            last = None
        elif kind == "blank":
            if above:
                sections[-1].entries.append(above)
            above = last = None
        elif kind == "define":
            if above:  # a macro that the header explains
                last = Declaration("macro", [body], [above])
                sections[-1].entries.append(last)
            above = last = None
        else:
            declared, behind = split_trailing(body)
            what = classify_declaration(declared)
            if what == "enum":  # shown as it stands
                declared, behind = body, ""
            if (
                not above
                and not behind
                and last
                and last.kind == what == "function"
                and are_two_sides_of_one(last.texts[-1], declared)
            ):
                last.texts.append(declared)  # a neighbour that shares the comment
                continue
            last = Declaration(what, [declared], [each for each in (above, behind) if each])
            sections[-1].entries.append(last)
            above = None
    if above:
        sections[-1].entries.append(above)
    return title, sections


def strip_to_signature(text: str) -> str:
    bare = FUNCTION.sub("", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    bare = bare[: bare.index("{")] if "{" in bare else bare
    return " ".join(bare.rstrip("; \n").split())


def write_entry(entry: Declaration | str) -> list[str]:
    if isinstance(entry, str):
        return convert_prose(strip_indent(make_sentence(entry)))
    words = [line for comment in entry.comments for line in convert_prose(strip_indent(make_sentence(comment)))]
    if entry.kind == "function":
        first, *rest = (strip_to_signature(text) for text in entry.texts)
        return [
            f".. c:function:: {first}",
            *(f"                 {each}" for each in rest),
            "",
            *indent_lines(words, 3),
            "",
        ]
    shown = "\n".join(entry.texts).split("\n")
    if entry.kind == "type" and (found := OPAQUE.match(entry.texts[0])):
        return [f".. c:struct:: {found[1]}", "", *indent_lines(words, 3), ""]
    if entry.kind == "type":
        declared = strip_to_signature(entry.texts[0]).removeprefix("typedef ")
        return [f".. c:type:: {declared}", "", *indent_lines(words, 3), ""]
    if entry.kind == "struct":
        return [
            f".. c:struct:: {STRUCT.match(entry.texts[0])[1]}",
            "",
            *indent_lines([*words, *write_code_block(shown, "c")], 3),
            "",
        ]
    return [*words, *write_code_block(shown, "c")]


def write_page(path: Path) -> str:
    title, sections = parse_header(path.read_text(encoding="utf-8"))
    heading = path.name
    lines = [heading, "=" * len(heading), "", *convert_prose([title])]
    for section in sections:
        if section.title and section.entries:
            lines += [section.title[0].upper() + section.title[1:], "-" * len(section.title), ""]
        for entry in section.entries:
            lines += write_entry(entry)
    return "\n".join(lines) + "\n"


def write_pages(include: Path) -> dict[str, str]:
    """File name -> text, of the whole reference."""
    headers = sorted(path for path in include.glob("*.h") if path.name != "mindtorch.h")
    order = ["base.h", "tensor.h", "op.h", "autograd.h", "runtime.h"]
    headers.sort(key=lambda path: (order.index(path.name) if path.name in order else len(order), path.name))
    made = {f"{path.stem}.rst": write_page(path) for path in headers}
    entries = "\n".join(f"   {path.stem}" for path in headers)
    made["index.rst"] = f"""\
The C ABI
=========

Every public header of ``<mindtorch/...>``, as it is installed. ``mindtorch.h`` includes them all, except ``box.h`` and
``ops.h``. The conventions that hold for every function stand first in :doc:`base`; :doc:`/c` is the way in.

``ops.h`` is written by the build: one typed call for each operator, over :c:func:`mt_op_call`.
:doc:`/reference/operators/index` shows the calls beside the operators.

.. toctree::
   :maxdepth: 1

{entries}
   hpp
"""
    made["hpp.rst"] = """\
mindtorch.hpp
=============

C++11 over the C ABI, header only. :doc:`/cpp` is the way in; this is the whole header.

.. literalinclude:: /repo/capi/include/mindtorch/mindtorch.hpp
   :language: cpp
"""
    return made
