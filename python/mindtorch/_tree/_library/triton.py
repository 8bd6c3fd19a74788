"""Operators made of Triton kernels: custom operators, since no trace looks into kernels."""

from collections.abc import Callable, Iterable
from typing import Any

from .custom_ops import custom_op
from .infer_schema import infer_schema


def triton_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Callable:
    """Makes an operator of a function that calls Triton kernels and other operators.

    It is a custom operator whose function is also its rule for tensors without data. Triton's kernels need a GPU or
    Triton's interpreter.

    Args:
        name (str): ``"namespace::name"``.
        fn (callable, optional): the function, with annotations; without one the result is a decorator.
        mutates_args (iterable of str or str): names of the tensors that it writes to, ``()`` for none, or
            ``"unknown"``.
        schema (str, optional): ignored: the types are those of the annotations.

    Returns:
        CustomOpDef: the operator, or a decorator.

    Raises:
        ValueError: when annotations are missing or not supported.

    Example:
        >>> @torch.library.triton_op("doc_triton::add_one", mutates_args=())
        ... def add_one(x: torch.Tensor) -> torch.Tensor:
        ...     return x + 1  # or wrap_triton(kernel)[grid](x, ...)
        >>> add_one(torch.tensor([1.0]))
        tensor([2.])
    """

    def define_op(function):
        def backend_fn(*args, **kwargs):
            return function(*args, **kwargs)

        made = custom_op(
            name, backend_fn, mutates_args=mutates_args, schema=infer_schema(function, mutates_args=mutates_args)
        )
        made.register_fake(function)
        return made

    return define_op if fn is None else define_op(fn)


def wrap_triton(triton_kernel: Callable, /) -> Any:
    """Marks a Triton kernel inside a `triton_op`; without a trace that records kernels, it is the kernel itself.

    Args:
        triton_kernel (callable): of ``triton.jit`` or ``triton.autotune``.

    Returns:
        callable: the kernel.

    Raises:
        RuntimeError: when it is not a kernel.
        ModuleNotFoundError: when Triton is not installed.

    Example:
        >>> try:
        ...     torch.library.wrap_triton(len)
        ... except (RuntimeError, ModuleNotFoundError):
        ...     print("not a kernel")
        not a kernel
    """
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.interpreter import InterpretedFunction
    from triton.runtime.jit import JITFunction

    if not isinstance(triton_kernel, (Autotuner, InterpretedFunction, JITFunction)):
        raise RuntimeError("wrap_triton only works on functions annotated with triton.jit or triton.autotune")
    return triton_kernel


triton_op.__module__ = wrap_triton.__module__ = "torch.library"
