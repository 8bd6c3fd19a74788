"""gradcheck and gradgradcheck: compare derivatives with finite differences."""

from collections.abc import Callable, Sequence

from .._root import torch

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError"]


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` if a derivative fails the check."""


def _require_condition(condition, message) -> None:
    if not condition:
        raise AssertionError(message)


def gradcheck(
    func: Callable[..., torch.Tensor | Sequence[torch.Tensor]],
    inputs: torch.Tensor | Sequence[torch.Tensor],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares the derivatives of a function with central differences, ``(f(x + eps) - f(x - eps)) / (2 eps)``.

    Inputs that require gradients should be double: in single precision differences are too coarse. For
    complex inputs both the real and the imaginary direction are checked. All elements of a sparse input
    are variables, or with ``masked=True`` those that it stores; outputs must be dense.

    Args:
        func (callable): takes `inputs`, returns a tensor or a tuple of them.
        inputs (Tensor or tuple): the arguments.
        eps (float): step of the differences. Default: ``1e-6``.
        atol (float): absolute tolerance. Default: ``1e-5``.
        rtol (float): relative tolerance. Default: ``1e-3``.
        raise_exception (bool): raises where a check fails, instead of returning False. Default:
            ``True``.
        nondet_tol (float): how far two backwards may differ. Default: ``0.0``.
        check_undefined_grad (bool): also checks that undefined gradients of outputs are handled.
            Default: ``True``.
        check_grad_dtypes (bool): also checks that gradients have their input's dtype. Default:
            ``False``.
        check_batched_grad (bool): also checks backward under vmap. Default: ``False``.
        check_batched_forward_grad (bool): also checks forward mode under vmap. Default: ``False``.
        check_forward_ad (bool): also checks forward mode. Default: ``False``.
        check_backward_ad (bool): checks reverse mode. Default: ``True``.
        fast_mode (bool): checks one random direction instead of the whole Jacobian. Default: ``False``.
        masked (bool, optional): varies stored elements of sparse inputs only. Default: ``None``, False.

    Returns:
        bool: True when all checks pass.

    Raises:
        GradcheckError: when a check fails.
        ValueError: when no input requires gradients, or an output is sparse.

    Example:
        >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(torch.exp, (x,))
        True
    """
    _require_condition(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    _require_condition(
        check_backward_ad or not check_batched_grad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    _require_condition(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    from ._gradcheck_core import as_tuple, check_inputs, run_checks
    from ._gradcheck_forward import check_forward

    given = as_tuple(inputs)
    check_inputs(given)
    try:
        if check_forward_ad:
            check_forward(func, given, eps=eps, atol=atol, rtol=rtol, fast_mode=fast_mode)
        return not check_backward_ad or run_checks(
            func,
            given,
            eps=eps,
            atol=atol,
            rtol=rtol,
            nondet_tol=nondet_tol,
            check_undefined_grad=check_undefined_grad,
            check_grad_dtypes=check_grad_dtypes,
            check_batched_grad=check_batched_grad,
            fast_mode=fast_mode,
            masked=bool(masked),
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(
    func: Callable[..., torch.Tensor | Sequence[torch.Tensor]],
    inputs: torch.Tensor | Sequence[torch.Tensor],
    grad_outputs: torch.Tensor | Sequence[torch.Tensor | None] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compares second derivatives of a function with central differences: `gradcheck` of its gradient.

    The gradient is checked as a function of the inputs and of the gradients of the outputs.

    Args:
        func (callable): takes `inputs`, returns a tensor or a tuple of them.
        inputs (Tensor or tuple): the arguments.
        grad_outputs (Tensor or tuple, optional): gradients of the outputs. Default: random ones.
        eps (float): step of the differences. Default: ``1e-6``.
        atol (float): absolute tolerance. Default: ``1e-5``.
        rtol (float): relative tolerance. Default: ``1e-3``.
        gen_non_contig_grad_outputs (bool): makes the random gradients non-contiguous. Default:
            ``False``.
        raise_exception (bool): raises where a check fails, instead of returning False. Default:
            ``True``.
        nondet_tol (float): how far two backwards may differ. Default: ``0.0``.
        check_undefined_grad (bool): also checks that undefined gradients are handled. Default:
            ``True``.
        check_grad_dtypes (bool): also checks that gradients have their input's dtype. Default:
            ``False``.
        check_batched_grad (bool): also checks backward under vmap. Default: ``False``.
        check_fwd_over_rev (bool): differentiates the gradient in forward mode. Default: ``False``.
        check_rev_over_rev (bool): differentiates the gradient in reverse mode. Default: ``True``.
        fast_mode (bool): checks one random direction instead of the whole Jacobian. Default: ``False``.
        masked (bool): varies stored elements of sparse inputs only. Default: ``False``.

    Returns:
        bool: True when all checks pass.

    Raises:
        GradcheckError: when a check fails.

    Example:
        >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradgradcheck(torch.exp, (x,))
        True
    """
    from .._root import torch
    from ._gradcheck_core import as_tuple, select_differentiable_outputs

    _require_condition(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    for option, value in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        _require_condition(
            check_rev_over_rev or not value, f"Setting {option}=True requires check_rev_over_rev to be True"
        )
    given = as_tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple(
            _make_random_grad_output(torch, output, gen_non_contig_grad_outputs)
            for output in select_differentiable_outputs(func(*given))
        )
    else:
        cotangents = as_tuple(grad_outputs)
    count = len(cotangents)
    wanted = [index for index, value in enumerate(given) if isinstance(value, torch.Tensor) and value.requires_grad]
    with_grad = {index for index, value in enumerate(cotangents) if value.requires_grad}

    def compute_gradients(*args):
        sources = [value.requires_grad_() if index in wanted else value for index, value in enumerate(args[:-count])]
        outputs = select_differentiable_outputs(func(*sources))
        grads_of_outputs = [
            value.requires_grad_() if index in with_grad else value for index, value in enumerate(args[-count:])
        ]
        grads = torch.autograd.grad(
            outputs,
            [sources[index] for index in wanted],
            grads_of_outputs,
            create_graph=True,
            allow_unused=True,
        )
        return tuple(grad for grad in grads if grad is not None)

    return gradcheck(
        compute_gradients, given + cotangents, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, fast_mode=fast_mode, masked=masked,
    )


def _make_random_grad_output(torch, output, noncontiguous):
    floating = output.is_floating_point() or output.is_complex()
    dtype = output.dtype if floating else torch.double
    values = torch.rand(output.shape, dtype=torch.double, device=output.device) * 2 - 1
    if dtype.is_complex:
        values = torch.complex(values, torch.rand_like(values) * 2 - 1)
    values = values.to(dtype)
    if noncontiguous and values.numel() > 1:
        values = torch.stack([values, values], -1)[..., 0]
    return values.detach().requires_grad_()


def __getattr__(name):
    if name in ("get_numerical_jacobian", "get_analytical_jacobian"):
        from . import _gradcheck_jacobians

        return getattr(_gradcheck_jacobians, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
