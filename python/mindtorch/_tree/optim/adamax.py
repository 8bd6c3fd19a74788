"""Adamax."""

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    as_real,
    check,
    check_betas,
    check_capturable,
    check_foreach,
    check_lr,
    check_steps,
    column,
    new_step,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_value, _to_scalar

__all__ = ["Adamax", "adamax"]


class Adamax(_ElementwiseOptimizer):
    """Adam with the infinity norm in place of the root mean square (Kingma and Ba 2014, section 7.1)."""

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_lr(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": new_step(p, group), "exp_avg": zeros(p), "exp_inf": zeros(p)}

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        adamax(
            params,
            grads,
            column(states, "exp_avg"),
            column(states, "exp_inf"),
            column(states, "step"),
            eps=group["eps"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
        )


def adamax(
    params,
    grads,
    exp_avgs,
    exp_infs,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    eps,
    beta1,
    beta2,
    lr,
    weight_decay,
):
    """Adamax on lists of tensors."""
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        step = state_steps[i]
        if capturable:
            check_capturable(param, step)
        grad = -grads[i] if maximize else grads[i]
        step += 1
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, mean, norm = as_real(param, grad, exp_avgs[i], exp_infs[i])
        mean.lerp_(grad, 1 - beta1)
        size = grad.abs().add_(eps)
        if differentiable:
            norm.copy_(torch.amax(torch.stack([norm.mul_(beta2), size]), 0))
        else:
            torch.maximum(norm.mul_(beta2), size, out=norm)
        if capturable:
            param.addcdiv_(mean, norm * (beta1**step - 1).div_(lr))
        else:
            param.addcdiv_(mean, norm, value=-lr / (1 - beta1 ** _get_value(step)))
