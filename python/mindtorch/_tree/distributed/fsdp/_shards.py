"""Sharded parameters of fully_shard: their pieces, the all-gather of parameters and the reduce-scatter of gradients.

A gathered parameter is one leaf tensor for its whole life: graphs save it, and its storage is freed between uses
(size 0) and filled again. Large parameters are gathered into that storage without a copy, and small ones together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ... import Size, Tensor, cat, contiguous_format, empty, float16, no_grad, tensor_split, zeros_like
from ...nn import Module, Parameter
from ..device_mesh import DeviceMesh
from ..distributed_c10d import ReduceOp, all_gather_single, all_reduce, reduce_scatter_single
from ..tensor import DTensor, Replicate, Shard
from ._policies import MixedPrecisionPolicy

# Parameters of at least this many bytes are communicated on their own, without copies.
_LARGE = 1 << 20


@dataclass
class Ranks:
    """The groups of a mesh: the last dimension shards parameters, the one before it replicates them."""

    mesh: DeviceMesh
    shard_group: Any = field(init=False)
    replicate_group: Any = field(init=False, default=None)

    def __post_init__(self):
        self.shard_group = self.mesh.get_group(self.mesh.ndim - 1)
        if self.mesh.ndim == 2:
            self.replicate_group = self.mesh.get_group(0)
        self.size, self.rank = self.shard_group.size(), self.shard_group.rank()

    @property
    def averaged_rank_count(self) -> int:
        """The number of ranks whose gradients are averaged."""
        return self.mesh.size()

    def placements(self, dim):
        return (Replicate(),) * (self.mesh.ndim - 1) + (Shard(dim),)


def append_zeros(flat, numel) -> Tensor:
    """Returns a tensor of one dimension, extended to a number of elements; itself if it has as many."""
    missing = numel - flat.numel()
    return cat([flat, flat.new_zeros(missing)]) if missing else flat


class ShardedParameter:
    """A parameter of which this rank has a piece, a DTensor.

    Args:
        parameter (Parameter): the complete parameter.
        owners (list): all pairs of module and name that have it.
        ranks (Ranks): over which ranks it is sharded.
        dim (int): the dimension that is sharded. Other dimensions than the first must have equal pieces.
        policy (MixedPrecisionPolicy): the types.
        compute_device (torch.device): where it is gathered.
        keep_device (torch.device): where its piece is.
    """

    def __init__(self, parameter, owners, ranks, dim, policy: MixedPrecisionPolicy, compute_device, keep_device):
        self.owners, self.ranks, self.dim, self.device = owners, ranks, dim, compute_device
        self.shape, self.stride, self.dtype = parameter.shape, parameter.stride(), parameter.dtype
        self.param_dtype = (policy.param_dtype if self.dtype.is_floating_point else None) or self.dtype
        self.reduce_dtype = policy.reduce_dtype
        rows = self.shape[dim]
        if dim > 0 and rows % ranks.size:
            raise NotImplementedError(
                f"FSDP does not support uneven sharding on dim {dim}: {self.shape} (world size: {ranks.size})"
            )
        self.chunk_rows = -(-rows // ranks.size)
        self.chunk_numel = self.chunk_rows * (parameter.numel() // rows) if rows else 0
        self.padded_numel = self.chunk_numel * ranks.size
        start = min(self.chunk_rows * ranks.rank, rows)
        self.rows = min(self.chunk_rows, rows - start)
        piece = parameter.detach().narrow(dim, start, self.rows)
        piece = piece.to(keep_device) if piece.device.type != "meta" else piece
        piece = piece.clone().contiguous()
        self.sharded = Parameter(self.wrap_piece_in_dtensor(piece), requires_grad=parameter.requires_grad)
        self.full: Parameter | None = None
        self.accumulated: Tensor | None = None  # the gradient of backwards without synchronisation
        self.unreduced: Tensor | None = None  # its piece before the all-reduce over replicas
        self.kept: Tensor | None = None  # the piece between forward and backward, if that is a larger one
        self._storage = None
        self.register(self.sharded)

    def wrap_piece_in_dtensor(self, piece) -> DTensor:
        """Returns the DTensor that has this piece."""
        ranks = self.ranks
        with no_grad():
            return DTensor.from_local(
                piece, ranks.mesh, ranks.placements(self.dim), run_check=False, shape=self.shape, stride=self.stride
            )

    def register(self, parameter):
        """Puts a parameter into the modules that have this one."""
        for module, name in self.owners:
            module._parameters[name] = parameter

    def reload_piece_from_modules(self):
        """Takes the piece from the module: loading a state or moving a module replaces it."""
        module, name = self.owners[0]
        found = module._parameters[name]
        if found is not self.full:
            self.sharded = found

    @property
    def is_large(self) -> bool:
        """Whether the parameter is gathered straight into its storage."""
        return self.dim == 0 and self.padded_numel * self.param_dtype.itemsize >= _LARGE

    def flatten_piece_to_send(self) -> Tensor:
        """Returns this rank's piece as it is sent: one dimension, filled up to the size of the first piece."""
        piece = self.sharded._local_tensor.detach().to(self.device, self.param_dtype).contiguous().view(-1)
        return append_zeros(piece, self.chunk_numel)

    def allocate(self) -> Tensor:
        """Returns the storage of the gathered parameter to be filled, as a tensor whose writes autograd ignores."""
        if self.full is None:
            with no_grad():
                memory = empty(self.padded_numel, dtype=self.param_dtype, device=self.device)
                self._storage, self._nbytes = memory.untyped_storage(), memory.untyped_storage().nbytes()
                self.full = Parameter(self._view_as_parameter(memory), requires_grad=self.sharded.requires_grad)
        elif self._storage.nbytes() == 0:
            self._storage.resize_(self._nbytes)
        self.full.requires_grad_(self.sharded.requires_grad)
        return empty(0, dtype=self.param_dtype, device=self.device).set_(self._storage, 0, (self.padded_numel,), (1,))

    def _view_as_parameter(self, memory):
        return memory[: self.shape.numel()].view(self.shape)

    def fill(self, gathered):
        """Writes the pieces of all ranks, a matrix with one row per rank, into the parameter."""
        memory = self.allocate()
        if self.dim == 0:
            memory.view(self.ranks.size, -1).copy_(gathered)
            return
        shape = list(self.shape)
        shape[self.dim] = self.chunk_rows
        cat([piece.view(shape) for piece in gathered], self.dim, out=self._view_as_parameter(memory))

    def free(self):
        """Frees the gathered parameter; what is computed with it next must gather it first."""
        if self._storage is not None:
            self._storage.resize_(0)

    def take_full_gradient(self) -> Tensor | None:
        """Returns the complete gradient, and forgets it; None if there is none."""
        gradient, self.full.grad = self.full.grad, None
        if self.accumulated is not None:
            gradient = self.accumulated if gradient is None else self.accumulated.add_(gradient)
            self.accumulated = None
        return gradient

    def accumulate(self):
        """Keeps the gradient for a later reduction, in the type of the reduction."""
        if self.reduce_dtype in (None, self.param_dtype) or self.full.grad is None:
            return  # the leaf itself accumulates
        self.accumulated = self.take_full_gradient().to(self.reduce_dtype)

    def arrange_rows_by_rank(self, gradient, dtype) -> Tensor:
        """Returns a gradient as a matrix with one row per rank."""
        if self.dim > 0:
            pieces = tensor_split(gradient, self.ranks.size, self.dim)
            gradient = cat([piece.reshape(1, -1) for piece in pieces])
        flat = gradient.to(dtype).contiguous().view(-1)
        return append_zeros(flat, self.padded_numel).view(self.ranks.size, -1)

    def add_reduced_gradient(self, flat):
        """Adds this rank's piece of the reduced gradient to the sharded parameter."""
        shape = list(self.shape)
        shape[self.dim] = self.rows
        piece = flat[: Size(shape).numel()].view(shape)
        piece = piece.to(self.sharded.device, self.dtype)
        if self.sharded.grad is None:
            self.sharded.grad = self.wrap_piece_in_dtensor(piece)
        else:
            self.sharded.grad._local_tensor.add_(piece)


class ParameterGroup:
    """The parameters of one call of fully_shard, which are gathered and freed together.

    Args:
        parameters (list[ShardedParameter]): the parameters.
        ranks (Ranks): over which ranks they are sharded.
        policy (MixedPrecisionPolicy): the types.
    """

    def __init__(self, parameters: list[ShardedParameter], ranks: Ranks, policy: MixedPrecisionPolicy):
        self.parameters, self.ranks, self.policy = parameters, ranks, policy
        self.is_gathered = False
        self.requires_sync = self.requires_all_reduce = True
        self.reduces_unused = False
        self.divide_factor: float | None = None
        self.all_reduce_hook = None
        self._smaller: Ranks | None = None
        self._gathering: list[tuple] = []

    def _group_into_buckets(self, parameters):
        """Divides parameters into those that are communicated alone and, by type, the others."""
        small: dict[Any, list[ShardedParameter]] = {}
        buckets = []
        for parameter in parameters:
            if parameter.is_large:
                buckets.append([parameter])
            else:
                small.setdefault(parameter.param_dtype, []).append(parameter)
        return [*buckets, *small.values()]

    def start_gather(self):
        """Starts the all-gather; finish_gather waits for it."""
        if self.is_gathered or self._gathering:
            return
        for parameter in self.parameters:
            parameter.reload_piece_from_modules()
        if self._smaller is not None and all(parameter.kept is not None for parameter in self.parameters):
            for parameter in self.parameters:
                memory, kept = parameter.allocate(), parameter.kept
                work = all_gather_single(memory, kept, self._smaller.shard_group, async_op=True)
                self._gathering.append((work, [parameter], kept, None))
            return
        for bucket in self._group_into_buckets(self.parameters):
            if bucket[0].is_large:
                sent, received = bucket[0].flatten_piece_to_send(), bucket[0].allocate()
            else:
                sent = cat([parameter.flatten_piece_to_send() for parameter in bucket])
                received = empty(sent.numel() * self.ranks.size, dtype=sent.dtype, device=sent.device)
            work = self._all_gather_flat(received, sent)
            self._gathering.append((work, bucket, sent, None if bucket[0].is_large else received))

    def _all_gather_flat(self, received, sent):
        if self.ranks.size > 1:
            return all_gather_single(received, sent, self.ranks.shard_group, async_op=True)
        with no_grad():
            received.copy_(sent)
        return None

    def finish_gather(self):
        """Waits for the parameters and puts them into the modules."""
        if self.is_gathered:
            return
        self.start_gather()
        with no_grad():
            for work, bucket, _, received in self._gathering:
                if work is not None:
                    work.wait()
                if received is not None:
                    columns = received.view(self.ranks.size, -1)
                    for parameter, part in zip(bucket, columns.split([p.chunk_numel for p in bucket], 1)):
                        parameter.fill(part)
        self._gathering.clear()
        for parameter in self.parameters:
            parameter.kept = None
            parameter.register(parameter.full)
        self.is_gathered = True

    def gather(self):
        """Gathers the parameters if they are sharded, and puts them into the modules."""
        if self.is_gathered:  # views of them need the current grad mode
            for parameter in self.parameters:
                parameter.register(parameter.full)
        self.start_gather()
        self.finish_gather()

    def reshard(self, keep: Ranks | None = None):
        """Frees the gathered parameters.

        Args:
            keep (Ranks, optional): keeps a piece of this group of ranks, from which the parameters are gathered next.
        """
        if self._gathering:
            self.finish_gather()
        if not self.is_gathered:
            for parameter in self.parameters:  # not even the larger piece is kept
                parameter.kept = None
            return
        self._smaller = keep
        for parameter in self.parameters:
            if keep is not None:
                parts = parameter.allocate().view(keep.size, -1)
                parameter.kept = parts[keep.rank].clone()
            parameter.register(parameter.sharded)
            parameter.free()
        self.is_gathered = False

    def reduce_gradients(self):
        """Averages the gradients over the ranks and adds this rank's pieces to those of the sharded parameters."""
        found = {}
        for parameter in self.parameters:
            if parameter.full is None:
                continue
            if not self.requires_sync:
                parameter.accumulate()
                continue
            gradient = parameter.take_full_gradient()
            if gradient is None and self.reduces_unused and parameter.full.requires_grad:
                gradient = zeros_like(parameter.full, memory_format=contiguous_format)
            if gradient is not None:
                found[parameter] = gradient
        with no_grad():
            for bucket in self._group_into_buckets(found):
                self._reduce_scatter_bucket(bucket, [found.pop(parameter) for parameter in bucket])

    def _reduce_scatter_bucket(self, bucket, gradients):
        dtype = self.policy.reduce_dtype or gradients[0].dtype
        columns = [parameter.arrange_rows_by_rank(gradients.pop(0), dtype) for parameter in bucket]
        sent = columns.pop() if len(columns) == 1 else cat(columns, 1)
        columns.clear()
        # A sum of float16 values overflows easily, so part of the division runs before the reduction.
        factor = self.divide_factor or self.ranks.averaged_rank_count
        before = 1
        while dtype == float16 and before * before * 4 <= factor:
            before *= 2
        if before > 1:
            sent = sent.div(before)
        received = empty(sent.shape[1], dtype=dtype, device=sent.device)
        if self.ranks.size > 1:
            reduce_scatter_single(received, sent.view(-1), ReduceOp.SUM, self.ranks.shard_group)
        else:
            received.copy_(sent.view(-1))
        del sent
        pieces = list(received.split([parameter.chunk_numel for parameter in bucket]))
        if self.ranks.replicate_group is not None:
            for index, parameter in enumerate(bucket):
                if parameter.unreduced is not None:
                    pieces[index].add_(parameter.unreduced)
                parameter.unreduced = None if self.requires_all_reduce else pieces[index]
            if not self.requires_all_reduce:
                return
            all_reduce(received, ReduceOp.SUM, self.ranks.replicate_group)
        if self.all_reduce_hook is not None:
            self.all_reduce_hook(received)
        received.div_(factor / before)
        for parameter, piece in zip(bucket, pieces):
            parameter.add_reduced_gradient(piece)


def find_parameter_owners(modules: list[Module], ignored) -> dict[Parameter, list[tuple[Module, str]]]:
    """Returns the parameters of these modules themselves, with all pairs of module and name that have each."""
    owners: dict[Parameter, list[tuple[Module, str]]] = {}
    for module in modules:
        for name, parameter in module._parameters.items():
            if parameter is not None and parameter not in ignored:
                owners.setdefault(parameter, []).append((module, name))
    return owners
