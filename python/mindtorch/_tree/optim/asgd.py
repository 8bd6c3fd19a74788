"""Averaged stochastic gradient descent."""

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    as_real,
    check,
    check_capturable,
    check_foreach,
    check_lr,
    column,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_scalar_dtype, _get_value, _to_scalar

__all__ = ["ASGD", "asgd"]


class ASGD(_ElementwiseOptimizer):
    """SGD with a decaying rate, and in state["ax"] the average of its iterates (Polyak and Juditsky 1992)."""

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_lr(lr)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state):
        # Unlike the other optimizers', these scalars live on the parameter's device.
        for p, fields in state.get("state", {}).items():
            for name in ("step", "eta", "mu"):
                if isinstance(fields, dict) and name in fields and not isinstance(fields[name], torch.Tensor):
                    fields[name] = torch.tensor(float(fields[name]), dtype=_get_scalar_dtype(), device=p.device)
        super().__setstate__(state)

    def _new_state(self, p, group):
        scalar = {"device": p.device, "dtype": _get_scalar_dtype()}
        return {
            "step": torch.zeros((), **scalar),
            "eta": torch.as_tensor(_to_scalar(group["lr"]), **scalar).clone().detach(),
            "mu": torch.ones((), **scalar),
            "ax": zeros(p),
        }

    def _update_group(self, group, params, grads, states):
        asgd(
            params,
            grads,
            column(states, "ax"),
            column(states, "mu"),
            column(states, "eta"),
            column(states, "step"),
            lambd=group["lambd"],
            lr=group["lr"],
            t0=group["t0"],
            alpha=group["alpha"],
            weight_decay=group["weight_decay"],
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
        )


def asgd(
    params,
    grads,
    axs,
    mus,
    etas,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    lambd,
    lr,
    t0,
    alpha,
    weight_decay,
):
    """ASGD on lists of tensors."""
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        mu, eta, step = mus[i], etas[i], state_steps[i]
        if capturable:
            check_capturable(param, mu, eta, step, what="params, mus, etas, and state_steps")
        grad = -grads[i] if maximize else grads[i]
        param, grad, average = as_real(param, grad, axs[i])
        step += 1
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        if capturable:
            param.mul_(1 - lambd * eta)
            param.addcmul_(grad, eta, value=-1)
        else:
            rate = _get_value(eta)
            param.mul_(1 - lambd * rate)
            param.add_(grad, alpha=-rate)
        if capturable or mu.item() != 1:
            average.add_(param.sub(average).mul_(mu))
        else:
            average.copy_(param)
        if capturable:
            eta.copy_(lr / ((1 + lambd * lr * step) ** alpha))
            mu.copy_(1 / torch.maximum(step - t0, torch.ones_like(step)))
        else:
            count = _get_value(step)
            eta.copy_(torch.as_tensor(lr / ((1 + lambd * lr * count) ** alpha)))
            mu.copy_(torch.as_tensor(1 / max(1, count - t0)))
