"""Rprop."""

from .._root import torch
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

__all__ = ["Rprop", "rprop"]


class Rprop(_ElementwiseOptimizer):
    """Steps by the gradient's sign, each element with a step size of its own (Riedmiller and Braun 1993)."""

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        check(0.0 < etas[0] < 1.0 < etas[1], "Invalid eta values: {}, {}", etas[0], etas[1])
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        lr = group["lr"]
        size = complex(lr, lr) if p.dtype.is_complex else _to_scalar(lr)
        return {"step": new_step(p, group), "prev": zeros(p), "step_size": torch.full_like(p.grad, size)}

    def _update_group(self, group, params, grads, states):
        etaminus, etaplus = group["etas"]
        smallest, largest = group["step_sizes"]
        rprop(
            params,
            grads,
            column(states, "prev"),
            column(states, "step_size"),
            column(states, "step"),
            step_size_min=smallest,
            step_size_max=largest,
            etaminus=etaminus,
            etaplus=etaplus,
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
        )


def rprop(
    params,
    grads,
    prevs,
    step_sizes,
    state_steps,
    foreach=None,
    capturable=False,
    maximize=False,
    differentiable=False,
    has_complex=False,
    *,
    step_size_min,
    step_size_max,
    etaminus,
    etaplus,
):
    """Rprop on lists of tensors."""
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    for i, param in enumerate(params):
        if capturable:
            check_capturable(param, state_steps[i])
        state_steps[i] += 1
        grad = -grads[i] if maximize else grads[i]
        param, grad, previous, size = as_real(param, grad, prevs[i], step_sizes[i])
        # A product above zero: same direction as before, so a longer step; below: a sign change, so a shorter one.
        factor = grad.mul(previous.clone() if differentiable else previous).sign()
        if capturable:
            factor = torch.where(factor.gt(0), etaplus, torch.where(factor.lt(0), etaminus, 1)).to(factor.dtype)
        else:
            factor[factor.gt(0)] = etaplus
            factor[factor.lt(0)] = etaminus
            factor[factor.eq(0)] = 1
        size.mul_(factor).clamp_(step_size_min, step_size_max)
        grad = grad.clone(memory_format=torch.preserve_format)
        if capturable:
            grad.copy_(torch.where(factor.eq(etaminus), 0, grad))
        else:
            grad[factor.eq(etaminus)] = 0  # after a sign change the step is left out
        param.addcmul_(grad.sign(), size, value=-1)
        previous.copy_(grad)
