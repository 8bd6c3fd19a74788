"""DTensorSpec: everything about a distributed tensor except its data."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..._root import torch
from . import placement_types
from ._layout import is_shard_placement
from .placement_types import Partial, Placement, Replicate, Shard

__all__ = ["DTensorSpec", "ShardOrderEntry", "TensorMeta"]


class ShardOrderEntry(NamedTuple):
    """The dimensions of the mesh that cut one dimension of a tensor, in order."""

    tensor_dim: int
    mesh_dims: tuple[int, ...]


class TensorMeta(NamedTuple):
    """Global shape, strides and dtype of a tensor."""

    shape: torch.Size
    stride: tuple[int, ...]
    dtype: torch.dtype


_SHORT = {
    "float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c", "bool": "b8",
}  # fmt: skip


def abbreviate_dtype(dtype) -> str:
    """Returns "f32" for torch.float32, likewise for others."""
    name = str(dtype).removeprefix("torch.")
    kind = name.rstrip("0123456789")
    return _SHORT.get(kind, kind) + name[len(kind) :]


@dataclass(frozen=True, eq=False)
class DTensorSpec:
    """Mesh, placements and global description of a tensor.

    Args:
        mesh (DeviceMesh): the mesh.
        placements (tuple[Placement, ...]): one per dimension of the mesh.
        tensor_meta (TensorMeta, optional): global shape, strides and dtype.
    """

    mesh: Any
    placements: tuple[Placement, ...]
    tensor_meta: TensorMeta | None = None
    shard_order: tuple[ShardOrderEntry, ...] = field(default=None)
    use_strided_shard_as_shard_order: bool | None = field(default=None)

    def __post_init__(self):
        if not isinstance(self.placements, tuple):
            object.__setattr__(self, "placements", tuple(self.placements))
        if self.shard_order is None:
            dims = sorted({placement.dim for placement in self.placements if isinstance(placement, Shard)})
            entries = [
                ShardOrderEntry(
                    dim, tuple(i for i, p in enumerate(self.placements) if isinstance(p, Shard) and p.dim == dim)
                )
                for dim in dims
            ]
            object.__setattr__(self, "shard_order", tuple(entries))
        if self.use_strided_shard_as_shard_order is None:
            strided = any(isinstance(placement, placement_types._StridedShard) for placement in self.placements)
            object.__setattr__(self, "use_strided_shard_as_shard_order", strided)

    device_mesh = property(lambda self: self.mesh)
    shape = property(lambda self: self._require_tensor_meta().shape)
    stride = property(lambda self: self._require_tensor_meta().stride)
    ndim = property(lambda self: len(self._require_tensor_meta().shape))

    def _require_tensor_meta(self):
        if self.tensor_meta is None:
            raise ValueError("tensor_meta is not set")
        return self.tensor_meta

    @property
    def num_shards(self) -> int:
        """The number of different pieces."""
        count = 1
        for index, placement in enumerate(self.placements):
            count *= self.mesh.size(index) if is_shard_placement(placement) else 1
        return count

    @property
    def dim_map(self) -> list[int]:
        """For each dimension of the tensor, the dimension of the mesh that cuts it; -1 for none."""
        found = [-1] * self.ndim
        for index, placement in enumerate(self.placements):
            if is_shard_placement(placement):
                if found[placement.dim] != -1:
                    raise ValueError(
                        f"Tensor dim {placement.dim} is already sharded on mesh dim {found[placement.dim]},"
                        " DTensor operator implementation does not support things like hybrid sharding strategies yet"
                        " (i.e. [Shard(0), Shard(0)])"
                    )
                found[placement.dim] = index
        return found

    @property
    def sums(self) -> list[int]:
        """The dimensions of the mesh whose ranks have terms of a sum."""
        return [index for index, placement in enumerate(self.placements) if placement.is_partial()]

    def is_replicated(self) -> bool:
        """Returns whether every rank has the complete tensor."""
        return all(placement.is_replicate() for placement in self.placements)

    def is_sharded(self) -> bool:
        """Returns whether ranks have pieces."""
        return any(is_shard_placement(placement) for placement in self.placements)

    def _key(self):
        return self.mesh, self.placements, self.tensor_meta

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTensorSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self) -> str:
        placements = "".join(map(str, self.placements))
        if self.tensor_meta is None:
            return f"Spec(unknown shape({placements}))"
        return f"Spec({abbreviate_dtype(self.tensor_meta.dtype)}{list(self.shape)}({placements}))"


def tensor_meta_of(tensor) -> TensorMeta:
    """Returns the description of a tensor."""
    return TensorMeta(tensor.shape, tensor.stride(), tensor.dtype)


def make_replicated_spec(mesh, meta) -> DTensorSpec:
    """Returns the spec of a tensor that every rank has."""
    return DTensorSpec(mesh, (Replicate(),) * mesh.ndim, meta)


def replace_partial_by_replicate(placements):
    """Returns the placements of a gradient: a term's gradient is the complete one."""
    return tuple(Replicate() if isinstance(placement, Partial) else placement for placement in placements)
