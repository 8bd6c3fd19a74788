"""Writes what is made from the operators' schemas: typed C calls, Python stubs, docstrings and a page of documentation.

The schemas are read as text from the definitions; the library is neither needed nor run. Files change only when their
content does, so that a build after an edit of a kernel compiles nothing else.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generator import c_header, definitions, documentation, pages, stubs  # noqa: E402


def write(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", type=Path, required=True, help="folder of operator definitions")
    parser.add_argument("--out", type=Path, help="folder to write to")
    parser.add_argument("--list", action="store_true", help="print every schema, sorted, and write nothing")
    options = parser.parse_args()
    try:
        ops = definitions.read(options.ops)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if options.list:
        print("\n".join(sorted(s.text() for s in ops)))
        return 0
    if not options.out:
        parser.error("--out is needed")
    files = {f"python/{path}": text for path, text in stubs.files(ops).items()}
    files["include/mindtorch/ops.h"] = c_header.text(ops)
    files["docs/operators.md"] = pages.text(ops)
    for path, text in files.items():
        write(options.out / path, text.encode())
    write(options.out / "python/_C/documentation.bin", documentation.table(ops))
    return 0


if __name__ == "__main__":
    sys.exit(main())
