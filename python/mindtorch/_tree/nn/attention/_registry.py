"""Flash attention implementations that others bring, by name."""

_FLASH_ATTENTION_IMPLS = {}

# (name, handle) of the active one; the handle undoes it.
_FLASH_ATTENTION_ACTIVE = None


def register_flash_attention_impl(impl, *, register_fn):
    """Offers `register_fn` under a name; it is called on activation and may return a handle with `remove()`."""
    _FLASH_ATTENTION_IMPLS[impl] = register_fn


def activate_flash_attention_impl(impl):
    """Replaces the active implementation by a registered one."""
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


def list_flash_attention_impls():
    """The registered names."""
    return sorted(_FLASH_ATTENTION_IMPLS)


def current_flash_attention_impl():
    """The active name, or None."""
    return None if _FLASH_ATTENTION_ACTIVE is None else _FLASH_ATTENTION_ACTIVE[0]


def restore_flash_attention_impl(_raise_warn=True):
    """Goes back to the library's own implementation."""
    global _FLASH_ATTENTION_ACTIVE
    if _FLASH_ATTENTION_ACTIVE is not None:
        _FLASH_ATTENTION_ACTIVE[1].remove()
    elif _raise_warn:
        import logging

        logging.getLogger(__name__).warning("Trying to restore default FA2 impl when no custom impl was activated")
    _FLASH_ATTENTION_ACTIVE = None
