"""Calling a module with other parameters, and stacking the states of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._root import torch


def functional_call(
    module: torch.nn.Module,
    parameter_and_buffer_dicts: dict[str, torch.Tensor] | Sequence[dict[str, torch.Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module as if its parameters and buffers were the given tensors.

    The module's own stay as they are. Names that are not given keep the module's tensors. In-place
    changes of buffers go to the given tensors.

    Args:
        module (Module): the module.
        parameter_and_buffer_dicts (dict or sequence of dict): tensors by name; each name once.
        args (tuple or Any, optional): positional arguments; something else than a tuple is the one
            argument. Default: none.
        kwargs (dict, optional): keyword arguments. Default: none.
        tie_weights (bool): a parameter with several names is replaced under all of them. Default:
            ``True``.
        strict (bool): refuses names that are missing or unknown. Default: ``False``.

    Returns:
        What the module returns.

    Raises:
        ValueError: when a name is in several dicts, or something else is given.
        RuntimeError: when names are missing or unknown, with `strict`.

    Example:
        >>> model = nn.Linear(1, 1)
        >>> state = {"weight": torch.tensor([[2.0]]), "bias": torch.tensor([1.0])}
        >>> torch.func.functional_call(model, state, torch.tensor([3.0]))
        tensor([7.])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        state = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        dicts = parameter_and_buffer_dicts
        if not all(isinstance(entry, dict) for entry in dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        counts = Counter(name for entry in dicts for name in entry)
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        state = {name: value for entry in dicts for name, value in entry.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    from ..nn.utils import stateless

    return stateless._functional_call(module, state, args, kwargs, tie_weights=tie_weights, strict=strict)


def construct_stacked_leaf(tensors: tuple[torch.Tensor, ...] | list[torch.Tensor], name: str) -> torch.Tensor:
    """Stacks tensors; a new leaf where all of them require gradients.

    Args:
        tensors (sequence of Tensor): tensors of one shape.
        name (str): what the error calls them.

    Returns:
        Tensor: the stack, along a new first dimension.

    Raises:
        RuntimeError: when only some require gradients.
    """
    requires_grad = {tensor.requires_grad for tensor in tensors}
    if len(requires_grad) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = torch.stack(tuple(tensors))
    return stacked.detach().requires_grad_() if requires_grad == {True} else stacked


def stack_module_state(models) -> tuple[dict[str, Any], dict[str, Any]]:
    """Stacks parameters and buffers of several models, for `vmap` over an ensemble.

    Args:
        models (sequence of Module): models of one class, all in the same mode.

    Returns:
        tuple of dict: ``(parameters, buffers)`` by name, each with a new first dimension; stacked
        parameters are leaves that require gradients.

    Raises:
        RuntimeError: when there is no model, or modes or classes differ.

    Example:
        >>> models = [nn.Linear(2, 1) for _ in range(3)]
        >>> params, buffers = torch.func.stack_module_state(models)
        >>> params["weight"].shape
        torch.Size([3, 1, 2])
        >>> def call(params, buffers, x):
        ...     return torch.func.functional_call(models[0], (params, buffers), x)
        >>> torch.func.vmap(call, in_dims=(0, 0, None))(params, buffers, torch.zeros(4, 2)).shape
        torch.Size([3, 4, 1])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stack(states):
        return {name: construct_stacked_leaf([state[name] for state in states], name) for name in states[0]}

    return (
        stack([dict(model.named_parameters()) for model in models]),
        stack([dict(model.named_buffers()) for model in models]),
    )


for _function in (functional_call, stack_module_state):
    _function.__module__ = __name__.removesuffix("_functorch.functional_call") + "func"
