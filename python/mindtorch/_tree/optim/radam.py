"""RAdam."""

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

__all__ = ["RAdam", "radam"]


class RAdam(_ElementwiseOptimizer):
    """Adam that trusts its second moment only once its variance is bounded (Liu et al. 2019)."""

    _group_defaults = {**_ElementwiseOptimizer._group_defaults, "decoupled_weight_decay": False}

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": new_step(p, group), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        radam(
            params,
            grads,
            column(states, "exp_avg"),
            column(states, "exp_avg_sq"),
            column(states, "step"),
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
            foreach=group["foreach"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            decoupled_weight_decay=group["decoupled_weight_decay"],
        )


def radam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    state_steps,
    decoupled_weight_decay=False,
    foreach=None,
    differentiable=False,
    capturable=False,
    has_complex=False,
    maximize=False,
    *,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
):
    """RAdam on lists of tensors."""
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        step = state_steps[i]
        grad = -grads[i] if maximize else grads[i]
        if capturable:
            check_capturable(param, step)
        param, grad, mean, square = as_real(param, grad, exp_avgs[i], exp_avg_sqs[i])
        step += 1
        count = step if capturable else _get_value(step)
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction = 1 - beta2**count
        corrected = mean / (1 - beta1**count)

        # Length of the simple moving average that v approximates, now and at the end (equations 5 and 6).
        final_length = 2 / (1 - beta2) - 1
        length = final_length - 2 * count * (beta2**count) / correction

        def rectified(length=length, final=final_length):
            ratio = (length - 4) * (length - 2) * final / ((final - 4) * (final - 2) * length)
            return ratio**0.5

        def adaptive(square=square, correction=correction):
            root = square.sqrt()
            return (correction**0.5) / (root.add(eps) if differentiable else root.add_(eps))

        if capturable:
            factor = torch.where(length > 5.0, rectified() * adaptive(), 1.0)
            param.add_(corrected * lr * factor, alpha=-1.0)
        elif length > 5.0:
            param.add_(corrected * lr * adaptive() * rectified(), alpha=-1.0)
        else:
            param.add_(corrected * lr, alpha=-1.0)
