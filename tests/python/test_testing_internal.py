"""torch.testing._internal: the TestCase and the generated tests that projects outside torch use."""

import enum
import importlib
import inspect
import json
import unittest
import uuid

import numpy as np
import pytest
from outcomes import normalise


@pytest.fixture(scope="session")
def torchs_common_utils(oracle):
    return importlib.import_module("torch.testing._internal.common_utils")


@pytest.fixture(scope="session")
def our_common_utils(mt):
    return importlib.import_module(f"{mt.__name__}.testing._internal.common_utils")


class Colour(enum.Enum):
    RED = 1


PAIRS = {
    "tensor and list": lambda t: (t.tensor([1.0, 2.0]), [1.0, 2.5]),
    "list and tensor": lambda t: ([1, 2], t.tensor([1, 2])),
    "array and tensor": lambda t: (np.ones(2, np.float32), t.tensor([1.0, 2.0])),
    "dtypes": lambda t: (t.tensor([1]), t.tensor([1.0])),
    "shapes": lambda t: (t.ones(2), t.ones(3)),
    "nan": lambda t: (t.tensor([float("nan")]), t.tensor([float("nan")])),
    "int and float": lambda t: (1, 1.5),
    "equal int and float": lambda t: (1, 1.0),
    "float of single precision": lambda t: (1.0, 1.0 + 1e-6),
    "bool and number": lambda t: (True, 0),
    "bool and tensor": lambda t: (True, t.tensor(1)),
    "bool and long tensor": lambda t: (True, t.ones(2)),
    "number and tensor": lambda t: (2, t.tensor(3.0)),
    "number and long tensor": lambda t: (2, t.ones(2)),
    "member of an enum": lambda t: (1, Colour.RED),
    "None": lambda t: (None, 1),
    "strings": lambda t: ("abc", "abx"),
    "bytes": lambda t: (b"abc", b"abx"),
    "sets": lambda t: ({1, 2}, {1, 3}),
    "types": lambda t: (int, float),
    "objects": lambda t: (slice(1), slice(2)),
    "nested": lambda t: ({"a": [t.ones(2), 3]}, {"a": [t.zeros(2), 3]}),
    "keys": lambda t: ({"a": 1}, {"b": 1}),
    "lengths": lambda t: ([1, 2], [1]),
    "storages": lambda t: (t.ones(2).storage(), t.zeros(2).storage()),
    "arrays of strings": lambda t: (np.array(["a", "b"]), np.array(["a", "c"])),
    "sparse": lambda t: (t.eye(2).to_sparse(), t.zeros(2, 2).to_sparse()),
    "devices": lambda t: (t.ones(2), t.ones(2, device="meta")),
}
OPTIONS = [
    {},
    {"atol": 0.6, "rtol": 0},
    {"atol": 1},
    {"exact_dtype": False},
    {"equal_nan": False},
    {"exact_device": True},
    {"msg": "a note"},
    {"msg": lambda generated: generated.upper()},
]


def describe_comparison(torch, module, name, options, **minima):
    case = module.TestCase()
    for attribute, value in minima.items():
        setattr(case, attribute, value)
    try:
        case.assertEqual(*PAIRS[name](torch), **options)
    except Exception as error:
        return type(error).__name__, normalise(str(error))
    return None


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options))
@pytest.mark.parametrize("name", PAIRS)
def test_assert_equal_decides_as_torch(mt, oracle, our_common_utils, torchs_common_utils, name, options):
    assert describe_comparison(mt, our_common_utils, name, options) == describe_comparison(
        oracle, torchs_common_utils, name, options
    )


@pytest.mark.parametrize("name", ["tensor and list", "int and float", "number and tensor"])
def test_minimal_tolerances_of_a_class_apply(mt, oracle, our_common_utils, torchs_common_utils, name):
    for minima in ({"precision": 0.6}, {"rel_tol": 0.4}, {"precision": 0.1}):
        assert describe_comparison(mt, our_common_utils, name, {}, **minima) == describe_comparison(
            oracle, torchs_common_utils, name, {}, **minima
        )


def test_assert_not_equal_fails_for_equal_values(our_common_utils):
    with pytest.raises(AssertionError):
        our_common_utils.TestCase().assertNotEqual(1, 1.0)
    our_common_utils.TestCase().assertNotEqual(1, 2)


def list_parametrized_tests(module, torch):
    """Names of the tests that stacked parameters make, the arguments that each gets, and its decorators' marks."""
    seen = {}

    def make_marking_decorator(text):
        def set_mark(test):
            test.mark = text
            return test

        return set_mark

    class TestThings(module.TestCase):
        @module.parametrize("dtype", [torch.float32, torch.int64])
        @module.parametrize("x,y", [(1, "a.b"), module.subtest((2, None), name="two"), (3.5, [])])
        def test_pairs(self, dtype, x, y):
            seen[self._testMethodName] = str(dtype), x, y

        @module.parametrize("z", [module.subtest(1, decorators=[make_marking_decorator("decorated")]), 2])
        def test_single(self, z):
            seen[self._testMethodName] = z

        @module.parametrize("a, b", [(1, 2)], name_fn=lambda a, b: f"{a}to{b}")
        def test_named(self, a, b):
            seen[self._testMethodName] = a, b

        @module.parametrize("device", [torch.device("cpu"), torch.device("meta")])
        def test_devices(self, device):
            seen[self._testMethodName] = str(device)

    module.instantiate_parametrized_tests(TestThings)
    names = unittest.TestLoader().getTestCaseNames(TestThings)
    result = unittest.TestResult()
    unittest.TestSuite(map(TestThings, names)).run(result)
    assert result.wasSuccessful(), result.failures + result.errors
    return names, seen, [getattr(getattr(TestThings, name), "mark", None) for name in names]


def test_parametrized_tests_have_torchs_names_and_arguments(mt, oracle, our_common_utils, torchs_common_utils):
    names, seen, marks = list_parametrized_tests(our_common_utils, mt)
    assert (names, seen, marks) == list_parametrized_tests(torchs_common_utils, oracle)
    assert len(names) == 11 and marks.count("decorated") == 1


FAULTS = {
    "a parameter twice": lambda m: m.parametrize("x", [1])(m.parametrize("x", [2])(lambda self, x: None)),
    "no values": lambda m: m.parametrize("x", [])(lambda self, x: None),
    "too few values": lambda m: m.parametrize("x,y", [(1,)])(lambda self, x, y: None),
    "one name twice": lambda m: m.parametrize("x", [1, 1])(lambda self, x: None),
}


@pytest.mark.parametrize("name", FAULTS)
def test_wrong_parameters_are_refused_as_by_torch(our_common_utils, torchs_common_utils, name):
    def parametrize_wrongly(module):
        test = FAULTS[name](module)
        test.__name__ = "test_it"
        with pytest.raises(Exception) as caught:
            module.instantiate_parametrized_tests(type("TestIt", (), {"test_it": test}))
        return type(caught.value).__name__, normalise(str(caught.value))

    assert parametrize_wrongly(our_common_utils) == parametrize_wrongly(torchs_common_utils)


def test_each_test_begins_with_the_same_seed(mt, oracle, our_common_utils, torchs_common_utils):
    def draw_in_tests(module, torch):
        module.TestCase().setUp()
        return torch.rand(2).tolist(), np.random.rand()

    assert (
        draw_in_tests(our_common_utils, mt)
        == draw_in_tests(our_common_utils, mt)
        == draw_in_tests(torchs_common_utils, oracle)
    )


def test_dtypes_of_numpy_map_as_in_torch(our_common_utils, torchs_common_utils):
    for name in ("numpy_to_torch_dtype_dict", "torch_to_numpy_dtype_dict"):
        mine, real = (
            {str(key): str(value) for key, value in getattr(m, name).items()}
            for m in (our_common_utils, torchs_common_utils)
        )
        assert {normalise(key): normalise(value) for key, value in mine.items()} == real


def test_helpers_for_files_ports_and_dtypes_clean_up(mt, our_common_utils, tmp_path):
    with our_common_utils.TemporaryFileName(dir=tmp_path) as name:
        assert [str(path) for path in tmp_path.iterdir()] == [name]
    assert not list(tmp_path.iterdir())
    with our_common_utils.set_default_dtype(mt.float64):
        assert mt.ones(1).dtype == mt.float64
    assert mt.ones(1).dtype == mt.float32
    assert 1024 <= our_common_utils.find_free_port() < 65536


def test_retry_calls_again_and_then_gives_up(our_common_utils, capsys):
    calls = []

    def fail_until_last_try():
        calls.append(1)
        raise ValueError("not yet")

    with pytest.raises(ValueError, match="not yet"):
        our_common_utils.retry(ValueError, tries=3, delay=0)(fail_until_last_try)()
    assert len(calls) == 3 and capsys.readouterr().out == "not yet, Retrying in 0 seconds...\n" * 2
    with pytest.raises(unittest.SkipTest, match="Skipping after 1 consecutive not yet"):
        our_common_utils.retry(ValueError, tries=1, skip_after_retries=True)(fail_until_last_try)()


# ---- tests generated from tests --------------------------------------------------------------------------------------


def run_generated_tests(torch, folder, failures=None, utils=("test_schema", "test_faketensor"), body=None):
    """Outcomes of the tests generated for two operators, of which one writes to its argument without saying so."""
    optests = importlib.import_module(f"{torch.__name__}.testing._internal.optests")
    namespace = "own" + uuid.uuid4().hex[:8]
    library = torch.library.Library(namespace, "DEF")
    for name in ("good", "bad"):
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, lambda x: x.new_empty(x.shape), "Meta")
    library.impl("good", lambda x: x + 1, "CPU")
    library.impl("bad", lambda x: x.add_(1) + 1, "CPU")
    ops = getattr(torch.ops, namespace)

    class TestOps(unittest.TestCase):
        def test_good(self):
            self.inside = optests.is_inside_opcheck_mode()
            assert ops.good(torch.zeros(2)).tolist() == [1.0, 1.0]

        def test_bad(self):
            ops.bad.default(torch.zeros(2))

        @optests.dontGenerateOpCheckTests("it is about something else")
        def test_other(self):
            pass

    path = folder / f"{namespace}.json"
    if failures is not None:
        entries = {f"{namespace}::{op}": tests for op, tests in failures.items()}
        content = {"_description": DESCRIPTION, "data": entries, "_version": 1}
        path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")
    else:
        path.write_text("")
    try:
        optests.generate_opcheck_tests(TestOps, [namespace], str(path), {}, list(utils))
    except Exception as error:
        return type(error).__name__, normalise(str(error)).replace(namespace, "own").replace(str(path), "PATH")
    result = unittest.TestResult()
    names = unittest.TestLoader().getTestCaseNames(TestOps)
    unittest.TestSuite(map(TestOps, names)).run(result)
    errors = {case._testMethodName: text.strip().splitlines() for case, text in result.errors + result.failures}
    raised = {
        name: [line for line in lines if "OpCheckError: " in line][0].partition("OpCheckError: ")[2]
        for name, lines in errors.items()
    }

    def hide_paths(text):
        return normalise(text).replace(namespace, "own").replace(str(path), "PATH")

    texts = {name: hide_paths(text) for name, text in raised.items()}
    return [hide_paths(name) for name in names], texts, json.loads(hide_paths(path.read_text()))


DESCRIPTION = (
    "This is a dict containing failures for tests autogenerated by generate_opcheck_tests. For more details, please "
    "see https://docs.google.com/document/d/1Pj5HRZvdOq3xpFpbEjUZp2hBovhy7Wnxw14m6lF2154/edit"
)
EMPTY = {"_description": DESCRIPTION, "data": {}, "_version": 1}


def make_status_entry(status):
    return {"comment": "", "status": status}


KNOWN = {
    "nothing known": {},
    "an expected failure": {"bad": {"TestOps.test_schema__test_bad": make_status_entry("xfail")}},
    "a skipped test": {"bad": {"TestOps.test_schema__test_bad": make_status_entry("skip")}},
    "a failure that does not happen": {"good": {"TestOps.test_schema__test_good": make_status_entry("xfail")}},
    "an unknown status": {"good": {"TestOps.test_schema__test_good": make_status_entry("maybe")}},
    "an unknown test": {"good": {"TestOps.test_schema__test_none": make_status_entry("skip")}},
    "an unknown kind": {"good": {"TestOps.test_none__test_good": make_status_entry("skip")}},
    "a field too few": {"good": {"TestOps.test_schema__test_good": {"status": "skip"}}},
}


@pytest.mark.parametrize("name", KNOWN)
def test_generated_tests_pass_and_fail_as_torchs(mt, oracle, tmp_path, name):
    failures = KNOWN[name]
    assert run_generated_tests(mt, tmp_path, failures) == run_generated_tests(oracle, tmp_path, failures)


def test_a_generated_test_reports_the_operator_and_a_program(mt, tmp_path):
    names, texts, _ = run_generated_tests(mt, tmp_path, {})
    assert [name for name in names if "__" in name] == [
        "test_faketensor__test_bad", "test_faketensor__test_good", "test_schema__test_bad", "test_schema__test_good",
    ]  # fmt: skip
    assert list(texts) == ["test_schema__test_bad"]
    assert "failed on operators ['own::bad']" in texts["test_schema__test_bad"]


def test_accepted_results_are_written_to_the_file(mt, oracle, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTORCH_OPCHECK_ACCEPT", "1")

    def accept_results(torch):
        names, texts, content = run_generated_tests(torch, tmp_path, {})
        assert not texts
        return names, {op.partition("::")[2]: tests for op, tests in content["data"].items() if tests}

    expected = {"bad": {"TestOps.test_schema__test_bad": make_status_entry("xfail")}}
    assert accept_results(mt)[1] == expected == accept_results(oracle)[1]


def test_an_accepted_file_keeps_its_mode_and_its_link(mt, tmp_path):
    module = importlib.import_module(f"{mt.__name__}.testing._internal.optests.generate_tests")
    (tmp_path / "real").write_text("")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    module._KnownFailures(str(tmp_path / "link")).save()
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    assert json.loads((tmp_path / "real").read_text())["_version"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_a_file_in_another_format_is_refused(mt, oracle, tmp_path):
    assert run_generated_tests(mt, tmp_path) == run_generated_tests(oracle, tmp_path)
    assert run_generated_tests(mt, tmp_path)[0] == "RuntimeError"


def test_sizes_that_depend_on_data_pass_the_test_of_fake_tensors(mt):
    namespace = "own" + uuid.uuid4().hex[:8]
    library = mt.library.Library(namespace, "DEF")
    library.define("kept(Tensor x) -> Tensor")
    library.impl("kept", lambda x: x[x > 0], "CPU")

    def make_dynamic_result(x):
        size = mt.library.get_ctx().new_dynamic_size(max=x.numel())
        return x.new_empty((size,))

    mt.library.register_fake(f"{namespace}::kept", make_dynamic_result, lib=library)
    op = getattr(mt.ops, namespace).kept
    for size in (7, 3, 1, 0):
        assert set(mt.library.opcheck(op, (mt.ones(size),), test_utils="test_faketensor").values()) == {"SUCCESS"}
    with pytest.raises(RuntimeError, match="You're trying to run this operator with meta Tensors"):
        op(mt.ones(2, device="meta"))


def test_a_wrong_size_beside_one_that_depends_on_data_is_found(mt):
    namespace = "own" + uuid.uuid4().hex[:8]
    library = mt.library.Library(namespace, "DEF")
    library.define("rows(Tensor x) -> Tensor")
    library.impl("rows", lambda x: x[x[:, 0] > 0], "CPU")
    mt.library.register_fake(
        f"{namespace}::rows", lambda x: x.new_empty((mt.library.get_ctx().new_dynamic_size(), 5)), lib=library
    )
    with pytest.raises(Exception, match=r"Shapes torch.Size\(\[4, 2\]\) and torch.Size\(\[2, 5\]\) are not equal!"):
        mt.library.opcheck(getattr(mt.ops, namespace).rows, (mt.ones(4, 2),), test_utils="test_faketensor")


@pytest.mark.parametrize("bounds", [{"min": 3}, {"min": 5, "max": 9}, {"max": 9}])
def test_sizes_with_bounds_pass(mt, bounds):
    namespace = "own" + uuid.uuid4().hex[:8]
    library = mt.library.Library(namespace, "DEF")
    library.define("kept(Tensor x) -> Tensor")
    library.impl("kept", lambda x: x[x > 0], "CPU")
    mt.library.register_fake(
        f"{namespace}::kept", lambda x: x.new_empty((mt.library.get_ctx().new_dynamic_size(**bounds),)), lib=library
    )
    op = getattr(mt.ops, namespace).kept
    assert set(mt.library.opcheck(op, (mt.ones(7),), test_utils="test_faketensor").values()) == {"SUCCESS"}


@pytest.mark.parametrize("bounds", [{"min": -1}, {"min": 1.5}, {"max": "x"}])
def test_wrong_bounds_of_a_size_are_refused_as_by_torch(mt, oracle, bounds):
    module = importlib.import_module(f"{mt.__name__}._library.fake_rules")
    with pytest.raises(ValueError, match="ctx.new_dynamic_size"):
        module.DynamicSizes(2).new_dynamic_size(**bounds)
    real = importlib.import_module("torch._library.fake_impl").FakeImplCtx
    assert list(inspect.signature(real.new_dynamic_size).parameters) == ["self", "min", "max"]
