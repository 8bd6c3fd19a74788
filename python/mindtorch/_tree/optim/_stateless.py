"""Running an optimizer on other parameters and other state for a while."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import Any

from .._root import torch

_NAME = "swap_in_optimizer_params_and_state"


def _validate_state_field(state):
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids "
            f"to per-param state dicts, got {type(state).__name__}."
        )
    if any(isinstance(key, torch.Tensor) for key in state):
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids.")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.")
    return state


def _validate_param_groups_field(optimizer, param_groups):
    if not isinstance(param_groups, list):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, "
            f"got {type(param_groups).__name__}."
        )
    if len(optimizer.param_groups) != len(param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    return param_groups


def _validate_group_against_live(idx, group, swapin_group):
    """The packed ids of a group that fits the live one."""
    if not isinstance(swapin_group, dict):
        raise RuntimeError(f"{_NAME} requires each optimizer param group to be a dictionary.")
    ids = swapin_group.get("params")
    if not isinstance(ids, list) or not all(isinstance(i, int) for i in ids):
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries "
            "keyed by packed parameter ids."
        )
    if len(group["params"]) != len(ids):
        raise RuntimeError(
            f"swapin_optim_state param group {idx} has a different number of params than the live "
            "optimizer param group."
        )
    swapin_only = [key for key in swapin_group if key not in group]
    live_only = [key for key in group if key not in swapin_group]
    if swapin_only or live_only:
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live "
            f"optimizer group keys for group {idx}. Keys only in swap-in: {swapin_only}. "
            f"Keys only in live: {live_only}."
        )
    return ids


def _prepare(optimizer, parameters, optim_state):
    """(state by packed id, [(live group, other group, other parameters)])."""
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if not isinstance(optim_state, dict):
        raise RuntimeError(f"{_NAME} requires a DCP-style optimizer state_dict.")
    state = _validate_state_field(optim_state.get("state"))
    groups = _validate_param_groups_field(optimizer, optim_state.get("param_groups"))
    flat = list(parameters.values())
    start = 0
    seen = set()
    plan = []
    for i, (live, other) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        ids = _validate_group_against_live(i, live, other)
        seen.update(ids)
        end = start + len(ids)
        if end > len(flat):
            raise RuntimeError(
                f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering."
            )
        plan.append((live, other, flat[start:end]))
        start = end
    extra = [key for key in state if key not in seen]
    if extra:
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids "
            f"from param_groups[*]['params']; got extra keys {extra!r}."
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
    state, plan = _prepare(optimizer, swapin_parameters, swapin_optim_state)
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
