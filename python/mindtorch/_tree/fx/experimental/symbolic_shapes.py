"""Questions about sizes that may be symbols to torch's compiler. They are plain numbers here: each has its answer."""

from ..._absent_device import refusing_class
from ..._root import torch


class GuardOnDataDependentSymNode(RuntimeError):
    """A branch depends on a number that only data tell."""

    def __init__(self, cond, *args) -> None:
        super().__init__(*args)
        self.cond = cond


ShapeEnv = refusing_class(
    __name__,
    "ShapeEnv(*, should_record_events=None, tracked_fakes=None, **kwargs)",
    NotImplementedError,
    "ShapeEnv: there is no tracing compiler",
)


def _checked(kind, value, shown):
    if type(value) is not kind:
        raise AssertionError(f"Expected {kind.__name__}, got {shown(value)}")
    return value


def guard_or_false(a: bool) -> bool:
    """A truth; False where it would depend on data."""
    return _checked(bool, a, type)


def guard_or_true(a: bool) -> bool:
    """A truth; True where it would depend on data."""
    return _checked(bool, a, type)


def statically_known_true(x: bool) -> bool:
    """Whether something holds without a look at data."""
    return _checked(bool, x, type)


def statically_known_false(x: bool) -> bool:
    """Whether something does not hold, without a look at data."""
    return not _checked(bool, x, type)


def guard_bool(a: bool) -> bool:
    """A truth as it is."""
    return _checked(bool, a, str)


def expect_true(a: bool, skip: int = 0) -> bool:
    """A truth that is expected to hold."""
    return _checked(bool, a, str)


def guard_int(a: int) -> int:
    """A number as it is."""
    return _checked(int, a, str)


def guard_float(a: float) -> float:
    """A number as it is."""
    return _checked(float, a, str)


def guard_scalar(a):
    """A bool, int or float as it is."""
    if not isinstance(a, (bool, int, float)):
        raise AssertionError(f"unrecognized scalar {a}")
    return a


def _is_concrete(a, symbol, kind) -> bool:
    if not isinstance(a, kind):
        raise AssertionError(f"Expected {symbol} or {kind.__name__}, got {type(a)}")
    return True


def is_concrete_bool(a) -> bool:
    """Whether a truth is known: True."""
    return _is_concrete(a, "SymBool", bool)


def is_concrete_int(a) -> bool:
    """Whether a number is known: True."""
    return _is_concrete(a, "SymInt", int)


def is_concrete_float(a) -> bool:
    """Whether a number is known: True."""
    return _is_concrete(a, "SymFloat", float)


def has_static_value(a) -> bool:
    """Whether a bool, int or float is known: True."""
    if not isinstance(a, (bool, float, int)):
        raise AssertionError(f"Expected BoolLike/FloatLike/IntLike, got {type(a)}")
    return True


def is_symbolic(val) -> bool:
    """Whether a number is a symbol: False."""
    return False if isinstance(val, (int, float, bool)) else val.node.is_symbolic()


def free_symbols(val) -> set:
    """The symbols in a number, tensor or list: none."""
    return set()


def free_unbacked_symbols(x) -> set:
    """The symbols without an example in a number, tensor or list: none."""
    return set()


def has_free_symbols(val) -> bool:
    """Whether there are symbols: False."""
    return False


def sym_eq(x, y):
    """Whether two numbers, or two lists or tuples of them, are equal."""
    if isinstance(x, (tuple, list)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    if isinstance(x, (int, torch.SymInt)) and isinstance(y, (int, torch.SymInt)):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")


def sym_and(x, *others):
    """Whether all hold."""
    for other in others:
        x = x & other
    return x


def sym_or(x, *others):
    """Whether one of them holds."""
    for other in others:
        x = x | other
    return x
