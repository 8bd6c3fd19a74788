"""Shared by weight_norm and spectral_norm: forward pre-hooks that compute a parameter from others."""

from ..parameter import UninitializedParameter


def check_no_second_norm_hook(module, hook_type, name, word):
    """Raises for a second hook of this class on one parameter."""
    if any(isinstance(hook, hook_type) and hook.name == name for hook in module._forward_pre_hooks.values()):
        raise RuntimeError(f"Cannot register two {word}_norm hooks on the same parameter {name}")


def check_initialized(weight, kind, word):
    """Raises for a parameter without values."""
    if isinstance(weight, UninitializedParameter):
        raise ValueError(
            f"The module passed to `{kind.__name__}` can't have uninitialized parameters. Make sure to run the dummy "
            f"forward before applying {word} normalization"
        )


def pop_first_hook(hooks, matches):
    """Removes the first hook that matches and returns it, or None."""
    for key, hook in hooks.items():
        if matches(hook):
            return hooks.pop(key)
    return None
