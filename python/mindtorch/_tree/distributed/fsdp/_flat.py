"""The parameters of a wrapped module as one flat tensor, of which each rank has an equal piece."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from ... import Size, Tensor, empty, nan, no_grad, zeros
from ...nn import Module, Parameter
from ..device_mesh import DeviceMesh
from ..distributed_c10d import all_gather_single, get_process_group_ranks
from ..tensor import DTensor, Shard, distribute_tensor
from ._shards import ShardedParameter, append_zeros


class FlatRanks:
    """The groups of ranks that share pieces of a parameter, and that replicate them.

    Args:
        shard_group (ProcessGroup, optional): the ranks that share the pieces; None is this rank alone.
        replicate_group (ProcessGroup, optional): the ranks that have the same piece.
    """

    def __init__(self, shard_group, replicate_group):
        self.shard_group, self.replicate_group = shard_group, replicate_group
        self.size = 1 if shard_group is None else shard_group.size()
        self.rank = 0 if shard_group is None else shard_group.rank()

    @property
    def averaged_rank_count(self) -> int:
        """The number of ranks whose gradients are averaged."""
        return self.size * (1 if self.replicate_group is None else self.replicate_group.size())


@dataclass
class Entry:
    """An original parameter's part of the flat one."""

    parameter: Parameter | None
    owners: list[tuple[Module, str]]
    shape: Size
    offset: int
    requires_grad: bool

    @property
    def numel(self) -> int:
        return self.shape.numel()

    def view(self, flat) -> Tensor:
        return flat[self.offset : self.offset + self.numel].view(self.shape)


def _make_mesh_of_group(group, device_type) -> DeviceMesh:
    """Returns a mesh over the ranks of a group."""
    mesh = DeviceMesh(device_type, get_process_group_ranks(group), _init_backend=False)
    mesh._dim_group_names = [group.group_name]
    return mesh


class _FlatParameterMeta(type(Parameter)):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and getattr(instance, "_is_flat_param", False)


class FlatParameter(Parameter, metaclass=_FlatParameterMeta):
    """The parameters of a wrapped module as one tensor, of which this is a rank's piece.

    It is a `Parameter` with a mark: ``isinstance(x, FlatParameter)`` holds for it and not for other parameters.

    Args:
        data (Tensor, optional): the piece.
        requires_grad (bool): whether autograd records operations on it. Default: ``True``.

    Example:
        >>> from torch.distributed.fsdp import FlatParameter
        >>> isinstance(FlatParameter(torch.ones(2)), FlatParameter), isinstance(nn.Parameter(), FlatParameter)
        (True, False)
    """

    def __new__(cls, data=None, requires_grad=True):
        parameter = Parameter(data, requires_grad)
        parameter._is_flat_param = True
        return parameter


class FlatShards(ShardedParameter):
    """All parameters of a wrapped module, flat and sharded.

    Args:
        root (Module): the module that gets `_flat_param`, if the original parameters are not kept.
        owners (dict): from parameter to all pairs of module and name that have it.
        ranks (FlatRanks): over which ranks it is sharded.
        param_dtype (torch.dtype, optional): the type of gathered parameters.
        reduce_dtype (torch.dtype, optional): the type in which gradients are reduced.
        use_orig_params (bool): whether modules keep their parameters, which are parts of this rank's piece.
        compute_device (torch.device): where it is gathered.
        keep_device (torch.device): where the piece is.
    """

    def __init__(self, root, owners, ranks, param_dtype, reduce_dtype, use_orig_params, compute_device, keep_device):
        self.root, self.ranks, self.dim, self.device = root, ranks, 0, compute_device
        self.mesh = _make_mesh_of_group(ranks.shard_group or ranks.replicate_group, compute_device.type)
        self.use_orig_params, self.reduce_dtype = use_orig_params, reduce_dtype
        self.dtype = self._common_dtype(owners)
        self.param_dtype = (param_dtype if self.dtype.is_floating_point else None) or self.dtype
        flags = {parameter.requires_grad for parameter in owners}
        if len(flags) > 1 and not use_orig_params:
            raise ValueError("Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`")
        self.entries: list[Entry] = []
        offset, alignment = 0, max(1, 16 // self.dtype.itemsize) if use_orig_params else 1
        for parameter, pairs in owners.items():
            offset = -(-offset // alignment) * alignment
            kept = parameter if use_orig_params else None
            self.entries.append(Entry(kept, pairs, parameter.shape, offset, parameter.requires_grad))
            offset += parameter.numel()
        self.numel, self.shape = offset, Size([offset])
        self.rows = self.chunk_numel = self.chunk_rows = -(-offset // ranks.size)
        self.padded_numel = self.chunk_numel * ranks.size
        self.full = self.accumulated = self.unreduced = self.kept = self._storage = None
        with no_grad():
            self.piece = zeros(self.chunk_numel, dtype=self.dtype, device=keep_device)
            for entry, parameter in zip(self.entries, owners):
                start, stop, source = self.overlap_with_own_piece(entry)
                self.piece[start:stop] = parameter.detach().reshape(-1)[source : source + stop - start]
        self.sharded = FlatParameter(self.piece, requires_grad=True in flags)
        for entry in self.entries:
            for module, name in entry.owners:
                del module._parameters[name]
        self.register(self.sharded)

    @staticmethod
    def _common_dtype(owners):
        found = None
        for parameter in owners:
            if found not in (None, parameter.dtype):
                raise ValueError(f"Must flatten tensors with uniform dtype but got {found} and {parameter.dtype}")
            found = parameter.dtype
        return found

    def overlap_with_own_piece(self, entry) -> tuple[int, int, int]:
        """Returns where an original parameter begins and ends in this rank's piece, and from which element."""
        first = self.ranks.rank * self.chunk_numel
        start = min(max(entry.offset - first, 0), self.chunk_numel)
        stop = min(max(entry.offset + entry.numel - first, 0), self.chunk_numel)
        return start, stop, max(first - entry.offset, 0)

    def view_entry_in_piece(self, entry, piece) -> Tensor:
        """Returns an original parameter's part of a piece; with its shape if this rank has all of it."""
        start, stop, _ = self.overlap_with_own_piece(entry)
        return piece[start:stop].view(entry.shape) if self.ranks.size == 1 else piece[start:stop]

    def register(self, parameter):
        """Gives modules their complete parameters, views of the gathered one, or takes these away."""
        if parameter is self.full and parameter is not None:
            ends = [entry.offset for entry in self.entries[1:]] + [self.numel]
            views = parameter.split([end - entry.offset for end, entry in zip(ends, self.entries)])
            for entry, view in zip(self.entries, views):
                view = view[: entry.numel].view(entry.shape) if view.numel() > entry.numel else view.view(entry.shape)
                self._set_on_owners(
                    entry, view if entry.requires_grad else view.detach(), as_parameter=self.use_orig_params
                )
            return
        if not self.use_orig_params:
            self.root._parameters["_flat_param"] = self.sharded
            # Programs may read a parameter's shape, dtype and device while it is sharded. Its elements read as NaN.
            absent = self.piece.new_full((), nan if self.dtype.is_floating_point else 0)
            for entry in self.entries:
                self._set_on_owners(entry, absent.expand(entry.shape), as_parameter=False)
            return
        for entry in self.entries:
            entry.parameter.data = self.view_entry_in_piece(entry, self.piece)
            self._set_on_owners(entry, entry.parameter, as_parameter=True)

    def _set_on_owners(self, entry, value, as_parameter):
        for module, name in entry.owners:
            (module._parameters if as_parameter else module.__dict__)[name] = value

    def reload_piece_from_modules(self):
        """Follows a module that was moved or got another type."""
        with no_grad():
            if not self.use_orig_params:
                self.sharded = self.root._parameters["_flat_param"]
                self.piece = self.sharded.detach()
                self.dtype = self.piece.dtype
                return
            memory = self.piece.untyped_storage().data_ptr()
            moved = [entry for entry in self.entries if entry.parameter.numel()]
            if all(entry.parameter.untyped_storage().data_ptr() == memory for entry in moved):
                return
            first = moved[0].parameter
            piece = zeros(self.chunk_numel, dtype=first.dtype, device=first.device)
            for entry in moved:
                part = self.view_entry_in_piece(entry, piece)
                part.copy_(entry.parameter.detach())
                entry.parameter.data = part
            self.piece, self.dtype = piece, piece.dtype

    def flatten_piece_to_send(self) -> Tensor:
        return self.piece.to(self.device, self.param_dtype)

    def gather_all_elements(self) -> Tensor:
        """Returns a new tensor with all elements, in the type of the parameter."""
        self.reload_piece_from_modules()
        return self.all_gather_pieces(self.piece)

    def all_gather_pieces(self, piece) -> Tensor:
        """Returns the flat tensor of which each rank passes a piece."""
        piece = piece.to(self.device).contiguous()
        if self.ranks.size == 1:
            return piece[: self.numel].clone()
        gathered = empty(self.padded_numel, dtype=piece.dtype, device=piece.device)
        all_gather_single(gathered, piece, self.ranks.shard_group)
        return gathered[: self.numel]

    def take_own_piece(self, flat) -> Tensor:
        """Returns this rank's piece of a complete flat tensor, filled up with zeros."""
        start = self.ranks.rank * self.chunk_numel
        return append_zeros(flat[start : start + self.chunk_numel], self.chunk_numel)

    def write_own_piece_from_flat(self, flat):
        """Takes this rank's piece of a complete flat tensor."""
        with no_grad():
            self.piece.copy_(self.take_own_piece(flat.detach()))

    def add_reduced_gradient(self, flat):
        """Adds this rank's piece of the reduced gradient to those of the parameters that optimizers have."""
        flat = flat.to(self.piece.device, self.dtype)
        if not self.use_orig_params:
            self._add_to_grad(self.sharded, flat)
            return
        for entry in self.entries:
            if entry.requires_grad and entry.parameter.numel():
                self._add_to_grad(entry.parameter, self.view_entry_in_piece(entry, flat))

    @staticmethod
    def _add_to_grad(parameter, gradient):
        if parameter.grad is None:
            parameter.grad = gradient
        else:
            parameter.grad.add_(gradient)

    def read_own_gradient_piece(self) -> Tensor:
        """Returns this rank's piece of the gradient; zeros where there is none."""
        if not self.use_orig_params:
            return zeros(self.chunk_numel, dtype=self.dtype) if self.sharded.grad is None else self.sharded.grad
        piece = zeros(self.chunk_numel, dtype=self.dtype, device=self.piece.device)
        for entry in self.entries:
            if entry.parameter.grad is not None:
                self.view_entry_in_piece(entry, piece).copy_(entry.parameter.grad)
        return piece

    def distribute_rows(self, tensor) -> DTensor:
        """Returns a complete tensor as a DTensor whose rows are over the ranks."""
        return distribute_tensor(tensor, self.mesh, [Shard(0)], src_data_rank=None)

    @contextlib.contextmanager
    def expose_values_as_parameters(self, values: list[Any] | None):
        """Gives modules these values as parameters, one for each original one; None gives the flat piece alone."""
        hidden = None
        if not self.use_orig_params and values is not None:
            hidden = self.root._parameters.pop("_flat_param")
        if values is not None:
            for entry, value in zip(self.entries, values):
                self._set_on_owners(entry, value, as_parameter=True)
                for module, name in entry.owners:
                    module.__dict__.pop(name, None)
        try:
            yield
        finally:
            if not self.use_orig_params and values is not None:
                for entry in self.entries:
                    for module, name in entry.owners:
                        del module._parameters[name]
            if hidden is not None:
                self.root._parameters["_flat_param"] = hidden
            self.register(self.sharded)
