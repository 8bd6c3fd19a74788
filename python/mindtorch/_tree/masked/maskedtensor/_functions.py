"""Functions that MaskedTensor implements in __torch_function__: reductions, where, contiguous, to_dense."""

import sys
from functools import cache, partial

from .core import MaskedTensor, _get_data, is_masked_tensor
from .creation import as_masked_tensor

torch = sys.modules[__package__.split(".masked")[0]]

_REDUCTIONS = "sum mean amin amax argmin argmax prod all norm var std".split()


class MaskedContiguous(torch.autograd.Function):
    """Returns data and mask in contiguous memory."""

    @staticmethod
    def forward(ctx, input):
        if not is_masked_tensor(input):
            raise ValueError("MaskedContiguous forward: input must be a MaskedTensor.")
        data = _get_data(input)
        return input if data.is_contiguous() else MaskedTensor(data.contiguous(), input.get_mask().contiguous())

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class MaskedWhere(torch.autograd.Function):
    """Selects elements of one tensor or the other; masks out the gradient of elements that were not chosen."""

    @staticmethod
    def forward(ctx, condition, self, other):
        ctx.mark_non_differentiable(condition)
        ctx.save_for_backward(condition)
        return torch.ops.aten.where(condition, self, other)

    @staticmethod
    def backward(ctx, grad_output):
        (condition,) = ctx.saved_tensors
        nothing = MaskedTensor(grad_output.get_data(), torch.zeros_like(grad_output.get_mask()))
        return (
            None,
            torch.ops.aten.where(condition, grad_output, nothing),
            torch.ops.aten.where(condition, nothing, grad_output),
        )


def _compute_where(*args, **kwargs):
    where = "__torch_function__, torch.where"
    if len(args) != 3:
        raise ValueError(f"{where}: len(args) must be 3 but got {len(args)}")
    if kwargs:
        raise ValueError(f"{where}: len(kwargs) must be 0 but got {len(kwargs)}")
    return MaskedWhere.apply(*args)


def _masked_all(data, dim=None, keepdim=False, mask=None):
    if mask is not None:
        data = data.masked_fill(~mask, True)
    return data.all() if dim is None else torch.all(data, dim=dim, keepdim=keepdim)


def _reduce_mask(mask, dim, keepdim):
    for d in sorted([dim] if isinstance(dim, int) else dim, reverse=True):
        mask = torch.any(mask, dim=d, keepdim=keepdim)
    return mask


def _reduce_all_dims(name, input):
    mask = input.get_mask()
    if name == "all":
        result = _masked_all(input.get_data(), mask=mask)
    else:
        result = getattr(torch.masked, name)(input, mask=mask)
    return as_masked_tensor(result, torch.any(mask))


def _reduce_along_dim(name, input, dim, keepdim=False, dtype=None):
    if not is_masked_tensor(input):
        raise TypeError("Input to reduce_dim must be a MaskedTensor")
    mask = input.get_mask()
    if name == "all":
        result = _masked_all(input.get_data(), dim, keepdim, mask)
    else:
        result = getattr(torch.masked, name)(input, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return as_masked_tensor(result, _reduce_mask(mask, dim, keepdim))


def _reduce_all_or_along_dim(name, *args, **kwargs):
    if len(args) == 1 and not kwargs:
        return _reduce_all_dims(name, args[0])
    return _reduce_along_dim(name, *args, **kwargs)


def find_masked_reduction(name):
    """Returns the masked form of a reduction, or None."""
    return partial(_reduce_all_or_along_dim, name) if name in _REDUCTIONS else None


@cache
def _map_torch_functions_to_masked_ones():
    table = {}
    for name in _REDUCTIONS:
        for home in (torch, torch.Tensor):
            table[getattr(home, name)] = find_masked_reduction(name)
    for home in (torch, torch.Tensor):
        table[home.where] = _compute_where
    table[torch.Tensor.contiguous] = MaskedContiguous.apply
    table[torch.Tensor.to_dense] = lambda input: input  # dense data is the only supported kind
    return table


def find_masked_function(func):
    """Returns MaskedTensor's implementation of a function or method, or None."""
    try:
        return _map_torch_functions_to_masked_ones().get(func)
    except TypeError:  # not hashable
        return None
