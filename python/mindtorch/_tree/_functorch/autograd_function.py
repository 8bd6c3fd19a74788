"""autograd.Function below transforms: by its vmap rule, or by one derived from its forward and backward."""

from typing import NamedTuple

from .. import _C
from .._root import torch
from ..autograd.function import Function, _SingleLevelFunction
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map, tree_unflatten
from .batching import is_differentiated_inside_vmaps
from .vmap import unwrap_with_mapped_dim_at

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """The description of the map that a vmap staticmethod gets."""

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
        if not any(_is_batched_at_level(value, level) for value in tree_flatten(args)[0]):
            return custom_function_call(cls, *args)
        values, in_dims = _split_values_and_dims(args, level)
        if has_own_rule and not is_differentiated_inside_vmaps(len(levels)):
            outputs, out_dims = _apply_own_vmap_rule(cls, VmapInfo(batch_size, randomness), in_dims, values)
        else:  # if the function is mapped slice by slice, results of the rule have the function's own derivative
            outputs, out_dims = (
                custom_function_call(_derive_vmap_rule(cls, in_dims, batch_size, randomness), *values),
                0,
            )
    finally:
        _C._functorch._set_visible_levels(former)
    return hide_dims_at_level(outputs, out_dims, level)


def hide_dims_at_level(values, dims, level):
    """Batched tensors of a level of vmap that hide a dimension of each value; `dims` is broadcast to the values."""
    flat, spec = tree_flatten(values)
    flat_dims = _broadcast_to_and_flatten(dims, spec) if flat else []
    return tree_unflatten(
        [_hide_dim_at_level(value, dim, level) for value, dim in zip(flat, flat_dims, strict=True)], spec
    )


def _hide_dim_at_level(value, dim, level):
    if dim is None or not isinstance(value, torch.Tensor):
        return value
    return _C._functorch._add_batch_dim(value, dim, level)


def _is_batched_at_level(value, level):
    return isinstance(value, torch.Tensor) and _C._functorch.maybe_get_level(value) == level


def _split_values_and_dims(args, level):
    def unwrap_at_level(value):
        return _C._functorch.get_unwrapped(value) if _is_batched_at_level(value, level) else value

    def mapped_dim_at_level(value):
        return _C._functorch.maybe_get_bdim(value) if _is_batched_at_level(value, level) else None

    return tree_map(unwrap_at_level, args), tree_map(mapped_dim_at_level, args)


def check_vmap_rule_result(result):
    """Checks that a user's vmap rule returned (outputs, out_dims)."""
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(result)} instead"
        )
    return result


def _apply_own_vmap_rule(cls, info, in_dims, values):
    outputs, out_dims = check_vmap_rule_result(cls.vmap(info, in_dims, *values))
    spec = tree_flatten(outputs)[1]
    if _broadcast_to_and_flatten(out_dims, spec) is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}. {_MORE}"
        )
    return outputs, out_dims


class _MappedDims:
    """Which dimensions of the saved tensors (`saved`) and of the attributes (`kept`) of a context are mapped."""

    def __init__(self):
        self.saved, self.kept = {"backward": (), "forward": ()}, {}


class _Context:
    """The context that a mapped forward and backward see: saves plain values, outside of the map.

    The outer context keeps the mapped dimensions for later passes, which make a context of their own: one that it kept
    would refer back to it, and their tensors would live until the garbage collector finds the cycle.
    """

    def __init__(self, outer, inner, mapped, saved="backward"):
        saved = saved if mapped.saved[saved] else "backward"
        vars(self).update(_outer=outer, _inner=inner, _saved=saved, _dims=mapped.saved, _kept=mapped.kept)

    def save_for_backward(self, *tensors):
        values, self._dims["backward"] = _split_values_and_dims(tensors, self._inner.level)
        self._outer.save_for_backward(*values)

    def save_for_forward(self, *tensors):
        values, self._dims["forward"] = _split_values_and_dims(tensors, self._inner.level)
        self._outer.save_for_forward(*values)

    @property
    def saved_tensors(self):
        return tuple(map(self._inner.hide_dim, self._outer.saved_tensors, self._dims[self._saved]))

    def mark_non_differentiable(self, *tensors):
        vars(self)["_non_differentiable"] = {id(tensor) for tensor in tensors}

    def mark_dirty(self, *tensors):
        # As in torch, no output of a mapped function is an input itself, so an input that is marked as dirty is never
        # among the outputs.
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )

    def __setattr__(self, name, value):
        flat, spec = tree_flatten(value)
        values, dims = _split_values_and_dims(flat, self._inner.level)
        setattr(self._outer, f"_mapped_{name}", values)
        self._kept[name] = dims, spec

    def __getattr__(self, name):
        if name not in self._kept:
            return getattr(self._outer, name)
        dims, spec = self._kept[name]
        return tree_unflatten(list(map(self._inner.hide_dim, getattr(self._outer, f"_mapped_{name}"), dims)), spec)


class _Level:
    """A context that opens a level of vmap."""

    def __init__(self, batch_size, randomness):
        self.batch_size, self.randomness = batch_size, randomness

    def __enter__(self):
        self.level = _C._functorch._vmap_increment_nesting(self.batch_size, self.randomness)
        return self

    def __exit__(self, *exception):
        _C._functorch._vmap_decrement_nesting()

    def hide_dim(self, value, dim):
        return _hide_dim_at_level(value, dim, self.level)

    def hide_dims(self, values, dims):
        return hide_dims_at_level(values, dims, self.level)

    def show(self, value):
        """Returns the value with its batch dimension first; expands it if it is the same for all slices."""
        if not isinstance(value, torch.Tensor):
            return value
        if _is_batched_at_level(value, self.level):
            return unwrap_with_mapped_dim_at(value, 0)
        return value.unsqueeze(0).expand(self.batch_size, *value.shape)


def _derive_vmap_rule(cls, in_dims, batch_size, randomness):
    """Returns a function of plain values that maps `cls` over the given dimensions."""

    class Mapped(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx, *values):
            has_own_rule = cls.vmap is not Function.vmap
            ruled = (
                _apply_own_vmap_rule(cls, VmapInfo(batch_size, randomness), in_dims, values) if has_own_rule else None
            )
            with _Level(batch_size, randomness) as inner:
                inputs = inner.hide_dims(values, in_dims)
                ctx.mapped = mapped = _MappedDims()
                context = _Context(ctx, inner, mapped)
                if cls.setup_context is Function.setup_context:  # also made here, for a map inside
                    outputs = cls.forward(context, *inputs)
                else:
                    outputs = cls.forward(*inputs) if ruled is None else inner.hide_dims(*ruled)
                    cls.setup_context(context, inputs, outputs)
                marked = vars(context).get("_non_differentiable", ())
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
            return _map_backward(ctx, cls.backward, grads)

        @staticmethod
        def jvp(ctx, *tangents):
            dims = tuple(None if tangent is None else dim for tangent, dim in zip(tangents, in_dims))
            with _Level(batch_size, randomness) as inner:
                found = cls.jvp(_Context(ctx, inner, ctx.mapped, "forward"), *inner.hide_dims(tangents, dims))
                shown = [inner.show(tangent) for tangent in (found if isinstance(found, tuple) else (found,))]
            return tuple(shown) if isinstance(found, tuple) else shown[0]

    def _map_backward(ctx, backward, grads):
        with _Level(batch_size, randomness) as inner:
            dims = tuple(None if grad is None else 0 for grad in grads)
            found = backward(_Context(ctx, inner, ctx.mapped), *inner.hide_dims(grads, dims))
            found = found if isinstance(found, tuple) else (found,)
            shown = [inner.show(grad) for grad in found]
        # The gradient of an input without a mapped dimension is the sum over vmap's mapped dimension; a mapped input
        # gets one gradient per slice.
        return tuple(
            grad if not isinstance(grad, torch.Tensor) else grad.sum(0) if dim is None else grad.movedim(0, dim)
            for grad, dim in zip(shown, in_dims)
        )

    Mapped.__name__ = f"Vmapped{cls.__name__}"
    Mapped._backward_cls.__name__ = f"{Mapped.__name__}Backward"
    return Mapped


__all__ = ["VmapInfo", "custom_function_call"]
