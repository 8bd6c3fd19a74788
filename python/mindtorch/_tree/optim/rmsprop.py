"""RMSprop."""

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

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(_ElementwiseOptimizer):
    """RMSprop: divides each gradient by the root of a running mean of its square.

    For each parameter p with gradient g (Hinton 2012, lecture 6e; centred: Graves 2013, equations
    38 to 45):

        g = g + weight_decay * p
        v = alpha * v + (1 - alpha) * g ** 2
        a = alpha * a + (1 - alpha) * g             (a = 0 unless centered)
        d = g / (sqrt(v - a ** 2) + eps)
        b = momentum * b + d                        (b = d without momentum)
        p = p - lr * b

    The state is ``step``, ``square_avg`` (v) and, where used, ``momentum_buffer`` (b) and ``grad_avg``
    (a).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-2``.
        alpha (float): decay rate of the running means. Default: ``0.99``.
        eps (float): added to the denominator, after the root. Default: ``1e-8``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        momentum (float): share of the buffer that each step keeps. Default: ``0``.
        centered (bool): divides by an estimate of the standard deviation. Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.

    Raises:
        ValueError: when a number is negative.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.RMSprop([p], lr=0.05)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # the first step is lr / sqrt(1 - alpha) * sign(g)
        >>> p.detach()
        tensor([0.5000])
    """

    _group_defaults = {"momentum": 0, "centered": False, **_ElementwiseOptimizer._group_defaults}

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check(0.0 <= momentum, "Invalid momentum value: {}", momentum)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        check(0.0 <= alpha, "Invalid alpha value: {}", alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        state = {"step": make_step_counter(p, group), "square_avg": zeros(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(p)
        if group["centered"]:
            state["grad_avg"] = zeros(p)
        return state

    def _update_group(self, group, params, grads, states):
        rmsprop(
            params,
            grads,
            list_state_tensors(states, "square_avg"),
            list_state_tensors(states, "grad_avg", group["centered"]),
            list_state_tensors(states, "momentum_buffer", group["momentum"] > 0),
            list_state_tensors(states, "step"),
            **options(
                group,
                "lr",
                "alpha",
                "eps",
                "weight_decay",
                "momentum",
                "centered",
                "foreach",
                "maximize",
                "differentiable",
                "capturable",
            ),
        )


def rmsprop(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    square_avgs: list[torch.Tensor],
    grad_avgs: list[torch.Tensor],
    momentum_buffer_list: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """Runs one step of RMSprop on lists of tensors; `torch.optim.RMSprop` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        square_avgs (list of Tensor): running means of g ** 2, updated in place.
        grad_avgs (list of Tensor): running means of g; empty unless `centered`.
        momentum_buffer_list (list of Tensor): momentum buffers; empty without momentum.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, maximize, differentiable, capturable, has_complex (bool): as in the class.
        lr (float or Tensor): learning rate.
        alpha (float): decay rate of the running means.
        eps (float): term added to the denominator.
        weight_decay (float): L2 penalty.
        momentum (float): share of the buffer that is kept.
        centered (bool): subtracts the squared mean gradient.
    """
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
        param, grad, square = view_as_real_if_complex(param, grad, square_avgs[i])
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if centered:
            mean = view_as_real_if_complex(whole, grad_avgs[i])[1]
            mean.lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(eps) if differentiable else root.add_(eps)
        if momentum > 0:
            buffer = view_as_real_if_complex(whole, momentum_buffer_list[i])[1]
            buffer.mul_(momentum).addcdiv_(grad, root)
            param.add_(buffer, alpha=-lr)
        else:
            param.addcdiv_(grad, root, value=-lr)
