"""Clipping of gradients, by norm or by value."""

import functools
import types
import warnings

from ..._root import torch

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _no_grad(func):
    """Runs `func` without recording; a plain function, so that tools see through it."""

    @functools.wraps(func)
    def _no_grad_wrapper(*args, **kwargs):
        with torch.no_grad():
            return func(*args, **kwargs)

    return _no_grad_wrapper


def _listed(tensors):
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _uses_foreach(foreach, tensors, kernel):
    """Whether a grouped kernel runs: by default where the device has it; asking for it elsewhere is an error."""
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
def _get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all tensors as one vector."""
    tensors = _listed(tensors)
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
def _clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scales gradients by max_norm / total_norm, where that is below one."""
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    max_norm = float(max_norm)
    if not grads:
        return
    # Multiplying by a clamped factor instead of testing it spares a wait for the device.
    factor = torch.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    if _uses_foreach(foreach, grads, "_foreach_mul_"):
        torch._foreach_mul_(grads, factor.to(grads[0].device))
        return
    for grad in grads:
        grad.mul_(factor.to(grad.device))


@_no_grad
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales the gradients so that their total norm is at most `max_norm`; returns the norm before."""
    lazily = isinstance(parameters, types.GeneratorType)
    parameters = _listed(parameters)
    if lazily and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    grads = [p.grad for p in parameters if p.grad is not None]
    total_norm = _get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    _clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Deprecated name of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@_no_grad
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamps each gradient to [-clip_value, clip_value]."""
    clip_value = float(clip_value)
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    if _uses_foreach(foreach, grads, "_foreach_clamp_min_"):
        torch._foreach_clamp_min_(grads, -clip_value)
        torch._foreach_clamp_max_(grads, clip_value)
        return
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)
