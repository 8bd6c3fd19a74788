"""Updates for optimizers without a module of their own."""

from __future__ import annotations

import math

from .._root import torch


def sparse_adam(
    params: list[torch.Tensor],
    grads: list[torch.Tensor],
    exp_avgs: list[torch.Tensor],
    exp_avg_sqs: list[torch.Tensor],
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """Runs one step of SparseAdam on lists of tensors; `torch.optim.SparseAdam` has the rule.

    Args:
        params (list of Tensor): parameters, updated in place.
        grads (list of Tensor): sparse gradients, in the same order.
        exp_avgs, exp_avg_sqs (list of Tensor): dense moments, updated in place.
        state_steps (list of int): numbers of steps, this one included.
        eps (float): term added to the denominator.
        beta1, beta2 (float): decay rates of the moments.
        lr (float): learning rate.
        maximize (bool): negates the gradients.
    """
    for i, param in enumerate(params):
        grad = (-grads[i] if maximize else grads[i]).coalesce()
        values = grad._values()
        if values.numel() == 0:
            continue

        def make_sparse_update(rows, grad=grad):
            return torch.sparse_coo_tensor(grad._indices(), rows, grad.size())

        def move_sparse_moment(moment, target, beta, grad=grad):
            """Returns the rows of a moment that a step changes, after a step towards `target`."""
            before = moment.sparse_mask(grad)._values()
            change = target.sub(before).mul_(1 - beta)
            moment.add_(make_sparse_update(change))
            return change.add_(before)

        mean = move_sparse_moment(exp_avgs[i], values, beta1)
        square = move_sparse_moment(exp_avg_sqs[i], values.pow(2), beta2)
        step = state_steps[i]
        step_size = lr * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        param.add_(make_sparse_update(-step_size * mean.div_(square.sqrt_().add_(eps))))
