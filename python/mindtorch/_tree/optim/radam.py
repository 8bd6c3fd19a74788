"""RAdam."""

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

__all__ = ["RAdam", "radam"]


class RAdam(_ElementwiseOptimizer):
    """Adam that divides by its second moment only once the variance of that estimate is bounded.

    For each parameter p with gradient g at step t (Liu et al. 2020, "On the variance of the adaptive
    learning rate and beyond", algorithm 2):

        g = g + weight_decay * p                    (decoupled: p = p * (1 - lr * weight_decay))
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g ** 2
        R = 2 / (1 - beta2) - 1
        r = R - 2 * t * beta2 ** t / (1 - beta2 ** t)
        if r > 5:
            c = sqrt((r - 4) * (r - 2) * R / ((R - 4) * (R - 2) * r))
            p = p - lr * m / (1 - beta1 ** t) * c * sqrt(1 - beta2 ** t) / (sqrt(v) + eps)
        else:
            p = p - lr * m / (1 - beta1 ** t)

    The state is ``step``, ``exp_avg`` (m) and ``exp_avg_sq`` (v).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-3``.
        betas (tuple of float): decay rates of m and v, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to the denominator. Default: ``1e-8``.
        weight_decay (float): L2 penalty, or decoupled decay. Default: ``0``.
        decoupled_weight_decay (bool): shrinks the parameters themselves, as AdamW. Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.RAdam([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # r <= 5 in the first steps: p - lr * g
        >>> p.detach()
        tensor([0.8000])
    """

    _group_defaults = {**_ElementwiseOptimizer._group_defaults, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": make_step_counter(p, group), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        radam(
            params,
            grads,
            list_state_tensors(states, "exp_avg"),
            list_state_tensors(states, "exp_avg_sq"),
            list_state_tensors(states, "step"),
            beta1=beta1,
            beta2=beta2,
            **options(
                group,
                "lr",
                "weight_decay",
                "eps",
                "maximize",
                "foreach",
                "capturable",
                "differentiable",
                "decoupled_weight_decay",
            ),
        )


def radam(
    params: list[torch.Tensor], grads: list[torch.Tensor], exp_avgs: list[torch.Tensor],
    exp_avg_sqs: list[torch.Tensor], state_steps: list[torch.Tensor], decoupled_weight_decay: bool = False,
    foreach: bool | None = None, differentiable: bool = False, capturable: bool = False, has_complex: bool = False,
    maximize: bool = False, *, beta1: float, beta2: float, lr: float, weight_decay: float, eps: float,
) -> None:  # fmt: skip
    """Runs one step of RAdam on lists of tensors; `torch.optim.RAdam` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        exp_avgs, exp_avg_sqs (list of Tensor): running means of g and g ** 2, updated in place.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        decoupled_weight_decay (bool): as in the class. Default: ``False``.
        foreach, differentiable, capturable, has_complex, maximize (bool): as in the class.
        beta1, beta2 (float or Tensor): decay rates of the two running means.
        lr (float or Tensor): learning rate.
        weight_decay (float): L2 penalty or decoupled decay.
        eps (float): term added to the denominator.
    """
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        step = state_steps[i]
        grad = -grads[i] if maximize else grads[i]
        if capturable:
            check_capturable(param, step)
        param, grad, mean, square = view_as_real_if_complex(param, grad, exp_avgs[i], exp_avg_sqs[i])
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

        # Returns the length of the simple moving average that v approximates, now and at the end (equations 5 and 6).
        final_length = 2 / (1 - beta2) - 1
        length = final_length - 2 * count * (beta2**count) / correction

        def rectification_factor(length=length, final=final_length):
            ratio = (length - 4) * (length - 2) * final / ((final - 4) * (final - 2) * length)
            return ratio**0.5

        def adaptive_factor(square=square, correction=correction):
            root = square.sqrt()
            return (correction**0.5) / (root.add(eps) if differentiable else root.add_(eps))

        if capturable:
            factor = torch.where(length > 5.0, rectification_factor() * adaptive_factor(), 1.0)
            param.add_(corrected * lr * factor, alpha=-1.0)
        elif length > 5.0:
            param.add_(corrected * lr * adaptive_factor() * rectification_factor(), alpha=-1.0)
        else:
            param.add_(corrected * lr, alpha=-1.0)
