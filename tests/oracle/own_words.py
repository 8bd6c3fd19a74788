#!/usr/bin/env python3
"""Does the project speak in its own words? Compares its sources with those of torch, or of others that are installed.

  own_words.py --other SITE-PACKAGES/torch                  the whole checkout
  own_words.py --other SITE-PACKAGES/torch FILE...          these files

Two measures:
  runs       six lines in a row, of 160 characters or more, that stand in both to the letter but for blanks. Imports,
             braces, decorators and single names do not count. C, C++, Python, SWIG and Markdown.
  functions  Python functions of 80 tokens or more whose body is alike, 0.85 by difflib, to that of a function of the
             same name there. Signatures and strings are left out: names and texts of errors are facts.

Exit status: 0 where nothing was found, 1 where something was, 2 where there is nothing to compare with.
"""

import argparse
import ast
import collections
import difflib
import re
import sys
from pathlib import Path

KINDS = {".py", ".pyi", ".cpp", ".cc", ".h", ".hpp", ".c", ".md", ".i"}
LEFT_OUT = {".git", "build", "node_modules", "__pycache__"}
DULL = re.compile(
    r"^(import |from |#include|[{}()\[\];,]*$|pass$|else:?$|try:$|return$|return self$|\"\"\"$|namespace |#pragma"
    r"|#endif|@\w+|\w+,?$)"
)
LINES, CHARACTERS, TOKENS, ALIKE = 6, 160, 80, 0.85


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", action="append", required=True, type=Path, metavar="DIR", help="may be repeated")
    parser.add_argument("--project", type=Path, default=Path(__file__).parents[2], metavar="DIR", help="this checkout")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    return parser.parse_args()


def sources(root):
    for path in root.rglob("*"):
        if path.suffix in KINDS and not LEFT_OUT & set(path.relative_to(root).parts) and path.is_file():
            yield path


def runs(text):
    """(number of the first line, the run) of every six lines that say something."""
    lines = [(number, " ".join(line.split())) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not DULL.match(line)]
    for first in range(len(lines) - LINES + 1):
        run = "\n".join(line for _, line in lines[first : first + LINES])
        if len(run) >= CHARACTERS:
            yield lines[first][0], hash(run)


class WithoutStrings(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(value=0), node) if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node):
        return ast.copy_location(ast.Constant(value=0), node)


def functions(text):
    """(name, line, tokens of the body) of the long functions of a Python file."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(module):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        code = "\n".join(ast.unparse(WithoutStrings().visit(statement)) for statement in body)
        tokens = tuple(re.findall(r"\w+|[^\w\s]", code))
        if len(tokens) >= TOKENS:
            yield node.name, node.lineno, tokens


class Others:
    """What the other trees have: runs by their hash, bodies of functions by name."""

    def __init__(self, roots):
        self.runs, self.bodies = {}, collections.defaultdict(list)
        for root in roots:
            for path in sources(root):
                text, where = path.read_text(errors="ignore"), path.relative_to(root)
                for line, run in runs(text):
                    self.runs.setdefault(run, f"{where}:{line}")
                if path.suffix == ".py":
                    for name, line, tokens in functions(text):
                        self.bodies[name].append((tokens, f"{where}:{line}"))

    def most_alike(self, name, tokens):
        best = 0, ""
        for other, where in self.bodies.get(name, ()):
            matcher = difflib.SequenceMatcher(None, tokens, other, autojunk=False)
            if matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE:
                best = max(best, (matcher.ratio(), where))
        return best


def main():
    options = arguments()
    others = Others(options.other)
    if not others.runs:
        print(f"error: no sources below {' '.join(map(str, options.other))}", file=sys.stderr)
        return 2
    shared = alike = 0
    for path in options.files or sorted(sources(options.project)):
        text = path.read_text(errors="ignore")
        found = [(line, others.runs[run]) for line, run in runs(text) if run in others.runs]
        shared += len(found)
        if found:
            print(f"{path}:{found[0][0]}: {len(found)} runs of lines, as in {found[0][1]}")
        for name, line, tokens in functions(text) if path.suffix == ".py" else ():
            ratio, where = others.most_alike(name, tokens)
            if ratio >= ALIKE:
                alike += 1
                print(f"{path}:{line}: {name} is {ratio:.2f} alike to {where}")
    print(f"own words: {shared} shared runs of lines, {alike} functions alike")
    return 1 if shared or alike else 0


if __name__ == "__main__":
    sys.exit(main())
