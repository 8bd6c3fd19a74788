"""autograd.Function below transforms: by its vmap rule, or by one derived from its forward and backward."""

from typing import NamedTuple

from .. import _C
from .._root import torch
from ..autograd.function import Function, _SingleLevelFunction
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map, tree_unflatten

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """What a vmap staticmethod learns about the map."""

    batch_size: int
    randomness: str


def custom_function_call(cls, *args):
    levels = _C._functorch._vmap_levels()
    if not levels:
        return cls._apply_to_values(*args)
    level, batch_size, randomness = levels[-1]
    has_own_rule = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and has_own_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            f"staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            f"ambiguity. {_MORE}"
        )
    if not cls.generate_vmap_rule and not has_own_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {_MORE}"
        )
    former = _C._functorch._set_visible_levels(len(levels) - 1)
    try:
        if not any(_is_at(value, level) for value in tree_flatten(args)[0]):
            return custom_function_call(cls, *args)
        values, in_dims = _taken_apart(args, level)
        if has_own_rule:
            outputs, out_dims = _by_own_rule(cls, VmapInfo(batch_size, randomness), in_dims, values)
        else:
            outputs, out_dims = custom_function_call(_derived(cls, in_dims, batch_size, randomness), *values), None
    finally:
        _C._functorch._set_visible_levels(former)
    flat, spec = tree_flatten(outputs)
    dims = [0] * len(flat) if out_dims is None else out_dims
    return tree_unflatten([_hidden(value, dim, level) for value, dim in zip(flat, dims)], spec)


def _hidden(value, dim, level):
    if dim is None or not isinstance(value, torch.Tensor):
        return value
    return _C._functorch._add_batch_dim(value, dim, level)


def _is_at(value, level):
    return isinstance(value, torch.Tensor) and _C._functorch.maybe_get_level(value) == level


def _taken_apart(args, level):
    def value_of(value):
        return _C._functorch.get_unwrapped(value) if _is_at(value, level) else value

    def dim_of(value):
        return _C._functorch.maybe_get_bdim(value) if _is_at(value, level) else None

    return tree_map(value_of, args), tree_map(dim_of, args)


def _by_own_rule(cls, info, in_dims, values):
    result = cls.vmap(info, in_dims, *values)
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(result)} instead"
        )
    outputs, out_dims = result
    spec = tree_flatten(outputs)[1]
    flat_dims = _broadcast_to_and_flatten(out_dims, spec)
    if flat_dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}. {_MORE}"
        )
    return outputs, flat_dims


class _Context:
    """The context that a mapped forward and backward see: what they save is kept as values, outside of the map."""

    def __init__(self, outer):
        self._outer = outer
        self._dims = ()
        self._rewrapped = None

    def save_for_backward(self, *tensors):
        level = _C._functorch._vmap_levels()[-1][0]
        values, self._dims = _taken_apart(tensors, level)
        self._outer.save_for_backward(*values)

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self):
        level = _C._functorch._vmap_levels()[-1][0]
        return tuple(
            value if dim is None else _C._functorch._add_batch_dim(value, dim, level)
            for value, dim in zip(self._outer.saved_tensors, self._dims)
        )

    @property
    def needs_input_grad(self):
        return self._outer.needs_input_grad

    def mark_non_differentiable(self, *tensors):
        self._non_differentiable = {id(tensor) for tensor in tensors}

    def mark_dirty(self, *tensors):
        raise NotImplementedError("ctx.mark_dirty is not available where generate_vmap_rule maps an autograd.Function")

    def set_materialize_grads(self, value):
        self._outer.set_materialize_grads(value)


class _Level:
    """A level of vmap around a piece of code."""

    def __init__(self, batch_size, randomness):
        self.batch_size, self.randomness = batch_size, randomness

    def __enter__(self):
        self.level = _C._functorch._vmap_increment_nesting(self.batch_size, self.randomness)
        return self

    def __exit__(self, *exception):
        _C._functorch._vmap_decrement_nesting()

    def hide(self, values, dims):
        flat, spec = tree_flatten(values)
        flat_dims = _broadcast_to_and_flatten(dims, spec) if flat else []
        return tree_unflatten([_hidden(value, dim, self.level) for value, dim in zip(flat, flat_dims)], spec)

    def show(self, value):
        """The value with its batch first; repeated where it is the same for all slices."""
        if not isinstance(value, torch.Tensor):
            return value
        if _is_at(value, self.level):
            return _C._functorch.get_unwrapped(value).movedim(_C._functorch.maybe_get_bdim(value), 0)
        return value.unsqueeze(0).expand(self.batch_size, *value.shape)


def _derived(cls, in_dims, batch_size, randomness):
    """The function of values that maps `cls` over the given dimensions."""

    class Mapped(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx, *values):
            with _Level(batch_size, randomness) as inner:
                inputs = inner.hide(values, in_dims)
                outputs = cls.forward(*inputs)
                ctx.mapped = _Context(ctx)
                cls.setup_context(ctx.mapped, inputs, outputs)
                marked = getattr(ctx.mapped, "_non_differentiable", ())
                results, hidden = [], []
                for output in outputs if isinstance(outputs, tuple) else (outputs,):
                    results.append(inner.show(output))
                    if id(output) in marked:
                        hidden.append(results[-1])
            if hidden:
                ctx.mark_non_differentiable(*hidden)
            return tuple(results) if isinstance(outputs, tuple) else results[0]

        @staticmethod
        def backward(ctx, *grads):
            return _mapped_pass(ctx, cls.backward, grads)

        @staticmethod
        def jvp(ctx, *tangents):
            dims = tuple(None if tangent is None else dim for tangent, dim in zip(tangents, in_dims))
            with _Level(batch_size, randomness) as inner:
                found = cls.jvp(ctx.mapped, *inner.hide(tangents, dims))
                shown = [inner.show(tangent) for tangent in (found if isinstance(found, tuple) else (found,))]
            return tuple(shown) if isinstance(found, tuple) else shown[0]

    def _mapped_pass(ctx, backward, grads):
        with _Level(batch_size, randomness) as inner:
            dims = tuple(None if grad is None else 0 for grad in grads)
            found = backward(ctx.mapped, *inner.hide(grads, dims))
            found = found if isinstance(found, tuple) else (found,)
            shown = [inner.show(grad) for grad in found]
        # An input that is the same for all slices gets the sum; the others their own.
        return tuple(
            grad if not isinstance(grad, torch.Tensor) else grad.sum(0) if dim is None else grad.movedim(0, dim)
            for grad, dim in zip(shown, in_dims)
        )

    Mapped.__name__ = cls.__name__
    return Mapped


__all__ = ["VmapInfo", "custom_function_call"]
