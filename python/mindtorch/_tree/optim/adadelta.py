"""Adadelta."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    view_as_real_if_complex,
    check,
    check_capturable,
    check_foreach,
    check_learning_rate,
    check_steps,
    list_state_tensors,
    make_step_counter,
    options,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["Adadelta", "adadelta"]


class Adadelta(_ElementwiseOptimizer):
    """Adadelta: steps in units of earlier steps, so that the rate needs little tuning.

    For each parameter p with gradient g (Zeiler 2012, "ADADELTA: an adaptive learning rate method",
    algorithm 1, with a factor `lr`):

        g = g + weight_decay * p
        v = rho * v + (1 - rho) * g ** 2
        d = g * sqrt(u + eps) / sqrt(v + eps)
        u = rho * u + (1 - rho) * d ** 2
        p = p - lr * d

    The state is ``step``, ``square_avg`` (v) and ``acc_delta`` (u).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): factor of the step. Default: ``1.0``.
        rho (float): decay rate of both running means, in [0, 1]. Default: ``0.9``.
        eps (float): added inside both roots; also sets the size of the first steps. Default: ``1e-6``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adadelta([p], eps=1e-2)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([0.6877])
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= rho <= 1.0, "Invalid rho value: {}", rho)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {"step": make_step_counter(p, group), "square_avg": zeros(p), "acc_delta": zeros(p)}

    def _update_group(self, group, params, grads, states):
        adadelta(
            params,
            grads,
            list_state_tensors(states, "square_avg"),
            list_state_tensors(states, "acc_delta"),
            list_state_tensors(states, "step"),
            **options(group, "lr", "rho", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable"),
        )


def adadelta(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    square_avgs: list[torch.Tensor],
    acc_deltas: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Runs one step of Adadelta on lists of tensors; `torch.optim.Adadelta` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        square_avgs, acc_deltas (list of Tensor): running means of g ** 2 and of squared steps.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        capturable, foreach, differentiable, has_complex (bool): as in the class.
        lr (float or Tensor): learning rate.
        rho (float): decay rate of both means.
        eps (float): term added to the denominator.
        weight_decay (float): L2 penalty.
        maximize (bool): negates the gradients.
    """
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
        param, grad, square, steps = view_as_real_if_complex(param, grad, square_avgs[i], acc_deltas[i])
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        root = square.add(eps).sqrt_()
        delta = steps.add(eps).sqrt_()
        if differentiable:
            delta = delta.clone()  # the graph references the result of sqrt_
        delta.div_(root).mul_(grad)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-lr)
