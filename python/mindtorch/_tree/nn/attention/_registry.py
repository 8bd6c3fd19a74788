"""Flash attention implementations from other packages, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FLASH_ATTENTION_IMPLS = {}

# The name of the active implementation, and the handle that deactivates it; None if there is none.
_FLASH_ATTENTION_ACTIVE = None


def register_flash_attention_impl(impl: str, *, register_fn: Callable[..., Any]) -> None:
    """Offers an implementation of flash attention under a name.

    Args:
        impl (str): the name.
        register_fn (callable): called without arguments on activation; returns ``None`` or a
            handle with `remove()`.

    Example:
        >>> from torch.nn import attention
        >>> class Handle:
        ...     def remove(self):
        ...         pass
        >>> attention.register_flash_attention_impl("mine", register_fn=Handle)
        >>> "mine" in attention.list_flash_attention_impls()
        True
    """
    _FLASH_ATTENTION_IMPLS[impl] = register_fn


def activate_flash_attention_impl(impl: str) -> None:
    """Activates a registered implementation of flash attention in place of the active one.

    Args:
        impl (str): its name.

    Raises:
        ValueError: for a name that is not registered.

    Example:
        >>> from torch.nn import attention
        >>> class Handle:
        ...     def remove(self):
        ...         pass
        >>> attention.register_flash_attention_impl("mine", register_fn=Handle)
        >>> attention.activate_flash_attention_impl("mine")
        >>> attention.current_flash_attention_impl()
        'mine'
        >>> attention.restore_flash_attention_impl()
    """
    global _FLASH_ATTENTION_ACTIVE
    restore_flash_attention_impl(_raise_warn=False)
    register_fn = _FLASH_ATTENTION_IMPLS.get(impl)
    if register_fn is None:
        raise ValueError(
            f"Unknown flash attention impl '{impl}'. Available implementations: {list_flash_attention_impls()}"
        )
    handle = register_fn()
    if handle is not None:
        _FLASH_ATTENTION_ACTIVE = (impl, handle)


def list_flash_attention_impls() -> list[str]:
    """Returns the names of all registered implementations of flash attention, sorted.

    Returns:
        list of str: the names.

    Example:
        >>> isinstance(nn.attention.list_flash_attention_impls(), list)
        True
    """
    return sorted(_FLASH_ATTENTION_IMPLS)


def current_flash_attention_impl() -> str | None:
    """Returns the name of the active implementation of flash attention.

    Returns:
        str or None: the name; ``None`` for the library's own.

    Example:
        >>> nn.attention.current_flash_attention_impl() is None
        True
    """
    return None if _FLASH_ATTENTION_ACTIVE is None else _FLASH_ATTENTION_ACTIVE[0]


def restore_flash_attention_impl(_raise_warn: bool = True) -> None:
    """Goes back to the library's own implementation of flash attention.

    Args:
        _raise_warn (bool): whether a message is logged if no other one is active. Default:
            ``True``.

    Example:
        >>> nn.attention.restore_flash_attention_impl(_raise_warn=False)
    """
    global _FLASH_ATTENTION_ACTIVE
    if _FLASH_ATTENTION_ACTIVE is not None:
        _FLASH_ATTENTION_ACTIVE[1].remove()
    elif _raise_warn:
        import logging

        logging.getLogger(__name__).warning("Trying to restore default FA2 impl when no custom impl was activated")
    _FLASH_ATTENTION_ACTIVE = None
