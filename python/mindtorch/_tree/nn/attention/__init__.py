"""Selects the kernel of scaled_dot_product_attention, and helpers for it."""

from __future__ import annotations

import contextlib

from ..._root import torch
from ... import _C
from . import _registry
from ._registry import (
    activate_flash_attention_impl, current_flash_attention_impl, list_flash_attention_impls,
    register_flash_attention_impl, restore_flash_attention_impl,
)  # fmt: skip

__all__ = [
    "SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS", "register_flash_attention_impl",
    "activate_flash_attention_impl", "list_flash_attention_impls", "current_flash_attention_impl",
    "restore_flash_attention_impl",
]  # fmt: skip

# Set to True to get a warning with the reason when a fused kernel is not used.
WARN_FOR_UNFUSED_KERNELS = False

SDPBackend = _C._SDPBackend
SDPBackend.__module__ = __name__
SDPBackend.__name__ = "SDPBackend"

for _name in __all__[3:]:
    globals()[_name].__module__ = __name__
del _name

# Maps the names of the backends in _C's switches to their names in SDPBackend.
_backend_names = {
    "cudnn": "CUDNN_ATTENTION", "flash": "FLASH_ATTENTION", "mem_efficient": "EFFICIENT_ATTENTION", "math": "MATH",
    "overrideable": "OVERRIDEABLE",
}  # fmt: skip


def _backend_from_string(name):
    return getattr(SDPBackend, name)


def _cur_sdpa_kernel_backends(with_priority=False):
    """Returns the enabled backends, optionally sorted by preference."""
    enabled = [
        _backend_from_string(backend)
        for name, backend in _backend_names.items()
        if getattr(_C, f"_get_{name}_sdp_enabled")()
    ]
    if with_priority:
        order = _C._get_sdp_priority_order()
        enabled.sort(key=lambda backend: order.index(int(backend)))
    return enabled


def _sdpa_kernel(backends, set_priority=False):
    for name, backend in _backend_names.items():
        getattr(_C, f"_set_sdp_use_{name}")(_backend_from_string(backend) in backends)
    if set_priority:
        order = [int(backend) for backend in backends]
        order += [int(b) for b in _C._get_sdp_priority_order() if b not in order]
        _C._set_sdp_priority_order(order)


@contextlib.contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False):
    """Returns a context in which scaled_dot_product_attention chooses among given kernels only.

    Args:
        backends (SDPBackend or list of SDPBackend): the allowed kernels.
        set_priority (bool): whether their order is the order of preference. Default: ``False``.

    Returns:
        context manager: restores what was allowed before.

    Raises:
        AssertionError: when `backends` is something else.

    Example:
        >>> from torch.nn.attention import SDPBackend, sdpa_kernel
        >>> q = torch.randn(1, 2, 3, 4)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     F.scaled_dot_product_attention(q, q, q).shape
        torch.Size([1, 2, 3, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, "
            f"got {type(backends).__name__}"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    previous = _cur_sdpa_kernel_backends(with_priority=set_priority)
    try:
        _sdpa_kernel(chosen, set_priority)
        yield {}
    finally:
        _sdpa_kernel(previous, set_priority)


@contextlib.contextmanager
def _sdpa_kernel_variadic(*backends):
    with sdpa_kernel(list(backends)):
        yield
