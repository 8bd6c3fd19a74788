"""SymInt, SymFloat and SymBool: numbers that represent a node of a symbolic shape expression; eager code makes none."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

from .overrides import handle_torch_function, has_torch_function


class _Symbolic:
    """Shared by the three: delegates arithmetic to the node, which also wraps plain numbers."""

    def __init__(self, node):
        self.node = node

    def _apply_to_node(self, name, *others):
        operands = [
            other.node if isinstance(other, _Symbolic) else self._wrap_number_in_node(other) for other in others
        ]
        result = getattr(self.node, name)(*operands)
        return result if isinstance(result, (_Symbolic, builtins.bool)) else _wrap_node(result)

    def _wrap_number_in_node(self, number):
        if isinstance(number, builtins.bool):
            return self.node.wrap_bool(number)
        if isinstance(number, int):
            return self.node.wrap_int(number)
        return self.node.wrap_float(number)

    def __bool__(self):
        return self.node.bool_()

    def __repr__(self):
        return self.node._graph_repr() if hasattr(self.node, "_graph_repr") else str(self.node)


def _make_binary_method(node_name):
    return lambda self, other: self._apply_to_node(node_name, other)


def _make_reflected_method(node_name):
    return lambda self, other: type(self)(self._wrap_number_in_node(other))._apply_to_node(node_name, self)


def _make_unary_method(node_name):
    return lambda self: self._apply_to_node(node_name)


_COMPARISONS = {"__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge"}
_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "mod": "mod", "truediv": "truediv", "floordiv": "floordiv"}


class SymInt(_Symbolic):
    """An int whose value may be a symbol of a shape expression; eager code makes none.

    The `node` does arithmetic and comparisons; conversion to int or bool requests its value.

    Args:
        node: the expression.

    Example:
        >>> isinstance(torch.ones(3).size(0), torch.SymInt)
        False
    """

    def __int__(self):
        return self.node.int_()

    def __index__(self):
        return self.node.int_()

    def __round__(self, ndigits=None):
        return self

    def __hash__(self) -> int:
        if self.node.is_nested_int():
            return hash(self.node.nested_int())
        raise TypeError("unhashable type: non-nested SymInt")

    def as_integer_ratio(self) -> tuple[SymInt, int]:
        """Returns ``(self, 1)``.

        Returns:
            tuple: numerator and denominator.
        """
        return self, 1

    def bit_length(self) -> int:
        """Returns the number of bits of the value.

        Returns:
            int: the number.
        """
        return int(self).bit_length()

    def conjugate(self) -> SymInt:
        """Returns the number itself.

        Returns:
            SymInt: `self`.
        """
        return self


class SymFloat(_Symbolic):
    """A float whose value may be a symbol of a shape expression; eager code makes none.

    Args:
        node: the expression.

    Example:
        >>> isinstance(torch.sym_float(3), torch.SymFloat)
        False
    """

    def __float__(self):
        return self.node.guard_float("", 0)

    def __int__(self):
        return int(float(self))

    def __hash__(self):
        return hash(float(self))

    def is_integer(self):
        """Returns whether the value is a whole number.

        Returns:
            SymBool: the answer, perhaps symbolic.
        """
        return self._apply_to_node("is_integer")

    def as_integer_ratio(self) -> tuple[int, int]:
        """Returns the value as a fraction.

        Returns:
            tuple of int: numerator and denominator.
        """
        return float(self).as_integer_ratio()

    def conjugate(self) -> SymFloat:
        """Returns the number itself.

        Returns:
            SymFloat: `self`.
        """
        return self

    def hex(self) -> str:
        """Returns the value in hexadecimal notation.

        Returns:
            str: as `float.hex`.
        """
        return float(self).hex()


class SymBool(_Symbolic):
    """A bool whose value may be a symbol of a shape expression; eager code makes none.

    Args:
        node: the expression.

    Example:
        >>> isinstance(torch.sym_not(True), torch.SymBool)
        False
    """

    def __int__(self):
        return builtins.int(self.node.bool_())

    def __and__(self: object, other: object) -> Any:
        return self._apply_to_node("and_", other)

    def __or__(self: object, other: object) -> Any:
        return self._apply_to_node("or_", other)

    def __eq__(self: object, other: object) -> Any:
        return self._apply_to_node("eq", other)

    def __sym_not__(self: object) -> Any:
        return self._apply_to_node("sym_not")

    def __hash__(self):
        return hash(self.node.bool_())


for _kind in (SymInt, SymFloat):
    for _method, _name in _COMPARISONS.items():
        setattr(_kind, _method, _make_binary_method(_name))
    for _method, _name in _ARITHMETIC.items():
        setattr(_kind, f"__{_method}__", _make_binary_method(_name))
        setattr(_kind, f"__r{_method}__", _make_reflected_method(_name))
    _kind.__pow__ = _make_binary_method("pow")
    _kind.__rpow__ = _make_reflected_method("pow")
    _kind.__neg__ = _make_unary_method("neg")
    _kind.__abs__ = _make_unary_method("abs")


def _wrap_node(node):
    if node.is_int():
        return SymInt(node)
    return SymFloat(node) if node.is_float() else SymBool(node)


def sym_not(a):
    """Returns ``not a``, also for symbolic booleans.

    Args:
        a (bool or SymBool): the value.

    Returns:
        bool or SymBool: its negation.

    Example:
        >>> torch.sym_not(True)
        False
    """
    if has_torch_function((a,)):
        return handle_torch_function(sym_not, (a,), a)
    return a.__sym_not__() if hasattr(a, "__sym_not__") else not a


def sym_float(a):
    """Converts a number to float, also a symbolic one.

    Args:
        a (number or SymInt): the number.

    Returns:
        float or SymFloat: the converted number.

    Example:
        >>> torch.sym_float(3)
        3.0
    """
    if has_torch_function((a,)):
        return handle_torch_function(sym_float, (a,), a)
    if isinstance(a, SymFloat):
        return a
    return a._apply_to_node("sym_float") if isinstance(a, _Symbolic) else builtins.float(a)


def sym_int(a):
    """Converts a number to int, rounding towards zero, also a symbolic one.

    Args:
        a (number or SymFloat): the number.

    Returns:
        int or SymInt: the converted number.

    Example:
        >>> torch.sym_int(-1.5)
        -1
    """
    if has_torch_function((a,)):
        return handle_torch_function(sym_int, (a,), a)
    if isinstance(a, SymInt):
        return a
    return a._apply_to_node("trunc") if isinstance(a, SymFloat) else builtins.int(a)


def _make_extremum_function(python, node_name, name):
    def choose_extremum(a, b):
        if has_torch_function((a, b)):
            return handle_torch_function(choose_extremum, (a, b), a, b)
        if isinstance(a, _Symbolic):
            return a._apply_to_node(node_name, b)
        if isinstance(b, _Symbolic):
            return b._apply_to_node(node_name, a)
        result = python(a, b)
        is_float = isinstance(a, builtins.float) or isinstance(b, builtins.float)
        return builtins.float(result) if is_float else result

    choose_extremum.__name__ = choose_extremum.__qualname__ = name
    which = "larger" if python is max else "smaller"
    choose_extremum.__doc__ = f"""Returns the {which} of two numbers, also of symbolic ones.

Args:
    a, b (number, SymInt or SymFloat): the numbers.

Returns:
    number: one of them; a float if either is.

Example:
    >>> torch.{name}(1, 2.0)
    {float(python(1, 2.0))}
"""
    return choose_extremum


sym_max = _make_extremum_function(max, "sym_max", "sym_max")
sym_min = _make_extremum_function(min, "sym_min", "sym_min")


def sym_sum(*args):
    """Adds numbers, also symbolic ones.

    Args:
        *args: the numbers, or one list or tuple of them.

    Returns:
        int or SymInt: the sum; 0 of none.

    Example:
        >>> torch.sym_sum([1, 2, 3])
        6
    """
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = args[0]
    if has_torch_function(args):
        return handle_torch_function(sym_sum, args, args)
    total = 0
    for number in args:
        total = operator.add(total, number)
    return total


def _math_function(name):
    plain = getattr(math, name)

    def evaluate_math_function(a):
        if has_torch_function((a,)):
            return handle_torch_function(evaluate_math_function, (a,), a)
        if isinstance(a, SymInt):
            a = sym_float(a)
        return a._apply_to_node(f"sym_{name}") if isinstance(a, _Symbolic) else plain(a)

    evaluate_math_function.__name__ = evaluate_math_function.__qualname__ = f"sym_{name}"
    evaluate_math_function.__doc__ = f"""Computes `math.{name}`, also of symbolic numbers.

Args:
    a (number, SymInt or SymFloat): the number.

Returns:
    float or SymFloat: the result.

Example:
    >>> torch._sym_{name}(1.0) == {plain(1.0)!r}
    True
"""
    return evaluate_math_function


MATH = {
    f"_sym_{name}": _math_function(name)
    for name in ("sqrt", "cos", "cosh", "sin", "sinh", "tan", "tanh", "asin", "acos", "atan", "log2")
}
sym_sqrt = MATH["_sym_sqrt"]


def sym_ite(b, t, f):
    """Returns ``t if b else f``, also for a symbolic condition.

    Args:
        b (bool or SymBool): the condition.
        t: the value where it is true.
        f: the value where it is false, of the same type.

    Returns:
        `t` or `f`.

    Raises:
        AssertionError: when the types are not as required.

    Example:
        >>> torch.sym_ite(True, 1, 2)
        1
    """
    if has_torch_function((b, t, f)):
        return handle_torch_function(sym_ite, (b, t, f), b, t, f)
    if not isinstance(b, (SymBool, builtins.bool)) or type(t) is not type(f):
        raise AssertionError(f"sym_ite needs a bool and two values of one type, got {type(b)}, {type(t)}, {type(f)}")
    return SymBool.__sym_ite__(b, t, f) if isinstance(b, SymBool) and hasattr(b, "__sym_ite__") else (t if b else f)
