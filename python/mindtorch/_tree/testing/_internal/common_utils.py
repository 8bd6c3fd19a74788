"""A TestCase that compares tensors, and helpers for tests: seeds, parameters, temporary files."""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import importlib.util
import itertools
import os
import random
import socket
import sys
import tempfile
import time
import unittest
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..._root import torch
from .. import make_tensor
from .._comparison import not_close_error_metas
from .._utils import freeze_rng_state
from ._pairs import NUMPY_NAMES, PAIRS, make_comparable

__all__ = [
    "IS_CI", "IS_LINUX", "IS_MACOS", "IS_WINDOWS", "SEED", "TEST_CUDA", "TEST_NUMPY", "TEST_SCIPY", "TEST_WITH_ASAN",
    "TEST_WITH_ROCM", "TEST_WITH_SLOW", "TEST_WITH_TSAN", "TEST_WITH_UBSAN", "TestCase", "TemporaryDirectoryName",
    "TemporaryFileName", "find_free_port", "freeze_rng_state", "instantiate_parametrized_tests", "make_tensor",
    "numpy_to_torch_dtype_dict", "parametrize", "retry", "run_tests", "set_default_dtype", "set_rng_seed",
    "skipIfNoSciPy", "skipIfRocm", "slowTest", "subtest", "suppress_warnings", "torch_to_numpy_dtype_dict",
]  # fmt: skip


def _is_set_in_environment(name):
    return os.environ.get(name) == "1"


def _is_installed(name):
    return importlib.util.find_spec(name) is not None


SEED = 1234
IS_LINUX = sys.platform == "linux"
IS_WINDOWS = sys.platform == "win32"
IS_MACOS = sys.platform == "darwin"
IS_CI = bool(os.environ.get("CI"))
TEST_NUMPY = _is_installed("numpy")
TEST_SCIPY = _is_installed("scipy")
TEST_CUDA = torch.cuda.is_available()
TEST_WITH_ROCM = torch.version.hip is not None
TEST_WITH_ASAN = _is_set_in_environment("PYTORCH_TEST_WITH_ASAN")
TEST_WITH_TSAN = _is_set_in_environment("PYTORCH_TEST_WITH_TSAN")
TEST_WITH_UBSAN = _is_set_in_environment("PYTORCH_TEST_WITH_UBSAN")
TEST_WITH_SLOW = _is_set_in_environment("PYTORCH_TEST_WITH_SLOW")


def __getattr__(name: str) -> Any:
    """The dictionaries between dtypes of NumPy and of torch, which import NumPy only when they are read."""
    if name not in ("numpy_to_torch_dtype_dict", "torch_to_numpy_dtype_dict"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import numpy

    pairs = {getattr(numpy, theirs): getattr(torch, ours) for ours, theirs in NUMPY_NAMES.items()}
    if name == "numpy_to_torch_dtype_dict":
        return pairs
    reverse = {ours: theirs for theirs, ours in pairs.items()}
    return {**reverse, torch.bfloat16: numpy.float32, torch.complex32: numpy.complex64}


class TestCase(unittest.TestCase):
    """A unittest.TestCase whose assertEqual compares tensors, arrays, numbers, and structures of them.

    Each test starts with the same seeds. A class may set `precision` and `rel_tol`: tolerances below
    which none of its comparisons goes.

    Example:
        >>> import torch
        >>> from torch.testing._internal.common_utils import TestCase
        >>> TestCase().assertEqual(torch.tensor([1.0, 2.0]), [1.0, 2.0])
    """

    precision: float = 0
    rel_tol: float = 0
    maxDiff = None

    def setUp(self) -> None:
        """Seeds the random number generators of torch, Python and NumPy."""
        set_rng_seed(SEED)

    def assertEqual(
        self,
        x: Any,
        y: Any,
        msg: str | Callable[[str], str] | None = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
        exact_device: bool = False,
        exact_layout: bool = False,
        exact_stride: bool = False,
        exact_is_coalesced: bool = False,
    ) -> None:
        """Raises AssertionError unless two values agree: ``|x - y| <= atol + rtol * |y|``.

        Args:
            x, y (Any): tensors, arrays, numbers, other objects, and sequences and mappings of them.
            msg (str or callable, optional): text after the generated one; a callable makes the whole
                text of the generated one.
            atol, rtol (float, optional): tolerances, both or none. Default: by the dtypes.
            equal_nan (bool): takes two nan as equal. Default: ``True``.
            exact_dtype, exact_device, exact_layout, exact_stride (bool): requires the same ones.
                Default: only dtypes.
            exact_is_coalesced (bool): requires that both sparse tensors are coalesced or neither.

        Raises:
            AssertionError: for the first difference.
        """
        __tracebackhide__ = True
        different = not_close_error_metas(
            *make_comparable(x, y),
            pair_types=PAIRS,
            sequence_types=(
                collections.abc.Sequence, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ParameterList,
                torch.utils.data.Subset,
            ),
            mapping_types=(collections.abc.Mapping, torch.nn.ModuleDict, torch.nn.ParameterDict),
            rtol=rtol,
            rtol_override=self.rel_tol,
            atol=atol,
            atol_override=self.precision,
            equal_nan=equal_nan,
            check_device=exact_device,
            check_dtype=exact_dtype,
            check_layout=exact_layout,
            check_stride=exact_stride,
            check_is_coalesced=exact_is_coalesced,
        )  # fmt: skip
        if not different:
            return
        first = different[0]
        different.clear()  # the errors' frames refer to it
        if isinstance(msg, str) and self.longMessage:
            raise first.to_error(lambda generated: f"{generated}\n{msg}")
        raise first.to_error(msg)

    def assertNotEqual(
        self,
        x: Any,
        y: Any,
        msg: str | None = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        **options: Any,
    ) -> None:
        """Raises AssertionError if `assertEqual` accepts two values.

        Args:
            x, y (Any): the values.
            msg (str, optional): text of the failure.
            atol, rtol (float, optional): tolerances, both or none.
            **options: more arguments of `assertEqual`.
        """
        with self.assertRaises(AssertionError, msg=msg):
            self.assertEqual(x, y, msg, atol=atol, rtol=rtol, **options)

    def assertObjectIn(self, obj: Any, iterable: Iterable[Any]) -> None:
        """Raises AssertionError unless an iterable yields this very object.

        Args:
            obj (Any): the object.
            iterable (iterable): where it must be.
        """
        if not any(item is obj for item in iterable):
            raise AssertionError("object not found in iterable")

    def assertNotWarn(self, callable: Callable[..., Any], msg: str = "") -> Any:
        """Calls a function, which must not warn.

        Args:
            callable (callable): called without arguments.
            msg (str): text of the failure. Default: ``""``.

        Returns:
            Any: the function's result.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = callable()
        self.assertTrue(len(caught) == 0, msg)
        return result

    @contextlib.contextmanager
    def assertWarnsOnceRegex(self, category: type[Warning], regex: str = "") -> Iterator[None]:
        """A context in which one of torch's warnings that appear once must appear.

        Args:
            category (type): class of the warning.
            regex (str): pattern of its text. Default: ``""``, any.
        """
        always = torch.is_warn_always_enabled()
        torch.set_warn_always(True)
        try:
            with self.assertWarnsRegex(category, regex):
                yield
        finally:
            torch.set_warn_always(always)


# ---- parameters ------------------------------------------------------------------------------------------------------


class subtest:
    """One case of `parametrize` with a name or decorators of its own.

    Args:
        arg_values (Any): the value, or a tuple of values for several parameters.
        name (str, optional): end of the test's name.
        decorators (iterable, optional): decorators for this case's test.

    Example:
        >>> from torch.testing._internal.common_utils import subtest
        >>> subtest((1, 2), name="pair").arg_values
        (1, 2)
    """

    __slots__ = ("arg_values", "name", "decorators")

    def __init__(
        self, arg_values: Any, name: str | None = None, decorators: Iterable[Callable[..., Any]] | None = None
    ) -> None:
        self.arg_values = arg_values
        self.name = name
        self.decorators = decorators or []


class parametrize:
    """Decorates a test to run once for each value; `instantiate_parametrized_tests` makes the tests.

    Decorators may be stacked; the tests are then the product of their cases.

    Args:
        arg_str (str): names of the test's parameters, separated by commas.
        arg_values (iterable): values, tuples of values, or `subtest`.
        name_fn (callable, optional): makes the end of a test's name of the values. Default: names and
            values.

    Example:
        >>> from torch.testing._internal.common_utils import TestCase, instantiate_parametrized_tests, parametrize
        >>> @instantiate_parametrized_tests
        ... class TestSquare(TestCase):
        ...     @parametrize("x", [2, 3])
        ...     def test_root(self, x):
        ...         self.assertEqual((x * x) ** 0.5, x)
        >>> [name for name in dir(TestSquare) if name.startswith("test_")]
        ['test_root_x_2', 'test_root_x_3']
    """

    def __init__(self, arg_str: str, arg_values: Iterable[Any], name_fn: Callable[..., str] | None = None) -> None:
        self.names = [name.strip() for name in arg_str.split(",") if name]
        self.values = arg_values
        self.name_fn = name_fn

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        test.parametrize_fn = [self, *getattr(test, "parametrize_fn", [])]
        return test

    def _list_name_suffixes_and_arguments(self, test):
        """Each case's end of the name, arguments and decorators."""
        cases = []
        for number, given in enumerate(self.values):
            case = given if isinstance(given, subtest) else subtest(given)
            values = list(case.arg_values) if len(self.names) > 1 else [case.arg_values]
            if len(values) != len(self.names):
                raise RuntimeError(
                    f"Expected # values == # arg names, but got: {len(values)} values and {len(self.names)} names for "
                    f'test "{test.__name__}"'
                )
            name = case.name or (self.name_fn(*values) if self.name_fn else self._make_name_suffix(number, values))
            cases.append((name, dict(zip(self.names, values, strict=True)), case.decorators))
        if not cases:
            raise ValueError(
                f"{test}: An empty arg_values was passed to @parametrize. Note that this may result from reuse of a "
                "generator."
            )
        return cases

    def _make_name_suffix(self, number, values):
        return "_".join(_name_of_value(number, name, value) for name, value in zip(self.names, values, strict=True))


def _name_of_value(number, name, value):
    if isinstance(value, torch.dtype):
        return str(value).rpartition(".")[2]
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, (int, float, str)):
        return f"{name}_{str(value).replace('.', '_')}"
    return f"{name}{number}"


def _check_separate_names(test, arguments):
    seen: set[str] = set()
    for names in map(set, reversed(arguments)):
        if seen & names:
            raise RuntimeError(
                "Parametrization over the same parameter by multiple parametrization decorators is not supported. For "
                f'test "{test.__name__}", the following parameters are handled multiple times: {seen & names}'
            )
        seen |= names


def _make_test_with_arguments(test, arguments, decorators):
    if decorators:  # they must not change the test of other cases
        original = test
        test = functools.wraps(original)(lambda *args, **kwargs: original(*args, **kwargs))
        for decorate in decorators:
            test = decorate(test)

    @functools.wraps(test)
    def run_case(self):
        test(self, **arguments)

    del run_case.__wrapped__  # whose parameters pytest would take for fixtures
    return run_case


def instantiate_parametrized_tests(generic_cls: type) -> type:
    """Replaces the tests of a class that `parametrize` decorates by one test for each case.

    Args:
        generic_cls (type): the class.

    Returns:
        type: the same class.

    Raises:
        RuntimeError: when values and names do not match, or two decorators name one parameter.
        ValueError: when a decorator has no values.
        AssertionError: when two tests would have one name.
    """
    for name in dir(generic_cls):
        test = getattr(generic_cls, name)
        axes = getattr(test, "parametrize_fn", None)
        if axes is None:
            continue
        delattr(generic_cls, name)
        # As torch orders tests: the innermost decorator's cases vary most slowly.
        for cases in itertools.product(*(axis._list_name_suffixes_and_arguments(test) for axis in reversed(axes))):
            names, arguments, decorators = zip(*reversed(cases), strict=True)
            _check_separate_names(test, arguments)
            full_name = f"{test.__name__}_{'_'.join(names)}"
            if hasattr(generic_cls, full_name):
                raise AssertionError(f"Redefinition of test {full_name}")
            merged = {key: value for part in arguments for key, value in part.items()}
            inner_first = [decorator for part in reversed(decorators) for decorator in part]
            setattr(generic_cls, full_name, _make_test_with_arguments(test, merged, inner_first))
    return generic_cls


# ---- conditions, seeds, files ----------------------------------------------------------------------------------------

skipIfNoSciPy = unittest.skipIf(not TEST_SCIPY, "test require SciPy, but SciPy not found")
slowTest = unittest.skipIf(not TEST_WITH_SLOW, "test is slow; run with PYTORCH_TEST_WITH_SLOW to enable test")


def skipIfRocm(func: Callable[..., Any] | None = None, *, msg: str = "test doesn't currently work on the ROCm stack"):
    """Decorates a test that builds for AMD's GPUs leave out.

    Args:
        func (callable, optional): the test.
        msg (str): the reason.

    Returns:
        callable: the test; without one, the decorator.
    """
    decorate = unittest.skipIf(TEST_WITH_ROCM, msg)
    return decorate if func is None else decorate(func)


def suppress_warnings(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function whose warnings nobody wants to see.

    Args:
        fn (callable): the function.

    Returns:
        callable: the same, without warnings.
    """

    @functools.wraps(fn)
    def call_without_warnings(*args, **kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(*args, **kwargs)

    return call_without_warnings


def set_rng_seed(seed: int | None = None) -> None:
    """Seeds torch's and Python's generators, and NumPy's if it is imported.

    Args:
        seed (int, optional): Default: ``SEED``.
    """
    seed = SEED if seed is None else seed
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)


@contextlib.contextmanager
def set_default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """A context with another default dtype.

    Args:
        dtype (torch.dtype): a floating-point dtype.
    """
    saved = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(saved)


@contextlib.contextmanager
def TemporaryFileName(*args: Any, **kwargs: Any) -> Iterator[str]:
    """A context with the name of a new empty file, which is removed at its end.

    Args:
        *args, **kwargs: for `tempfile.NamedTemporaryFile`.
    """
    with tempfile.NamedTemporaryFile(*args, delete=False, **kwargs) as file:
        pass
    try:
        yield file.name
    finally:
        os.unlink(file.name)


@contextlib.contextmanager
def TemporaryDirectoryName(suffix: str | None = None) -> Iterator[str]:
    """A context with the name of a new folder, which is removed at its end.

    Args:
        suffix (str, optional): end of its name.
    """
    with tempfile.TemporaryDirectory(suffix=suffix) as name:
        yield name


def find_free_port() -> int:
    """Returns a TCP port of this machine that nobody listens on at the moment.

    Returns:
        int: the port's number.
    """
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def retry(
    ExceptionToCheck: type[Exception] | tuple[type[Exception], ...],
    tries: int = 3,
    delay: float = 3,
    skip_after_retries: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function to be called again after certain errors.

    Args:
        ExceptionToCheck (type or tuple of type): the errors.
        tries (int): number of calls, at most. Default: ``3``.
        delay (float): seconds between them. Default: ``3``.
        skip_after_retries (bool): skips the test after the last error instead of raising it.

    Returns:
        callable: the decorator.
    """

    def decorate(function):
        @functools.wraps(function)
        def call_with_retries(*args, **kwargs):
            for left in reversed(range(tries)):
                try:
                    return function(*args, **kwargs)
                except ExceptionToCheck as error:
                    if left:
                        print(f"{error}, Retrying in {delay} seconds...")
                        time.sleep(delay)
                    elif skip_after_retries:
                        raise unittest.SkipTest(f"Skipping after {tries} consecutive {error!s}") from error
                    else:
                        raise

        return call_with_retries

    return decorate


def run_tests(argv: list[str] | None = None) -> None:
    """Runs the tests of the module that is the program, and ends the process.

    Args:
        argv (list of str, optional): command line as for `unittest.main`. Default: ``sys.argv``.
    """
    unittest.main(argv=sys.argv if argv is None else argv)
