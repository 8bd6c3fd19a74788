"""Adam, with AMSGrad and decoupled weight decay."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    view_as_real_if_complex,
    check,
    check_betas,
    check_capturable,
    check_flags,
    check_foreach,
    check_steps,
    list_state_tensors,
    make_step_counter,
    options,
    can_fuse_update,
    zeros,
)
from .optimizer import (
    Optimizer,
    ParamsT,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _get_value,
    _to_scalar,
)

__all__ = ["Adam", "adam"]


def _check_tensor_option(name, value, foreach, capturable):
    """Raises unless tensor options have one element; they have no grouped form outside graph capture."""
    if not isinstance(value, torch.Tensor):
        return
    if foreach and not capturable:
        raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
    if value.numel() != 1:
        raise ValueError(f"Tensor {name} must be 1-element")


class Adam(_ElementwiseOptimizer):
    """Adam: steps scaled per element by running means of the gradient and of its square.

    For each parameter p with gradient g at step t (Kingma and Ba 2015, algorithm 1; AMSGrad: Reddi,
    Kale and Kumar 2018):

        g = g + weight_decay * p                    (decoupled: p = p * (1 - lr * weight_decay))
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g ** 2        (amsgrad: the largest v so far is used below)
        p = p - lr / (1 - beta1 ** t) * m / (sqrt(v) / sqrt(1 - beta2 ** t) + eps)

    Complex parameters are updated as pairs of real ones. The state is ``step``, ``exp_avg`` (m),
    ``exp_avg_sq`` (v) and, with `amsgrad`, ``max_exp_avg_sq``.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate, about the size of one step per element. Default: ``1e-3``.
        betas (tuple of float or Tensor): decay rates of m and v, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to the denominator. Default: ``1e-8``.
        weight_decay (float): L2 penalty, or decoupled decay. Default: ``0``.
        amsgrad (bool): divides by the largest v so far. Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.
        fused (bool, optional): runs one kernel per step; floating-point parameters only. Default:
            ``None``, the plain form.
        decoupled_weight_decay (bool): shrinks the parameters themselves, as AdamW. Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse (use `SparseAdam`).

    Example:
        >>> p = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adam([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()  # the first step is lr * sign(g)
        >>> p.detach()
        tensor([ 0.9000, -1.9000])
    """

    _group_defaults = {
        "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip
    _sparse_refusal = "Adam does not support sparse gradients, please consider SparseAdam instead"

    def __init__(
        self, params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-3, betas: tuple[float | torch.Tensor, float | torch.Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        _check_tensor_option("lr", lr, foreach, capturable)
        check(0.0 <= lr, "Invalid learning rate: {}", lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, torch.Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i in range(2):
            _check_tensor_option(f"betas[{i}]", betas[i], foreach, capturable)
        defaults = {
            "lr": lr, "betas": tuple(map(_to_scalar, betas)), "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_flags(foreach, fused, differentiable)
        if fused:
            self._step_supports_amp_scaling = True

    def _new_state(self, p, group):
        if group["fused"]:
            _device_dtype_check_for_fused(p)
        state = {"step": make_step_counter(p, group), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros(p)
        return state

    def _collect_params_grads_states(self, group):
        params, grads, states = super()._collect_params_grads_states(group)
        if params and group["foreach"] and isinstance(group["lr"], torch.Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        if group["differentiable"] and any(state["step"].requires_grad for state in states):
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        return params, grads, states

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        adam(
            params,
            grads,
            list_state_tensors(states, "exp_avg"),
            list_state_tensors(states, "exp_avg_sq"),
            list_state_tensors(states, "max_exp_avg_sq", group["amsgrad"]),
            list_state_tensors(states, "step"),
            has_complex=any(torch.is_complex(p) for p in params),
            beta1=beta1,
            beta2=beta2,
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            **options(
                group,
                "amsgrad",
                "lr",
                "weight_decay",
                "eps",
                "maximize",
                "foreach",
                "capturable",
                "differentiable",
                "fused",
                "decoupled_weight_decay",
            ),
        )


def adam(
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
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | torch.Tensor,
    beta2: float | torch.Tensor,
    lr: float | torch.Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Runs one step of Adam on lists of tensors; `torch.optim.Adam` has the rule.

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
        decoupled_weight_decay (bool): as in the class. Default: ``False``.
        amsgrad (bool): divides by the largest second moment.
        beta1, beta2 (float or Tensor): decay rates of the two running means.
        lr (float or Tensor): learning rate.
        weight_decay (float): L2 penalty or decoupled decay.
        eps (float): term added to the denominator.
        maximize (bool): negates the gradients.
    """
    if fused is None and foreach is None:
        _, foreach = _default_to_fused_or_foreach(params, differentiable, use_fused=False)
    check_steps(state_steps)
    check_foreach(foreach and not fused, differentiable)
    implementation = _fused_adam if fused else _single_tensor_adam
    implementation(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        grad_scale,
        found_inf,
        amsgrad=amsgrad,
        has_complex=has_complex,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
        capturable=capturable,
        differentiable=differentiable,
        decoupled_weight_decay=decoupled_weight_decay,
    )


def _single_tensor_adam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    state_steps,
    grad_scale,
    found_inf,
    *,
    amsgrad,
    has_complex,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
    maximize,
    capturable,
    differentiable,
    decoupled_weight_decay,
):
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr, beta1, beta2 = _to_scalar(lr), _to_scalar(beta1), _to_scalar(beta2)
    columns = [params, grads, exp_avgs, exp_avg_sqs, *([max_exp_avg_sqs] if amsgrad else [])]
    numbers = (lr, beta1, beta2, weight_decay, eps)
    if not (capturable or differentiable) and can_fuse_update(columns, state_steps, numbers):
        torch._foreach_add_(state_steps, 1)
        update = torch._fused_adamw_ if decoupled_weight_decay else torch._fused_adam_
        update(
            *columns[:4],
            max_exp_avg_sqs,
            state_steps,
            amsgrad=amsgrad,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            weight_decay=weight_decay,
            eps=eps,
            maximize=maximize,
        )
        return
    for i, param in enumerate(params):
        grad = -grads[i] if maximize else grads[i]
        step = state_steps[i]
        if capturable:
            check_capturable(param, step)
        step += 1
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            elif differentiable and isinstance(weight_decay, torch.Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)

        param, grad, mean, square = view_as_real_if_complex(param, grad, exp_avgs[i], exp_avg_sqs[i])
        largest = view_as_real_if_complex(params[i], max_exp_avg_sqs[i])[1] if amsgrad else None
        decay = beta1.to(device=param.device, dtype=param.dtype) if isinstance(beta1, torch.Tensor) else beta1
        mean.lerp_(grad, 1 - decay)
        if differentiable and isinstance(beta2, torch.Tensor) and beta2.requires_grad:
            square.lerp_(torch.square(grad), weight=1 - beta2)
        else:
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)

        if capturable or differentiable:
            _differentiable_update(param, mean, square, largest, step, beta1, beta2, lr, eps, differentiable)
            continue
        count = _get_value(step)
        step_size = lr / (1 - beta1**count)
        correction = (1 - beta2**count) ** 0.5
        if largest is not None:
            square = torch.maximum(largest, square, out=largest)
        param.addcdiv_(mean, (square.sqrt() / correction).add_(eps), value=-step_size)


def _differentiable_update(param, mean, square, largest, step, beta1, beta2, lr, eps, differentiable):
    """The update with a step count that stays a tensor; copies for the graph what it changes in place."""

    def bias_correction(beta):
        tracked = differentiable and isinstance(beta, torch.Tensor) and beta.requires_grad
        return 1 - beta ** (step.clone() if tracked else step)

    negative_size = (lr / bias_correction(beta1)).neg()
    correction = bias_correction(beta2).sqrt()
    if largest is not None:
        before = largest.clone() if differentiable else largest
        largest.copy_(torch.maximum(before, square))
        square = largest
    denominator = (square.sqrt() / (correction * negative_size)).add_(eps / negative_size)
    param.addcdiv_(mean.clone() if differentiable else mean, denominator)


def _fused_adam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    state_steps,
    grad_scale,
    found_inf,
    *,
    amsgrad,
    has_complex,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
    maximize,
    capturable,
    differentiable,
    decoupled_weight_decay,
):
    if not params:
        return
    if differentiable:
        raise RuntimeError("Adam with fused=True does not support differentiable=True")
    update = torch._fused_adamw_ if decoupled_weight_decay else torch._fused_adam_
    columns = [params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps]
    for (device, _), (lists, _) in Optimizer._group_tensors_by_device_and_dtype(columns).items():
        local_inf = None if found_inf is None else found_inf.to(device, non_blocking=True)
        if isinstance(lr, torch.Tensor) and str(lr.device) != "cpu":
            lr = lr.to(device=device, non_blocking=True)
        steps = lists[5]
        torch._foreach_add_(steps, 1)
        update(
            *lists,
            amsgrad=amsgrad,
            lr=lr,
            beta1=_to_scalar(beta1),
            beta2=_to_scalar(beta2),
            weight_decay=weight_decay,
            eps=eps,
            maximize=maximize,
            grad_scale=None if grad_scale is None else grad_scale.to(device, non_blocking=True),
            found_inf=local_inf,
        )
        if local_inf is not None:  # a skipped step does not count
            torch._foreach_sub_(steps, [local_inf] * len(steps))
