"""Pieces of distributed tensors in numbers."""

from collections.abc import Sequence

from ..device_mesh import DeviceMesh
from ._layout import local_shape_and_offset
from .placement_types import Placement, normalize_placements

__all__ = ["compute_local_shape_and_global_offset"]


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the shape of this rank's piece, and the global index of its first element.

    Args:
        global_shape (sequence of int): the complete tensor's shape.
        mesh (DeviceMesh): the mesh.
        placements (list[Placement]): how each dimension of the mesh cuts the tensor.

    Returns:
        tuple[tuple[int, ...], tuple[int, ...]]: both; the offset of an empty piece is the dimension's size.
    """
    return local_shape_and_offset(tuple(global_shape), mesh, normalize_placements(placements, len(global_shape)))
