"""Nested ints: the sizes of an irregular dimension, j1, j2, ..., as one number that has no value."""

from ..._symint import SymInt

_NO_VALUE = (
    "Expected false to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
_WITHOUT_ANSWER = {
    "add", "sub", "mod", "floordiv", "truediv", "int_floordiv", "int_truediv", "float_truediv", "pow", "pow_by_natural",
    "float_pow", "neg", "abs", "floor", "ceil", "trunc", "round", "and_", "or_", "xor", "bitwise_and", "bitwise_or",
    "bitwise_xor", "lshift", "rshift", "sym_min", "sym_max", "sym_float", "pos",
}  # fmt: skip
_SMALLEST = 2  # a nested int counts as at least this


class NestedIntNode:
    """A multiple of an irregular size, which a number tells apart from others.

    Args:
        number (int): tells it apart.
        coeff (int): the factor.
    """

    def __init__(self, number, coeff):
        self.number = number
        self.coeff = coeff

    def nested_int(self):
        """Returns the number."""
        return self.number

    def nested_int_coeff(self):
        """Returns the factor."""
        return self.coeff

    def maybe_as_int(self):
        """Returns None: there is no value."""

    def is_int(self):
        """Returns True."""
        return True

    def is_float(self):
        """Returns False."""
        return False

    def is_bool(self):
        """Returns False."""
        return False

    def is_nested_int(self):
        """Returns True."""
        return True

    def is_symbolic(self):
        """Returns False: nothing will ever be substituted."""
        return False

    def is_constant(self):
        """Returns False."""
        return False

    def wrap_int(self, number):
        """Returns a node of a number."""
        return _Number(number)

    def wrap_float(self, number):
        """Raises: there is no arithmetic with floats and tensors."""
        raise RuntimeError(f"{type(number).__name__}: invalid argument {self.str()}")

    def clone(self):
        """Returns the node itself."""
        return self

    def str(self):
        """Returns the text."""
        return f"j{self.number}" if self.coeff == 1 else f"{self.coeff}*j{self.number}"

    __str__ = __repr__ = _graph_repr = str

    def int_(self):
        """Raises: there is no value."""
        raise RuntimeError(_NO_VALUE)

    def bool_(self):
        """Returns True: no size counts as 0."""
        return True

    def __getattr__(self, name):
        if name.startswith("_") or name not in _WITHOUT_ANSWER:
            raise AttributeError(name)
        return lambda *others: _raise_unsupported_operation(name)

    def mul(self, other):
        """Multiplies by a number."""
        if isinstance(other, NestedIntNode):
            raise ValueError(f"unsupported: {type(other)}")
        return SymInt(NestedIntNode(self.number, self.coeff * other.value))

    def eq(self, other):
        """Whether both are the same multiple of the same size."""
        return isinstance(other, NestedIntNode) and (self.number, self.coeff) == (other.number, other.coeff)

    def ne(self, other):
        """Whether they differ."""
        return not self.eq(other)

    def ge(self, other):
        """Whether this is at least the other, if that is known."""
        return _is_greater_or_equal(self, other)

    def le(self, other):
        """Whether this is at most the other, if that is known."""
        return _is_greater_or_equal(other, self)

    def gt(self, other):
        """Whether this is more than the other, if that is known."""
        return not _is_greater_or_equal(other, self)

    def lt(self, other):
        """Whether this is less than the other, if that is known."""
        return not _is_greater_or_equal(self, other)


def _raise_unsupported_operation(name):
    raise RuntimeError(
        "neg is not supported by NestedIntSymNode" if name == "neg" else f"{name} not supported by NestedIntSymNode"
    )


class _Number:
    """A plain number as the other operand."""

    def __init__(self, value):
        self.value = value

    def mul(self, other):
        return other.mul(self)


def _is_greater_or_equal(a, b):
    if isinstance(a, NestedIntNode) and isinstance(b, NestedIntNode):
        if a.number == b.number:
            return a.coeff >= b.coeff
    elif isinstance(a, NestedIntNode):
        if b.value <= _SMALLEST:
            return True
    elif a.value < _SMALLEST:
        return False
    raise ValueError("ge: relation is indeterminate")


def get_nested_int(number, coeff=1):
    """Returns a multiple of the irregular size of this number."""
    return SymInt(NestedIntNode(number, coeff))


def number_of_nested_int(size):
    """Returns the number of a nested int, or None for a plain one."""
    node = getattr(size, "node", None)
    return node.number if isinstance(node, NestedIntNode) else None
