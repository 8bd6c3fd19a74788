"""Weight normalisation by a forward hook: the form that precedes parametrizations."""

from __future__ import annotations

import warnings
from typing import Any

from ..._root import torch
from ..parameter import Parameter
from ._weight_hook import check_initialized, check_no_second_norm_hook, pop_first_hook

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]


class WeightNorm:
    """Is the forward pre-hook of `weight_norm`.

    Args:
        name (str): the parameter.
        dim (int or None): the dimension with a length for each index.

    Example:
        >>> from torch.nn.utils.weight_norm import WeightNorm
        >>> WeightNorm("weight", None).dim
        -1
    """

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: torch.nn.Module) -> Any:
        """Returns the weight of `module`, computed from length and direction."""
        g = getattr(module, self.name + "_g")
        v = getattr(module, self.name + "_v")
        return torch._weight_norm(v, g, self.dim)

    @staticmethod
    def apply(module, name: str, dim: int) -> WeightNorm:
        """Adds a hook for parameter `name` to `module`, with a length for each index of `dim`; returns it."""
        warnings.warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
            stacklevel=3,
        )
        check_no_second_norm_hook(module, WeightNorm, name, "weight")
        fn, weight = WeightNorm(name, dim), getattr(module, name)
        check_initialized(weight, WeightNorm, "weight")
        del module._parameters[name]
        for suffix, value in (("g", torch.norm_except_dim(weight, 2, fn.dim)), ("v", weight)):
            module.register_parameter(f"{name}_{suffix}", Parameter(value.data))
        fn(module, None)
        module.register_forward_pre_hook(fn)
        return fn

    def remove(self, module: torch.nn.Module) -> None:
        """Replaces the hook of `module` by a plain parameter with its value."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: torch.nn.Module, name: str = "weight", dim: int = 0) -> torch.nn.Module:
    """Splits a weight into a length and a direction, joined before each forward: ``w = g * v / ||v||``.

    The deprecated form of `parametrizations.weight_norm` (Salimans and Kingma 2016): the
    trained tensors are ``<name>_g`` and ``<name>_v``.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.
        dim (int or None): the dimension with a length for each index; ``None`` is one length
            for all. Default: ``0``.

    Returns:
        Module: `module`.

    Raises:
        RuntimeError: when the parameter is split already.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     layer = nn.utils.weight_norm(nn.Linear(4, 6))
        >>> layer.weight_g.shape, layer.weight_v.shape
        (torch.Size([6, 1]), torch.Size([6, 4]))
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: torch.nn.Module, name: str = "weight") -> torch.nn.Module:
    """Undoes `weight_norm`: the parameter is plain again and keeps its value.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when it was not applied.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     layer = nn.utils.weight_norm(nn.Linear(4, 6))
        >>> sorted(name for name, _ in nn.utils.remove_weight_norm(layer).named_parameters())
        ['bias', 'weight']
    """
    fn = pop_first_hook(module._forward_pre_hooks, lambda hook: isinstance(hook, WeightNorm) and hook.name == name)
    if fn is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    fn.remove(module)
    return module
