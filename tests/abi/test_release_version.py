"""scripts/release refuses a version that is older than an addition to the ABI."""

import shutil
import subprocess

import declarations
import pytest

LEDGERS = ("ledger.txt", "declarations.txt")


@pytest.fixture
def tree_with_ledgers(tmp_path):
    """A tree with ledgers that a test may modify."""
    (tmp_path / "capi/abi").mkdir(parents=True)
    for name in LEDGERS:
        shutil.copy(declarations.ROOT / "capi/abi" / name, tmp_path / "capi/abi")
    return tmp_path


def run_release_check(root, version):
    """The exit status and the output of the check that scripts/release makes."""
    scripts = declarations.ROOT / "scripts"
    sourced = (
        f'root="{declarations.ROOT}"; . "{scripts}/packages.sh"; root="{root}"; '
        f"version={version}; version_covers_additions"
    )
    ended = subprocess.run(["sh", "-c", sourced], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout


def append_to_ledger(root, ledger, line):
    with (root / "capi/abi" / ledger).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


@pytest.mark.parametrize("version", ["7.3.0", "7.3.1", "7.10.0", "8.0.0"])
def test_a_version_of_the_newest_addition_or_later_passes(tree_with_ledgers, version):
    append_to_ledger(tree_with_ledgers, "ledger.txt", "mt_new 7.3")
    append_to_ledger(tree_with_ledgers, "declarations.txt", "7.3 constant MT_NEW = 1")
    assert run_release_check(tree_with_ledgers, version) == (0, "")


def test_an_older_version_fails_and_every_later_addition_is_named(tree_with_ledgers):
    append_to_ledger(tree_with_ledgers, "ledger.txt", "mt_new 7.3")
    append_to_ledger(tree_with_ledgers, "declarations.txt", "7.3 function mt_status* mt_new(const mt_op*, int32_t)")
    status, output = run_release_check(tree_with_ledgers, "7.2.9")
    assert status == 1
    assert output.splitlines() == [
        "the version is 7.2.9, but capi/abi lists additions of a later one:",
        "7.3: mt_new",
        "7.3: function mt_status* mt_new(const mt_op*, int32_t)",
    ]


@pytest.mark.parametrize(
    ("ledger", "line"), [("ledger.txt", "mt_new 7.10"), ("declarations.txt", "7.10 constant MT_NEW = 1")]
)
def test_versions_are_compared_as_numbers(tree_with_ledgers, ledger, line):
    append_to_ledger(tree_with_ledgers, ledger, line)
    assert run_release_check(tree_with_ledgers, "7.9.0")[0] == 1
    assert run_release_check(tree_with_ledgers, "7.10.0")[0] == 0


def test_a_missing_ledger_is_no_agreement(tree_with_ledgers):
    (tree_with_ledgers / "capi/abi/ledger.txt").unlink()
    assert run_release_check(tree_with_ledgers, "7.0.0")[0] == 1
