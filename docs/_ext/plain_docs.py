"""Turns a docstring in the project's plain style (Google's sections, ``code``, lists, doctests) into reStructuredText.

Whatever is no section, list, doctest or code is text, and stays text: no character of it is markup. So a docstring that
reads well in a terminal cannot break the build of the site.
"""

import inspect
import re

FIELDS = {
    "Args": "Arguments",
    "Arguments": "Arguments",
    "Keyword args": "Keyword arguments",
    "Keyword arguments": "Keyword arguments",
    "Attributes": "Attributes",
    "Raises": "Raises",
    "Returns": "Returns",
    "Yields": "Yields",
    "Shape": "Shape",
}
LISTED = {"Arguments", "Keyword arguments", "Attributes", "Raises"}
RUBRICS = {"Example", "Examples", "Usage", "Notes", "References"}
BOXES = {"Note": "note", "Warning": "warning"}
SECTION = re.compile(rf"({'|'.join([*FIELDS, *RUBRICS, *BOXES])}):\s*$", re.IGNORECASE)
SPAN = re.compile(r"``(?P<double>.+?)``|`(?P<single>[^`]+)`|(?P<url>https?://[^\s<>`]*[^\s<>`.,;:)_])")
ITEM = re.compile(r"(?P<names>\*{0,2}[\w.]+(?:\s*,\s*\*{0,2}[\w.]+)*)(?:\s*\((?P<type>.*?)\))?:(?:\s+|$)(?P<text>.*)")
BULLET = re.compile(r"[-*] +")
SIGNATURE = re.compile(r"[\w.]+\(.*\)(\s*->.*)?$")


def escape_markup(text: str) -> str:
    return re.sub(r"([\\*`|_<>])", r"\\\1", text).replace("::", ":\\:")


def convert_inline(text: str) -> str:
    """One paragraph: code spans and addresses stay, everything else is escaped."""
    out, end = "", 0
    for found in SPAN.finditer(text):
        out += escape_markup(text[end : found.start()])
        end = found.end()
        if found["url"]:
            out += found["url"]
            continue
        code = (found["double"] or found["single"]).strip()
        before = "\\ " if out and not out[-1].isspace() else ""
        after = "\\ " if end < len(text) and not text[end].isspace() else ""
        out += f"{before}``{code}``{after}"
    out += escape_markup(text[end:])
    # Escapes a paragraph that begins like a list, a field, a heading or a directive of reStructuredText.
    return "\\" + out if re.match(r"[\w(#]{1,6}[.)](\s|$)|[-+:.=~^\"'!$%&,/;?@\[\]{}](\s|.*:|\W)", out) else out


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def remove_indent(lines: list[str]) -> list[str]:
    least = min((indent_of(line) for line in lines if line.strip()), default=0)
    return [line[least:] for line in lines]


def indent_lines(lines: list[str], by: int) -> list[str]:
    return [" " * by + line if line else "" for line in lines]


def write_code_block(lines: list[str], language: str) -> list[str]:
    return [f".. code-block:: {language}", "", *indent_lines(lines, 3), ""]


def continues_paragraph(line: str) -> bool:
    """Whether a line belongs to the paragraph before it."""
    return bool(line.strip()) and not indent_of(line) and not BULLET.match(line) and not line.startswith(">>>")


def convert_prose(lines: list[str]) -> list[str]:
    """Paragraphs, lists, doctests, and indented lines, which are code."""
    lines, out, i = remove_indent(lines), [], 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            i += 1
        elif line.lstrip().startswith(">>>"):
            start = i
            while i < len(lines) and lines[i].strip():
                i += 1
            out += write_code_block(remove_indent(lines[start:i]), "pycon")
        elif indent_of(line):
            start = i
            while i < len(lines) and (not lines[i].strip() or indent_of(lines[i])):
                i += 1
            while not lines[i - 1].strip():
                i -= 1
            block = remove_indent(lines[start:i])
            out += (
                convert_prose(block)
                if any(each.startswith(">>>") for each in block)
                else write_code_block(block, "none")
            )
        elif BULLET.match(line):
            while i < len(lines) and (bullet := BULLET.match(lines[i])):
                item = [lines[i][bullet.end() :]]
                i += 1
                while i < len(lines) and lines[i].strip() and indent_of(lines[i]):
                    item.append(lines[i])
                    i += 1
                out += convert_list_item(item[0], item[1:])
            out.append("")
        else:
            words = []
            while i < len(lines) and continues_paragraph(lines[i]):
                words.append(lines[i].strip())
                i += 1
            out += [convert_inline(" ".join(words)), ""]
    return out


def convert_list_item(first: str, rest: list[str]) -> list[str]:
    """A list's item: its text, which may go on in indented lines, and the lists and doctests among those."""
    rest = remove_indent(rest)
    words, i = [first.strip()], 0
    while i < len(rest) and continues_paragraph(rest[i].lstrip()):
        words.append(rest[i].strip())
        i += 1
    body = indent_lines(convert_prose(rest[i:]), 2)
    return ["- " + convert_inline(" ".join(words)), *(["", *body] if body else [])]


def convert_fields(lines: list[str]) -> list[str]:
    """`name (type): text` and what goes on below it, as a list."""
    lines, out, i = remove_indent(lines), [], 0
    while i < len(lines):
        if not lines[i].strip():
            i += 1
            continue
        found = ITEM.match(lines[i])
        start = i
        i += 1
        while i < len(lines) and (not lines[i].strip() or indent_of(lines[i])):
            i += 1
        rest = lines[start + 1 : i]
        if not found:
            out += convert_list_item(lines[start], rest)
            continue
        names = ", ".join(f"**{escape_markup(name.strip())}**" for name in found["names"].split(","))
        kind = f" ({convert_inline(found['type'])})" if found["type"] else ""
        made = convert_list_item(found["text"], rest)
        out += [f"- {names}{kind}: {made[0][2:]}", *made[1:]]
    return out


def split_signatures(text: str) -> tuple[list[str], str]:
    """The signature lines that a docstring begins with, and the rest."""
    lines = inspect.cleandoc(text).split("\n")
    count = 0
    while count < len(lines) and SIGNATURE.match(lines[count].strip()):
        count += 1
    if count and count < len(lines) and lines[count].strip():
        count = 0  # a sentence, not a line of its own
    return [line.strip() for line in lines[:count]], "\n".join(lines[count:]).strip("\n")


def extract_summary(text: str | None) -> str:
    """The first sentence, as reStructuredText."""
    _, body = split_signatures(text or "")
    paragraph = []
    for line in body.split("\n"):
        if not line.strip() or line.startswith(">>>") or SECTION.match(line) or BULLET.match(line):
            break
        paragraph.append(line.strip())
    joined = " ".join(paragraph)
    first = re.match(r".*?[.!?](?=\s+[A-Z`]|$)", joined)
    return convert_inline(first[0] if first else joined)


def convert_to_rst(text: str | None) -> list[str]:
    lines = inspect.cleandoc(text or "").split("\n")
    out, block, name = [], [], ""

    def finish_section():
        if not name:
            return out.extend(convert_prose(block))
        if name in FIELDS.values():
            body = convert_fields(block) if name in LISTED else convert_prose(block)
            if any(body):
                out.extend([f":{name}:", *indent_lines(body, 3), ""])
        elif name in BOXES:
            out.extend([f".. {BOXES[name]}::", "", *indent_lines(convert_prose(block), 3), ""])
        else:
            out.extend([f".. rubric:: {name}", "", *convert_prose(block)])

    for line in lines:
        found = SECTION.match(line)
        if found:
            finish_section()
            word = found[1].capitalize()
            name, block = FIELDS.get(word, word), []
        elif name and line.strip() and not indent_of(line) and name in {*FIELDS.values(), *BOXES}:
            finish_section()  # a paragraph after the section
            name, block = "", [line]
        else:
            block.append(line)
    finish_section()
    return out
