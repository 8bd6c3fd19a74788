"""Gradients of each sample of a batch by itself, for modules of torch.nn."""

import functools

from ..._root import torch
from ...utils import _pytree as pytree
from ._expanded_weights import ExpandedWeight


def call_for_per_sample_grads(module, *, batch_size=None, loss_reduction="sum", batch_first=True):
    """Returns a forward of `module` whose backward sets `grad_sample` of its parameters, batch_size x their shape.

    batch_size: if None, that of the tensors among the arguments, which must agree. loss_reduction: "sum" or "mean",
    as the loss is of the samples'; the gradients of a mean are multiplied by batch_size. batch_first: whether
    dimension 0 or 1 of the arguments is the batch. RuntimeError for layers without a rule, as recurrent ones are.
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, torch.nn.Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple "
                f"calls without clearing gradients. Please clear out the grad_sample parameter of {weight} or "
                "post an issue to pytorch/pytorch to prioritize correct behavior"
            )

    def size_of(args, kwargs):
        size = None
        for value in pytree.arg_tree_leaves(*args, **kwargs):
            if not isinstance(value, torch.Tensor):
                continue
            own = value.shape[0 if batch_first else 1]
            if size is not None and own != size:
                raise RuntimeError(
                    f"When computing batch size, found at least one input with batch size {size} and one with batch "
                    f"size {own}. Please specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
                )
            size = own
        if size is None:
            raise RuntimeError(
                "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able "
                "and so ExpandedWeights cannot compute the batch size from the inputs. Please specify it explicitly"
            )
        return size

    @functools.wraps(module.forward)
    def wrapper(*args, **kwargs):
        size = size_of(args, kwargs) if batch_size is None else batch_size
        expanded = {
            name: ExpandedWeight(value, size, loss_reduction) if value.requires_grad else value
            for name, value in module.named_parameters()
        }
        return torch.func.functional_call(module, expanded, args, kwargs)

    return wrapper
