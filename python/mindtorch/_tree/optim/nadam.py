"""NAdam."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import (
    _ElementwiseOptimizer,
    view_as_real_if_complex,
    check,
    check_betas,
    check_capturable,
    check_foreach,
    check_learning_rate,
    check_steps,
    list_state_tensors,
    make_step_counter,
    options,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_value, _to_scalar

__all__ = ["NAdam", "nadam"]


class NAdam(_ElementwiseOptimizer):
    """Adam with Nesterov momentum.

    For each parameter p with gradient g at step t (Dozat 2016, "Incorporating Nesterov momentum into
    Adam", with its warming-up schedule of momentum):

        g = g + weight_decay * p                    (decoupled: p = p * (1 - lr * weight_decay))
        mu(t) = beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay)),   M(t) = mu(1) * ... * mu(t)
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g ** 2
        n = mu(t + 1) * m / (1 - M(t + 1)) + (1 - mu(t)) * g / (1 - M(t))
        p = p - lr * n / (sqrt(v / (1 - beta2 ** t)) + eps)

    The state is ``step``, ``mu_product`` (M), ``exp_avg`` (m) and ``exp_avg_sq`` (v).

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate. Default: ``2e-3``.
        betas (tuple of float): decay rates of m and v, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to the denominator. Default: ``1e-8``.
        weight_decay (float): L2 penalty, or decoupled decay. Default: ``0``.
        momentum_decay (float): how fast the momentum warms up. Default: ``4e-3``.
        decoupled_weight_decay (bool): shrinks the parameters themselves, as AdamW. Default: ``False``.
        foreach (bool, optional): requests the grouped form; on the CPU it is the same loop over
            tensors with the same result, and excludes `differentiable`. Default: ``None``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.
        capturable (bool): keeps the step count on an accelerator for graph capture; an error on the
            CPU. Default: ``False``.
        differentiable (bool): records the update itself for autograd. Default: ``False``.

    Raises:
        ValueError: when a number is out of its range.
        RuntimeError: in `step`, when a gradient is sparse.

    Example:
        >>> p = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.NAdam([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([0.8944])
    """

    _group_defaults = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    _scalar_fields = ("step", "mu_product")

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        check(0.0 <= momentum_decay, "Invalid momentum_decay value: {}", momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {
            "step": make_step_counter(p, group),
            "mu_product": make_step_counter(p, group, 1.0),
            "exp_avg": zeros(p),
            "exp_avg_sq": zeros(p),
        }

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        nadam(
            params,
            grads,
            list_state_tensors(states, "exp_avg"),
            list_state_tensors(states, "exp_avg_sq"),
            list_state_tensors(states, "mu_product"),
            list_state_tensors(states, "step"),
            beta1=beta1,
            beta2=beta2,
            **options(
                group,
                "lr",
                "weight_decay",
                "momentum_decay",
                "eps",
                "maximize",
                "decoupled_weight_decay",
                "foreach",
                "capturable",
                "differentiable",
            ),
        )


def _momentum_at(beta1, steps):
    """Returns the momentum after some steps: half of beta1 at first (Dozat 2016)."""
    return beta1 * (1.0 - 0.5 * 0.96**steps)


def nadam(
    params: list[torch.Tensor], grads: list[torch.Tensor], exp_avgs: list[torch.Tensor],
    exp_avg_sqs: list[torch.Tensor], mu_products: list[torch.Tensor], state_steps: list[torch.Tensor],
    decoupled_weight_decay: bool = False, foreach: bool | None = None, capturable: bool = False,
    differentiable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float,
    lr: float, weight_decay: float, momentum_decay: float, eps: float,
) -> None:  # fmt: skip
    """Runs one step of NAdam on lists of tensors; `torch.optim.NAdam` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): their gradients, in the same order.
        exp_avgs, exp_avg_sqs (list of Tensor): running means of g and g ** 2, updated in place.
        mu_products (list of Tensor): products of the momenta so far, one-element tensors.
        state_steps (list of Tensor): step counts, one-element tensors, incremented here.
        decoupled_weight_decay (bool): as in the class. Default: ``False``.
        foreach, capturable, differentiable, has_complex, maximize (bool): as in the class.
        beta1, beta2 (float or Tensor): decay rates of the two running means.
        lr (float or Tensor): learning rate.
        weight_decay (float): L2 penalty or decoupled decay.
        momentum_decay (float): how fast the momentum warms up.
        eps (float): term added to the denominator.
    """
    check_steps(state_steps)
    check_steps(mu_products, "mu_products")
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        step, product = state_steps[i], mu_products[i]
        grad = -grads[i] if maximize else grads[i]
        param, grad, mean, square = view_as_real_if_complex(param, grad, exp_avgs[i], exp_avg_sqs[i])
        if capturable:
            check_capturable(param, product, step, what="params, mu_products and state_steps")
        step += 1
        count = step if capturable else _get_value(step)
        correction = 1 - beta2**count
        if weight_decay != 0 and decoupled_weight_decay:
            param *= 1 - lr * weight_decay
        elif weight_decay != 0:
            grad = torch.add(grad, param, alpha=weight_decay)
        mu = _momentum_at(beta1, count * momentum_decay)
        next_mu = _momentum_at(beta1, (count + 1) * momentum_decay)
        product *= mu
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(correction).sqrt()
        if differentiable or capturable:
            root = root.add(eps)
            param.addcdiv_(grad * (-lr * (1.0 - mu) / (1.0 - product)), root)
            param.addcdiv_(mean * (-lr * next_mu / (1.0 - product * next_mu)), root)
        else:
            root.add_(eps)
            value = _get_value(product)
            param.addcdiv_(grad, root, value=-lr * (1.0 - mu) / (1.0 - value))
            param.addcdiv_(mean, root, value=-lr * next_mu / (1.0 - value * next_mu))
