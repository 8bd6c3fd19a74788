"""Modules as functions of their parameters and buffers, and the stacked state of an ensemble of them."""

import copy

from .._root import torch
from .functional_call import functional_call

nn = torch.nn


class FunctionalModuleWithBuffers(nn.Module):
    """f(params, buffers, *args): a module without a state of its own, whose state is given by each call."""

    def __init__(self, stateless_model, param_names, buffer_names, param_names_map, buffer_names_map) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names
        self.all_names_map = {**param_names_map, **buffer_names_map}

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        """The functional module of a copy of `model`, its parameters, its buffers."""
        stateless = copy.deepcopy(model)
        (params, param_map), (buffers, buffer_map) = _taken(stateless, "parameters"), _taken(stateless, "buffers")
        if disable_autograd_tracking:
            for param in params:
                param.requires_grad_(False)
        made = FunctionalModuleWithBuffers(stateless, tuple(param_map), tuple(buffer_map), param_map, buffer_map)
        return made, params, buffers

    def forward(self, params, buffers, *args, **kwargs):
        """What the module gives with this state."""
        return _called(self, (*params, *buffers), self.all_names_map, args, kwargs)


class FunctionalModule(nn.Module):
    """f(params, *args): the same for modules without buffers."""

    def __init__(self, stateless_model, param_names, names_map) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.names_map = param_names, names_map

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        """The functional module of a copy of `model`, and its parameters."""
        made, params, _ = FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)
        return FunctionalModule(made.stateless_model, made.param_names, made.all_names_map), params

    def forward(self, params, *args, **kwargs):
        """What the module gives with these parameters."""
        return _called(self, params, self.names_map, args, kwargs)


def _called(functional, values, names_map, args, kwargs):
    state = {name: value for names, value in zip(names_map.values(), values, strict=True) for name in names}
    return functional_call(functional.stateless_model, state, args, kwargs, tie_weights=False)


def _taken(model, kind):
    """The parameters or buffers of a module, whose places meta tensors take; all names of each by its first."""
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
    """A function of a module's parameters and arguments, and the parameters."""
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """A function of a module's parameters, buffers and arguments; the parameters, the buffers."""
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(models):
    """The functional module of modules of one class, and their parameters and buffers, stacked along dimension 0."""
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    stacked = (tuple(torch.stack(values).detach() for values in zip(*all_, strict=True)) for all_ in (params, buffers))
    return functions[0], *stacked
