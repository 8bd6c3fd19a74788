"""The old name of vmap."""

from __future__ import annotations

from collections.abc import Callable

from ._functorch import apis
from ._functorch.vmap import vmap_impl
from .utils._deprecated import deprecated


@deprecated("Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.")
def vmap(func: Callable, in_dims: int | tuple = 0, out_dims: int | tuple[int, ...] = 0) -> Callable:
    return apis.vmap(func, in_dims, out_dims)


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    return lambda *args: vmap_impl(func, in_dims, out_dims, "error", None, args, {})
