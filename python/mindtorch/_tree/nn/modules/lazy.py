"""Modules that infer the shapes of their parameters from their first input."""

import itertools

from ..._root import torch
from ..parameter import UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


def materialize(module, **shapes):
    """Gives uninitialised parameters these shapes; None stays None."""
    for name, shape in shapes.items():
        param = getattr(module, name)
        if param is None:
            continue
        if not isinstance(param, UninitializedParameter):
            raise AssertionError(f"self.{name} must be an UninitializedParameter")
        param.materialize(shape)


class LazyModuleMixin:
    """A mixin, with Module, for layers whose parameters get their shapes in the first call.

    Such a layer holds `UninitializedParameter`s, writes `initialize_parameters`, and becomes an
    instance of `cls_to_become` at its first call. Make optimizers after that call.

    Args:
        *args: passed to the next base class.
        **kwargs: passed to the next base class.

    Example:
        >>> class LazyScale(nn.modules.lazy.LazyModuleMixin, nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.scale = nn.UninitializedParameter()
        ...     def initialize_parameters(self, x):
        ...         if self.has_uninitialized_params():
        ...             self.scale.materialize(x.shape[-1:])
        ...             nn.init.ones_(self.scale)
        ...     def forward(self, x):
        ...         return x * self.scale
        >>> LazyScale()(torch.ones(2, 3)).shape
        torch.Size([2, 3])
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_members(self):
        return itertools.chain(self._parameters.items(), self._buffers.items())

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, value in self._lazy_members():
            if value is None or (name in self._buffers and name in self._non_persistent_buffers_set):
                continue
            # A tensor without a shape cannot be detached.
            destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Gives lazy parameters the shapes of the loaded ones."""
        for name, value in self._lazy_members():
            loaded = state_dict.get(prefix + name)
            if value is not None and loaded is not None and is_lazy(value) and not is_lazy(loaded):
                with torch.no_grad():
                    value.materialize(loaded.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Gives the parameters their shapes from the first input; every lazy module writes its own.

        Args:
            *args: the arguments of the first call.
            **kwargs: its keyword arguments.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {self.__class__.__name__}")

    def has_uninitialized_params(self):
        """Returns whether a parameter or buffer still has no shape."""
        return any(is_lazy(value) for _, value in self._lazy_members())

    def _infer_parameters(self, module, args, kwargs=None):
        """The forward pre-hook of the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for hook in ("_initialize_hook", "_load_hook"):
            getattr(module, hook).remove()
            delattr(module, hook)
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. "
            "Run a dummy forward pass to correctly initialize the modules"
        )
