"""Creates modules without initial values."""

from __future__ import annotations

import inspect

from ..modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """Makes a module whose parameters are allocated but not initialised.

    Its class has to take `device` and to create its parameters there.

    Args:
        module_cls (type): the class.
        *args: its arguments.
        **kwargs: its keyword arguments; `device` is where the module will be.

    Returns:
        Module: uninitialised.

    Raises:
        RuntimeError: when `module_cls` is no Module or takes no `device`.

    Example:
        >>> nn.utils.skip_init(nn.Linear, 3, 4).weight.shape
        torch.Size([4, 3])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
