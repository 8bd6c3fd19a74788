"""States of models and optimizers under the parameter names of the bare model, without its wrappers."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..._dynamo.eval_frame import OptimizedModule
from ..._root import torch
from ...nn.modules._module_state import _EXTRA_STATE_KEY_SUFFIX, _IncompatibleKeys
from ...nn.parallel import DistributedDataParallel
from .. import distributed_c10d as dist
from ._copies import map_tensors, copy_tensors_to_cpu
from ._traverse import set_element

__all__ = [
    "FQNS_T",
    "PrimitiveType",
    "ValueType",
    "DictValueType",
    "ListDictValueType",
    "OptimizerStateType",
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]

FQNS_T = set[str]
PrimitiveType = torch.Tensor | int | float | str
ValueType = PrimitiveType | list[PrimitiveType] | tuple[PrimitiveType] | dict[str, "ValueType"]
DictValueType = dict[str, ValueType]
ListDictValueType = list[DictValueType]
OptimizerStateType = dict[str, DictValueType | ListDictValueType]

_WRAPPERS = {DistributedDataParallel: "module", OptimizedModule: "_orig_mod"}


@dataclass
class StateDictOptions:
    """Options for getting and setting states.

    Args:
        full_state_dict (bool): whether to gather tensors that are in pieces. Default: ``False``.
        cpu_offload (bool): whether tensors come on the CPU; with `full_state_dict`, ranks other than 0 then get ``{}``.
            Default: ``False``.
        ignore_frozen_params (bool): whether parameters that want no gradient are left out. Default: ``False``.
        keep_submodule_prefixes (bool): whether names begin at the model where only `submodules` are asked for.
            Default: ``True``.
        strict (bool): whether missing and unexpected names are errors when a state is given back. Default: ``True``.
        broadcast_from_rank0 (bool): whether rank 0 alone has the state to give back, and sends it; needs
            `full_state_dict`. Default: ``False``.
        flatten_optimizer_state_dict (bool): whether an optimizer's state is one dictionary without inner ones.
            Default: ``False``.
        dsd_fqn_modifiers (str): the name of a method of modules that gives attributes which names leave out.
            Default: ``"_fqn_modifiers"``.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _find_wrapped_attribute(module) -> str | None:
    """Returns the attribute in which a wrapper holds its module; None if a module is not a wrapper."""
    return next((attribute for kind, attribute in _WRAPPERS.items() if isinstance(module, kind)), None)


def _read_name_modifiers(module, modifiers: str) -> dict[str, str]:
    return getattr(module, modifiers)() if hasattr(module, modifiers) else {}


def _strip_wrappers(model, name: str, modifiers: str = "_fqn_modifiers", keep_wrappers: bool = False) -> str:
    """Returns a model's name without the components that wrappers add."""
    *modules, last = name.split(".")
    kept, module = [], model
    for part in modules:
        attribute = _find_wrapped_attribute(module)
        if attribute is not None and part != attribute:
            raise AssertionError(f"Expected '{attribute}', got '{part}'")
        if attribute is None or keep_wrappers:
            kept.append(part)
        inner = _read_name_modifiers(module, modifiers).get(part)
        module = getattr(getattr(module, inner, module) if inner else module, part)
    return ".".join([*kept, last])


def _yield_model_entries(
    module, modifiers: str, prefix: str = "", seen: set | None = None
) -> Iterator[tuple[str, Any]]:
    """Yields names and tensors of a model's state, including wrappers' names; None for extra state of modules."""
    seen = set() if seen is None else seen
    seen.add(module)
    unnamed = _read_name_modifiers(module, modifiers).values()
    for name, child in module.named_children():
        if child not in seen:
            yield from _yield_model_entries(child, modifiers, prefix if name in unnamed else f"{prefix}{name}.", seen)
    own = [*module.named_buffers(recurse=False), *module.named_parameters(recurse=False)]
    yield from ((prefix + name, value) for name, value in own if name not in module._non_persistent_buffers_set)
    if module._is_method_overridden("get_extra_state"):
        yield prefix + _EXTRA_STATE_KEY_SUFFIX, None


def _as_optimizer_tuple(optimizers) -> tuple:
    return (optimizers,) if isinstance(optimizers, torch.optim.Optimizer) else tuple(optimizers)


def _check_options(options: StateDictOptions | None, submodules=None) -> StateDictOptions:
    options = options or StateDictOptions()
    if submodules:
        warnings.warn(
            "Getting submodules only model/optim state_dict is deprecated and "
            "will be removed in 2.5. This feature can be achieved by manually "
            "filtering out the state_dict returned from get_state_dict.",
            FutureWarning,
            stacklevel=3,
        )
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _check_model_state(state, options, submodules=None) -> None:
    may_be_empty = (
        submodules
        or options.ignore_frozen_params
        or (options.cpu_offload and options.full_state_dict)
        or not options.strict
        or options.broadcast_from_rank0
    )
    if not state and not may_be_empty:
        raise RuntimeError(
            "The option indicates that model state_dict is required to save or load, but model state_dict is empty."
            f"rank = dist.get_rank()={dist.get_rank() if dist.is_initialized() else 0}."
        )


def _check_optimizer_state(state, options) -> None:
    if not state and not (options.cpu_offload and options.full_state_dict) and not options.broadcast_from_rank0:
        raise RuntimeError(
            "The option indicates that model state_dict is required to save, "
            f"or load but optim state_dict is empty. {state}"
        )


def _check_has_optimizers(optimizers) -> None:
    if not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")


def _convert_state_to_options(state, options):
    """Converts a state to the requested form: on the CPU, on rank 0 only."""
    if options.full_state_dict:
        state = map_tensors(state, _gather_tensor)
        if options.cpu_offload and dist.is_initialized() and dist.get_rank() != 0:
            return {}
    return copy_tensors_to_cpu(state) if options.cpu_offload else state


def _gather_tensor(tensor):
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


@torch.no_grad()
def _get_model_state(model, options, submodules=None):
    state = model.state_dict()
    for key in list(state):
        name = _strip_wrappers(model, key)
        if name == key:
            continue
        parts = [[part for part in path.split(".") if part not in _WRAPPERS.values()] for path in (key, name)]
        if parts[0] != parts[1]:
            raise RuntimeError(f"An unexpected key, {key}, exists. FQN is {name}")
        state[name] = state.pop(key)
    if submodules:
        state = _select_submodules(model, state, submodules, options.keep_submodule_prefixes)
    if options.ignore_frozen_params:
        for key, parameter in model.named_parameters():
            if not parameter.requires_grad:
                state.pop(_strip_wrappers(model, key))
    state = _convert_state_to_options(state, options)
    _check_model_state(state, options, submodules)
    return state


def _select_submodules(model, state, submodules, keep_prefixes: bool):
    chosen = {}
    for path, module in model.named_modules():
        if module in submodules:
            prefix = _strip_wrappers(model, path) + "."
            for name in (name for name in state if name.startswith(prefix)):
                chosen[name if keep_prefixes else name.removeprefix(prefix)] = state[name]
    return chosen


def _flatten_submodule_states(model, state):
    """Returns a model's state by name, also if it was given as states of submodules."""
    if not state or not isinstance(next(iter(state)), torch.nn.Module):
        return copy.copy(state)
    warnings.warn(
        "Passing model_state_dict as a ``Dict[nn.Module, Dict[str, Any]]``is deprecated and will be removed in 2.5. "
        "If you need this feature, please preprocess the model_state_dict to achieve the same functionality.",
        FutureWarning,
        stacklevel=3,
    )
    paths = {module: _strip_wrappers(model, path) for path, module in model.named_modules()}
    return {f"{paths[module]}.{name}": value for module, part in state.items() for name, value in part.items()}


def _broadcast_values_from_rank_0(state: dict, own_state: dict, strict: bool) -> dict:
    """Copies rank 0's values under this rank's keys. Tensors are sent one by one, directly into memory of the right
    size."""
    is_source = dist.get_rank() == 0
    described = [None]
    if is_source:
        described = [
            {
                key: (value.size(), value.dtype) if isinstance(value, torch.Tensor) and value.dim() else [value]
                for key, value in state.items()
            }
        ]
    dist.broadcast_object_list(described, src=0)
    received = {} if strict else dict(own_state)
    for key, description in described[0].items():
        if isinstance(description, list):
            value = description[0]
        else:
            size, dtype = description
            value = state[key].detach().contiguous() if is_source else torch.empty(size, dtype=dtype)
            dist.broadcast(value, src=0)
        if key in own_state:
            received[key] = value
    return received


def _place_like_own_tensor(own_tensor, value):
    """Returns a complete tensor on the device of the own one, and distributed like that."""
    if not isinstance(value, torch.Tensor) or not isinstance(own_tensor, torch.Tensor) or not value.dim():
        return value
    value = value.detach() if own_tensor.is_meta else value.detach().to(own_tensor.device)
    if not hasattr(own_tensor, "full_tensor") or hasattr(value, "full_tensor"):
        return value
    distribute = torch.distributed.tensor.distribute_tensor
    return distribute(value, own_tensor.device_mesh, own_tensor.placements, src_data_rank=None)


@torch.no_grad()
def _load_model_state(model, state, options):
    if not state and not options.broadcast_from_rank0:
        return _IncompatibleKeys({}, {})
    own, modifiers = {}, options.dsd_fqn_modifiers
    is_given = not options.broadcast_from_rank0 or dist.get_rank() == 0
    for key, value in _yield_model_entries(model, modifiers):
        name, wrapped = (
            _strip_wrappers(model, key, modifiers),
            _strip_wrappers(model, key, modifiers, keep_wrappers=True),
        )
        own[wrapped] = value
        if not is_given or name == wrapped:
            continue
        if name in state:
            state[wrapped] = state.pop(name)
        elif options.strict:
            raise RuntimeError(f"Missing key: {name}.")
    assign = False
    if options.full_state_dict:
        assign = any(isinstance(value, torch.Tensor) and value.dim() and value.is_meta for value in own.values())
        if options.broadcast_from_rank0:
            state.update(_broadcast_values_from_rank_0(state, own, options.strict))
            state = copy_tensors_to_cpu(state) if options.cpu_offload else state
        state = {key: _place_like_own_tensor(own[key], value) if key in own else value for key, value in state.items()}
        own = {key: value for key, value in own.items() if value is not None and key not in state}
        if not options.broadcast_from_rank0:
            state.update(own)
    return model.load_state_dict(state, strict=options.strict, assign=assign)


def _initialize_optimizer_state(optimizer) -> None:
    """Makes an optimizer create its state by a step that changes nothing: gradients and learning rates are zero."""
    groups = optimizer.param_groups
    parameters = [parameter for group in groups for parameter in group["params"]]
    # An optimizer without state, such as plain SGD, would otherwise lose gradients here.
    if optimizer.state or any(parameter.grad is not None for parameter in parameters):
        return
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.grad = torch.zeros_like(parameter)
    rates = [(group, group["lr"]) for group in groups if "lr" in group]
    for group, rate in rates:
        group["lr"] = torch.tensor(0.0) if isinstance(rate, torch.Tensor) else 0.0
    try:
        optimizer.step(closure=None)
    finally:
        for group, rate in rates:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


@torch.no_grad()
def _key_optimizer_state_by_names(model, optimizer):
    """Returns an optimizer's state with names of parameters in place of their numbers."""
    _initialize_optimizer_state(optimizer)
    names = {parameter: _strip_wrappers(model, key) for key, parameter in model.named_parameters()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    by_number = {number: names[parameter] for number, parameter in enumerate(parameters) if parameter in names}
    state = optimizer.state_dict()
    groups = [{**group, "params": [by_number[number] for number in group["params"]]} for group in state["param_groups"]]
    return {"state": {by_number[number]: value for number, value in state["state"].items()}, "param_groups": groups}


def _get_optimizers_state(model, optimizers, options):
    joined: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in optimizers:
        state = _key_optimizer_state_by_names(model, optimizer)
        joined["state"].update(state["state"])
        joined["param_groups"] += state["param_groups"]
    if options.flatten_optimizer_state_dict:
        joined = _flatten_optimizer_state(joined)
    joined = _convert_state_to_options(joined, options)
    _check_optimizer_state(joined, options)
    return joined


def _yield_flat_entries(value, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _yield_flat_entries(part, f"{path}.{key}")
    elif isinstance(value, torch.Tensor | int | float):
        yield path, value
    else:
        raise NotImplementedError(
            f"Flattening optimizer state_dict only supports tensor, int, float, dict states now. Type is {type(value)}."
        )


def _flatten_optimizer_state(state) -> dict[str, Any]:
    """Yields ``state.NAME.KEY`` and ``param_groups.NAME.KEY`` for each parameter."""
    flat = {
        key: value for name, part in state["state"].items() for key, value in _yield_flat_entries(part, f"state.{name}")
    }
    for group in state["param_groups"]:
        options = [(key, value) for key, value in group.items() if key != "params"]
        flat |= {f"param_groups.{name}.{key}": value for name in group["params"] for key, value in options}
    return flat


class _Names:
    """Returns the names of each parameter of a model: several for a shared one."""

    def __init__(self, model, modifiers: str) -> None:
        self._of: dict[Any, list[str]] = {}
        for key, value in _yield_model_entries(model, modifiers):
            if value is not None:
                self._of.setdefault(value, []).append(_strip_wrappers(model, key, modifiers))

    def find_saved_names(self, parameter, is_saved) -> list[str]:
        """Returns the names under which a parameter may be saved; if it has several, those that were."""
        names = self._of[parameter]
        return names if len(names) == 1 else [name for name in names if is_saved(name)]


def _unflatten_value(flat: dict[str, Any], prefix: str) -> Any:
    """Returns a flat state's value under a name; rebuilds dictionaries that were flattened."""
    if prefix in flat:
        return flat[prefix]
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        if key.startswith(prefix + "."):
            set_element(nested, tuple(key[len(prefix) + 1 :].split(".")), value)
    return nested


def _extract_optimizer_from_flat(optimizer, flat, names: _Names):
    """Extracts one optimizer's state from a flat state of several."""
    state, groups = {}, []
    in_groups = (key.removeprefix("param_groups.") for key in flat if key.startswith("param_groups."))
    with_options = {key.rpartition(".")[0] for key in in_groups}
    for group in optimizer.param_groups:
        options = [key for key in group if key != "params"]
        saved = [
            (parameter, name)
            for parameter in group["params"]
            for name in names.find_saved_names(parameter, with_options.__contains__)
        ]
        state |= {
            name: {key: _unflatten_value(flat, f"state.{name}.{key}") for key in optimizer.state[parameter]}
            for parameter, name in saved
            if parameter.requires_grad
        }
        found = {key: flat[f"param_groups.{saved[0][1]}.{key}"] for key in options}
        groups.append({"params": [name for _, name in saved], **found})
    return {"state": state, "param_groups": groups}


def _extract_optimizer_from_nested(optimizer, whole, names: _Names, strict: bool):
    """Extracts one optimizer's state from a nested state of several."""
    if all(isinstance(key, int) for key in whole["state"]):
        return whole
    group_of = {name: group for group in whole["param_groups"] for name in group["params"]}
    state, groups = {}, []
    for group in optimizer.param_groups:
        found, source = [], None
        for parameter in group["params"]:
            for name in names.find_saved_names(parameter, group_of.__contains__):
                found.append(name)
                source = group_of.get(name, source)
                if parameter.requires_grad and name in whole["state"]:
                    state[name] = whole["state"][name]
                elif parameter.requires_grad and strict:
                    raise RuntimeError(
                        f"Missing optimizer state for parameter '{name}' in checkpoint. "
                        "The parameter requires gradients but has no saved optimizer state. "
                        "To load anyway, use StateDictOptions(strict=False)."
                    )
        if not group["params"]:
            source = _find_group_without_parameters(whole["param_groups"], optimizer)
        groups.append({**(source or {}), "params": found})
    return {"state": state, "param_groups": groups}


def _find_group_without_parameters(saved, optimizer):
    empty = [group for group in saved if not group["params"]]
    if len(empty) != 1:
        raise ValueError(
            "There are param groups that have zero parameters. In such a case, DSD only support exactly one param "
            "group with zero parameters.But the loaded state_dict has zero or more than one param groups "
            "that have zero parameters."
        )
    if len(saved) != len(optimizer.param_groups):
        raise ValueError(
            "When there is a parameter group that has zero parameters, multiple optimizers are not supported."
        )
    return empty[0]


def _yield_values_with_paths(value, path=()) -> Iterator[tuple[tuple, Any]]:
    """Yields all values of a nested object by their paths, through dictionaries, lists and tuples."""
    if isinstance(value, dict | list | tuple):
        keyed = ((str(key), part) for key, part in value.items()) if isinstance(value, dict) else enumerate(value)
        for key, part in keyed:
            yield from _yield_values_with_paths(part, (*path, key))
    else:
        yield path, value


def _fill_in_missing_optimizer_state(state, own_state, options):
    """Completes a state from the optimizer's own, on the devices of its tensors; from rank 0 if requested."""
    given, mine = dict(_yield_values_with_paths(state)), dict(_yield_values_with_paths(own_state))
    if options.broadcast_from_rank0:
        given |= _broadcast_values_from_rank_0(given, mine, strict=False)
    nest: dict[str, Any] = {"state": {}, "param_groups": []}
    for path, value in {**mine, **given}.items():
        set_element(nest, path, _place_like_own_tensor(mine.get(path), value))
    for group in nest["param_groups"]:
        group.setdefault("params", [])
    return nest


def _load_optimizers(model, optimizers, state, options) -> None:
    names = _Names(model, options.dsd_fqn_modifiers)
    with torch.no_grad():
        for optimizer in optimizers:
            _initialize_optimizer_state(optimizer)
            part = state
            if state:
                nested = "state" in state
                part = (
                    _extract_optimizer_from_nested(optimizer, state, names, options.strict)
                    if nested
                    else _extract_optimizer_from_flat(optimizer, state, names)
                )
            if options.full_state_dict:
                part = _fill_in_missing_optimizer_state(part, _key_optimizer_state_by_names(model, optimizer), options)
            optimizer.load_state_dict(part)


def get_model_state_dict(
    model: torch.nn.Module,
    *,
    submodules: set[torch.nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, ValueType]:
    """Returns a model's state by the names of the bare model: without those of `DistributedDataParallel`.

    Args:
        model (Module): the model.
        submodules (set of Module, optional): deprecated: those whose state is wanted.
        options (StateDictOptions, optional): how.

    Returns:
        dict[str, Any]: parameters and buffers, which share memory with the model, and extra states.

    Raises:
        RuntimeError: when there is none.
        ValueError: when options contradict each other.
    """
    return _get_model_state(model, _check_options(options, submodules), submodules)


def get_optimizer_state_dict(
    model: torch.nn.Module,
    optimizers: torch.optim.Optimizer | Iterable[torch.optim.Optimizer],
    *,
    submodules: set[torch.nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> OptimizerStateType:
    """Returns the state of one or several optimizers by the names of parameters. An optimizer without state gets one.

    Args:
        model (Module): the model.
        optimizers (Optimizer or iterable of Optimizer): those of its parameters.
        submodules (set of Module, optional): deprecated, without effect.
        options (StateDictOptions, optional): how.

    Returns:
        dict[str, Any]: ``{"state": {name: ...}, "param_groups": [{"params": [name, ...], ...}, ...]}``, or one
        dictionary of ``state.NAME.KEY`` and ``param_groups.NAME.KEY``.

    Raises:
        RuntimeError: when there are no optimizers.
        NotImplementedError: when a state is to be flattened that is neither tensor nor number.
    """
    checked, optimizers = _check_options(options, submodules), _as_optimizer_tuple(optimizers)
    _check_has_optimizers(optimizers)
    return _get_optimizers_state(model, optimizers, checked)


def get_state_dict(
    model: torch.nn.Module,
    optimizers: torch.optim.Optimizer | Iterable[torch.optim.Optimizer],
    *,
    submodules: set[torch.nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, ValueType], OptimizerStateType]:
    """Returns the states of a model and its optimizers by the names of the bare model, for `save` and `load`.

    Such states fit the model in any wrapper, on any number of ranks.

    Args:
        model (Module): the model.
        optimizers (Optimizer or iterable of Optimizer): those of its parameters; may be none.
        submodules (set of Module, optional): deprecated: those whose state is wanted.
        options (StateDictOptions, optional): how.

    Returns:
        tuple[dict, dict]: as of `get_model_state_dict` and `get_optimizer_state_dict`; ``{}`` without optimizers.

    Raises:
        RuntimeError: when the model has no state.
        ValueError: when options contradict each other.
    """
    checked, optimizers = _check_options(options, submodules), _as_optimizer_tuple(optimizers)
    model_state = _get_model_state(model, checked, submodules)
    return model_state, _get_optimizers_state(model, optimizers, checked) if optimizers else {}


def set_model_state_dict(
    model: torch.nn.Module, model_state_dict: dict[str, ValueType], *, options: StateDictOptions | None = None
) -> _IncompatibleKeys:
    """Gives a model a state by the names of the bare model.

    Args:
        model (Module): the model.
        model_state_dict (dict[str, Any]): the state; stays as it is.
        options (StateDictOptions, optional): how.

    Returns:
        tuple: `missing_keys` and `unexpected_keys`.

    Raises:
        RuntimeError: when names are missing or unexpected, or the state is empty.
    """
    options, state = _check_options(options), _flatten_submodule_states(model, model_state_dict)
    _check_model_state(state, options)
    return _load_model_state(model, state, options)


def set_optimizer_state_dict(
    model: torch.nn.Module,
    optimizers: torch.optim.Optimizer | Iterable[torch.optim.Optimizer],
    optim_state_dict: OptimizerStateType,
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Gives optimizers a state by the names of parameters. To be called when no gradients are there.

    Args:
        model (Module): the model.
        optimizers (Optimizer or iterable of Optimizer): those of its parameters.
        optim_state_dict (dict[str, Any]): the state, of either form of `get_optimizer_state_dict`.
        options (StateDictOptions, optional): how.

    Returns:
        None.

    Raises:
        RuntimeError: when there are no optimizers, or the state of a parameter is missing.
    """
    options, optimizers = _check_options(options), _as_optimizer_tuple(optimizers)
    _check_has_optimizers(optimizers)
    _check_optimizer_state(optim_state_dict, options)
    _load_optimizers(model, optimizers, optim_state_dict, options)


def set_state_dict(
    model: torch.nn.Module,
    optimizers: torch.optim.Optimizer | Iterable[torch.optim.Optimizer],
    *,
    model_state_dict: dict[str, ValueType],
    optim_state_dict: OptimizerStateType,
    options: StateDictOptions | None = None,
) -> _IncompatibleKeys:
    """Gives a model and its optimizers states by the names of the bare model. To be called when no gradients are there.

    Args:
        model (Module): the model.
        optimizers (Optimizer or iterable of Optimizer): those of its parameters; may be none.
        model_state_dict (dict[str, Any]): the model's state; where it is empty, only the optimizers get theirs.
        optim_state_dict (dict[str, Any]): the optimizers' state.
        options (StateDictOptions, optional): how.

    Returns:
        tuple: `missing_keys` and `unexpected_keys` of the model.

    Raises:
        RuntimeError: when names are missing or unexpected.
    """
    options, optimizers = _check_options(options), _as_optimizer_tuple(optimizers)
    model_state = _flatten_submodule_states(model, model_state_dict)
    if not model_state:
        _check_has_optimizers(optimizers)
    if optimizers:
        _check_optimizer_state(optim_state_dict, options)
        _load_optimizers(model, optimizers, optim_state_dict, options)
    return _load_model_state(model, model_state, options) if model_state else _IncompatibleKeys({}, {})
