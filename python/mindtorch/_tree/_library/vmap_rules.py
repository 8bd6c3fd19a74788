"""Wraps a vmap rule that a program registers for an operator as a kernel."""

from .. import _C

KEY = "FuncTorchBatched"


def make_kernel_from_vmap_rule(overload, rule):
    """Returns a kernel that calls `rule(info, in_dims, *args, **kwargs)` on values, and hides the batch dimension of
    its output."""
    # torch.func contains vmap; most programs never import it
    from .._functorch.autograd_function import (
        VmapInfo,
        _is_batched_at_level,
        _split_values_and_dims,
        check_vmap_rule_result,
        hide_dims_at_level,
    )
    from ..utils._pytree import tree_flatten

    def call_vmap_rule(*args, **kwargs):
        levels = _C._functorch._vmap_levels()
        flat = tree_flatten((args, kwargs))[0]
        which = next(
            (i for i in reversed(range(len(levels))) if any(_is_batched_at_level(v, levels[i][0]) for v in flat)), None
        )
        if which is None:  # tangents only
            with _C._ExcludeDispatchKeyGuard(_C.DispatchKeySet(_C.DispatchKey.FuncTorchBatched)):
                return overload(*args, **kwargs)
        level, size, randomness = levels[which]
        former = _C._functorch._set_visible_levels(which)
        try:
            (values, named), (in_dims, _) = _split_values_and_dims((args, kwargs), level)
            outputs, out_dims = check_vmap_rule_result(rule(VmapInfo(size, randomness), in_dims, *values, **named))
        finally:
            _C._functorch._set_visible_levels(former)
        return hide_dims_at_level(outputs, out_dims, level)

    return call_vmap_rule
