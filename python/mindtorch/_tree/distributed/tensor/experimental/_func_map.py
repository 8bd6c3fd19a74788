"""local_map: runs a function of plain tensors on the pieces of distributed ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from ....utils import _pytree as pytree
from ...._root import torch
from ...device_mesh import DeviceMesh
from .._api import DTensor
from ..placement_types import Placement

__all__ = ["local_map"]


def local_map(
    func: Callable | None = None,
    out_placements=None,
    in_placements: tuple[Sequence[Placement] | None, ...] | None = None,
    in_grad_placements: tuple[Sequence[Placement] | None, ...] | None = None,
    device_mesh: DeviceMesh | None = None,
    *,
    redistribute_inputs: bool = False,
):
    """Returns a function that runs `func` on the pieces of its arguments and makes its results distributed tensors.

    Args:
        func (callable, optional): a function of plain tensors; without it, a decorator is returned.
        out_placements (list[Placement] or tuple): the results' placements; None for what is no tensor.
        in_placements (tuple, optional): the placements that each argument must have; None for what is no DTensor.
        in_grad_placements (tuple, optional): the placements of the arguments' gradients.
        device_mesh (DeviceMesh, optional): the mesh of the results; that of the arguments if it is None.
        redistribute_inputs (bool): whether arguments with other placements are redistributed. Default: ``False``.

    Returns:
        callable: the function.

    Raises:
        ValueError: in the call, when an argument has other placements than `in_placements`.
    """
    if func is None:
        return functools.partial(
            local_map,
            out_placements=out_placements,
            in_placements=in_placements,
            in_grad_placements=in_grad_placements,
            device_mesh=device_mesh,
            redistribute_inputs=redistribute_inputs,
        )

    @functools.wraps(func)
    def call_on_local_tensors(*args, **kwargs):
        leaves, structure = pytree.tree_flatten(args)
        if in_placements is not None and len(in_placements) != len(leaves):
            raise AssertionError(
                f"in_placements length {len(in_placements)} does not match the number of input args {len(leaves)}!"
            )
        mesh, given = device_mesh, any(isinstance(leaf, DTensor) for leaf in leaves)
        pieces = []
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, DTensor):
                mesh = leaf.device_mesh if mesh is None else mesh
                leaf = _local_piece_of_argument(
                    leaf, index, mesh, in_placements, in_grad_placements, redistribute_inputs
                )
            pieces.append(leaf)
        result = func(*pytree.tree_unflatten(pieces, structure), **kwargs)
        return _wrap_results(result, mesh, out_placements) if given else result

    return call_on_local_tensors


def _local_piece_of_argument(tensor, index, mesh, in_placements, in_grad_placements, may_redistribute):
    """Returns this rank's piece of an argument."""
    wanted = None if in_placements is None else in_placements[index]
    if wanted is not None:
        wanted = tuple(wanted)
        if tensor.placements != wanted:
            if not may_redistribute:
                raise ValueError(
                    f"arg {tensor} in local_map has a mismatched placements: arg placements is {tensor.placements} but "
                    f"the input placements is {wanted}! If redistribute_inputs is wanted, set redistribute_inputs=True "
                    "to local_map."
                )
            tensor = tensor.redistribute(mesh, wanted)
    gradients = None if in_grad_placements is None else in_grad_placements[index]
    return tensor.to_local() if gradients is None else tensor.to_local(grad_placements=gradients)


def _wrap_results(result, mesh, out_placements):
    """Returns the results as distributed tensors."""
    values, structure = pytree.tree_flatten(result)
    several = isinstance(out_placements, tuple)
    if several and len(values) != len(out_placements):
        raise AssertionError(
            "local_map requires one PlacementType be provided for each output value, "
            f"received {len(out_placements)} out_placements but {len(values)} is expected!"
        )
    wrapped = []
    for index, value in enumerate(values):
        placements = out_placements[index] if several else out_placements
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
            value = DTensor.from_local(value, mesh, placements, run_check=False)
        elif not isinstance(value, torch.Tensor) and placements is not None:
            raise AssertionError(f"Non-tensor output {value} expects None placements but received {placements}!")
        wrapped.append(value)
    return pytree.tree_unflatten(wrapped, structure)
