"""AdamW: Adam with weight decay that bypasses the running means."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from .adam import Adam, adam
from .optimizer import ParamsT

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """Adam with decoupled weight decay: the decay shrinks the parameters and never enters the moments.

    For each parameter p with gradient g at step t (Loshchilov and Hutter 2019, "Decoupled weight decay
    regularization", algorithm 2, with the decay scaled by `lr`):

        p = p * (1 - lr * weight_decay)
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g ** 2        (amsgrad: the largest v so far is used below)
        p = p - lr / (1 - beta1 ** t) * m / (sqrt(v) / sqrt(1 - beta2 ** t) + eps)

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-3``.
        betas (tuple of float or Tensor): decay rates of m and v, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to the denominator. Default: ``1e-8``.
        weight_decay (float): each step multiplies p by ``1 - lr * weight_decay``. Default: ``1e-2``.
        amsgrad (bool): divides by the largest v so far. Default: ``False``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        fused (bool, optional): runs one kernel per step; floating-point parameters only. Default:
            ``None``, the plain form.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.AdamW([p], lr=0.1, weight_decay=0.5)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # 0.95 * p - 0.1 * sign(g)
        >>> p.detach()
        tensor([ 0.8500, -1.8000])
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-3,
        betas: tuple[float | torch.Tensor, float | torch.Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:  # pickles from when AdamW was not a subclass of Adam
            group["decoupled_weight_decay"] = True


def adamw(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    exp_avgs: list[torch.Tensor],
    exp_avg_sqs: list[torch.Tensor],
    max_exp_avg_sqs: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float | torch.Tensor,
    beta2: float | torch.Tensor,
    lr: float | torch.Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Runs one step of AdamW on lists of tensors; `torch.optim.AdamW` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        exp_avgs, exp_avg_sqs (list of Tensor): running means of g and g ** 2, updated in place.
        max_exp_avg_sqs (list of Tensor): largest second moments; empty without `amsgrad`.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, fused (bool, optional): as in the class. Default: ``None``.
        capturable, differentiable, has_complex (bool): as in the class. Default: ``False``.
        grad_scale, found_inf (Tensor, optional): loss scale and overflow flag of a gradient scaler;
            the fused form only.
        amsgrad (bool): divides by the largest second moment.
        beta1, beta2 (float or Tensor): decay rates of the two running means.
        lr (float or Tensor): learning rate.
        weight_decay (float): decoupled decay.
        eps (float): term added to the denominator.
        maximize (bool): negates the gradients.
    """
    adam(**locals(), decoupled_weight_decay=True)
