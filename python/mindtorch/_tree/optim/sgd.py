"""Stochastic gradient descent, with momentum."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import _ElementwiseOptimizer, check, check_flags, check_learning_rate, options, can_fuse_update
from .optimizer import Optimizer, ParamsT, _default_to_fused_or_foreach, _device_dtype_check_for_fused, _to_scalar

__all__ = ["SGD", "sgd"]


class SGD(_ElementwiseOptimizer):
    """Stochastic gradient descent, with momentum, Nesterov momentum and weight decay.

    For each parameter p with gradient g (Sutskever et al. 2013, "On the importance of initialization
    and momentum in deep learning", but with the rate outside the buffer):

        g = g + weight_decay * p
        b = momentum * b + (1 - dampening) * g      (first step: b = g)
        d = g + momentum * b  if nesterov,  else b  (without momentum: d = g)
        p = p - lr * d

    Sparse gradients work without weight decay. A changed `lr` rescales past steps in the buffer.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``1e-3``.
        momentum (float): share of the buffer that each step keeps. Default: ``0``.
        dampening (float): share of the new gradient left out of the buffer. Default: ``0``.
        weight_decay (float): adds ``weight_decay * p`` to the gradient (L2 penalty). Default: ``0``.
        nesterov (bool): looks one momentum step ahead; needs momentum and no dampening. Default:
            ``False``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        fused (bool, optional): runs one kernel per step; floating-point parameters only. Default:
            ``None``, the plain form.

    Raises:
        ValueError: when a number is negative, or `nesterov` comes without momentum or with dampening.

    Example:
        >>> p = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # p - 0.1 * 2 * p
        >>> p.detach()
        tensor([0.8000, 1.6000])
    """

    _group_defaults = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }
    _scalar_fields = ()
    _sparse_refusal = None

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | torch.Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        check(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True
            self._need_device_dtype_check_for_fused = True
            check_flags(foreach, fused, differentiable)

    def _collect_params_grads_states(self, group):
        params = [p for p in group["params"] if p.grad is not None]
        if params and group["fused"] and getattr(self, "_need_device_dtype_check_for_fused", True):
            _device_dtype_check_for_fused(params[0])
            self._need_device_dtype_check_for_fused = False
        states = [self.state[p] for p in params] if group["momentum"] != 0 else [{} for _ in params]
        return params, [p.grad for p in params], states

    def _update_group(self, group, params, grads, states):
        buffers = [state.get("momentum_buffer") for state in states]
        sgd(
            params,
            grads,
            buffers,
            has_sparse_grad=any(grad.is_sparse for grad in grads),
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            **options(group, "weight_decay", "momentum", "lr", "dampening", "nesterov", "maximize", "foreach", "fused"),
        )
        if group["momentum"] != 0:
            for state, buffer in zip(states, buffers, strict=True):
                state["momentum_buffer"] = buffer


def sgd(
    params: list[torch.Tensor],
    d_p_list: list[torch.Tensor],
    momentum_buffer_list: list[torch.Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Runs one step of SGD on lists of tensors; `torch.optim.SGD` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        d_p_list (list of Tensor): their gradients, in the same order.
        momentum_buffer_list (list of Tensor or None): buffers; None is replaced by a new buffer.
        has_sparse_grad (bool): whether a gradient is sparse. Default: ``False``.
        foreach, fused (bool, optional): as in the class. Default: ``None``.
        grad_scale, found_inf (Tensor, optional): loss scale and overflow flag of a gradient scaler;
            the fused form only.
        weight_decay (float): L2 penalty.
        momentum, dampening (float): as in the class.
        lr (float or Tensor): learning rate.
        nesterov (bool): Nesterov momentum.
        maximize (bool): negates the gradients.
    """
    if foreach is None and fused is None:
        fused, foreach = _default_to_fused_or_foreach(params, differentiable=False, use_fused=False)
    implementation = _fused_sgd if fused and not foreach else _single_tensor_sgd
    implementation(
        params,
        d_p_list,
        momentum_buffer_list,
        grad_scale,
        found_inf,
        weight_decay=weight_decay,
        momentum=momentum,
        lr=lr,
        dampening=dampening,
        nesterov=nesterov,
        maximize=maximize,
        has_sparse_grad=has_sparse_grad,
    )


def _single_tensor_sgd(
    params,
    grads,
    momentum_buffer_list,
    grad_scale,
    found_inf,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
    has_sparse_grad,
):
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr = _to_scalar(lr)
    columns = [params, grads, *([momentum_buffer_list] if momentum != 0 else [])]
    numbers = (lr, momentum, dampening, weight_decay)
    if not torch.is_grad_enabled() and can_fuse_update(columns, (), numbers):
        torch._fused_sgd_(
            params,
            grads,
            [] if momentum == 0 else momentum_buffer_list,
            weight_decay=weight_decay,
            momentum=momentum,
            lr=lr,
            dampening=dampening,
            nesterov=nesterov,
            maximize=maximize,
            is_first_step=False,
        )
        return
    for i, param in enumerate(params):
        grad = -grads[i] if maximize else grads[i]
        if weight_decay != 0:
            if isinstance(weight_decay, torch.Tensor) and weight_decay.requires_grad:
                # A copy, because the update below changes the parameter that the graph would reference.
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        if momentum != 0:
            buffer = momentum_buffer_list[i]
            if buffer is None:
                buffer = momentum_buffer_list[i] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
        if isinstance(lr, torch.Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)


def _fused_sgd(
    params,
    grads,
    momentum_buffer_list,
    grad_scale,
    found_inf,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
    has_sparse_grad,
):
    if not params:
        return
    if has_sparse_grad:
        raise RuntimeError("`_fused_sgd` does not support sparse gradients")
    first_step = momentum != 0 and all(buffer is None for buffer in momentum_buffer_list)
    if first_step:
        momentum_buffer_list[:] = [torch.empty_like(grad) for grad in grads]
    groups = Optimizer._group_tensors_by_device_and_dtype([params, grads, momentum_buffer_list])
    for (device, _), (lists, _) in groups.items():
        torch._fused_sgd_(
            lists[0],
            lists[1],
            [] if momentum == 0 else lists[2],
            weight_decay=weight_decay,
            momentum=momentum,
            lr=lr,
            dampening=dampening,
            nesterov=nesterov,
            maximize=maximize,
            is_first_step=first_step,
            grad_scale=None if grad_scale is None else grad_scale.to(device),
            found_inf=None if found_inf is None else found_inf.to(device),
        )
