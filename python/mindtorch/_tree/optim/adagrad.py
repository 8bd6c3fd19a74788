"""Adagrad."""

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    as_real,
    check,
    check_flags,
    check_foreach,
    check_lr,
    check_steps,
    column,
    new_step,
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
    """p -= lr * g / (sqrt(s) + eps), s the sum of all g^2 (Duchi et al. 2011)."""

    _group_defaults = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}
    _sparse_refusal = None

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        check_lr(lr)
        check(0.0 <= lr_decay, "Invalid lr_decay value: {}", lr_decay)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        start = initial_accumulator_value
        check(0.0 <= start, "Invalid initial_accumulator_value value: {}", start)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
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
        return {"step": new_step(p, group), "sum": total}

    def share_memory(self):
        """Moves the sums to shared memory."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _collect(self, group):
        params, grads, states = super()._collect(group)
        if params and group["fused"] and getattr(self, "_need_device_dtype_check_for_fused", True):
            _device_dtype_check_for_fused(params[0], cuda_unsupported=False)
            self._need_device_dtype_check_for_fused = False
        return params, grads, states

    def _update_group(self, group, params, grads, states):
        adagrad(
            params,
            grads,
            column(states, "sum"),
            column(states, "step"),
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            lr_decay=group["lr_decay"],
            eps=group["eps"],
            has_sparse_grad=any(grad.is_sparse for grad in grads),
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            has_complex=any(torch.is_complex(p) for p in params),
            fused=group["fused"],
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
        )


def adagrad(
    params,
    grads,
    state_sums,
    state_steps,
    fused=None,
    grad_scale=None,
    found_inf=None,
    has_sparse_grad=False,
    foreach=None,
    differentiable=False,
    has_complex=False,
    *,
    lr,
    weight_decay,
    lr_decay,
    eps,
    maximize,
):
    """Adagrad on lists of tensors."""
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
        param, grad, total = as_real(param, grad, total)
        total.addcmul_(grad, grad, value=1)
        root = total.sqrt() + eps if differentiable else total.sqrt().add_(eps)
        param.addcdiv_(grad, root, value=-rate)


def _sparse_update(param, grad, total, rate, eps):
    """The update of the rows that `grad` names."""
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
