"""Averaged stochastic gradient descent."""

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
    list_state_tensors,
    options,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_scalar_dtype, _get_value, _to_scalar

__all__ = ["ASGD", "asgd"]


class ASGD(_ElementwiseOptimizer):
    """Averaged SGD: SGD with a decaying rate, which also computes the average of its iterates.

    For each parameter p with gradient g at step t (Polyak and Juditsky 1992; the schedules are those of
    Bottou's SGD, 2010):

        g = g + weight_decay * p
        p = p * (1 - lambd * eta) - eta * g
        ax = ax + mu * (p - ax)                     (ax = p while mu is 1)
        eta = lr / (1 + lambd * lr * t) ** alpha
        mu = 1 / max(1, t - t0)

    The average is not written to the parameters: read it from ``optimizer.state[p]["ax"]``. The rest of
    the state is ``step``, ``eta`` and ``mu``.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): first learning rate. Default: ``1e-2``.
        lambd (float): decay term. Default: ``1e-4``.
        alpha (float): power of the decay of the rate. Default: ``0.75``.
        t0 (float): step at which averaging begins. Default: ``1e6``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.

    Raises:
        ValueError: when `lr` or `weight_decay` is negative.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.ASGD([p], lr=0.25, lambd=0.0, t0=0.0)
        >>> for _ in range(2):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()  # p is 0.5, then 0.25
        >>> optimizer.state[p]["ax"]
        tensor([0.2500])
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def __setstate__(self, state):
        # Unlike in other optimizers, these scalars are on the parameter's device.
        for p, fields in state.get("state", {}).items():
            for name in ("step", "eta", "mu"):
                if isinstance(fields, dict) and name in fields and not isinstance(fields[name], torch.Tensor):
                    fields[name] = torch.tensor(float(fields[name]), dtype=_get_scalar_dtype(), device=p.device)
        super().__setstate__(state)

    def _new_state(self, p, group):
        scalar = {"device": p.device, "dtype": _get_scalar_dtype()}
        return {
            "step": torch.zeros((), **scalar),
            "eta": torch.as_tensor(_to_scalar(group["lr"]), **scalar).clone().detach(),
            "mu": torch.ones((), **scalar),
            "ax": zeros(p),
        }

    def _update_group(self, group, params, grads, states):
        asgd(
            params,
            grads,
            list_state_tensors(states, "ax"),
            list_state_tensors(states, "mu"),
            list_state_tensors(states, "eta"),
            list_state_tensors(states, "step"),
            **options(
                group,
                "lambd",
                "lr",
                "t0",
                "alpha",
                "weight_decay",
                "foreach",
                "maximize",
                "differentiable",
                "capturable",
            ),
        )


def asgd(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    axs: list[torch.Tensor],
    mus: list[torch.Tensor],
    etas: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """Runs one step of averaged SGD on lists of tensors; `torch.optim.ASGD` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        axs (list of Tensor): averages of the parameters, updated in place.
        mus, etas (list of Tensor): weights of the average and rates, one-element tensors.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        foreach, maximize, differentiable, capturable, has_complex (bool): as in the class.
        lambd (float): decay term.
        lr (float or Tensor): learning rate.
        t0 (float): step at which averaging begins.
        alpha (float): power of the decay of the rate.
        weight_decay (float): L2 penalty.
    """
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        mu, eta, step = mus[i], etas[i], state_steps[i]
        if capturable:
            check_capturable(param, mu, eta, step, what="params, mus, etas, and state_steps")
        grad = -grads[i] if maximize else grads[i]
        param, grad, average = view_as_real_if_complex(param, grad, axs[i])
        step += 1
        grad = grad if weight_decay == 0 else torch.add(grad, param, alpha=weight_decay)
        rate = eta if capturable else _get_value(eta)
        param *= 1 - lambd * rate
        if capturable:
            param.addcmul_(grad, rate, value=-1)
        else:
            param.add_(grad, alpha=-rate)
        if capturable or mu.item() != 1:
            average.add_(param.sub(average).mul_(mu))
        else:
            average.copy_(param)
        if capturable:
            eta.copy_(lr / ((1 + lambd * lr * step) ** alpha))
            mu.copy_(1 / torch.maximum(step - t0, torch.ones_like(step)))
        else:
            count = _get_value(step)
            eta.copy_(torch.as_tensor(lr / ((1 + lambd * lr * count) ** alpha)))
            mu.copy_(torch.as_tensor(1 / max(1, count - t0)))
