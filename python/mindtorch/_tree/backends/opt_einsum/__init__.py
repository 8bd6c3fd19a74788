"""torch.backends.opt_einsum: whether einsum uses the opt_einsum package for the order of contractions."""

from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec


@lru_cache
def is_available() -> bool:
    """Returns whether the package opt_einsum is installed.

    Returns:
        bool: whether it is.
    """
    return find_spec("opt_einsum") is not None


def get_opt_einsum():
    """Returns the module opt_einsum.

    Returns:
        module or None: None where it is not installed.
    """
    if not is_available():
        return None
    import opt_einsum

    return opt_einsum


def _check_enabled(value):
    if value and not is_available():
        raise ValueError(
            f"opt_einsum is not available, so setting `enabled` to {value} will not reap the benefits of calculating "
            "an optimal path for einsum. torch.einsum will fall back to contracting from left to right. To enable this "
            "optimal path calculation, please install opt-einsum."
        )
    return value


def _check_strategy(value):
    fallback = "torch.einsum will bypass path calculation and simply contract from left to right."
    if not is_available():
        raise ValueError(
            f"opt_einsum is not available, so setting `strategy` to {value} will not be meaningful. {fallback} Please "
            "install opt_einsum or unset `strategy`."
        )
    if not _flags["enabled"]:
        raise ValueError(
            f"opt_einsum is not enabled, so setting a `strategy` to {value} will not be meaningful. {fallback} Please "
            "set `enabled` to `True` as well or unset `strategy`."
        )
    if value not in ("auto", "greedy", "optimal"):
        raise ValueError(f"`strategy` must be one of the following: [auto, greedy, optimal] but is {value}")
    return value


# The initial values of `enabled` and `strategy`, which the module's __getattr__ returns. An assignment by a program
# takes precedence: as in torch, it is not checked.
_flags = {"enabled": is_available(), "strategy": "auto" if is_available() else None}


def __getattr__(name):
    if name in _flags:
        return _flags[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def set_flags(_enabled=None, _strategy=None):
    """Sets whether, and how, opt_einsum orders the contractions of `torch.einsum`.

    Args:
        _enabled (bool, optional): whether it does; None leaves it.
        _strategy (str, optional): ``"auto"``, ``"greedy"`` or ``"optimal"``; None leaves it.

    Returns:
        tuple: the settings before.

    Raises:
        ValueError: when it is not installed or not enabled, or the strategy is unknown.
    """
    previous = _flags["enabled"], _flags["strategy"]
    if _enabled is not None:
        _flags["enabled"] = _check_enabled(_enabled)
    if _strategy is not None:
        _flags["strategy"] = _check_strategy(_strategy)
    return previous


@contextmanager
def flags(enabled=None, strategy=None):
    """Sets whether, and how, opt_einsum orders contractions, inside a block.

    Args:
        enabled (bool, optional): whether it does; None leaves it.
        strategy (str, optional): ``"auto"``, ``"greedy"`` or ``"optimal"``; None leaves it.

    Returns:
        A context manager.
    """
    previous = set_flags(enabled, strategy)
    try:
        yield
    finally:
        set_flags(*previous)
