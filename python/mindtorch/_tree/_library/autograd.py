"""Lists of tensors as arguments and results of an autograd.Function, which by itself sees tensors only."""

import contextlib
import functools

from .._root import torch
from ..utils import _pytree as pytree


def _flatten_tensor_lists(values, may_lack):
    """Flattens lists of tensors, which may contain None if `may_lack` says so, and nothing inside other values."""
    kinds = (torch.Tensor, type(None)) if may_lack else torch.Tensor

    def is_leaf(value):
        is_list = isinstance(value, (list, tuple)) and all(isinstance(item, kinds) for item in value)
        return value is not values and not is_list

    return pytree.tree_flatten(values, is_leaf=is_leaf)


@contextlib.contextmanager
def showing_needed_grads(ctx, needed):
    """Shows a backward function which of the program's own arguments need a gradient; the next call starts anew."""
    former, ctx.needs_input_grad = ctx.needs_input_grad, needed
    try:
        yield
    finally:
        ctx.needs_input_grad = former


class _Structure:
    """How the arguments and the results of one call nest."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.outputs = None
        self.is_single = False


def supports_tensorlist(cls):
    """Decorates a subclass of autograd.Function: lists of tensors get gradients, as lists, and so do listed results."""
    forward, backward, apply = cls.forward, cls.backward, cls.apply

    @functools.wraps(forward)
    def forward_of_leaves(ctx, *values):
        *leaves, structure = values or (None,)
        if not isinstance(structure, _Structure):
            raise NotImplementedError(
                "NYI: calling supports_tensorlist autograd.Function.forward directly. You should probably be calling "
                ".apply instead. Please file an issue if not."
            )
        result = forward(ctx, *pytree.tree_unflatten(leaves, structure.inputs))
        structure.is_single = not isinstance(result, tuple)
        results, structure.outputs = _flatten_tensor_lists((result,) if structure.is_single else result, may_lack=False)
        ctx._structure = structure
        return tuple(results)

    @functools.wraps(backward)
    def backward_of_leaves(ctx, *grads):
        structure = getattr(ctx, "_structure", None)
        if structure is None:
            raise NotImplementedError(
                "NYI: calling supports_tensorlist autograd.Function.backward directly. This will automatically get "
                "called by PyTorch autograd. Please file an issue if you need this."
            )
        with showing_needed_grads(ctx, pytree.tree_unflatten(list(ctx.needs_input_grad[:-1]), structure.inputs)):
            found = backward(ctx, *pytree.tree_unflatten(list(grads), structure.outputs))
        leaves, given = _flatten_tensor_lists(found if isinstance(found, tuple) else (found,), may_lack=True)
        if given != structure.inputs:
            raise RuntimeError(
                "Expected the return from backward to be of the same structure as the inputs. Got: "
                f"{given} (return from backward), {structure.inputs} (inputs)"
            )
        return (*leaves, None)

    @classmethod
    def apply_to_leaves(cls, *values):
        leaves, inputs = _flatten_tensor_lists(values, may_lack=False)
        structure = _Structure(inputs)
        results = pytree.tree_unflatten(list(apply(*leaves, structure)), structure.outputs)
        return results[0] if structure.is_single else results

    cls.forward, cls.backward = staticmethod(forward_of_leaves), staticmethod(backward_of_leaves)
    cls.apply = apply_to_leaves
    return cls
