"""tests/lint/own_words.py finds copied passages, even if disguised, and does not report facts."""

import importlib.util
import re
from pathlib import Path

import pytest

CHECKER = Path(__file__).resolve().parents[1] / "lint/own_words.py"

# Sample sources, which the checker has to find again in a changed copy. What they compute does not matter.
COPIED = '''
def sample_function_to_copy(accounts, payments, limit=10):
    """Pays what can be paid."""
    pending = sorted(payments, key=lambda payment: payment.due)
    settled, refused = [], {}
    for payment in pending:
        account = accounts.get(payment.owner)
        if account is None or account.balance < payment.amount:
            refused[payment.number] = account.balance if account else None
            continue
        account.balance -= payment.amount
        account.history.append((payment.number, payment.amount))
        settled.append(payment.number)
        if len(settled) >= limit:
            break
    for account in accounts.values():
        account.history.sort(reverse=True)
    return settled, refused
'''
PROSE = """# The tree keeps its nodes in pages of a fixed size, and a page that is full is split at its middle key, so
# that both halves have room for what comes next and the height grows only at the root.
"""


@pytest.fixture(scope="module")
def own_words_checker():
    spec = importlib.util.spec_from_file_location("own_words", CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def compare_trees(own_words_checker, tmp_path, capsys):
    """Compares a project of one file with another tree of one file; returns the exit status and the output."""

    def write_and_compare_sources(ours, theirs, name="module.py", allowed=""):
        for folder, text in (("project", ours), ("other", theirs)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / name).write_text(text)
        (tmp_path / "allowed.txt").write_text(allowed)
        status = own_words_checker.main(
            ["--project", str(tmp_path / "project"), "--other", str(tmp_path / "other"), "--allowed"]
            + [str(tmp_path / "allowed.txt")]
        )
        return status, capsys.readouterr().out

    return write_and_compare_sources


def test_a_copy_in_another_layout_is_found(compare_trees):
    other_layout = COPIED.replace("(payments, key=", "(\n        payments,\n        key=").replace(
        "settled, refused = [], {}", "settled, refused = [], {}  # nothing yet"
    )
    status, out = compare_trees("import os\n" + other_layout, COPIED)
    assert status == 1
    assert "module.py:5: code up to line 21 as in other/module.py:4" in out


def test_a_copy_with_other_names_and_texts_is_found(compare_trees):
    renamed = COPIED
    for name in (
        "accounts",
        "account",
        "payments",
        "payment",
        "pending",
        "settled",
        "refused",
        "limit",
        "sample_function_to_copy",
    ):
        renamed = re.sub(rf"\b{name}\b", f"{name[::-1]}_", renamed)
    status, out = compare_trees(renamed.replace("Pays what can be paid.", "Other words."), COPIED)
    assert status == 1
    assert "module.py:2: function 1.00 alike to other/module.py:2" in out


def test_copied_prose_is_found_in_comments_docstrings_and_markdown(compare_trees):
    words = PROSE.replace("# ", "")
    assert compare_trees(f'"""{words}"""\n', PROSE)[0] == 1
    assert compare_trees(f"/* {words} */\n", f"// {words}".replace("\n", "\n// "), name="a.h")[0] == 1
    assert compare_trees(f"- {words}", f"> {words}", name="a.md")[0] == 1


def test_copied_c_is_found(compare_trees):
    body = "for (int i = 0; i < count; ++i) { sum[i] += weight * (left[i] - right[i]) / scale; seen |= 1u << i; }\n"
    body += "if (seen == all) { release(sum, count); return total / (count - 1) * exp(-scale * offset); }\n"
    other_layout = body.replace("{ ", "{\n  // ours\n  ").replace("; ", ";\n  ")
    status, out = compare_trees(f"int f() {{\n{other_layout}}}\n", f"double g() {{\n{body}}}\n", name="a.cpp")
    assert status == 1
    assert "code up to line" in out


def test_signatures_imports_and_texts_of_errors_may_be_equal(compare_trees):
    facts = "import os\nimport sys\nfrom collections import OrderedDict, defaultdict, deque, namedtuple, Counter\n" * 3
    facts += "def f(" + ", ".join(f"name_{i}: int | None = {i}" for i in range(40)) + ") -> None:\n"
    facts += "    raise ValueError(" + " ".join(f'"this is text {i}"' for i in range(40)) + ")\n"
    facts += "__all__ = [" + ", ".join(f'"name_{i}"' for i in range(60)) + "]\n"
    assert compare_trees(facts, facts) == (0, "own words: 0 shared passages beside other; 0 allowed\n")


def test_listed_passages_are_not_reported(compare_trees):
    table = "TABLE = (\n" + "".join(f"    {i * 37 % 101}.{i * 53 % 97},\n" for i in range(40)) + ")\n"
    assert compare_trees(table, table)[0] == 1
    assert compare_trees(table, table, allowed="module.py | 74.9, | a table of numbers\n")[0] == 0


def test_an_entry_that_allows_nothing_is_an_error(compare_trees):
    status, out = compare_trees("x = 1\n", "y = 2\n", allowed="module.py | x = 1 | was needed once\n")
    assert status == 1
    assert "allows what is not there: module.py | x = 1" in out


def test_more_entries_than_forty_are_an_error(compare_trees):
    entries = "".join(f"module.py | x = {i} | no reason\n" for i in range(41))
    assert "41 entries; 40 at most" in compare_trees("x = 1\n", "y = 2\n", allowed=entries)[1]


def test_nothing_to_compare_with_is_an_error(own_words_checker, monkeypatch, capsys):
    monkeypatch.setattr(own_words_checker, "TREES", {"torch": "no-such-distribution"})
    assert own_words_checker.main([]) == 2
    assert "no torch to compare with" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["dataset.py", "sampler.py", "dataloader.py"])
def test_torchs_own_files_are_found(own_words_checker, torch, tmp_path, capsys, file):
    data = Path(torch.__file__).parent / "utils/data"
    planted = "\n".join(line for line in (data / file).read_text().split("\n") if not line.strip().startswith("#"))
    (tmp_path / "planted.py").write_text(planted.replace("self.", "this.").replace("self", "this"))
    (tmp_path / "none.txt").write_text("")
    options = ["--project", str(tmp_path), "--other", str(data), "--allowed", str(tmp_path / "none.txt")]
    assert own_words_checker.main(options) == 1
    assert f"as in data/{file}" in capsys.readouterr().out
