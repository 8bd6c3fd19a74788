"""Stochastic gradient descent, with momentum."""

from .._root import torch
from ._elementwise import _ElementwiseOptimizer, check, check_flags, check_lr, runs_in_one_pass
from .optimizer import Optimizer, ParamsT, _default_to_fused_or_foreach, _device_dtype_check_for_fused, _to_scalar

__all__ = ["SGD", "sgd"]


class SGD(_ElementwiseOptimizer):
    """p -= lr * g, with momentum: b = momentum * b + (1 - dampening) * g; p -= lr * b (Sutskever et al. 2013)."""

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
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        check_lr(lr)
        check(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        check(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True
            self._need_device_dtype_check_for_fused = True
            check_flags(foreach, fused, differentiable)

    def _collect(self, group):
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
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            has_sparse_grad=any(grad.is_sparse for grad in grads),
            foreach=group["foreach"],
            fused=group["fused"],
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
        )
        if group["momentum"] != 0:
            for state, buffer in zip(states, buffers, strict=True):
                state["momentum_buffer"] = buffer


def sgd(
    params,
    d_p_list,
    momentum_buffer_list,
    has_sparse_grad=False,
    foreach=None,
    fused=None,
    grad_scale=None,
    found_inf=None,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
):
    """SGD on lists of tensors; `momentum_buffer_list` is filled where it holds None."""
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
    if not torch.is_grad_enabled() and runs_in_one_pass(columns, (), numbers):
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
                # A copy, since the update below changes the parameter that the graph would hold.
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
