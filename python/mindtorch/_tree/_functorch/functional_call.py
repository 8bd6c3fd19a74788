"""Calling a module with other parameters, and stacking the states of several."""

from collections import Counter
from collections.abc import Sequence

from .._root import torch


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False
):
    """`module(*args, **kwargs)` as if its parameters and buffers were the given ones."""
    if isinstance(parameter_and_buffer_dicts, dict):
        state = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        dicts = parameter_and_buffer_dicts
        if not all(isinstance(entry, dict) for entry in dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        counts = Counter(name for entry in dicts for name in entry)
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
            )
        state = {name: value for entry in dicts for name, value in entry.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    from ..nn.utils import stateless

    return stateless._functional_call(module, state, args, kwargs, tie_weights=tie_weights, strict=strict)


def construct_stacked_leaf(tensors, name):
    requires_grad = {tensor.requires_grad for tensor in tensors}
    if len(requires_grad) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = torch.stack(tuple(tensors))
    return stacked.detach().requires_grad_() if requires_grad == {True} else stacked


def stack_module_state(models):
    """(parameters, buffers) of models of one class, each with a new first dimension."""
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
