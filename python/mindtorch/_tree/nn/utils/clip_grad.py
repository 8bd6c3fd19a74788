"""Clips gradients by norm or by value."""

import functools
import types
import warnings
from collections.abc import Iterable

from ..._root import torch

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _no_grad(func):
    """Runs `func` without recording; a plain function, so that tools can trace through it."""

    @functools.wraps(func)
    def _no_grad_wrapper(*args, **kwargs):
        with torch.no_grad():
            return func(*args, **kwargs)

    return _no_grad_wrapper


def _list_tensors(tensors):
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _uses_foreach(foreach, tensors, kernel):
    """Whether to run a grouped kernel: by default if the device has it; requesting it elsewhere is an error."""
    if foreach is False or not tensors:
        return False
    utils = torch.utils._foreach_utils
    for tensor in tensors:
        if not utils._device_has_foreach_support(tensor.device):
            if foreach:
                raise RuntimeError(
                    f"foreach=True was passed, but can't use the foreach API on {tensor.device.type} tensors"
                )
            return False
    return hasattr(torch, kernel) and bool(foreach or all(type(t) is torch.Tensor for t in tensors))


@_no_grad
def _get_total_norm(
    tensors: torch.Tensor | Iterable[torch.Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> torch.Tensor:
    """Returns the norm of several tensors as one vector.

    Args:
        tensors (Tensor or iterable of Tensor): the tensors.
        norm_type (float): exponent of the norm, may be infinite. Default: ``2.0``.
        error_if_nonfinite (bool): whether a norm that is infinite or NaN is an error. Default:
            ``False``.
        foreach (bool, optional): whether one kernel serves all tensors; ``True`` is an error
            where the device has none. Default: ``None``, where possible.

    Returns:
        Tensor: the norm, a scalar; zero for no tensors.

    Raises:
        RuntimeError: when the norm is not finite and `error_if_nonfinite` is set.

    Example:
        >>> nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
        tensor(5.)
    """
    tensors = _list_tensors(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    if _uses_foreach(foreach, tensors, "_foreach_norm"):
        norms = torch._foreach_norm(tensors, norm_type)
    else:
        norms = [torch.linalg.vector_norm(t, norm_type) for t in tensors]
    first = tensors[0].device
    total = torch.linalg.vector_norm(torch.stack([norm.to(first) for norm in norms]), norm_type)
    if error_if_nonfinite and torch.logical_or(total.isnan(), total.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from "
            "`parameters` is non-finite, so it cannot be clipped. To disable "
            "this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


@_no_grad
def _clip_grads_with_norm_(
    parameters: torch.Tensor | Iterable[torch.Tensor],
    max_norm: float,
    total_norm: torch.Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales gradients, in place, by ``max_norm / (total_norm + 1e-6)`` where that is below one.

    The second half of `clip_grad_norm_`, for a norm that is known.

    Args:
        parameters (Tensor or iterable of Tensor): those whose `grad` counts; ones without are
            skipped.
        max_norm (float): the maximum.
        total_norm (Tensor): their norm, as `get_total_norm` gives it.
        foreach (bool, optional): whether one kernel serves all tensors; ``True`` is an error
            where the device has none. Default: ``None``, where possible.

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3.0, 4.0])
        >>> nn.utils.clip_grads_with_norm_([p], 1.0, torch.tensor(5.0))
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    grads = [p.grad for p in _list_tensors(parameters) if p.grad is not None]
    max_norm = float(max_norm)
    if not grads:
        return
    # Multiplying by a clamped factor avoids waiting for the device, which a test would need.
    factor = torch.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    if _uses_foreach(foreach, grads, "_foreach_mul_"):
        torch._foreach_mul_(grads, factor.to(grads[0].device))
        return
    for grad in grads:
        grad.mul_(factor.to(grad.device))


@_no_grad
def clip_grad_norm_(
    parameters: torch.Tensor | Iterable[torch.Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> torch.Tensor:
    """Scales gradients, in place, so that their norm as one vector is at most a maximum.

    All are multiplied by ``max_norm / (norm + 1e-6)`` where that is below one (Pascanu et al.
    2013, algorithm 1).

    Args:
        parameters (Tensor or iterable of Tensor): those whose `grad` counts; ones without are
            skipped.
        max_norm (float): the maximum.
        norm_type (float): exponent of the norm, may be infinite. Default: ``2.0``.
        error_if_nonfinite (bool): whether a norm that is infinite or NaN is an error. Default:
            ``False``.
        foreach (bool, optional): whether one kernel serves all tensors; ``True`` is an error
            where the device has none. Default: ``None``, where possible.

    Returns:
        Tensor: the norm before scaling, a scalar.

    Raises:
        RuntimeError: when the norm is not finite and `error_if_nonfinite` is set.

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3.0, 4.0])
        >>> nn.utils.clip_grad_norm_([p], max_norm=1.0)
        tensor(5.)
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    lazily = isinstance(parameters, types.GeneratorType)
    parameters = _list_tensors(parameters)
    if lazily and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    grads = [p.grad for p in parameters if p.grad is not None]
    total_norm = _get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    _clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(
    parameters: torch.Tensor | Iterable[torch.Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> torch.Tensor:
    """Is the deprecated name of `clip_grad_norm_`.

    Args:
        parameters (Tensor or iterable of Tensor): those whose `grad` counts; ones without are
            skipped.
        max_norm (float): the maximum.
        norm_type (float): exponent of the norm. Default: ``2.0``.
        error_if_nonfinite (bool): whether a norm that is infinite or NaN is an error. Default:
            ``False``.
        foreach (bool, optional): whether one kernel serves all tensors; ``True`` is an error
            where the device has none. Default: ``None``, where possible.

    Returns:
        Tensor: the norm before scaling, a scalar.

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3.0, 4.0])
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     nn.utils.clip_grad_norm([p], 1.0)
        tensor(5.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@_no_grad
def clip_grad_value_(
    parameters: torch.Tensor | Iterable[torch.Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamps each element of the gradients, in place, to ``[-clip_value, clip_value]``.

    Args:
        parameters (Tensor or iterable of Tensor): those whose `grad` counts; ones without are
            skipped.
        clip_value (float): the bound.
        foreach (bool, optional): whether one kernel serves all tensors; ``True`` is an error
            where the device has none. Default: ``None``, where possible.

    Example:
        >>> p = nn.Parameter(torch.zeros(2))
        >>> p.grad = torch.tensor([3.0, 4.0])
        >>> nn.utils.clip_grad_value_([p], 3.5)
        >>> p.grad
        tensor([3.0000, 3.5000])
    """
    clip_value = float(clip_value)
    grads = [p.grad for p in _list_tensors(parameters) if p.grad is not None]
    if _uses_foreach(foreach, grads, "_foreach_clamp_min_"):
        torch._foreach_clamp_min_(grads, -clip_value)
        torch._foreach_clamp_max_(grads, clip_value)
        return
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)
