"""Adafactor: second moments of matrices as products of row and column sums."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import _ElementwiseOptimizer, check, check_learning_rate, options, run_step_without_grad
from .optimizer import Optimizer, ParamsT, _get_scalar_dtype, _to_scalar

__all__ = ["Adafactor", "adafactor"]


class Adafactor(_ElementwiseOptimizer):
    """Adafactor: second moments of matrices kept as row and column means, and no first moment.

    For each parameter p with gradient g at step t (Shazeer and Stern 2018, "Adafactor: adaptive
    learning rates with sublinear memory cost", algorithms 4 and 5):

        b = t ** beta2_decay,  rho = min(lr, 1 / sqrt(t))
        a = max(eps2, rms(p)) * rho
        p = p * (1 - lr * weight_decay)
        R = R + b * (row means of g ** 2 - R),  C likewise of columns  (vectors: v of g ** 2)
        V = R C / mean(R)
        u = g / sqrt(max(V, eps1 ** 2))
        p = p - a * u / max(1, rms(u) / d)

    with eps = (eps1, eps2) and rms the root mean square. A matrix of n x m needs n + m numbers of
    state.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): largest relative step. Default: ``1e-2``.
        beta2_decay (float): power of t in the decay of the moments, at most 0. Default: ``-0.8``.
        eps (tuple): ``(eps1, eps2)``; eps1 None means the dtype's machine epsilon. Default:
            ``(None, 1e-3)``.
        d (float): threshold at which the update is clipped, at least 1. Default: ``1.0``.
        weight_decay (float): decoupled decay. Default: ``0.0``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, for complex parameters and sparse gradients.

    Example:
        >>> w = torch.ones(2, 3, requires_grad=True)
        >>> optimizer = torch.optim.Adafactor([w], lr=0.1)
        >>> (w ** 2).sum().backward()
        >>> optimizer.step()
        >>> w.detach()[0]
        tensor([0.9000, 0.9000, 0.9000])
        >>> optimizer.state[w]["row_var"].shape, optimizer.state[w]["col_var"].shape
        (torch.Size([2, 1]), torch.Size([1, 3]))
    """

    _group_defaults = {"foreach": None}

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_learning_rate(lr, "Learning rate should be >= 0 but is: {}")
        check(0.0 >= beta2_decay, "beta2_decay should be <= 0 but is: {}", beta2_decay)
        check(eps[0] is None or 0.0 <= eps[0], "epsilon1 should be >= 0 but is: {}", eps[0])
        check(0.0 <= eps[1], "epsilon2 should be >= 0 but is: {}", eps[1])
        check(1.0 <= d, "Clipping threshold d should be >= 1 but is: {}", d)
        check(0.0 <= weight_decay, "weight_decay should be >= 0 but is: {}", weight_decay)
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        state = {"step": torch.tensor(0.0, dtype=_get_scalar_dtype())}
        shape = list(p.grad.shape)
        if len(shape) > 1:
            state["row_var"] = p.grad.new_zeros(shape[:-1] + [1])
            state["col_var"] = p.grad.new_zeros(shape[:-2] + [1, shape[-1]])
        else:
            state["variance"] = torch.zeros_like(p.grad, memory_format=torch.preserve_format)
        return state

    def _collect_params_grads_states(self, group):
        if any(torch.is_complex(p) for p in group["params"] if p.grad is not None):
            raise RuntimeError("Adafactor does not support complex parameters")
        return super()._collect_params_grads_states(group)

    def step(self, closure=None):
        """Updates all parameters once from their gradients.

        Args:
            closure (callable, optional): computes the loss again, with gradients, and returns it.

        Returns:
            What `closure` returned, or None without one.
        """
        return run_step_without_grad(
            self, closure, lambda group: self._update_group(group, *self._collect_params_grads_states(group))
        )

    def _update_group(self, group, params, grads, states):
        eps1, eps2 = group["eps"]
        adafactor(
            params,
            grads,
            [state.get("row_var") for state in states],
            [state.get("col_var") for state in states],
            [state.get("variance") for state in states],
            [state["step"] for state in states],
            eps1=eps1,
            eps2=eps2,
            has_complex=False,
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            **options(group, "d", "lr", "beta2_decay", "weight_decay", "foreach", "maximize"),
        )


def _estimate_factored(grad, row_var, col_var, rate, eps1):
    """Returns row and column means of g^2 after this step, and the matrix that they approximate."""
    if row_var is None or col_var is None:
        raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
    for variance, dim in ((row_var, -1), (col_var, -2)):
        mean = torch.norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
        variance.lerp_(mean, rate)
    return (row_var @ col_var).div_(row_var.mean(dim=-2, keepdim=True).clamp_(min=eps1))


def adafactor(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    row_vars: list[torch.Tensor | None],
    col_vars: list[torch.Tensor | None],
    variances: list[torch.Tensor | None],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | torch.Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float,
    eps2: float,
    maximize: bool,
) -> None:
    """Runs one step of Adafactor on lists of tensors; `torch.optim.Adafactor` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        row_vars, col_vars (list of Tensor or None): means over columns and rows, of matrices.
        variances (list of Tensor or None): running means of g ** 2, of vectors.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, has_complex (bool): as in the class.
        grad_scale, found_inf (Tensor, optional): loss scale and overflow flag of a gradient scaler;
            the fused form only.
        d (float): clipping threshold.
        lr (float or Tensor): learning rate.
        beta2_decay (float): power of t in the decay.
        weight_decay (float): decoupled decay.
        eps1, eps2 (float): floors of the second moment and of the parameter's scale.
        maximize (bool): negates the gradients.
    """
    if not all(isinstance(step, torch.Tensor) for step in state_steps):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors")
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        grad = -grads[i] if maximize else grads[i]
        if eps1 is None:
            eps1 = torch.finfo(param.dtype).eps
        state_steps[i] += 1
        step = state_steps[i].item()
        rate = step**beta2_decay
        relative = min(lr, 1 / (step**0.5))
        size = max(eps2, param.norm(2).item() / (param.numel() ** 0.5)) * relative
        if weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        if grad.dim() > 1:
            estimate = _estimate_factored(grad, row_vars[i], col_vars[i], rate, eps1)
        else:
            if variances[i] is None:
                raise AssertionError("variance should be defined when grad is a vector")
            variances[i].lerp_(grad * grad, rate)
            estimate = variances[i].clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        clipping = max(1.0, update.norm(2).item() / ((update.numel() ** 0.5) * d))
        param.add_(update, alpha=-size / clipping)
