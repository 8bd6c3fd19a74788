"""Checks of collectives' arguments."""

from __future__ import annotations

import warnings
from functools import wraps
from inspect import signature

from .. import Tensor, view_as_real
from ._work import ReduceOp
from ._world import _rank_not_in_group, _world, get_global_rank, get_group_rank


def _check_single_tensor(param, param_name):
    if not isinstance(param, Tensor):
        raise TypeError(
            f"""Invalid function argument. Expected parameter `{param_name}` of type torch.Tensor
             but got {type(param)} instead."""
        )


def _check_tensor_list(param, param_name):
    text = (
        f"Invalid function argument. Expected parameter `{param_name}` of type List[torch.Tensor]\n             but got"
    )
    if not isinstance(param, list):
        raise TypeError(f"{text} {type(param)} instead.")
    if not all(isinstance(each, Tensor) for each in param):
        raise TypeError(f"{text} {type(param)} with elements of type {[type(each) for each in param]}.")


def _ensure_all_tensors_same_dtype(*tensors):
    last = None
    for each in tensors:
        for one in each if isinstance(each, (list, tuple)) else (each,):
            dtype = one.dtype.to_real() if one.dtype.is_complex else one.dtype
            if last not in (None, dtype):
                raise ValueError(f"Invalid usage of tensors with different dtypesFound {last} and  {one.dtype}")
            last = dtype


def _view_complex_as_real(tensor):
    return view_as_real(tensor) if tensor.is_complex() else tensor


def _view_all_as_real(tensors):
    return [_view_complex_as_real(tensor) for tensor in tensors]


def _canonicalize_group_rank(group, global_rank=None, group_rank=None, return_global=False):
    if group_rank is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return get_global_rank(group, group_rank) if return_global else group_rank
    if global_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    return global_rank if return_global else get_group_rank(group, global_rank)


def _check_not_self_rank(group, rank, kind):
    if group.rank() == rank:
        raise ValueError(f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process.")


def _run_in_members_only(function):
    """Decorates a function for members of a group: fills in the default group, and warns in other processes."""
    parameters = list(signature(function).parameters)
    place = parameters.index("group")

    @wraps(function)
    def call_if_rank_in_group(*arguments, **options):
        group = arguments[place] if len(arguments) > place else options.get("group")
        if _rank_not_in_group(group):
            rank = -1 if _world.default_pg is None else _world.default_pg.rank()
            warnings.warn(
                f"Running {function.__name__} on global rank {rank} which does not belong to the given group.",
                stacklevel=2,
            )
            return None
        return function(*arguments, **options)

    return call_if_rank_in_group


def _wait_or_return_work(work, async_op):
    if async_op:
        return work
    work.wait()
    return None


def supports_complex(reduceOp: ReduceOp) -> bool:
    """Returns whether a reduction is defined for complex tensors: those by order, product or bits are not.

    Args:
        reduceOp (ReduceOp): the reduction.

    Returns:
        bool: whether it is.
    """
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PREMUL_SUM)


def _choose_root_rank(group, rank, group_rank):
    if rank is None and group_rank is None:
        rank = 0
    return _canonicalize_group_rank(group, rank, group_rank)


def _make_reduction_options(options, op, async_op):
    if not isinstance(op, (ReduceOp, ReduceOp.RedOpType)) or op == ReduceOp.PREMUL_SUM:
        raise TypeError(
            "(): incompatible function arguments. The following argument types are supported:\n"
            f"    1. (self: torch._C._distributed_c10d.{options.__name__}, "
            "arg0: torch._C._distributed_c10d.ReduceOp) -> None\n\n"
            f"Invoked with: {options()}, {op!r}"
        )
    return options(reduceOp=op, asyncOp=async_op)


def _refuse_complex_tensors_for_op(name, tensors, op):
    if any(tensor.is_complex() for tensor in tensors) and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")


def _check_list_only_on_root(group, root, name, tensors, side):
    """Checks that the root, and no other rank, passed a list."""
    if group.rank() == root:
        if not tensors:
            raise ValueError(f"Argument ``{name}`` must be specified on {side} rank.")
    elif tensors:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{side} ranks.")
