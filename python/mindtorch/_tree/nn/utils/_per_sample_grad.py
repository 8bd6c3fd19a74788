"""Gradients of each sample of a batch, for modules of torch.nn."""

from __future__ import annotations

import functools

from ..._root import torch
from ...utils import _pytree as pytree
from ._expanded_weights import ExpandedWeight


def _require(holds, text):
    if not holds:
        raise RuntimeError(text)


def call_for_per_sample_grads(module, *, batch_size=None, loss_reduction="sum", batch_first=True):
    """Returns a forward of a module whose backward computes the gradients of each sample separately.

    They are added to `grad_sample` of the parameters, which has a leading dimension of size
    `batch_size`.

    Args:
        module (Module): of layers that have a rule: linear and convolution layers, embeddings,
            and layer, group and instance normalisation.
        batch_size (int, optional): size of the batch. Default: ``None``, that of the tensors
            among the arguments, which must agree.
        loss_reduction (str): ``"sum"`` or ``"mean"``, as the loss is of the samples'; gradients
            of a mean are multiplied by the batch size. Default: ``"sum"``.
        batch_first (bool): whether dimension 0 of the arguments is the batch, not 1. Default:
            ``True``.

    Returns:
        callable: takes the arguments of `module`.

    Raises:
        RuntimeError: for a layer without a rule, as recurrent ones are, or gradients left from
            before.

    Example:
        >>> from torch.nn.utils._per_sample_grad import call_for_per_sample_grads
        >>> layer = nn.Linear(2, 1)
        >>> call_for_per_sample_grads(layer)(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
        >>> layer.weight.grad_sample
        tensor([[[1., 2.]],
        <BLANKLINE>
                [[3., 4.]]])
    """
    module_type, size_type = (type(given).__name__ for given in (module, batch_size))
    is_known = loss_reduction in ("mean", "sum")
    _require(is_known, f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    _require(isinstance(module, torch.nn.Module), f"Module passed must be nn.Module, got {module_type}")
    if batch_size is not None:
        _require(isinstance(batch_size, int), f"Batch size passed must be None or an integer, got {size_type}")
        _require(batch_size >= 1, f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple "
                f"calls without clearing gradients. Please clear out the grad_sample parameter of {weight} or "
                "post an issue to pytorch/pytorch to prioritize correct behavior"
            )

    def batch_size_of(args, kwargs):
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
        size = batch_size_of(args, kwargs) if batch_size is None else batch_size
        expanded = {
            name: ExpandedWeight(value, size, loss_reduction) if value.requires_grad else value
            for name, value in module.named_parameters()
        }
        return torch.func.functional_call(module, expanded, args, kwargs)

    return wrapper
