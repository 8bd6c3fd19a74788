"""Rprop."""

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

__all__ = ["Rprop", "rprop"]


class Rprop(_ElementwiseOptimizer):
    """Rprop: steps by the sign of the gradient, with a step size of its own for each element.

    For each element of p with gradient g (Riedmiller and Braun 1993, in the form that leaves a step out
    after a change of sign):

        size = size * etaplus   if g has the sign of the gradient before,
               size * etaminus  if it has the other sign (then g counts as 0),
               size             otherwise;  clamped to step_sizes
        p = p - sign(g) * size

    Sizes start at `lr`. Meant for full batches: noise flips signs. The state is ``step``, ``prev`` and
    ``step_size``.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): first step size. Default: ``1e-2``.
        etas (tuple of float): ``(etaminus, etaplus)`` with ``0 < etaminus < 1 < etaplus``. Default:
            ``(0.5, 1.2)``.
        step_sizes (tuple of float): smallest and largest step size. Default: ``(1e-6, 50)``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.

    Raises:
        ValueError: when `lr` is negative or `etas` are out of range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Rprop([p], lr=0.1)
        >>> for _ in range(2):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()  # steps of 0.1 and 0.12
        >>> p.detach()
        tensor([ 0.7800, -1.7800])
    """

    def __init__(
        self, params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_learning_rate(lr)
        check(0.0 < etas[0] < 1.0 < etas[1], "Invalid eta values: {}, {}", etas[0], etas[1])
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        lr = group["lr"]
        size = complex(lr, lr) if p.dtype.is_complex else _to_scalar(lr)
        return {"step": make_step_counter(p, group), "prev": zeros(p), "step_size": torch.full_like(p.grad, size)}

    def _update_group(self, group, params, grads, states):
        etaminus, etaplus = group["etas"]
        smallest, largest = group["step_sizes"]
        rprop(
            params,
            grads,
            list_state_tensors(states, "prev"),
            list_state_tensors(states, "step_size"),
            list_state_tensors(states, "step"),
            step_size_min=smallest,
            step_size_max=largest,
            etaminus=etaminus,
            etaplus=etaplus,
            **options(group, "foreach", "maximize", "differentiable", "capturable"),
        )


def rprop(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    prevs: list[torch.Tensor],
    step_sizes: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """Runs one step of Rprop on lists of tensors; `torch.optim.Rprop` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        prevs (list of Tensor): gradients of the step before, replaced by these.
        step_sizes (list of Tensor): step sizes per element, updated in place.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, capturable, maximize, differentiable, has_complex (bool): as in the class.
        step_size_min, step_size_max (float): bounds of the step sizes.
        etaminus, etaplus (float): factors that shorten and lengthen a step.
    """
    check_steps(state_steps)
    check_foreach(foreach, differentiable)
    for i, param in enumerate(params):
        if capturable:
            check_capturable(param, state_steps[i])
        state_steps[i] += 1
        grad = -grads[i] if maximize else grads[i]
        param, grad, previous, size = view_as_real_if_complex(param, grad, prevs[i], step_sizes[i])
        # A product above zero means the same direction as before, so a longer step; below, a sign change, so a
        # shorter one.
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
            grad[factor.eq(etaminus)] = 0  # skips the step after a sign change
        param.addcmul_(grad.sign(), size, value=-1)
        previous.copy_(grad)
