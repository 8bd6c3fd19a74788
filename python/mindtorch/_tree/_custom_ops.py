"""torch._custom_ops: the former functions for operators made of Python functions; torch.library replaces them."""

from ._custom_op.impl import _define_operator, _make_decorator_to_define, _find_custom_op
from .library import get_ctx, register_fake

__all__ = ["custom_op", "impl", "impl_abstract", "get_ctx", "impl_save_for_backward", "impl_backward"]


def custom_op(qualname, func_or_schema=None):
    """Defines an operator by a schema, or by a function with annotations, which is not called.

    Args:
        qualname (str): ``"namespace::name"``.
        func_or_schema (str or callable, optional): without one the result is a decorator.

    Returns:
        callable or None: the function, or a decorator.
    """
    if isinstance(func_or_schema, str):
        _define_operator(qualname, func_or_schema)
        return None

    def define_custom_op(function):
        _make_decorator_to_define(qualname)(function)
        return function

    return define_custom_op if func_or_schema is None else define_custom_op(func_or_schema)


def _apply_or_return_decorator(register, func):
    return register if func is None else register(func)


def impl(qualname, *, device_types=("cpu", "cuda"), func=None):
    """Adds the function of an operator for kinds of devices, ``"cpu"`` and ``"cuda"``; see CustomOp.impl."""
    made = _find_custom_op(qualname, also_check_torch_library=True)
    return _apply_or_return_decorator(made.impl(device_types, _stacklevel=3), func)


def impl_abstract(qualname, *, func=None):
    """Adds the rule of an operator for tensors without data."""
    return _apply_or_return_decorator(register_fake(qualname), func)


def impl_save_for_backward(qualname, *, func=None):
    """Adds what an operator saves for its backward function; see CustomOp.impl_save_for_backward."""
    made = _find_custom_op(qualname, also_check_torch_library=True)
    return _apply_or_return_decorator(made.impl_save_for_backward(_stacklevel=3), func)


def impl_backward(qualname, output_differentiability=None, *, func=None):
    """Adds the backward function of an operator; see CustomOp.impl_backward."""
    made = _find_custom_op(qualname, also_check_torch_library=True)
    return _apply_or_return_decorator(made.impl_backward(output_differentiability, _stacklevel=3), func)


def _destroy(qualname):
    """Removes an operator."""
    _find_custom_op(qualname)._destroy()
