"""Reads the declarations of the public C headers as a compiler sees them, and compares them with the ledger.

    python tests/abi/declarations.py            compare the headers with the ledger (status 1 if they break it)
    python tests/abi/declarations.py --write    add what is new, with the version of the release that will have it
    python tests/abi/declarations.py --print    print every declaration

The ledger is capi/abi/declarations.txt. Each of its lines is a version and a declaration: `constant`, `macro`,
`type`, `struct` (size and alignment), `field` (offset and type) or `function`. Lines may be added but never changed.
Two things may grow, and have a line for each release in which they did: the size of a struct that begins with
`struct_size`, whose fields are only appended, and a constant named *_COUNT. Needs the package libclang.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

ROOT = Path(__file__).parents[2]
HEADERS = ROOT / "capi" / "include"
LEDGER = ROOT / "capi" / "abi" / "declarations.txt"


def find_release_of_additions(root=ROOT):
    """Returns the release that will have what is added now: this tree's, or the next minor one if this tree's is
    kept."""
    base = (root / "capi/include/mindtorch/base.h").read_text(encoding="utf-8")
    major, minor = (int(re.search(rf"#define MT_VERSION_{part} (\d+)", base)[1]) for part in ("MAJOR", "MINOR"))
    return f"{major}.{minor + (root / f'capi/abi/history/{major}.{minor}').exists()}"


def compiler_includes():
    """Finds the C compiler's stddef.h and similar headers, which libclang lacks."""
    found = subprocess.run(["cc", "-print-file-name=include"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def parse_headers(headers):
    """One translation unit that includes every public C header."""
    names = sorted(path.relative_to(headers).as_posix() for path in headers.rglob("*.h"))
    text = "".join(f"#include <{name}>\n" for name in names)
    options = ["-std=c11", "-x", "c", f"-I{headers}", "-isystem", compiler_includes()]
    options.append("-DMINDTORCH_WITHOUT_INSTALLED_DLPACK")
    unit = Index.create().parse("all.c", options, [("all.c", text)], TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    errors = [d for d in unit.diagnostics if d.severity >= d.Error]
    if errors:
        raise SystemExit("\n".join(str(error) for error in errors))
    return unit


def type_text(kind):
    return re.sub(r"\s+", " ", kind.spelling).replace("struct mt_", "mt_").replace(" *", "*")


def yield_field_lines(record, prefix, base=0):
    """Returns a line for each field of a struct; fields of unnamed structs and unions inside it are named by their
    path."""
    for field in record.type.get_fields():
        offset = base + record.type.get_offset(field.spelling) // 8
        path = f"{prefix}.{field.spelling}"
        declaration = field.type.get_declaration()
        if field.type.get_canonical().kind == TypeKind.RECORD and (
            declaration.is_anonymous() or "(unnamed" in field.type.spelling or "(anonymous" in field.type.spelling
        ):
            yield f"field {path} at {offset}: {declaration.kind.name.split('_')[0].lower()}"
            yield from yield_field_lines(declaration, path, offset)
        else:
            yield f"field {path} at {offset}: {type_text(field.type)}"


def is_growing_struct(record):
    first = next(iter(record.type.get_fields()), None)
    return first is not None and first.spelling == "struct_size"


def literal_value_of_macro(cursor):
    tokens = [token.spelling for token in cursor.get_tokens()][1:]
    return " ".join(tokens) if tokens and re.fullmatch(r"-?\d+|\".*\"", " ".join(tokens)) else None


def yield_declaration_lines(cursor: Cursor):
    if cursor.kind == CursorKind.MACRO_DEFINITION:
        value = literal_value_of_macro(cursor)
        # Constants of the version change; their meaning does not.
        if value is not None and cursor.spelling.startswith("MT_") and not cursor.spelling.startswith("MT_VERSION_"):
            yield f"macro {cursor.spelling} = {value}"
    elif cursor.kind == CursorKind.ENUM_DECL:
        for constant in cursor.get_children():
            if constant.kind == CursorKind.ENUM_CONSTANT_DECL:
                yield f"constant {constant.spelling} = {constant.enum_value}"
    elif cursor.kind == CursorKind.STRUCT_DECL and cursor.is_definition() and cursor.spelling.startswith("mt_"):
        grows = ", grows" if is_growing_struct(cursor) else ""
        yield f"struct {cursor.spelling}: size {cursor.type.get_size()}, alignment {cursor.type.get_align()}{grows}"
        yield from yield_field_lines(cursor, cursor.spelling)
    elif not cursor.spelling.startswith("mt_"):
        return
    elif cursor.kind == CursorKind.TYPEDEF_DECL:
        if cursor.underlying_typedef_type.get_canonical().kind != TypeKind.RECORD:
            yield f"type {cursor.spelling} = {type_text(cursor.underlying_typedef_type)}"
    elif cursor.kind == CursorKind.FUNCTION_DECL and cursor.linkage.name == "EXTERNAL":
        arguments = ", ".join(type_text(a.type) for a in cursor.get_arguments())
        yield f"function {type_text(cursor.result_type)} {cursor.spelling}({arguments or 'void'})"


def list_declarations(headers=HEADERS):
    """Returns every public declaration as a line, sorted."""
    found = set()
    for cursor in parse_headers(headers).cursor.get_children():
        file = cursor.location.file
        if file is not None and Path(file.name).resolve().is_relative_to(headers.resolve()):
            found.update(yield_declaration_lines(cursor))
    return sorted(found)


def read_ledger(path=LEDGER):
    """Returns the version and the declaration of each line."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line and not line.startswith("#")]


GROWING = re.compile(r"(struct \w+: size )(\d+)(, alignment \d+, grows)|(constant \w+_COUNT = )(\d+)()")


def split_growing_declaration(line):
    """Splits a line into the text that must not change and the number that may grow, or None if nothing may grow."""
    found = GROWING.fullmatch(line)
    if not found:
        return None
    before, number, after = (part for part in found.groups() if part is not None)
    return before + after, int(number)


def find_broken_declarations(ledger, current):
    """Returns the lines of the ledger that the headers no longer satisfy."""
    now = set(current)
    numbers = dict(found for found in map(split_growing_declaration, current) if found)
    for version, line in ledger:
        if line in now:
            continue
        growing = split_growing_declaration(line)
        if growing is None or numbers.get(growing[0], -1) < growing[1]:
            yield f"{line} (since {version}) is gone or changed"


def find_unlisted_declarations(ledger, current):
    known = {line for _, line in ledger}
    return [line for line in current if line not in known]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="add what is new to the ledger")
    parser.add_argument("--print", action="store_true", help="print every declaration")
    parser.add_argument("--headers", type=Path, default=HEADERS, help="folder of the headers")
    parser.add_argument("--ledger", type=Path, default=LEDGER)
    options = parser.parse_args()
    current = list_declarations(options.headers)
    if options.print:
        print("\n".join(current))
        return 0
    ledger = read_ledger(options.ledger)
    faults = list(find_broken_declarations(ledger, current))
    if options.write and not faults:
        version = find_release_of_additions()
        new = [(version, line) for line in find_unlisted_declarations(ledger, current)]
        rows = sorted(ledger + new, key=lambda row: row[::-1])
        head = "# Every public declaration and the release that it came with. Lines are added, never changed.\n"
        options.ledger.write_text(head + "".join(f"{v} {line}\n" for v, line in rows), encoding="utf-8")
        return 0
    new = find_unlisted_declarations(ledger, current)
    messages = faults + [f"{line} is not in the ledger" for line in new]
    print("\n".join(messages) or f"{len(current)} declarations, as in the ledger")
    return bool(faults or new)


if __name__ == "__main__":
    sys.exit(main())
