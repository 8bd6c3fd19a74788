"""The Optimizer base class: parameter groups, state, hooks, saving and loading."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, Self

from .. import _C
from .._root import torch
from ..utils.hooks import RemovableHandle

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]

_global_optimizer_pre_hooks = OrderedDict()
_global_optimizer_post_hooks = OrderedDict()

# Types for annotations of optimizers and their hooks.
Args = tuple[Any, ...]
Kwargs = StateDict = dict[str, Any]
Indices = list[int]
TensorListList = list[list[torch.Tensor | None]]
DeviceDict = dict[torch.device | None, torch.Tensor]
DeviceDtypeDict = dict[tuple[torch.device, torch.dtype] | None, torch.Tensor]
ParamsT = Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]]
GlobalOptimizerPreHook = Callable[["Optimizer", Args, Kwargs], tuple[Args, Kwargs] | None]
GlobalOptimizerPostHook = Callable[["Optimizer", Args, Kwargs], None]


class _RequiredParameter:
    """Marks a default that each parameter group must provide."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(func):
    """Records `step` only if the optimizer was created with `differentiable`."""

    @functools.wraps(func)
    def _use_grad(*args, **kwargs):
        before = torch.is_grad_enabled()
        try:
            torch.set_grad_enabled(args[0].defaults["differentiable"])
            return func(*args, **kwargs)
        finally:
            torch.set_grad_enabled(before)

    return _use_grad


def _get_value(x):
    """Returns a one-element tensor's number."""
    return x.item() if isinstance(x, torch.Tensor) else x


def _to_scalar(x):
    """Returns a one-element tensor without dimensions; numbers unchanged."""
    return x.squeeze() if isinstance(x, torch.Tensor) and x.dim() != 0 else x


def _get_scalar_dtype(is_fused=None):
    """Returns the dtype of step counts."""
    if is_fused:
        return torch.float32
    return torch.float64 if torch.get_default_dtype() == torch.float64 else torch.float32


def _get_capturable_supported_devices(supports_xla=True):
    devices = ["cuda", "xpu", "hpu", _C._get_privateuse1_backend_name()]
    if supports_xla:
        devices.append("xla")
    return devices


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """Returns (fused, foreach) for a caller who chose neither: grouped kernels if all parameters' devices have them."""
    if differentiable:
        return False, False
    utils = torch.utils._foreach_utils
    plain = (torch.Tensor, torch.nn.Parameter)

    def are_all_parameters_on(devices, floating):
        return all(
            p is None
            or (type(p) in plain and p.device.type in devices and (not floating or torch.is_floating_point(p)))
            for p in params
        )

    fused = use_fused and are_all_parameters_on(utils._get_fused_kernels_supported_devices(), floating=True)
    foreach = not fused and are_all_parameters_on(utils._get_foreach_kernels_supported_devices(), floating=False)
    return fused, foreach


def _device_dtype_check_for_fused(p, cuda_unsupported=False):
    devices = torch.utils._foreach_utils._get_fused_kernels_supported_devices()
    if cuda_unsupported:
        devices.remove("cuda")
    if not (p.device.type in devices and torch.is_floating_point(p)):
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of "
            f"supported devices: {devices} but {p.dtype} and {p.device.type}"
        )


def _add_hook(registry, hook, prepend=False):
    handle = RemovableHandle(registry)
    registry[handle.id] = hook
    if prepend:
        registry.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(
    hook: Callable[[Optimizer, tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]] | None],
) -> torch.utils.hooks.RemovableHandle:
    """Registers a hook that runs before the step of every optimizer in the process.

    The hooks run in the order of registration, before those of the optimizer itself.

    Args:
        hook (callable): ``hook(optimizer, args, kwargs)``; returns None, or ``(args, kwargs)`` that
            `step` gets instead.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_pre_hook
        >>> handle = register_optimizer_step_pre_hook(lambda opt, args, kwargs: print("before"))
        >>> p = torch.ones(1, requires_grad=True)
        >>> torch.optim.SGD([p]).step()
        before
        >>> handle.remove()
    """
    return _add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(
    hook: Callable[[Optimizer, tuple[Any, ...], dict[str, Any]], None],
) -> torch.utils.hooks.RemovableHandle:
    """Registers a hook that runs after the step of every optimizer in the process.

    Args:
        hook (callable): ``hook(optimizer, args, kwargs)``; its result is ignored.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_post_hook
        >>> handle = register_optimizer_step_post_hook(lambda opt, args, kwargs: print("after"))
        >>> torch.optim.SGD([torch.ones(1, requires_grad=True)]).step()
        after
        >>> handle.remove()
    """
    return _add_hook(_global_optimizer_post_hooks, hook)


_HOOK_REGISTRIES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


def _run_step_pre_hooks(optimizer, func, args, kwargs):
    """Returns the arguments of a step after the hooks before it have changed them."""
    for hook in chain(_global_optimizer_pre_hooks.values(), optimizer._optimizer_step_pre_hooks.values()):
        changed = hook(optimizer, args, kwargs)
        if changed is not None:
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
            args, kwargs = changed
    return args, kwargs


def _convert_state(param, value, number, groups, key=None):
    """Returns a parameter's saved state, its tensors, at any depth, in the optimizer's dtypes and on its devices."""
    if isinstance(value, torch.Tensor):
        return Optimizer._process_value_according_to_param_policy(param, value, number, groups, key)
    if isinstance(value, dict):
        return {k: _convert_state(param, v, number, groups, key=k) for k, v in value.items()}
    if isinstance(value, Iterable):
        return type(value)(_convert_state(param, v, number, groups) for v in value)
    return value


class Optimizer:
    """Base class of all optimizers: holds parameters in groups, options per group, and state per parameter.

    A subclass passes its options as `defaults` and defines `step`. Each group is a dict with the key
    ``"params"`` and its own value of every option; `defaults` fill in what a group does not give.
    Training loops call ``zero_grad()``, ``loss.backward()``, ``step()``.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs as of `named_parameters()`,
            or dicts (parameter groups). Leaf tensors only.
        defaults (dict): the options and their values for groups that do not give them.

    Attributes:
        param_groups (list of dict): the groups; options may be changed between steps.
        state (dict): from parameter to the dict of its state; filled in the first step.
        defaults (dict): as given.

    Raises:
        TypeError: when `params` is a tensor or holds something else than tensors.
        ValueError: when there are no parameters, a parameter is no leaf, or is in two groups.

    Example:
        >>> model = nn.Linear(2, 1)
        >>> groups = [{"params": [model.weight]}, {"params": [model.bias], "lr": 0.5}]
        >>> optimizer = torch.optim.SGD(groups, lr=0.1)
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        defaults: dict[str, Any],
    ) -> None:
        self.defaults = defaults
        for name in _HOOK_REGISTRIES:
            setattr(self, name, OrderedDict())
        self._patch_step_function()

        if isinstance(params, torch.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + torch.typename(params)
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        # The CPU has no graph capture: there is nothing to check.
        self._warned_capturable_if_run_uncaptured = True

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOK_REGISTRIES:
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"

    def _accelerator_graph_capture_health_check(self):
        """Accelerators with graph capture check here that capturing and `capturable` agree."""

    _cuda_graph_capture_health_check = _accelerator_graph_capture_health_check

    def _optimizer_step_code(self):
        """A hook for profilers."""

    @staticmethod
    def profile_hook_step(func: Callable) -> Callable:
        """Wraps a step function, so that it runs the hooks and is seen by the profiler.

        Args:
            func (callable): the `step` method to wrap.

        Returns:
            callable: the wrapped method, named ``Optimizer.step#<class>.step`` in profiles.
        """

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            self, *_ = args
            with torch.autograd.profiler.record_function(f"Optimizer.step#{type(self).__name__}.step"):
                args, kwargs = _run_step_pre_hooks(self, func, args, kwargs)
                out = func(*args, **kwargs)
                self._optimizer_step_code()
                for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
                    hook(self, args, kwargs)
                return out

        return wrapper

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        return torch.utils._foreach_utils._group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    def _patch_step_function(self):
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"
        cls = type(self)
        if not getattr(cls.step, "hooked", None):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    def register_step_pre_hook(
        self, hook: Callable[[Self, tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]] | None]
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that runs before each step of this optimizer.

        Args:
            hook (callable): ``hook(optimizer, args, kwargs)``; returns None, or ``(args, kwargs)`` that
                `step` gets instead.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(
        self, hook: Callable[[Self, tuple[Any, ...], dict[str, Any]], None]
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that runs after each step of this optimizer.

        Args:
            hook (callable): ``hook(optimizer, args, kwargs)``; its result is ignored.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that runs before `state_dict` builds its result.

        Args:
            hook (callable): ``hook(optimizer)``; its result is ignored.
            prepend (bool): runs it before existing hooks. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that gets, and may replace, the result of `state_dict`.

        Args:
            hook (callable): ``hook(optimizer, state_dict)``; returns None or the dict to use instead.
            prepend (bool): runs it before existing hooks. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that gets, and may replace, the argument of `load_state_dict`.

        Args:
            hook (callable): ``hook(optimizer, state_dict)`` gets a shallow copy; returns None or the dict
                to load instead.
            prepend (bool): runs it before existing hooks. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> torch.utils.hooks.RemovableHandle:
        """Registers a hook that runs after `load_state_dict`.

        Args:
            hook (callable): ``hook(optimizer)``; its result is ignored.
            prepend (bool): runs it before existing hooks. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """Returns the state and the groups as a dict that can be saved.

        Parameters are replaced by their numbers, counted through the groups. Tensors are not copied: they
        change with the next step.

        Returns:
            dict: ``"state"`` maps numbers to state dicts; ``"param_groups"`` lists the groups, each with
            its options and the numbers under ``"params"``.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        number_of = {}
        first = 0
        groups = []
        for group in self.param_groups:
            for i, param in enumerate(group["params"], first):
                number_of.setdefault(id(param), i)
            first += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [number_of[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            (number_of[id(key)] if isinstance(key, torch.Tensor) else key): value for key, value in self.state.items()
        }
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, result)
            if replaced is not None:
                result = replaced
        return result

    @staticmethod
    def _process_value_according_to_param_policy(param, value, param_id, param_groups, key=None):
        """Returns a loaded state tensor on the parameter's device, in its dtype if that is floating; step counts
        stay."""
        if param_groups is None:
            raise AssertionError("Expected param_groups to be set")
        group = next((g for g in param_groups if param_id in g["params"]), {})
        if key == "step":
            if group.get("capturable", False) or group.get("fused", False):
                return value.to(dtype=torch.float32, device=param.device)
            return value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state and the options that `state_dict` of a like optimizer returned.

        The parameters stay this optimizer's own; they are matched by position. State tensors are moved to
        the parameter's device and, where the parameter is floating-point, cast to its dtype; step counts
        keep theirs. Create learning rate schedules after loading, or load their state too.

        Args:
            state_dict (dict): what `state_dict()` returned.

        Raises:
            ValueError: when the number of groups, or of parameters in a group, differs.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced

        groups = self.param_groups
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(g["params"] for g in saved_groups)
        params = chain.from_iterable(g["params"] for g in groups)
        param_of = dict(zip(numbers, params, strict=True))

        state = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in param_of:
                param = param_of[number]
                state[param] = _convert_state(param, value, number, state_dict["param_groups"])
            else:
                state[number] = value
        for group, saved in zip(groups, saved_groups, strict=True):
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters.

        Args:
            set_to_none (bool): sets `grad` to None, so that parameters without a new gradient are skipped
                by the next step; otherwise existing gradients are filled with zeros. Default: ``True``.
        """
        if not hasattr(self, "_zero_grad_profile_name"):
            self._patch_step_function()
        with torch.autograd.profiler.record_function(self._zero_grad_profile_name):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if set_to_none:
                        p.grad = None
                        continue
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Updates all parameters once from their gradients.

        Parameters whose `grad` is None are left as they are.

        Args:
            closure (callable, optional): clears the gradients, computes the loss with gradients and
                returns it. Most optimizers call it once before the update; `LBFGS` needs it.

        Returns:
            What `closure` returned, or None without one.
        """
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters, for instance layers that are unfrozen during training.

        Args:
            param_group (dict): ``"params"`` (a tensor or an iterable of tensors or ``(name, tensor)``
                pairs; no set) and any options; missing ones come from `defaults`.

        Raises:
            TypeError: when the parameters are a set, or not tensors.
            ValueError: when a parameter is no leaf, is in another group already, or only some have names.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, torch.Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but "
                "the ordering of tensors in sets will change between runs. Please use a list instead."
            )
        params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names

        allows_results = self.defaults.get("differentiable")
        for param in params:
            if not isinstance(param, torch.Tensor):
                kind = torch.typename(param)
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}")
            if not (allows_results or param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        missing = {name: default for name, default in self.defaults.items() if name not in param_group}
        for name, default in missing.items():
            if default is required:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
        param_group.update(missing)

        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        present = set()
        for group in self.param_groups:
            present.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer"
                )
        if not present.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)
