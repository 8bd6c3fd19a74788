"""No public number, size, offset or signature of an earlier release changes."""

import shutil

import declarations
import pytest


@pytest.fixture
def copied_headers(tmp_path):
    """A copy of the public headers that a test may modify."""
    return shutil.copytree(declarations.HEADERS, tmp_path / "include")


def replace_in_header(headers, file, old, new):
    path = headers / "mindtorch" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} is in {file} {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


def find_broken_lines_of_headers(headers):
    return list(
        declarations.find_broken_declarations(declarations.read_ledger(), declarations.list_declarations(headers))
    )


def test_every_declaration_of_the_ledger_is_still_there():
    assert (
        list(declarations.find_broken_declarations(declarations.read_ledger(), declarations.list_declarations())) == []
    )


def test_every_declaration_is_in_the_ledger():
    assert declarations.find_unlisted_declarations(declarations.read_ledger(), declarations.list_declarations()) == []


def test_no_declaration_is_listed_twice():
    rows = [line for _, line in declarations.read_ledger()]
    assert len(rows) == len(set(rows)) > 600


def test_a_renumbered_constant_is_found(copied_headers):
    replace_in_header(copied_headers, "dispatch.h", "MT_KEY_AUTOGRAD = 9,", "MT_KEY_AUTOGRAD = 10,")
    assert find_broken_lines_of_headers(copied_headers) == [
        "constant MT_KEY_AUTOGRAD = 9 (since 0.2) is gone or changed"
    ]


def test_a_removed_field_is_found(copied_headers):
    replace_in_header(copied_headers, "op.h", "  const char* doc;\n", "")
    found = find_broken_lines_of_headers(copied_headers)
    assert "field mt_op_info.doc at 48: const char* (since 0.2) is gone or changed" in found
    assert "field mt_op_info.module at 56: const char* (since 0.2) is gone or changed" in found


def test_a_field_in_the_middle_is_found(copied_headers):
    replace_in_header(copied_headers, "op.h", "  const char* doc;\n", "  const char* summary;\n  const char* doc;\n")
    assert "field mt_op_info.doc at 48: const char* (since 0.2) is gone or changed" in find_broken_lines_of_headers(
        copied_headers
    )


def test_a_changed_signature_is_found(copied_headers):
    replace_in_header(
        copied_headers, "runtime.h", "mt_status* mt_threads_set(int32_t n)", "mt_status* mt_threads_set(int64_t n)"
    )
    assert find_broken_lines_of_headers(copied_headers) == [
        "function mt_status* mt_threads_set(int32_t) (since 0.2) is gone or changed"
    ]


def test_a_changed_callback_is_found(copied_headers):
    replace_in_header(
        copied_headers,
        "base.h",
        "typedef mt_status* (*mt_warning_fn)(void* user, const char* category, const char* message);",
        "typedef mt_status* (*mt_warning_fn)(void* user, const char* message);",
    )
    assert any(fault.startswith("type mt_warning_fn = ") for fault in find_broken_lines_of_headers(copied_headers))


def test_a_struct_that_is_frozen_may_not_grow(copied_headers):
    replace_in_header(copied_headers, "base.h", "  int32_t index;", "  int32_t index, further;")
    assert "struct mt_device: size 8, alignment 4 (since 0.2) is gone or changed" in find_broken_lines_of_headers(
        copied_headers
    )


def test_a_struct_that_knows_its_size_may_grow_at_its_end(copied_headers):
    end = "  int32_t n_returns;\n} mt_op_info;"
    replace_in_header(copied_headers, "op.h", end, end.replace("}", "  int64_t later;\n}"))
    assert find_broken_lines_of_headers(copied_headers) == []
    new = declarations.find_unlisted_declarations(
        declarations.read_ledger(), declarations.list_declarations(copied_headers)
    )
    assert [line.split(":")[0] for line in new] == ["field mt_op_info.later at 104", "struct mt_op_info"]


def test_a_new_constant_breaks_nothing_and_wants_a_line(copied_headers):
    replace_in_header(copied_headers, "runtime.h", "MT_OPTION_COUNT = 11", "MT_OPTION_LATER = 11, MT_OPTION_COUNT = 12")
    assert find_broken_lines_of_headers(copied_headers) == []
    new = declarations.find_unlisted_declarations(
        declarations.read_ledger(), declarations.list_declarations(copied_headers)
    )
    assert new == ["constant MT_OPTION_COUNT = 12", "constant MT_OPTION_LATER = 11"]
