"""Which modules of a model FullyShardedDataParallel wraps on their own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from ... import nn

__all__ = [
    "always_wrap_policy",
    "lambda_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "enable_wrap",
    "wrap",
    "CustomPolicy",
    "ModuleWrapPolicy",
]

# The wrapper class that the innermost `with enable_wrap` block passes to `wrap`, and its options; None outside.
_active: tuple[Callable, dict[str, Any]] | None = None


def always_wrap_policy(*args, **kwargs) -> bool:
    """Wraps every module.

    Args:
        *args (object): ignored.
        **kwargs (object): ignored.

    Returns:
        bool: True.
    """
    return True


def lambda_auto_wrap_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable) -> bool:
    """Wraps the modules for which a function returns True.

    Args:
        module (nn.Module): the module.
        recurse (bool): whether the question is to visit its children; the answer is yes.
        nonwrapped_numel (int): the number of elements that are not wrapped yet.
        lambda_fn (callable): the function of a module.

    Returns:
        bool: the answer.
    """
    return recurse or lambda_fn(module)


def transformer_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[nn.Module]]
) -> bool:
    """Wraps the modules of some classes.

    Args:
        module (nn.Module): the module.
        recurse (bool): whether the question is to visit its children; the answer is yes.
        nonwrapped_numel (int): the number of elements that are not wrapped yet.
        transformer_layer_cls (set[type]): the classes.

    Returns:
        bool: the answer.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: nn.Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = int(1e8),
    force_leaf_modules: set[type[nn.Module]] | None = None,
    exclude_wrap_modules: set[type[nn.Module]] | None = None,
) -> bool:
    """Wraps modules with many elements.

    Args:
        module (nn.Module): the module.
        recurse (bool): whether the question is to visit its children.
        nonwrapped_numel (int): the number of elements that are not wrapped yet.
        min_num_params (int): how many make a module large. Default: ``100000000``.
        force_leaf_modules (set[type], optional): classes whose children are not visited. Default:
            ``{nn.MultiheadAttention}``.
        exclude_wrap_modules (set[type], optional): classes that are not wrapped. Default: ``{nn.ModuleList,
            nn.ModuleDict}``.

    Returns:
        bool: the answer.
    """
    if recurse:
        excluded = {nn.MultiheadAttention} if force_leaf_modules is None else force_leaf_modules
    else:
        excluded = {nn.ModuleList, nn.ModuleDict} if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(excluded))


# As in torch, these attributes let programs read the policy's default module classes.
size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {nn.ModuleList, nn.ModuleDict}
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {nn.MultiheadAttention}


def _or_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, policies) -> bool:
    """Wraps what one of several policies wraps."""
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


class _Policy:
    """A policy that decides about all modules of a model at once."""

    def choose(self, root, ignored, options) -> dict[nn.Module, dict[str, Any]]:
        """Returns the modules to wrap with the options of each."""
        raise NotImplementedError


class ModuleWrapPolicy(_Policy):
    """Wraps the modules of some classes.

    Args:
        module_classes (iterable of type): the classes.

    Example:
        >>> import torch
        >>> from torch.distributed.fsdp.wrap import ModuleWrapPolicy
        >>> policy = ModuleWrapPolicy({torch.nn.Linear})
        >>> policy(torch.nn.Linear(2, 2), recurse=False)
        True
    """

    def __init__(self, module_classes: Iterable[type[nn.Module]]):
        self._module_classes = set(module_classes)
        self._module_classes_str = str(self._module_classes)

    def choose(self, root, ignored, options):
        classes = tuple(self._module_classes)
        return {module: options for module in root.modules() if isinstance(module, classes) and module not in ignored}

    def __call__(self, module: nn.Module, recurse: bool, *args, **kwargs) -> bool:
        return lambda_auto_wrap_policy(module, recurse, -1, lambda each: isinstance(each, tuple(self._module_classes)))

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self._module_classes_str})"


class CustomPolicy(_Policy):
    """Wraps the modules for which a function returns True or the options to wrap them with.

    Args:
        lambda_fn (callable): the function of a module.
    """

    def __init__(self, lambda_fn: Callable[[nn.Module], bool | dict[str, Any]]):
        self._lambda_fn = lambda_fn

    def choose(self, root, ignored, options):
        chosen = {}
        for module in root.modules():
            if module in ignored:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, (dict, bool)):
                raise ValueError(
                    f"The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, "
                    f"but it returned {answer}"
                )
            if answer is not False:
                chosen[module] = options if answer is True else {**options, **answer}
        return chosen


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any):
    """Lets `wrap` wrap modules, with these options, within the context.

    Args:
        wrapper_cls (type): the wrapper, as FullyShardedDataParallel.
        **wrapper_kwargs (object): its options.

    Example:
        >>> import torch
        >>> from torch.distributed.fsdp.wrap import enable_wrap, wrap
        >>> with enable_wrap(wrapper_cls=torch.nn.Sequential):
        ...     layer = wrap(torch.nn.Linear(2, 2))
        >>> type(layer).__name__
        'Sequential'
    """
    global _active
    before, _active = _active, (wrapper_cls, wrapper_kwargs)
    try:
        yield
    finally:
        _active = before


def wrap(module: nn.Module, **wrap_overrides: Any) -> nn.Module:
    """Wraps a module as `enable_wrap` says; returns it unchanged outside of that.

    Args:
        module (nn.Module): the module.
        **wrap_overrides (object): options that replace those of `enable_wrap`.

    Returns:
        nn.Module: the wrapped module.
    """
    if _active is None:
        return module
    wrapper, options = _active
    return wrapper(module, **{**options, **wrap_overrides})


def _wrap_children(root, policy, wrapper, ignored_modules, ignored_parameters, options):
    """Replaces the chosen modules below `root` by wrapped ones."""
    if isinstance(policy, _Policy):
        chosen = policy.choose(root, ignored_modules, options)
        chosen.pop(root, None)
        _wrap_and_replace_child(root, chosen, wrapper, set())
    else:
        _wrap_by_size(root, policy, wrapper, ignored_modules, ignored_parameters, options, is_root=True)


def _wrap_and_replace_child(module, chosen, wrapper, visited):
    for name, child in module.named_children():
        if child not in visited:
            visited.add(child)
            _wrap_and_replace_child(child, chosen, wrapper, visited)
        if child in chosen:
            setattr(module, name, wrapper(child, **chosen[child]))


def _wrap_by_size(module, policy, wrapper, ignored_modules, ignored_parameters, options, is_root=False):
    """Asks the policy from the leaves up; returns the module or its wrapper, and how many elements are wrapped."""
    total = sum(parameter.numel() for parameter in module.parameters() if parameter not in ignored_parameters)
    if not policy(module=module, recurse=True, nonwrapped_numel=total):
        return module, 0
    wrapped = 0
    for name, child in module.named_children():
        if child in ignored_modules:
            continue
        child, count = _wrap_by_size(child, policy, wrapper, ignored_modules, ignored_parameters, options)
        setattr(module, name, child)
        wrapped += count
    if not is_root and policy(module=module, recurse=False, nonwrapped_numel=total - wrapped):
        return wrapper(module, **options), total
    return module, wrapped
