"""NAdam."""

from ._elementwise import (
    _ElementwiseOptimizer,
    as_real,
    check,
    check_betas,
    check_capturable,
    check_foreach,
    check_lr,
    check_steps,
    column,
    new_step,
    zeros,
)
from .optimizer import Optimizer, ParamsT, _get_value, _to_scalar

__all__ = ["NAdam", "nadam"]


class NAdam(_ElementwiseOptimizer):
    """Adam with Nesterov momentum (Dozat 2016)."""

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
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        check_lr(lr)
        check(0.0 <= eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        check(0.0 <= weight_decay, "Invalid weight_decay value: {}", weight_decay)
        check(0.0 <= momentum_decay, "Invalid momentum_decay value: {}", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p, group):
        return {
            "step": new_step(p, group),
            "mu_product": new_step(p, group, 1.0),
            "exp_avg": zeros(p),
            "exp_avg_sq": zeros(p),
        }

    def _update_group(self, group, params, grads, states):
        beta1, beta2 = group["betas"]
        nadam(
            params,
            grads,
            column(states, "exp_avg"),
            column(states, "exp_avg_sq"),
            column(states, "mu_product"),
            column(states, "step"),
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            momentum_decay=group["momentum_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            foreach=group["foreach"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
        )


def nadam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    mu_products,
    state_steps,
    decoupled_weight_decay=False,
    foreach=None,
    capturable=False,
    differentiable=False,
    has_complex=False,
    maximize=False,
    *,
    beta1,
    beta2,
    lr,
    weight_decay,
    momentum_decay,
    eps,
):
    """NAdam on lists of tensors."""
    check_steps(state_steps)
    check_steps(mu_products, "mu_products")
    check_foreach(foreach, differentiable)
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        step, product = state_steps[i], mu_products[i]
        grad = -grads[i] if maximize else grads[i]
        param, grad, mean, square = as_real(param, grad, exp_avgs[i], exp_avg_sqs[i])
        if capturable:
            check_capturable(param, product, step, what="params, mu_products and state_steps")
        step += 1
        count = step if capturable else _get_value(step)
        correction = 1 - beta2**count
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (count * momentum_decay)))
        next_mu = beta1 * (1.0 - 0.5 * (0.96 ** ((count + 1) * momentum_decay)))
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
