"""Pruning: parameters with a mask. Which entries go is decided by the methods in `_prune_methods`."""

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
    """Registers a mask that prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prunes `amount` (a number or a share) of the entries at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prunes the entries of the smallest magnitude, or score."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prunes slices along `dim` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prunes the slices along `dim` of the smallest n-norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Prunes where `mask` is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prunes several tensors, given as (module, name) pairs, as if they were one."""
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
    container._tensor_name = method._tensor_name = "temp"  # a container takes methods of one name
    container.add_pruning_method(method)
    mask = container.compute_mask(scores, before)
    start = 0
    for module, name in pairs:
        tensor = getattr(module, name)
        end = start + tensor.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(tensor))
        start = end


def remove(module, name):
    """Makes a pruned tensor a parameter again, with the pruned values."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Whether a tensor of the module, or below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for submodule in module.modules()
        for hook in submodule._forward_pre_hooks.values()
    )
