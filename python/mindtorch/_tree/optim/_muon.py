"""Muon: orthogonalised momentum."""

import math
from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import check, check_learning_rate, run_step_without_grad
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["Muon"]

EPS = 1e-7
# A quintic iteration that moves singular values close to one quickly, but not exactly (Jordan et al. 2024).
DEFAULT_A = 3.4445
DEFAULT_B = -4.7750
DEFAULT_C = 2.0315
DEFAULT_NS_STEPS = 5


def _zeropower_via_newtonschulz(grad, ns_coefficients, ns_steps, eps):
    """Approximates U V^T of grad = U S V^T, in bfloat16."""
    check(ns_steps < 100, "Number of steps must be less than 100 for computational efficiency")
    check(grad.dim() == 2, "Input tensor gradient must be a 2D matrix")
    check(len(ns_coefficients) == 3, "Coefficients must be a tuple of exactly 3 values")
    rows, columns = grad.shape
    wide = grad.to(torch.bfloat16) if rows <= columns else grad.to(torch.bfloat16).T
    wide /= torch.clamp(wide.norm(), min=eps)  # the iteration needs a spectral norm of at most one
    linear, cubic, quintic = ns_coefficients
    for _ in range(ns_steps):
        square = wide @ wide.T
        factor = square.addmm(square, square, beta=cubic, alpha=quintic)
        wide = wide.addmm(factor, wide, beta=linear)
    return wide if rows <= columns else wide.T


def _adjust_lr(lr, adjust_lr_fn, param_shape):
    """Returns the learning rate for a matrix of this shape."""
    rows, columns = param_shape[:2]
    if adjust_lr_fn is None or adjust_lr_fn == "original":
        return lr * math.sqrt(max(1, rows / columns))
    if adjust_lr_fn == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr * 1.0


class Muon(Optimizer):
    """Muon: momentum whose update matrices are orthogonalised; for 2-D parameters only.

    For each matrix p with gradient g (Jordan et al. 2024, "Muon: an optimizer for hidden layers in
    neural networks"):

        b = b + (1 - momentum) * (g - b)
        d = g + momentum * (b - g)  if nesterov,  else b
        O = about U V' of d = U S V'                (ns_steps Newton-Schulz iterations in bfloat16)
        p = p * (1 - lr * weight_decay) - adjusted_lr * O

    An iteration is ``X = a X + (b A + c A A) X`` with ``A = X X'``, started from ``d / max(|d|, eps)``.
    Give biases, embeddings and output layers to another optimizer, such as AdamW.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-3``.
        weight_decay (float): decoupled decay. Default: ``0.1``.
        momentum (float): share of the buffer that each step keeps. Default: ``0.95``.
        nesterov (bool): looks one momentum step ahead. Default: ``True``.
        ns_coefficients (tuple of float): ``(a, b, c)`` of the iteration. Default: ``(3.4445, -4.775,
            2.0315)``.
        eps (float): smallest norm that is divided by. Default: ``1e-7``.
        ns_steps (int): iterations, below 100. Default: ``5``.
        adjust_lr_fn (str, optional): ``"original"`` (or None) multiplies the rate by
            ``sqrt(max(1, rows / columns))``, ``"match_rms_adamw"`` by
            ``0.2 * sqrt(max(rows, columns))``. Default: ``None``.

    Raises:
        ValueError: when a parameter is not 2-D or a number is out of its range.
        RuntimeError: in `step`, for complex parameters and sparse gradients.

    Example:
        >>> w = torch.eye(2, requires_grad=True)
        >>> optimizer = torch.optim.Muon([w], lr=0.1, weight_decay=0.0)
        >>> (w ** 2).sum().backward()
        >>> optimizer.step()  # singular values end near 1, not exactly there
        >>> torch.allclose(w, 0.9 * torch.eye(2), atol=0.05)
        True
    """

    def __init__(
        self, params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (DEFAULT_A, DEFAULT_B, DEFAULT_C), eps: float = EPS,
        ns_steps: int = DEFAULT_NS_STEPS, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_learning_rate(lr, "Learning rate should be >= 0 but is: {}")
        check(0.0 <= momentum, "momentum should be >= 0 but is: {}", momentum)
        check(0.0 <= weight_decay, "weight decay should be >= 0 but is: {}", weight_decay)
        known = adjust_lr_fn in (None, "original", "match_rms_adamw")
        check(known, "Adjust learning rate function {} is not supported", adjust_lr_fn)
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for p in [p for group in self.param_groups for p in group["params"]]:
            check(p.ndim == 2, "Muon only supports 2D parameters whereas we found a parameter with size: {}", p.size())

    def step(self, closure=None):
        """Updates all matrices once from their gradients.

        Args:
            closure (callable, optional): computes the loss again, with gradients, and returns it.

        Returns:
            What `closure` returned, or None without one.
        """
        return run_step_without_grad(self, closure, self._update_group)

    def _update_group(self, group):
        params = [p for p in group["params"] if p.grad is not None]
        for p in params:
            if torch.is_complex(p):
                raise RuntimeError("Muon does not support complex parameters")
            if p.grad.is_sparse:
                raise RuntimeError("Muon does not support sparse gradients")
            if "momentum_buffer" not in self.state[p]:
                self.state[p]["momentum_buffer"] = torch.zeros_like(p.grad, memory_format=torch.preserve_format)
        options = {key: group[key] for key in self.defaults}
        buffers = [self.state[p]["momentum_buffer"] for p in params]
        muon(params, [p.grad for p in params], buffers, has_complex=False, **options)


def muon(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    muon_momentum_bufs: list[torch.Tensor],
    *,
    foreach: bool | None = None,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """Runs one step of Muon on lists of matrices; `torch.optim.Muon` has the rule.

    Args:
        params (list of Tensor): matrices, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        muon_momentum_bufs (list of Tensor): momentum buffers, updated in place.
        foreach (bool, optional): must not be True. Default: ``None``.
        lr (float or Tensor): learning rate.
        weight_decay (float): decoupled decay.
        momentum (float): share of the buffer that is kept.
        nesterov (bool): looks one momentum step ahead.
        ns_coefficients (tuple of float): coefficients of the iteration.
        ns_steps (int): number of iterations.
        eps (float): smallest norm that is divided by.
        adjust_lr_fn (str, optional): how the rate depends on the shape.
        has_complex (bool): must be False.
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    lr = _to_scalar(lr)
    for param, grad, buffer in zip(params, grads, muon_momentum_bufs, strict=True):
        if grad.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        buffer.lerp_(grad, 1 - momentum)
        update = grad.lerp(buffer, momentum) if nesterov else buffer
        update = _zeropower_via_newtonschulz(update, ns_coefficients, ns_steps, eps)
        param.mul_(1 - lr * weight_decay)
        param.add_(update, alpha=-_adjust_lr(lr, adjust_lr_fn, param.shape))
