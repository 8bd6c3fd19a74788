"""get_numerical_jacobian and get_analytical_jacobian: deprecated, but programs import them."""

import math
import warnings

from ._gradcheck_core import (
    _compute_analytical,
    _compute_numerical,
    _make_perturbable,
    _differentiable_inputs,
    as_tuple,
)
from .gradcheck import GradcheckError


def _warn_private_api(name, grad_out) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def _require_real(output, name) -> None:
    if output.is_complex():
        raise ValueError(
            f"Expected output to be non-complex. {name} no longer supports functions that return complex outputs."
        )


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """Returns the Jacobians of a function's first result by central differences; deprecated.

    Args:
        fn (callable): a function of `inputs` as one argument.
        inputs (Tensor or tuple of Tensor): the point.
        target (Tensor or tuple of Tensor, optional): the inputs to differentiate by. Default: those that require grad.
        eps (float): the step. Default: ``1e-3``.
        grad_out (float): only 1.0. Default: ``1.0``.

    Returns:
        tuple of Tensor: a matrix for each input, with the elements of the input as rows.

    Raises:
        ValueError: for other values of `grad_out`, and complex results.
    """
    _warn_private_api("get_numerical_jacobian", grad_out)

    def call_with_inputs(*values):
        outputs = as_tuple(fn(values))
        for output in outputs:
            _require_real(output, "get_numerical_jacobian")
        return outputs

    movable = _make_perturbable(as_tuple(inputs))
    targets = _differentiable_inputs(movable if target is None else as_tuple(target))
    return tuple(_compute_numerical(call_with_inputs, movable, wanted, eps, 0, "") for wanted in targets)


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """Returns the Jacobians of a result by backward; deprecated.

    Args:
        inputs (tuple of Tensor): the inputs to differentiate by, if they require grad.
        output (Tensor): the result.
        nondet_tol (float): how much two backward passes may differ. Default: ``0.0``.
        grad_out (float): only 1.0. Default: ``1.0``.

    Returns:
        tuple: a matrix for each input; whether two backward passes agree; whether the gradients have the inputs' sizes
        and dtypes.

    Raises:
        ValueError: for other values of `grad_out`, and a complex result.
    """
    _warn_private_api("get_analytical_jacobian", grad_out)
    _require_real(output, "get_analytical_jacobian")
    targets = _differentiable_inputs(as_tuple(inputs))
    try:
        return tuple(_compute_analytical(output, targets, "", True, nondet_tol)), True, True, True
    except GradcheckError as error:
        is_reentrant = "not reentrant" not in str(error)
        has_sizes = "incorrect size" not in str(error)
        has_dtypes = "dtype mismatch" not in str(error)
    jacobians = _compute_analytical(output, targets, "", False, math.inf) if has_sizes else [None for _ in targets]
    return tuple(jacobians), is_reentrant, has_sizes, has_dtypes
