"""Pruning: parameters with a mask. The methods in `_prune_methods` choose the pruned entries."""

from __future__ import annotations

from collections.abc import Iterable

from ..._root import torch
from ._prune_base import BasePruningMethod, PruningContainer
from ._prune_methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
)
from .convert_parameters import parameters_to_vector

for _cls in (
    BasePruningMethod,
    PruningContainer,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
):
    _cls.__module__ = __name__
del _cls


def identity(module, name):
    """Puts a mask of ones on a parameter: prepares it for pruning, and prunes nothing.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.identity(nn.Linear(2, 2), "weight").weight_mask.sum()
        tensor(4.)
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prunes elements of a parameter at random.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.
        amount (int or float): how many elements, or which share of them, from 0 to 1.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.random_unstructured(nn.Linear(2, 3), "weight", amount=2).weight_mask.sum()
        tensor(4.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prunes the elements of a parameter that have the smallest magnitudes.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.
        amount (int or float): how many elements, or which share of them, from 0 to 1.
        importance_scores (Tensor, optional): scores in place of the values, of the same shape.
            Default: ``None``.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = nn.Linear(3, 1)
        >>> _ = layer.weight.data.copy_(torch.tensor([[0.1, -2.0, 0.5]]))
        >>> prune.l1_unstructured(layer, "weight", amount=1).weight_mask
        tensor([[0., 1., 1.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prunes whole slices of a parameter at random.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.
        amount (int or float): how many slices, or which share of them, from 0 to 1.
        dim (int): the dimension of the slices, as 0 for output channels.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = prune.random_structured(nn.Linear(2, 4), "weight", amount=0.5, dim=0)
        >>> sorted(layer.weight_mask.sum(1).tolist())
        [0.0, 0.0, 2.0, 2.0]
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prunes the slices of a parameter that have the smallest n-norms.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.
        amount (int or float): how many slices, or which share of them, from 0 to 1.
        n (int, float or str): exponent of the norm, may be infinite, ``"fro"`` or ``"nuc"``.
        dim (int): the dimension of the slices, as 0 for output channels.
        importance_scores (Tensor, optional): scores in place of the values, of the same shape.
            Default: ``None``.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1.0, 1.0], [3.0, 0.0]]))
        >>> prune.ln_structured(layer, "weight", amount=1, n=2, dim=0).weight_mask
        tensor([[0., 0.],
                [1., 1.]])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Prunes a parameter where a given mask is zero.

    The parameter becomes ``<name>_orig``, the mask is the buffer ``<name>_mask``, and
    ``<name>`` their product, computed before each forward.

    Args:
        module (Module): changed in place.
        name (str): the parameter.
        mask (Tensor): of the shape of the parameter, zeros and ones.

    Returns:
        Module: `module`.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.custom_from_mask(nn.Linear(1, 3), "bias", torch.tensor([0, 1, 0])).bias_mask
        tensor([0., 1., 0.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs) -> None:
    """Prunes several parameters as if they were one: the amount is of all elements together.

    Args:
        parameters (iterable of tuples of Module and str): the parameters; the modules are
            changed in place.
        pruning_method (type): an unstructured method, as `L1Unstructured`.
        importance_scores (dict, optional): scores by pair of module and name, in place of the
            values. Default: ``None``.
        **kwargs: arguments of the method, as `amount`.

    Raises:
        TypeError: for a method that is structured, or arguments of another type.

    Example:
        >>> from torch.nn.utils import prune
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        >>> pairs = [(model[0], "weight"), (model[1], "weight")]
        >>> prune.global_unstructured(pairs, prune.L1Unstructured, amount=2)
        >>> (model[0].weight_mask.sum() + model[1].weight_mask.sum()).item()  # of 6
        4.0
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    scores = parameters_to_vector([importance_scores.get(pair, getattr(*pair)) for pair in pairs])
    before = parameters_to_vector(
        [getattr(module, name + "_mask", torch.ones_like(getattr(module, name))) for module, name in pairs]
    )
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for '
            f"the `pruning_method`. Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container = PruningContainer()
    container._tensor_name = method._tensor_name = "temp"  # a container accepts methods of one name
    container.add_pruning_method(method)
    mask = container.compute_mask(scores, before)
    start = 0
    for module, name in pairs:
        tensor = getattr(module, name)
        end = start + tensor.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(tensor))
        start = end


def remove(module, name):
    """Makes a pruned parameter a plain one again, with zeros where it was pruned.

    Args:
        module (Module): changed in place.
        name (str): the parameter.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when it is not pruned.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = prune.random_unstructured(nn.Linear(2, 3), "weight", amount=2)
        >>> (prune.remove(layer, "weight").weight == 0).sum()
        tensor(2)
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module) -> bool:
    """Returns whether a parameter of a module, or of a module inside it, is pruned.

    Args:
        module (Module): the module.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.is_pruned(nn.Linear(2, 3)), prune.is_pruned(prune.identity(nn.Linear(2, 3), "bias"))
        (False, True)
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for submodule in module.modules()
        for hook in submodule._forward_pre_hooks.values()
    )
