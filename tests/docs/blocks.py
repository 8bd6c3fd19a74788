"""Parses the code of Markdown pages: fenced blocks with their language, and reasons for not running one."""

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>\S*)(?P<rest>.*)$")
REASON = re.compile(r"^ *% not run: (?P<reason>.+)$")
RUN = {"python", "pycon", "sh", "text"}


@dataclass
class Block:
    page: Path
    line: int
    language: str
    text: str
    argument: str = ""  # the argument of a directive, such as the file of a literalinclude
    not_run: str = ""

    @property
    def page_and_line(self) -> str:
        return f"{self.page.name}:{self.line}"


def read_code_blocks(page: Path) -> list[Block]:
    found, opened, indent, lines, reason = [], None, "", [], ""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        fence = FENCE.match(line)
        if opened:
            if fence and not fence["info"]:
                opened.text = "\n".join(each.removeprefix(indent) for each in lines) + "\n"
                found.append(opened)
                opened, lines, reason = None, [], ""
            else:
                lines.append(line)
        elif fence:
            indent = fence["indent"]
            opened = Block(page, number, fence["info"].strip("{}"), "", fence["rest"].strip(), reason)
        elif given := REASON.match(line):
            reason = given["reason"]
        elif line.strip():
            reason = ""
    assert opened is None, f"{page}: a block is not closed"
    return found
