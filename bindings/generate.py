"""Generates files from the registry of operators: typed C calls, Python stubs, docstrings and documentation.

The build's tool mindtorch_registry writes the registry as JSON. A file is written only if its content changes, so
that a build after an edit of a kernel compiles nothing else.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generator import (  # noqa: E402
    c_header,
    documentation,
    go,
    node,
    pages,
    rust,
    rust_sys,
    schema,
    simulator,
    stable_abi,
    stubs,
)

HEADERS = Path(__file__).resolve().parents[1] / "capi/include/mindtorch"
STABLE_ABI_OPERATORS = Path(__file__).resolve().parents[1] / "capi/compat/libtorch/operators.txt"


def write_if_changed(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--registry", type=Path, required=True, help="the registry as mindtorch_registry writes it")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()
    ops = schema.read_registry(options.registry)
    files = {f"python/{path}": text for path, text in stubs.generate_stub_files(ops).items()}
    files["include/mindtorch/ops.h"] = c_header.generate_header(ops)
    files["include/mindtorch/ops_short.h"] = c_header.generate_short_header(ops)
    files["docs/operators.md"] = pages.generate_operator_page(ops)
    files["simulator/npu_sim_operators.inc"] = simulator.generate_npu_operator_list(ops)
    files["go/ops.go"] = go.generate_go_source(ops)
    files["node/operators.d.ts"] = node.generate_typescript_declarations(ops)
    files["rust/mindtorch-sys/src/abi.rs"] = rust_sys.generate_ffi_source(HEADERS)
    files["rust/mindtorch/src/ops.rs"] = rust.generate_rust_source(ops)
    files["libtorch/operators.cpp"] = stable_abi.generate_stable_abi_source(ops, STABLE_ABI_OPERATORS)
    for path, text in stable_abi.generate_stable_abi_headers(ops, STABLE_ABI_OPERATORS).items():
        files[f"libtorch/include/{path}"] = text
    for path, text in files.items():
        write_if_changed(options.out / path, text.encode())
    write_if_changed(options.out / "python/_C/documentation.bin", documentation.write_documentation_file_bytes(ops))
    return 0


if __name__ == "__main__":
    sys.exit(main())
