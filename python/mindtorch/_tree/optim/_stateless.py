"""Runs an optimizer on other parameters and state temporarily."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import Any

from .._root import torch

_NAME = "swap_in_optimizer_params_and_state"


def _require_condition(holds, text):
    if not holds:
        raise RuntimeError(text)


def _check_state(state):
    _require_condition(
        isinstance(state, dict),
        f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state "
        f"dicts, got {type(state).__name__}.",
    )
    _require_condition(
        not any(isinstance(key, torch.Tensor) for key in state),
        f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids.",
    )
    _require_condition(
        all(isinstance(value, dict) for key, value in state.items() if isinstance(key, int)),
        f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.",
    )


def _check_param_groups(groups, live_groups):
    _require_condition(
        isinstance(groups, list),
        f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
        f"{type(groups).__name__}.",
    )
    _require_condition(
        len(groups) == len(live_groups),
        "swapin_optim_state has a different number of parameter groups than the live optimizer.",
    )
    for index, (group, live) in enumerate(zip(groups, live_groups, strict=True)):
        yield _check_param_group(index, group, live)


def _check_param_group(index, group, live):
    """Raises for a group that does not match the live one; returns its packed ids."""
    _require_condition(isinstance(group, dict), f"{_NAME} requires each optimizer param group to be a dictionary.")
    ids = group.get("params")
    _require_condition(
        isinstance(ids, list) and all(isinstance(packed, int) for packed in ids),
        f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter "
        "ids.",
    )
    _require_condition(
        len(ids) == len(live["params"]),
        f"swapin_optim_state param group {index} has a different number of params than the live optimizer param "
        "group.",
    )
    only_here, only_live = ([key for key in one if key not in other] for one, other in ((group, live), (live, group)))
    if only_here or only_live:
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer "
            f"group keys for group {index}. Keys only in swap-in: {only_here}. Keys only in live: {only_live}."
        )
    return ids


def _prepare_state(optimizer, parameters, optim_state):
    """Returns (state by packed id, [(live group, other group, other parameters)])."""
    _require_condition(optimizer.state, f"{_NAME} requires initialized optimizer state.")
    _require_condition(isinstance(optim_state, dict), f"{_NAME} requires a DCP-style optimizer state_dict.")
    state, groups = optim_state.get("state"), optim_state.get("param_groups")
    _check_state(state)
    remaining, known, plan = list(parameters.values()), set(), []
    for i, ids in enumerate(_check_param_groups(groups, optimizer.param_groups)):
        _require_condition(
            len(ids) <= len(remaining),
            f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering.",
        )
        plan.append((optimizer.param_groups[i], groups[i], remaining[: len(ids)]))
        remaining = remaining[len(ids) :]
        known.update(ids)
    unknown = [key for key in state if key not in known]
    if unknown:
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed "
            f"parameter ids from param_groups[*]['params']; got extra keys {unknown!r}."
        )
    return state, plan


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: torch.optim.Optimizer, swapin_parameters: dict[str, torch.Tensor], swapin_optim_state: dict[str, Any]
):
    """Runs a block with other parameters and other state inside an optimizer, then restores its own.

    Inside the block the optimizer's groups hold `swapin_parameters`, in order, with the options and
    the state of `swapin_optim_state`; `step` updates those. Nothing of it stays in the optimizer.

    Args:
        optimizer (Optimizer): an optimizer that has taken at least one step.
        swapin_parameters (dict): from name to tensor, in the order of the optimizer's groups.
        swapin_optim_state (dict): what `state_dict()` of a like optimizer returned.

    Returns:
        A context manager.

    Raises:
        RuntimeError: when the optimizer has no state, or groups, options or numbers do not match.

    Example:
        >>> p, q = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
        >>> optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> with torch.optim.swap_in_optimizer_params_and_state(
        ...     optimizer, {"q": q}, optimizer.state_dict()
        ... ):
        ...     q.sum().backward()
        ...     optimizer.step()
        >>> p.detach(), q.detach()
        (tensor([0.9000]), tensor([0.8100]))
    """
    state, plan = _prepare_state(optimizer, swapin_parameters, swapin_optim_state)
    own_state = optimizer.state
    own_groups = [dict(group) for group in optimizer.param_groups]
    try:
        swapped = defaultdict(dict)
        for live, other, params in plan:
            live["params"] = params
            live.update({key: value for key, value in other.items() if key != "params"})
            for param, packed_id in zip(params, other["params"], strict=True):
                swapped[param] = dict(state.get(packed_id, {}))
        optimizer.state = swapped
        yield
    finally:
        for group, own in zip(optimizer.param_groups, own_groups, strict=True):
            group.clear()
            group.update(own)
        optimizer.state = own_state
