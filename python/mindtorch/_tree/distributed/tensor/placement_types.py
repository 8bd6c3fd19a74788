"""How a tensor is distributed over the ranks along a dimension of a mesh."""

from dataclasses import dataclass

__all__ = ["Placement", "Partial", "Replicate", "Shard"]


class Placement:
    """The base of the placements."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Returns whether each rank has a piece along `dim`; along any dimension if it is None."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Returns whether each rank has the complete tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Returns whether ranks have partial results to be combined by `reduce_op`; by any operation if it is None."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each rank has a piece of the tensor.

    Args:
        dim (int): the dimension that is cut.
    """

    dim: int

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True, repr=False)
class _StridedShard(Placement):
    dim: int
    split_factor: int

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Each rank has the complete tensor."""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Each rank has a term of the tensor.

    Args:
        reduce_op (str): how the terms are joined. Default: ``"sum"``.
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


@dataclass(frozen=True, repr=False)
class _NormPartial(Partial):
    """Each rank has the norm of its piece; the norm of these numbers is the norm of all."""

    reduce_op: str = "sum"
    norm_type: float = 2

    def __repr__(self) -> str:
        return f"_NormPartial({self.norm_type})"

    def __str__(self) -> str:
        return f"_NormP({self.norm_type})"


def check_partial_reductions(placements) -> None:
    """Raises for terms of different reductions that cannot be exchanged."""
    found = {placement.reduce_op for placement in placements if isinstance(placement, Partial)}
    if len(found) > 1 and not found <= {"sum", "avg"}:
        raise ValueError(
            "Mixed Partial reduce types are not supported in the same placement list. "
            f"Found reduce ops: {found}. Please ensure all Partial placements use the same reduce operation."
        )


def normalize_placements(placements, ndim: int) -> tuple[Placement, ...]:
    """Returns placements with negative dimensions counted from the start."""
    found = []
    for placement in placements:
        if isinstance(placement, Shard) and placement.dim < 0:
            placement = Shard(placement.dim + ndim)
        elif isinstance(placement, _StridedShard) and placement.dim < 0:
            placement = _StridedShard(placement.dim + ndim, placement.split_factor)
        found.append(placement)
    return tuple(found)
