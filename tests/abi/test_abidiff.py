"""libabigail's abidiff compares today's functions and structs with those of each kept release.

Each side is a library of empty functions, made of the public headers with debug information: types that the headers do
not define are opaque to programs, too. Additions are no differences: functions, and fields at the end of structs that
begin with `struct_size`.
"""

import shutil
import subprocess

import declarations
import pytest
from test_history import HISTORY, RELEASES


def yield_empty_definitions(headers):
    """An empty definition of every public function."""
    for cursor in declarations.parse_headers(headers).cursor.get_children():
        is_function = cursor.kind == declarations.CursorKind.FUNCTION_DECL and cursor.linkage.name == "EXTERNAL"
        if not is_function or not cursor.spelling.startswith("mt_"):
            continue
        types = [declarations.type_text(argument.type) for argument in cursor.get_arguments()]
        parameters = ", ".join(f"__typeof__({one}) a{i}" for i, one in enumerate(types)) or "void"
        result = declarations.type_text(cursor.result_type)
        body = "" if result == "void" else f"static __typeof__({result}) none; return none;"
        yield f"__typeof__({result}) {cursor.spelling}({parameters}) {{ {body} }}\n"


def compile_library_of_headers(headers, folder):
    folder.mkdir()
    names = sorted(path.relative_to(headers).as_posix() for path in headers.rglob("*.h"))
    source = folder / "all.c"
    source.write_text(
        "".join([*(f"#include <{name}>\n" for name in names), *yield_empty_definitions(headers)]), encoding="utf-8"
    )
    target = folder / "libmindtorch.so.0"
    options = ["-std=gnu11", "-g", "-shared", "-fPIC", "-Wl,-soname,libmindtorch.so.0", f"-I{headers}"]
    command = ["cc", *options, str(source), "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return target


def report_abi_differences(before, after, folder):
    """Returns abidiff's report, empty if programs built against `before` run with `after`."""
    assert shutil.which("abidiff"), "the Debian package abigail-tools has abidiff"
    growing = [
        line.split(":")[0].split()[1] for line in declarations.list_declarations(before) if line.endswith(", grows")
    ]
    allowed = folder / "allowed.abignore"
    rule = "[suppress_type]\ntype_kind = struct\nname = {}\nhas_data_member_inserted_at = end\n\n"
    allowed.write_text("".join(rule.format(name) for name in growing), encoding="utf-8")
    libraries = [
        str(compile_library_of_headers(headers, folder / name))
        for headers, name in ((before, "before"), (after, "after"))
    ]
    command = ["abidiff", "--no-added-syms", "--suppressions", str(allowed), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode & 3 == 0, done.stdout + done.stderr  # abidiff's own errors
    return done.stdout if done.returncode else ""


def copy_headers_with_change(folder, file, old, new):
    """A copy of today's headers with one change."""
    headers = shutil.copytree(declarations.HEADERS, folder / "include")
    text = (headers / "mindtorch" / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (headers / "mindtorch" / file).write_text(text.replace(old, new), encoding="utf-8")
    return headers


@pytest.mark.parametrize("release", RELEASES)
def test_abidiff_finds_only_additions(release, tmp_path):
    assert report_abi_differences(HISTORY / release / "include", declarations.HEADERS, tmp_path) == ""


def test_abidiff_finds_a_changed_signature(tmp_path):
    headers = copy_headers_with_change(tmp_path, "runtime.h", "mt_threads_set(int32_t n)", "mt_threads_set(double n)")
    assert "mt_threads_set" in report_abi_differences(declarations.HEADERS, headers, tmp_path)


def test_abidiff_finds_a_removed_field(tmp_path):
    headers = copy_headers_with_change(tmp_path, "op.h", "  const char* doc;\n", "")
    assert "mt_op_info" in report_abi_differences(declarations.HEADERS, headers, tmp_path)
