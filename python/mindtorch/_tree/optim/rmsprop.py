"""RMSprop."""

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

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(_ElementwiseOptimizer):
    """p -= lr * g / (sqrt(v) + eps), v the running mean of g^2 (Hinton 2012), centred if asked (Graves 2013)."""

    _group_defaults = {"momentum": 0, "centered": False, **_ElementwiseOptimizer._group_defaults}

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check(0.0 <= momentum, "Invalid momentum value: {}", momentum)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        check(0.0 <= alpha, "Invalid alpha value: {}", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        state = {"step": new_step(p, group), "square_avg": zeros(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(p)
        if group["centered"]:
            state["grad_avg"] = zeros(p)
        return state

    def _update_group(self, group, params, grads, states):
        rmsprop(
            params,
            grads,
            column(states, "square_avg"),
            column(states, "grad_avg", group["centered"]),
            column(states, "momentum_buffer", group["momentum"] > 0),
            column(states, "step"),
            lr=group["lr"],
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            centered=group["centered"],
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
        )


def rmsprop(
    params,
    grads,
    square_avgs,
    grad_avgs,
    momentum_buffer_list,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    lr,
    alpha,
    eps,
    weight_decay,
    momentum,
    centered,
):
    """RMSprop on lists of tensors."""
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        if capturable:
            check_capturable(param, state_steps[i])
        grad = -grads[i] if maximize else grads[i]
        state_steps[i] += 1
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        whole = param
        param, grad, square = as_real(param, grad, square_avgs[i])
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if centered:
            mean = as_real(whole, grad_avgs[i])[1]
            mean.lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(eps) if differentiable else root.add_(eps)
        if momentum > 0:
            buffer = as_real(whole, momentum_buffer_list[i])[1]
            buffer.mul_(momentum).addcdiv_(grad, root)
            param.add_(buffer, alpha=-lr)
        else:
            param.addcdiv_(grad, root, value=-lr)
