"""torch.backends.opt_einsum: whether einsum asks the opt_einsum package for the order of contractions."""

from functools import lru_cache
from importlib.util import find_spec

from .. import _make_property_module, _Setting


@lru_cache
def is_available() -> bool:
    """Whether opt_einsum is installed."""
    return find_spec("opt_einsum") is not None


def get_opt_einsum():
    """The module opt_einsum, or None."""
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
    if not _enabled.get():
        raise ValueError(
            f"opt_einsum is not enabled, so setting a `strategy` to {value} will not be meaningful. {fallback} Please "
            "set `enabled` to `True` as well or unset `strategy`."
        )
    if value not in ("auto", "greedy", "optimal"):
        raise ValueError(f"`strategy` must be one of the following: [auto, greedy, optimal] but is {value}")
    return value


_enabled = _Setting(is_available(), _check_enabled)
_make_property_module(
    __name__,
    {"enabled": _enabled, "strategy": _Setting("auto" if is_available() else None, _check_strategy)},
    {"enabled": None, "strategy": None},
)
