"""Adagrad."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    view_as_real_if_complex,
    check,
    check_flags,
    check_foreach,
    check_learning_rate,
    check_steps,
    list_state_tensors,
    make_step_counter,
    options,
)
from .optimizer import (
    Optimizer,
    ParamsT,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _get_value,
    _to_scalar,
)

__all__ = ["Adagrad", "adagrad"]


class Adagrad(_ElementwiseOptimizer):
    """Adagrad: each element's rate falls with the sum of its squared gradients so far.

    For each parameter p with gradient g at step t (Duchi, Hazan and Singer 2011):

        g = g + weight_decay * p
        s = s + g ** 2                              (s starts at initial_accumulator_value)
        p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

    Takes sparse gradients (without weight decay): then only the elements they name change. The state,
    made at construction, is ``step`` and ``sum`` (s).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-2``.
        lr_decay (float): lowers the rate with the number of steps. Default: ``0``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        initial_accumulator_value (float): first value of s. Default: ``0``.
        eps (float): added to the denominator. Default: ``1e-10``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        fused (bool, optional): runs one kernel per step; floating-point parameters only. Default:
            ``None``, the plain form.

    Raises:
        ValueError: when a number is negative.
        RuntimeError: in `step`, when a gradient is sparse and `weight_decay` is not zero.

    Example:
        >>> p = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adagrad([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # the first step is lr * sign(g)
        >>> p.detach()
        tensor([ 0.9000, -1.9000])
    """

    _group_defaults = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}
    _sparse_refusal = None

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= lr_decay, "Invalid lr_decay value: {}", lr_decay)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        start = initial_accumulator_value
        check(0.0 <= start, "Invalid initial_accumulator_value value: {}", start)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_flags(foreach, fused, differentiable)
        if fused:
            self._need_device_dtype_check_for_fused = True
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(self._new_state(p, group))

    def _new_state(self, p, group):
        start = self.defaults["initial_accumulator_value"]
        value = complex(start, start) if torch.is_complex(p) else start
        total = torch.full_like(p, value, memory_format=torch.preserve_format)
        return {"step": make_step_counter(p, group), "sum": total}

    def share_memory(self) -> None:
        """Moves the sums of squared gradients to shared memory, for training by several processes."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _collect_params_grads_states(self, group):
        params, grads, states = super()._collect_params_grads_states(group)
        if params and group["fused"] and getattr(self, "_need_device_dtype_check_for_fused", True):
            _device_dtype_check_for_fused(params[0], cuda_unsupported=False)
            self._need_device_dtype_check_for_fused = False
        return params, grads, states

    def _update_group(self, group, params, grads, states):
        adagrad(
            params,
            grads,
            list_state_tensors(states, "sum"),
            list_state_tensors(states, "step"),
            has_sparse_grad=any(grad.is_sparse for grad in grads),
            has_complex=any(torch.is_complex(p) for p in params),
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            **options(group, "lr", "weight_decay", "lr_decay", "eps", "foreach", "maximize", "differentiable", "fused"),
        )


def adagrad(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    state_sums: list[torch.Tensor],
    state_steps: list[torch.Tensor],
    fused: bool | None = None,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Runs one step of Adagrad on lists of tensors; `torch.optim.Adagrad` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        state_sums (list of Tensor): sums of squared gradients, updated in place.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        fused (bool, optional): as in the class. Default: ``None``.
        grad_scale, found_inf (Tensor, optional): loss scale and overflow flag of a gradient scaler;
            the fused form only.
        has_sparse_grad (bool): whether a gradient is sparse. Default: ``False``.
        foreach, differentiable, has_complex (bool): as in the class.
        lr (float or Tensor): learning rate.
        weight_decay (float): L2 penalty.
        lr_decay (float): lowers the rate with the number of steps.
        eps (float): term added to the denominator.
        maximize (bool): negates the gradients.
    """
    check_steps(state_steps)
    if fused is None and foreach is None:
        _, foreach = _default_to_fused_or_foreach(params, differentiable, use_fused=False)
    if fused:
        if has_sparse_grad or has_complex:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if differentiable:
            raise RuntimeError("adagrad with fused=True does not support differentiable=True")
        _fused_adagrad(
            params,
            grads,
            state_sums,
            state_steps,
            grad_scale,
            found_inf,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            eps=eps,
            maximize=maximize,
        )
        return
    check_foreach(foreach, differentiable)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr = _to_scalar(lr)
    for param, grad, total, step in zip(params, grads, state_sums, state_steps, strict=True):
        step += 1
        rate = lr / (1 + (_get_value(step) - 1) * lr_decay)
        grad = -grad if maximize else grad
        if weight_decay != 0:
            if grad.is_sparse:
                raise RuntimeError("weight_decay option is not compatible with sparse gradients")
            grad = grad.add(param, alpha=weight_decay)
        if grad.is_sparse:
            _sparse_update(param, grad.coalesce(), total, rate, eps)
            continue
        param, grad, total = view_as_real_if_complex(param, grad, total)
        total.addcmul_(grad, grad, value=1)
        root = total.sqrt() + eps if differentiable else total.sqrt().add_(eps)
        param.addcdiv_(grad, root, value=-rate)


def _sparse_update(param, grad, total, rate, eps):
    """Updates the rows that `grad` names."""
    indices, values, size = grad._indices(), grad._values(), grad.size()
    total.add_(torch.sparse_coo_tensor(indices, values.pow(2), size))
    root = total.sparse_mask(grad)._values().sqrt_().add_(eps)
    param.add_(torch.sparse_coo_tensor(indices, values / root, size), alpha=-rate)


def _fused_adagrad(params, grads, state_sums, state_steps, grad_scale, found_inf, *, lr, **options):
    groups = Optimizer._group_tensors_by_device_and_dtype([params, grads, state_sums, state_steps])
    for (device, _), (lists, _) in groups.items():
        local_inf = None if found_inf is None else found_inf.to(device, non_blocking=True)
        if isinstance(lr, torch.Tensor) and str(lr.device) != "cpu":
            lr = lr.to(device=device, non_blocking=True)
        steps = lists[3]
        torch._foreach_add_(steps, 1)
        torch._fused_adagrad_(
            *lists,
            lr=lr,
            grad_scale=None if grad_scale is None else grad_scale.to(device, non_blocking=True),
            found_inf=local_inf,
            **options,
        )
        if local_inf is not None:  # a skipped step does not count
            torch._foreach_sub_(steps, [local_inf] * len(steps))
