"""state_dict and load_state_dict of Module, with their hooks and error texts."""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ..._root import torch
from ...utils.hooks import RemovableHandle
from ..parameter import Parameter, is_lazy
from ._module_hooks import _register, _WrappedHook

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self):
        if self.missing_keys or self.unexpected_keys:
            return super().__repr__()
        return "<All keys matched successfully>"

    __str__ = __repr__


def _make_unreachable_error(method):
    return RuntimeError(
        f"Reached a code path in Module.{method}() that should never be called. "
        "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
        "to report this bug."
    )


class _StateMethods:
    """Saving and loading; `state_dict` keys are the dotted paths of parameters and persistent buffers."""

    def get_extra_state(self) -> Any:
        """Returns an object that a subclass adds to the state_dict; override it together with `set_extra_state`.

        It is stored under ``"_extra_state"`` and should be picklable.
        """
        raise _make_unreachable_error("get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Restores `state`, the result of `get_extra_state`, when a state_dict is loaded; override it in a subclass."""
        raise _make_unreachable_error("set_extra_state")

    def _is_method_overridden(self, name):
        return getattr(type(self), name, None) is not getattr(_StateMethods, name)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return _register(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]):
        """Registers a hook that runs at the end of `state_dict` and may change its result in place.

        Args:
            hook (callable): called as ``hook(module, state_dict, prefix, local_metadata)``; returns
                ``None``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        hook._from_public_api = True  # such hooks work in place: a result is an error
        return _register(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]):
        """Registers a hook that runs at the start of `state_dict`.

        Args:
            hook (callable): called as ``hook(module, prefix, keep_vars)``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _register(self._state_dict_pre_hooks, hook)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Adds this module's own tensors to `destination`; override to save something else."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if self._is_method_overridden("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Returns all parameters and persistent buffers by dotted name, to be saved and loaded again.

        The tensors share memory with the module's; copy them to keep a snapshot.

        Args:
            *args: deprecated: `destination`, `prefix` and `keep_vars` by position.
            destination (dict, optional): filled and returned. Default: ``None``, a new OrderedDict.
            prefix (str): what all names begin with. Default: ``""``.
            keep_vars (bool): whether tensors stay attached to autograd; else they are detached.
                Default: ``False``.

        Returns:
            dict of str to Tensor: the state; its attribute `_metadata` holds versions.

        Example:
            >>> list(nn.Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
                " for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given.get("destination") if destination is None else destination
            prefix = given.get("prefix", "") if prefix == "" else prefix
            keep_vars = given.get("keep_vars", False) if keep_vars is False else keep_vars

        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata

        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if replaced is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
        return destination

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        handle = RemovableHandle(self._load_state_dict_pre_hooks)
        self._load_state_dict_pre_hooks[handle.id] = _WrappedHook(hook, self if with_module else None)
        return handle

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]):
        """Registers a hook that runs before this module loads its part of a state_dict, which it may change.

        Args:
            hook (callable): called as ``hook(module, state_dict, prefix, local_metadata, strict,
                missing_keys, unexpected_keys, error_msgs)``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]):
        """Registers a hook that runs after this module and all inside it have loaded.

        Args:
            hook (callable): called as ``hook(module, incompatible_keys)``, where the second has the
                lists `missing_keys` and `unexpected_keys`, which it may change; returns ``None``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _register(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Loads this module's own tensors; override to read other layouts."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

        own = {name: param for name, param in self._parameters.items() if param is not None}
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                own[name] = buffer

        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, current in own.items():
            key = prefix + name
            if key in state_dict:
                _load_tensor(self, name, current, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)

        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._is_method_overridden("set_extra_state"):
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)

        if not strict:
            return
        for key in state_dict:
            if not key.startswith(prefix) or key == extra_key:
                continue
            head, dot, _ = key[len(prefix) :].partition(".")
            if head not in (self._modules if dot else own):
                unexpected_keys.append(key)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False):
        """Copies the tensors of a state_dict into this module's parameters and buffers.

        All mismatches are collected and reported in one error.

        Args:
            state_dict (mapping of str to Tensor): as `state_dict` gave it.
            strict (bool): whether the keys have to match exactly. Default: ``True``.
            assign (bool): whether the tensors themselves become the parameters, with their dtype and
                device; else values are copied. Make the optimizer after that. Default: ``False``.

        Returns:
            named tuple: `missing_keys` and `unexpected_keys`, lists of str.

        Raises:
            RuntimeError: when shapes differ, or with `strict` keys are missing or unexpected.
            TypeError: when `state_dict` is no mapping.

        Example:
            >>> source, target = nn.Linear(2, 3), nn.Linear(2, 3)
            >>> target.load_state_dict(source.state_dict())
            <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing_keys, unexpected_keys, error_msgs = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)  # a copy, because hooks may change it
        if metadata is not None:
            state_dict._metadata = metadata

        keys = _IncompatibleKeys(missing_keys, unexpected_keys)
        _load_module_tree(self, state_dict, "", metadata, assign, keys, error_msgs)

        if strict:
            if unexpected_keys:
                error_msgs.insert(0, f"Unexpected key(s) in state_dict: {_quote_keys(unexpected_keys)}. ")
            if missing_keys:
                error_msgs.insert(0, f"Missing key(s) in state_dict: {_quote_keys(missing_keys)}. ")
        if error_msgs:
            problems = "\n\t".join(error_msgs)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{problems}")
        return keys


def _load_module_tree(module, part, prefix, metadata, assign, keys, error_msgs):
    """Loads `module` and all modules inside it from the entries of a state_dict that begin with `prefix`."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    module._load_from_state_dict(part, prefix, local_metadata, True, *keys, error_msgs)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            below = {key: value for key, value in part.items() if key.startswith(inner)}
            _load_module_tree(child, below, inner, metadata, assign, keys, error_msgs)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not"
                " expected to return new values, if incompatible_keys need to be modified,"
                " it should be done inplace."
            )


def _quote_keys(keys):
    return ", ".join(f'"{key}"' for key in keys)


def _load_tensor(module, name, current, key, loaded, assign, error_msgs):
    """Loads one tensor of a state_dict into `module`; adds problems to `error_msgs`."""
    if not torch.overrides.is_tensor_like(loaded):
        error_msgs.append(
            f'While copying the parameter named "{key}", '
            "expected torch.Tensor or Tensor-like object from checkpoint but "
            f"received {type(loaded)}"
        )
        return
    if not is_lazy(current):
        # Before torch 0.4, scalars were saved as one-element vectors.
        if len(current.shape) == 0 and len(loaded.shape) == 1 and loaded.shape[0] == 1:
            loaded = loaded[0]
        if loaded.shape != current.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {loaded.shape} from checkpoint, "
                f"the shape in current model is {current.shape}."
            )
            return
    if current.is_meta and not loaded.is_meta and not assign:
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
            "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to "
            "their corresponding key in the module instead of copying them in place?)",
            stacklevel=2,
        )
    swap = torch.__future__.get_swap_module_params_on_conversion()
    try:
        with torch.no_grad():
            if swap:
                _swap_tensor_contents(current, loaded, assign)
            elif assign:
                setattr(module, name, _wrap_like_parameter(current, loaded))
            else:
                current.copy_(loaded)
    except Exception as error:
        action = "swapping" if swap else "copying"
        error_msgs.append(
            f'While {action} the parameter named "{key}", '
            f"whose dimensions in the model are {current.size()} and "
            f"whose dimensions in the checkpoint are {loaded.size()}, "
            f"an exception occurred : {error.args}."
        )


def _wrap_like_parameter(current, loaded):
    """Returns `loaded` as a Parameter with the requires_grad of `current`, if `current` is a Parameter."""
    if not isinstance(current, Parameter):
        return loaded
    if isinstance(loaded, Parameter):
        loaded.requires_grad_(current.requires_grad)
        return loaded
    return Parameter(loaded, requires_grad=current.requires_grad)


def _swap_tensor_contents(current, loaded, assign):
    fresh = current.module_load(loaded, assign=assign)
    if fresh is loaded or fresh is current:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() "
            "the result if returning one of the inputs in module_load"
        )
    torch.utils.swap_tensors(current, _wrap_like_parameter(current, fresh))
