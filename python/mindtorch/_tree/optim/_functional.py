"""Updates of optimizers that have no module of their own for them."""

import math

from .._root import torch


def sparse_adam(params, grads, exp_avgs, exp_avg_sqs, state_steps, *, eps, beta1, beta2, lr, maximize):
    """Adam on the rows that sparse gradients name; the moments of other rows stay."""
    for i, param in enumerate(params):
        grad = (-grads[i] if maximize else grads[i]).coalesce()
        values = grad._values()
        if values.numel() == 0:
            continue

        def spread(rows, grad=grad):
            return torch.sparse_coo_tensor(grad._indices(), rows, grad.size())

        def moved(moment, target, beta, grad=grad):
            """The touched rows of a moment after a step towards `target`."""
            before = moment.sparse_mask(grad)._values()
            change = target.sub(before).mul_(1 - beta)
            moment.add_(spread(change))
            return change.add_(before)

        mean = moved(exp_avgs[i], values, beta1)
        square = moved(exp_avg_sqs[i], values.pow(2), beta2)
        step = state_steps[i]
        step_size = lr * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        param.add_(spread(-step_size * mean.div_(square.sqrt_().add_(eps))))
