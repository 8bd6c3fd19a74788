"""Wrappers of modules that compute their activations again in the backward pass, or keep them on the CPU."""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ....autograd.graph import save_on_cpu
from ....nn import Module, Parameter
from ....utils.checkpoint import checkpoint
from ...utils import _replace_by_prefix

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(enum.Enum):
    """The two implementations of torch.utils.checkpoint."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module, abc.ABC):
    """A module around another one, whose attributes, items and state it shows as its own.

    Args:
        mod (Module): the wrapped module.
    """

    def __init__(self, mod):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    @abc.abstractmethod
    def forward(self, *args, **kwargs):
        """Calls the wrapped module."""
        raise ValueError("Subclasses should implement forward().")

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: int) -> Any:
        return self._checkpoint_wrapped_module[key]

    def named_parameters(self, *args, **kwargs) -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters of the wrapped module under its own names."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _post_state_dict_hook(module: Module, state_dict: dict, prefix: str, *args: Any) -> dict:
        _replace_by_prefix(state_dict, f"{prefix}{_CHECKPOINT_PREFIX}", prefix)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(module: Module, state_dict: dict, prefix: str, *args: Any) -> None:
        _replace_by_prefix(state_dict, prefix, prefix + _CHECKPOINT_PREFIX)


class OffloadWrapper(ActivationWrapper):
    """Keeps what the wrapped module saves for the backward pass on the CPU.

    Args:
        mod (Module): the wrapped module.
    """

    def forward(self, *args, **kwargs):
        """Calls the wrapped module."""
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """Computes the wrapped module again in the backward pass instead of saving its activations.

    Args:
        mod (Module): the wrapped module.
        checkpoint_impl (CheckpointImpl): which implementation runs. Default: ``NO_REENTRANT``.
        checkpoint_fn (callable, optional): runs instead of torch.utils.checkpoint.checkpoint.
        checkpoint_fn_kwargs (object): further arguments of that function.
    """

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn=None,
        **checkpoint_fn_kwargs,
    ):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            use_reentrant = checkpoint_impl == CheckpointImpl.REENTRANT
            self.checkpoint_fn = partial(checkpoint, use_reentrant=use_reentrant, **checkpoint_fn_kwargs)
        else:
            self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args, **kwargs):
        """Calls the wrapped module; the reentrant implementation gets named arguments by position."""
        if self.checkpoint_impl == CheckpointImpl.REENTRANT and kwargs:
            names = list(kwargs)

            def call_with_positional_values(*values):
                count = len(values) - len(names)
                return self._checkpoint_wrapped_module(*values[:count], **dict(zip(names, values[count:])))

            return self.checkpoint_fn(call_with_positional_values, *args, *kwargs.values())
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


def offload_wrapper(module: Module) -> Module:
    """Wraps a module in an OffloadWrapper.

    Args:
        module (Module): the module.

    Returns:
        Module: the wrapper.
    """
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn=None,
    **checkpoint_fn_kwargs,
) -> Module:
    """Wraps a module in a CheckpointWrapper, whose arguments it takes.

    Returns:
        Module: the wrapper.
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model,
    checkpoint_wrapper_fn=checkpoint_wrapper,
    check_fn=lambda _: True,
    auto_wrap_policy: Callable[[Module, bool, int], bool] | None = None,
):
    """Wraps modules of a model in place; the model itself stays as it is.

    Args:
        model (Module): the model.
        checkpoint_wrapper_fn (callable): wraps one module. Default: checkpoint_wrapper.
        check_fn (callable): says of a module whether it is wrapped. Default: each is.
        auto_wrap_policy (callable, optional): a policy of torch.distributed.fsdp.wrap, in place of `check_fn`.
    """
    from ...fsdp.wrap import _wrap_children, lambda_auto_wrap_policy

    policy = auto_wrap_policy or partial(lambda_auto_wrap_policy, lambda_fn=check_fn)
    _wrap_children(model, policy, checkpoint_wrapper_fn, set(), set(), {})
