"""Where the references come from: each is an operator of this library, called as torch's references are."""

import functools

from .._root import torch

_NUMBERS = (bool, int, float, complex)


def collect(module: dict, names: str, *namespaces) -> list:
    """Defines the references of a module that it does not define itself.

    Args:
        module (dict): the module's globals.
        names (str): its public names, separated by blanks.
        namespaces: where to look for the operators, the first ones first.

    Returns:
        list: the names, for ``__all__``.
    """
    listed = names.split()
    for name in listed:
        if name in module:
            continue
        found = [getattr(namespace, name) for namespace in namespaces if hasattr(namespace, name)]
        module[name] = _accept_number_operands(name, found[0]) if name in _TWO_OPERANDS else found[0]
    return listed


def _accept_number_operands(name, function):
    """Returns the function of two tensors, which also takes a number as the operands that torch's reference allows."""

    @functools.wraps(function)
    def reference(a, b, *args, **kwargs):
        if isinstance(a, _NUMBERS):
            if name not in _NUMBER_FIRST:
                raise _refuse_number(name, "lhs")
            if isinstance(b, torch.Tensor):
                a = _make_tensor_of_number(a, b)
        elif isinstance(b, _NUMBERS) and name in _TENSORS_ONLY:
            raise _refuse_number(name, "rhs")
        elif isinstance(b, _NUMBERS) and name in ("maximum", "minimum"):
            b = _make_tensor_of_number(b, a)
        return function(a, b, *args, **kwargs)

    return reference


def _make_tensor_of_number(number, other):
    """Returns a tensor that has the number's part in type promotion."""
    return torch.scalar_tensor(number, dtype=torch.result_type(number, other), device=other.device)


def _refuse_number(name, side):
    text = f"{name}: Received a {side} Python scalar to an elementwise binary operation that does not accept {side}"
    return ValueError(text + " scalars!")


_NUMBER_FIRST = frozenset(
    """add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor div float_power floor_divide
    maximum minimum mul pow remainder sub true_divide xlogy""".split()
)
_TENSORS_ONLY = frozenset(
    "atan2 fmax fmin gcd heaviside hypot igamma igammac lcm logaddexp logaddexp2 nextafter".split()
)
_TWO_OPERANDS = _NUMBER_FIRST | _TENSORS_ONLY | frozenset("copysign eq fmod ge gt le lt ne".split())
