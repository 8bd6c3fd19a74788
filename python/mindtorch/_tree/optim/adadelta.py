"""Adadelta."""

from ._elementwise import (
    _ElementwiseOptimizer,
    as_real,
    check,
    check_capturable,
    check_foreach,
    check_lr,
    check_steps,
    column,
    new_step,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["Adadelta", "adadelta"]


class Adadelta(_ElementwiseOptimizer):
    """Steps in units of earlier steps: p -= lr * g * rms(steps) / rms(g) (Zeiler 2012)."""

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        check(0.0 <= rho <= 1.0, "Invalid rho value: {}", rho)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": new_step(p, group), "square_avg": zeros(p), "acc_delta": zeros(p)}

    def _update_group(self, group, params, grads, states):
        adadelta(
            params,
            grads,
            column(states, "square_avg"),
            column(states, "acc_delta"),
            column(states, "step"),
            lr=group["lr"],
            rho=group["rho"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
        )


def adadelta(
    params,
    grads,
    square_avgs,
    acc_deltas,
    state_steps,
    capturable=False,
    foreach=None,
    differentiable=False,
    has_complex=False,
    *,
    lr,
    rho,
    eps,
    weight_decay,
    maximize,
):
    """Adadelta on lists of tensors."""
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        if capturable:
            check_capturable(param, state_steps[i], supports_xla=False)
        state_steps[i] += 1
        grad = -grads[i] if maximize else grads[i]
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, square, steps = as_real(param, grad, square_avgs[i], acc_deltas[i])
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        root = square.add(eps).sqrt_()
        delta = steps.add(eps).sqrt_()
        if differentiable:
            delta = delta.clone()  # the graph holds what sqrt_ returned
        delta.div_(root).mul_(grad)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-lr)
