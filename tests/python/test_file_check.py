"""torch.testing.FileCheck: what it finds, and the texts of its errors, as real torch reports them."""

import pytest
from outcomes import outcome

WORDS = "alpha beta\ngamma alpha\ndelta\nepsilon\n"
LINES = "".join(f"line{i} xx{i}x\n" for i in range(12))
RUNS = [
    ('check("alpha").check("beta")', WORDS),
    ('check("zeta")', WORDS),
    ('check("zeta")', "ab"),
    ('check("zeta")', "ab\n"),
    ('check("zeta")', ""),
    ('check("a\\nb")', WORDS),
    ('check("alpha").check("alpha").check("alpha")', WORDS),
    ('check("delta").check("gamma")', WORDS),
    ('check("xx5").check("zeta")', LINES),
    ('check("line5 xx5x\\n").check("zeta")', LINES),
    ('check("line11").check("zz")', LINES),
    ('check("alpha").check_next("gamma")', WORDS),
    ('check("alpha").check_next("beta")', WORDS),
    ('check("alpha").check_next("delta")', WORDS),
    ('check("line5").check_next("line5")', LINES),
    ('check_next("line1").check_next("line2").check_next("line4")', LINES),
    ('check("alpha").check_same("beta")', WORDS),
    ('check("line5").check_same("line7")', LINES),
    ('check_not("zeta")', WORDS),
    ('check_not("delta")', WORDS),
    ('check_not("line0")', LINES),
    ('check_not("xx7x")', LINES),
    ('check_not("line11")', LINES),
    ('check_not("xx5x\\nli")', LINES),
    ('check("gamma").check_not("beta")', WORDS),
    ('check("alpha").check_not("delta").check("epsilon")', WORDS),
    ('check("line2").check_not("line4").check_not("zz")', LINES),
    ('check_not("zz").check_dag("beta").check_dag("qq")', "zz qq beta"),
    ('check_count("alpha", 2)', WORDS),
    ('check_count("alpha", 3)', WORDS),
    ('check_count("alpha", 2, exactly=True)', WORDS),
    ('check_count("alpha", 1, exactly=True)', WORDS),
    ('check_count("alpha", 0, exactly=True)', WORDS),
    ('check_count("line1", 1, exactly=True).check("line3")', LINES),
    ('check_count("l", 3).check("x")', WORDS),
    ('check_dag("delta").check_dag("alpha")', WORDS),
    ('check_dag("delta").check_dag("zeta")', WORDS),
    ('check_dag("line2").check_not("line4").check_dag("line10")', LINES),
    ('check("line2").check_dag("line9").check_dag("line3").check("line4")', LINES),
    ('check_regex("gam+a")', WORDS),
    ('check_regex("zz+a")', WORDS),
    ('check_regex("alpha$")', WORDS),
    ('check_source_highlighted("gamma")', "x = gamma\n    ~~~~~ <--- HERE\n"),
    ('check_source_highlighted("gamma")', "x = gamma\n    ~~ <--- HERE\n"),
    ('check_source_highlighted("gamma")', "x = gamma\n"),
    ('check_source_highlighted("beta")', "alpha beta\n      ~~~~~~"),
    ('check_source_highlighted("beta")', "alpha beta\n~~~~~~~~~~~~"),
    ('check("zz").check_source_highlighted("beta")', "qq beta\nzz\nbeta\n~~~~\n"),
    ('check("")', WORDS),
]
FILES = [
    "# CHECK: alpha\n# CHECK-NEXT: gamma\n",
    "# CHECK-COUNT-2: alpha\n# CHECK-NOT: zeta\n# CHECK-DAG: delta\n# CHECK-SAME: delta\n",
    "# CHECK-COUNT-EXACTLY-2: alpha\n",
    "# CHECK-COUNT-EXACTLY-1: alpha\n",
    "# CHECK-SOURCE-HIGHLIGHTED: alpha\n",
    "# CHECK-REGEX: al.ha\n",
    "a #  CHECK: zeta",
    "## CHECK: zeta",
    "# CHECK: a # CHECK: zz\n# CHECK: qq",
    "nothing\n",
    "x\n# CHECK-FOO: a\ny\n\nz\n\nq",
    "# CHECK alpha\n",
    "# CHECK",
    "# CHECK-COUNT-x: a",
]


@pytest.mark.parametrize(("checks", "text"), RUNS)
def test_runs_end_as_in_torch(mt, oracle, checks, text):
    def run_checks(torch):
        return eval(f"torch.testing.FileCheck().{checks}", {"torch": torch}).run(text)

    assert outcome(run_checks, mt) == outcome(run_checks, oracle)


@pytest.mark.parametrize("checks", FILES)
def test_checks_in_comments_end_as_in_torch(mt, oracle, checks):
    def run_checks_from_comments(torch):
        return torch.testing.FileCheck().run(checks, WORDS)

    assert outcome(run_checks_from_comments, mt) == outcome(run_checks_from_comments, oracle)


def test_file_check_without_checks_is_refused(mt, oracle):
    def run_without_checks(torch):
        return torch.testing.FileCheck().run(WORDS)

    assert outcome(run_without_checks, mt) == outcome(run_without_checks, oracle)


def test_checks_that_never_ran_are_printed(mt, capfd):
    mt.testing.FileCheck().check("a").check_not("b")
    # The expected output is real torch's.
    printed = "You have not run this instance of FileCheck!\nFileCheck checks:\n\tCHECK: a\n\tCHECK-NOT: b\n"
    assert capfd.readouterr().out == printed


def test_arguments_of_other_types_are_refused(mt):
    with pytest.raises(TypeError, match=r"check\(\): incompatible function arguments"):
        mt.testing.FileCheck().check(1)
    with pytest.raises(TypeError, match=r"run\(\): incompatible function arguments"):
        mt.testing.FileCheck().run(1)
    with pytest.raises(RuntimeError, match="is not valid"):
        mt.testing.FileCheck().check_regex("(").run("a")
    with pytest.raises(RuntimeError, match="Count == 0"):
        mt.testing.FileCheck().check_count("a", 0)
