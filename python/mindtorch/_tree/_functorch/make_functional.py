"""Modules as functions of their parameters and buffers, and the stacked state of an ensemble of modules."""

import copy

from .._root import torch
from .functional_call import functional_call

nn = torch.nn


class FunctionalModuleWithBuffers(nn.Module):
    """A module as a function of its state: ``f(params, buffers, *args)``.

    Args:
        stateless_model (Module): the module, with placeholders for its state.
        param_names, buffer_names (tuple of str): names in the order of the state.
        param_names_map, buffer_names_map (dict): from each name to all names of the same tensor.
    """

    def __init__(self, stateless_model, param_names, buffer_names, param_names_map, buffer_names_map) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names
        self.all_names_map = {**param_names_map, **buffer_names_map}

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        """Returns a functional module made from a copy of `model`, its parameters and its buffers."""
        stateless = copy.deepcopy(model)
        (params, param_map), (buffers, buffer_map) = (
            _extract_tensors(stateless, "parameters"),
            _extract_tensors(stateless, "buffers"),
        )
        if disable_autograd_tracking:
            for param in params:
                param.requires_grad_(False)
        made = FunctionalModuleWithBuffers(stateless, tuple(param_map), tuple(buffer_map), param_map, buffer_map)
        return made, params, buffers

    def forward(self, params, buffers, *args, **kwargs):
        """Calls the module with this state.

        Args:
            params, buffers (sequence of Tensor): the state.
            *args, **kwargs: arguments of the module.

        Returns:
            What the module returns.
        """
        return _call_functional(self, (*params, *buffers), self.all_names_map, args, kwargs)


class FunctionalModule(nn.Module):
    """A module without buffers as a function of its parameters: ``f(params, *args)``.

    Args:
        stateless_model (Module): the module, with placeholders for its state.
        param_names (tuple of str): names in the order of the parameters.
        names_map (dict): from each name to all names of the same tensor.
    """

    def __init__(self, stateless_model, param_names, names_map) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.names_map = param_names, names_map

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        """Returns a functional module made from a copy of `model`, and its parameters."""
        made, params, _ = FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)
        return FunctionalModule(made.stateless_model, made.param_names, made.all_names_map), params

    def forward(self, params, *args, **kwargs):
        """Calls the module with these parameters.

        Args:
            params (sequence of Tensor): the parameters.
            *args, **kwargs: arguments of the module.

        Returns:
            What the module returns.
        """
        return _call_functional(self, params, self.names_map, args, kwargs)


def _call_functional(functional, values, names_map, args, kwargs):
    state = {name: value for names, value in zip(names_map.values(), values, strict=True) for name in names}
    return functional_call(functional.stateless_model, state, args, kwargs, tie_weights=False)


def _extract_tensors(model, kind):
    """Returns the parameters or buffers of a module and replaces them by meta tensors; maps the first name of each to
    all its names."""
    names: dict = {}
    first: dict = {}
    for name, value in getattr(model, f"named_{kind}")(remove_duplicate=False):
        names.setdefault(first.setdefault(value, name), []).append(name)
    for value, name in first.items():
        shell = torch.empty_like(value, device="meta")
        shell = nn.Parameter(shell, value.requires_grad) if kind == "parameters" else shell
        for each in names[name]:
            owner, _, attribute = each.rpartition(".")
            getattr(model.get_submodule(owner), f"_{kind}")[attribute] = shell
    return tuple(first), names


def make_functional(model, disable_autograd_tracking=False):
    """Splits a module without buffers into a function and its parameters; deprecated: use `functional_call`.

    Args:
        model (Module): the module, which is copied.
        disable_autograd_tracking (bool): parameters do not require gradients. Default: ``False``.

    Returns:
        tuple: ``(f, params)`` with ``f(params, *args)``.

    Raises:
        RuntimeError: when the module has buffers.
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """Splits a module into a function, its parameters and its buffers; deprecated, see `functional_call`.

    Args:
        model (Module): the module, which is copied.
        disable_autograd_tracking (bool): parameters do not require gradients. Default: ``False``.

    Returns:
        tuple: ``(f, params, buffers)`` with ``f(params, buffers, *args)``.
    """
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(models):
    """Splits several modules into one function and stacked state; deprecated, see `stack_module_state`.

    Args:
        models (sequence of Module): modules of one class, all in the same mode.

    Returns:
        tuple: ``(f, params, buffers)``, the state stacked along a new first dimension.

    Raises:
        RuntimeError: when there is no module, or modes or classes differ.
    """
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    stacked = (tuple(torch.stack(values).detach() for values in zip(*all_, strict=True)) for all_ in (params, buffers))
    return functions[0], *stacked
