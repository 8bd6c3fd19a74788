"""Adafactor: second moments of matrices as products of row and column sums."""

from .._root import torch
from ._elementwise import _ElementwiseOptimizer, check, check_lr, step_without_grad
from .optimizer import Optimizer, ParamsT, _get_scalar_dtype, _to_scalar

__all__ = ["Adafactor", "adafactor"]


class Adafactor(_ElementwiseOptimizer):
    """Adam without momentum and with factored second moments (Shazeer and Stern 2018)."""

    _group_defaults = {"foreach": None}

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        check(0.0 >= beta2_decay, "beta2_decay should be <= 0 but is: {}", beta2_decay)
        check(eps[0] is None or 0.0 <= eps[0], "epsilon1 should be >= 0 but is: {}", eps[0])
        check(0.0 <= eps[1], "epsilon2 should be >= 0 but is: {}", eps[1])
        check(1.0 <= d, "Clipping threshold d should be >= 1 but is: {}", d)
        check(0.0 <= weight_decay, "weight_decay should be >= 0 but is: {}", weight_decay)
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
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

    def _collect(self, group):
        if any(torch.is_complex(p) for p in group["params"] if p.grad is not None):
            raise RuntimeError("Adafactor does not support complex parameters")
        return super()._collect(group)

    def step(self, closure=None):
        """One update of all parameters; returns what `closure` returned."""
        return step_without_grad(self, closure, lambda group: self._update_group(group, *self._collect(group)))

    def _update_group(self, group, params, grads, states):
        eps1, eps2 = group["eps"]
        adafactor(
            params,
            grads,
            [state.get("row_var") for state in states],
            [state.get("col_var") for state in states],
            [state.get("variance") for state in states],
            [state["step"] for state in states],
            d=group["d"],
            lr=group["lr"],
            beta2_decay=group["beta2_decay"],
            weight_decay=group["weight_decay"],
            eps1=eps1,
            eps2=eps2,
            foreach=group["foreach"],
            maximize=group["maximize"],
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            has_complex=False,
        )


def _factored_estimate(grad, row_var, col_var, rate, eps1):
    """Row and column means of g^2 after this step, and the matrix that they stand for."""
    if row_var is None or col_var is None:
        raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
    for variance, dim in ((row_var, -1), (col_var, -2)):
        mean = torch.norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
        variance.lerp_(mean, rate)
    return (row_var @ col_var).div_(row_var.mean(dim=-2, keepdim=True).clamp_(min=eps1))


def adafactor(
    params,
    grads,
    row_vars,
    col_vars,
    variances,
    state_steps,
    foreach=None,
    grad_scale=None,
    found_inf=None,
    has_complex=False,
    *,
    d,
    lr,
    beta2_decay,
    weight_decay,
    eps1,
    eps2,
    maximize,
):
    """Adafactor on lists of tensors."""
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
            estimate = _factored_estimate(grad, row_vars[i], col_vars[i], rate, eps1)
        else:
            if variances[i] is None:
                raise AssertionError("variance should be defined when grad is a vector")
            variances[i].lerp_(grad * grad, rate)
            estimate = variances[i].clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        clipping = max(1.0, update.norm(2).item() / ((update.numel() ** 0.5) * d))
        param.add_(update, alpha=-size / clipping)
