"""Queries of sizes, which may be symbols in torch's compiler. Sizes are plain numbers here, so each query has an
answer."""

from ..._absent_device import make_refusing_class
from ..._root import torch


class GuardOnDataDependentSymNode(RuntimeError):
    """Raised if a branch depends on a number that depends on data."""

    def __init__(self, cond, *args) -> None:
        super().__init__(*args)
        self.cond = cond


ShapeEnv = make_refusing_class(
    __name__,
    "ShapeEnv(*, should_record_events=None, tracked_fakes=None, **kwargs)",
    NotImplementedError,
    "ShapeEnv: there is no tracing compiler",
)


def _check_constraint(kind, value, shown):
    if type(value) is not kind:
        raise AssertionError(f"Expected {kind.__name__}, got {shown(value)}")
    return value


def guard_or_false(a: bool) -> bool:
    """Returns a condition; False where a compiler could not know it without data.

    There are no symbolic values here, so that every value is known.

    Args:
        a (bool): the value.

    Returns:
        bool: `a`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_or_false
        >>> guard_or_false(3 > 2)
        True
    """
    return _check_constraint(bool, a, type)


def guard_or_true(a: bool) -> bool:
    """Returns a condition; True where a compiler could not know it without data.

    There are no symbolic values here, so that every value is known.

    Args:
        a (bool): the value.

    Returns:
        bool: `a`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_or_true
        >>> guard_or_true(3 < 2)
        False
    """
    return _check_constraint(bool, a, type)


def statically_known_true(x: bool) -> bool:
    """Returns whether a condition holds, as far as that is known without data.

    There are no symbolic values here, so that every value is known.

    Args:
        x (bool): the value.

    Returns:
        bool: `x`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import statically_known_true
        >>> statically_known_true(3 > 2)
        True
    """
    return _check_constraint(bool, x, type)


def statically_known_false(x: bool) -> bool:
    """Returns whether a condition fails, as far as that is known without data.

    There are no symbolic values here, so that every value is known.

    Args:
        x (bool): the value.

    Returns:
        bool: ``not x``.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import statically_known_false
        >>> statically_known_false(3 > 2)
        False
    """
    return not _check_constraint(bool, x, type)


def guard_bool(a: bool) -> bool:
    """Returns a bool, which a compiler would check again in later runs.

    Args:
        a (bool): the value.

    Returns:
        bool: `a`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_bool
        >>> guard_bool(True)
        True
    """
    return _check_constraint(bool, a, str)


def expect_true(a: bool, skip: int = 0) -> bool:
    """Returns a condition that is expected to hold, which a compiler would check when the program runs.

    Args:
        a (bool): the condition.
        skip (int): not looked at. Default: ``0``.

    Returns:
        bool: `a`.

    Raises:
        AssertionError: when `a` is no bool.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import expect_true
        >>> expect_true(3 > 2)
        True
    """
    return _check_constraint(bool, a, str)


def guard_int(a: int) -> int:
    """Returns an int, which a compiler would check again in later runs.

    Args:
        a (int): the value.

    Returns:
        int: `a`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_int
        >>> guard_int(3)
        3
    """
    return _check_constraint(int, a, str)


def guard_float(a: float) -> float:
    """Returns a float, which a compiler would check again in later runs.

    Args:
        a (float): the value.

    Returns:
        float: `a`.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_float
        >>> guard_float(0.5)
        0.5
    """
    return _check_constraint(float, a, str)


def guard_scalar(a):
    """Returns a number, which a compiler would check again in later runs.

    Args:
        a (bool, int or float): the value.

    Returns:
        bool, int or float: `a`.

    Raises:
        AssertionError: when it is none of these.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import guard_scalar
        >>> guard_scalar(3)
        3
    """
    if not isinstance(a, (bool, int, float)):
        raise AssertionError(f"unrecognized scalar {a}")
    return a


def _is_concrete(a, symbol, kind) -> bool:
    if not isinstance(a, kind):
        raise AssertionError(f"Expected {symbol} or {kind.__name__}, got {type(a)}")
    return True


def is_concrete_bool(a) -> bool:
    """Returns whether a bool is known.

    Args:
        a (bool): the value.

    Returns:
        bool: True, as there are no symbols.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import is_concrete_bool
        >>> is_concrete_bool(False)
        True
    """
    return _is_concrete(a, "SymBool", bool)


def is_concrete_int(a) -> bool:
    """Returns whether an int is known.

    Args:
        a (int): the value.

    Returns:
        bool: True, as there are no symbols.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import is_concrete_int
        >>> is_concrete_int(3)
        True
    """
    return _is_concrete(a, "SymInt", int)


def is_concrete_float(a) -> bool:
    """Returns whether a float is known.

    Args:
        a (float): the value.

    Returns:
        bool: True, as there are no symbols.

    Raises:
        AssertionError: when it is not of that type.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import is_concrete_float
        >>> is_concrete_float(0.5)
        True
    """
    return _is_concrete(a, "SymFloat", float)


def has_static_value(a) -> bool:
    """Returns whether a number is known.

    Args:
        a (bool, int or float): the value.

    Returns:
        bool: True, as there are no symbols.

    Raises:
        AssertionError: when it is none of these.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import has_static_value
        >>> has_static_value(3)
        True
    """
    if not isinstance(a, (bool, float, int)):
        raise AssertionError(f"Expected BoolLike/FloatLike/IntLike, got {type(a)}")
    return True


def is_symbolic(val) -> bool:
    """Returns whether a number is a symbol.

    Args:
        val (Any): the value.

    Returns:
        bool: False.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import is_symbolic
        >>> is_symbolic(3)
        False
    """
    return False if isinstance(val, (int, float, bool)) else val.node.is_symbolic()


def free_symbols(val) -> set:
    """Returns the symbols in a number, a tensor or a list of them.

    Args:
        val (Any): the value.

    Returns:
        set: empty, as there are none.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import free_symbols
        >>> free_symbols(3)
        set()
    """
    return set()


def free_unbacked_symbols(x) -> set:
    """Returns the symbols without an example in a number, a tensor or a list of them.

    Args:
        x (Any): the value.

    Returns:
        set: empty, as there are none.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
        >>> free_unbacked_symbols(3)
        set()
    """
    return set()


def has_free_symbols(val) -> bool:
    """Returns whether symbols are in a number, a tensor or a list of them.

    Args:
        val (Any): the value.

    Returns:
        bool: False, as there are none.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import has_free_symbols
        >>> has_free_symbols(3)
        False
    """
    return False


def sym_eq(x, y):
    """Returns whether two ints, or two lists or tuples of them, are equal.

    Args:
        x, y (int, list or tuple): the values.

    Returns:
        bool: whether they are.

    Raises:
        AssertionError: when the types do not go together.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import sym_eq
        >>> sym_eq((2, 3), [2, 3])
        True
    """
    are_numbers, are_sequences = (
        all(isinstance(value, kinds) for value in (x, y)) for kinds in ((int, torch.SymInt), (list, tuple))
    )
    if are_numbers:
        return x == y
    if not are_sequences:
        raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")
    return len(x) == len(y) and all(map(sym_eq, x, y))


def sym_and(x, *others):
    """Returns whether all conditions hold: joins them with ``&``.

    Args:
        x (bool): the first.
        *others (bool): the others.

    Returns:
        bool: whether all hold.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import sym_and
        >>> sym_and(True, False)
        False
    """
    for other in others:
        x = x & other
    return x


def sym_or(x, *others):
    """Returns whether one of several conditions holds: joins them with ``|``.

    Args:
        x (bool): the first.
        *others (bool): the others.

    Returns:
        bool: whether one of them holds.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import sym_or
        >>> sym_or(True, False)
        True
    """
    for other in others:
        x = x | other
    return x
