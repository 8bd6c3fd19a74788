"""Adamax."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    view_as_real_if_complex,
    check,
    check_betas,
    check_capturable,
    check_foreach,
    check_learning_rate,
    check_steps,
    list_state_tensors,
    make_step_counter,
    options,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_value, _to_scalar

__all__ = ["Adamax", "adamax"]


class Adamax(_ElementwiseOptimizer):
    """Adam with the infinity norm of past gradients in place of their root mean square.

    For each parameter p with gradient g at step t (Kingma and Ba 2015, section 7.1):

        g = g + weight_decay * p
        m = beta1 * m + (1 - beta1) * g
        u = max(beta2 * u, |g| + eps)
        p = p - lr / (1 - beta1 ** t) * m / u

    The state is ``step``, ``exp_avg`` (m) and ``exp_inf`` (u).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``2e-3``.
        betas (tuple of float): decay rates of m and u, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to ``|g|``, so that u is never zero. Default: ``1e-8``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adamax([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([ 0.9000, -1.9000])
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": make_step_counter(p, group), "exp_avg": zeros(p), "exp_inf": zeros(p)}

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        adamax(
            params,
            grads,
            list_state_tensors(states, "exp_avg"),
            list_state_tensors(states, "exp_inf"),
            list_state_tensors(states, "step"),
            beta1=beta1,
            beta2=beta2,
            **options(group, "eps", "lr", "weight_decay", "foreach", "maximize", "differentiable", "capturable"),
        )


def adamax(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    exp_avgs: list[torch.Tensor],
    exp_infs: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """Runs one step of Adamax on lists of tensors; `torch.optim.Adamax` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        exp_avgs, exp_infs (list of Tensor): running mean and running maximum, updated in place.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, maximize, differentiable, capturable, has_complex (bool): as in the class.
        eps (float): term added to the denominator.
        beta1, beta2 (float): decay rates of the mean and the maximum.
        lr (float or Tensor): learning rate.
        weight_decay (float): L2 penalty.
    """
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
        param, grad, mean, norm = view_as_real_if_complex(param, grad, exp_avgs[i], exp_infs[i])
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
