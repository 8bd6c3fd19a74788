"""DTensor, and the functions that make one."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence

from ... import _C
from ..._prims_common import make_contiguous_strides_for
from ..._root import torch
from ...autograd import Function
from .. import _functional_collectives as collectives
from ..device_mesh import DeviceMesh, _get_current_mesh
from . import _dispatch
from ._dtensor_spec import DTensorSpec, TensorMeta, replace_partial_by_replicate
from ._layout import global_shape_and_strides, is_shard_placement, local_shape_and_offset, local_shape
from ._redistribute import Redistribute, _make_partial_term, redistribute, take
from .placement_types import Partial, Placement, Replicate, check_partial_reductions, normalize_placements

__all__ = [
    "DTensor", "distribute_tensor", "distribute_module", "ones", "empty", "full", "rand", "randn", "zeros",
]  # fmt: skip


class _ToLocal(Function):
    @staticmethod
    def forward(ctx, tensor, grad_placements):
        ctx.spec, ctx.grad_placements = tensor._spec, grad_placements
        local = tensor._local_tensor
        return local.view_as(local)

    @staticmethod
    def backward(ctx, grad):
        spec = ctx.spec
        placements = (
            replace_partial_by_replicate(spec.placements) if ctx.grad_placements is None else ctx.grad_placements
        )
        _, strides = global_shape_and_strides(grad, spec.mesh, placements)
        meta = TensorMeta(spec.tensor_meta.shape, strides, spec.tensor_meta.dtype)
        return DTensor(grad, DTensorSpec(spec.mesh, tuple(placements), meta), requires_grad=grad.requires_grad), None


class _FromLocal(Function):
    @staticmethod
    def forward(ctx, local, mesh, placements, run_check, shape, stride, grad_placements):
        if shape is not None and stride is not None:
            shape = torch.Size(shape)
        elif shape is None and stride is None:
            shape, stride = global_shape_and_strides(local, mesh, placements)
        else:
            raise RuntimeError(
                f"Found shape:{shape}, stride:{stride}.", "Please pass both shape and stride at the same time."
            )
        if mesh.get_coordinate() is None:
            local = local.new_empty(0, requires_grad=local.requires_grad)
        elif run_check:
            local = _check_and_broadcast_replicas(local, mesh, placements)
        meta = TensorMeta(torch.Size(shape), tuple(stride), local.dtype)
        ctx.spec = DTensorSpec(mesh, tuple(placements), meta)
        ctx.grad_placements = grad_placements
        return DTensor(local.view_as(local), ctx.spec, requires_grad=local.requires_grad)

    @staticmethod
    def backward(ctx, grad):
        placements = (
            replace_partial_by_replicate(ctx.spec.placements) if ctx.grad_placements is None else ctx.grad_placements
        )
        local = grad._local_tensor
        if grad._spec.placements != tuple(placements):
            local = redistribute(
                local, grad._spec, DTensorSpec(ctx.spec.mesh, tuple(placements), grad._spec.tensor_meta)
            )
        return local.view_as(local), None, None, None, None, None, None


def _check_and_broadcast_replicas(local, mesh, placements):
    """Checks that shapes agree, and copies replicated tensors from the first rank."""
    sizes = torch.tensor(local.shape)
    for mesh_dim, placement in enumerate(placements):
        everywhere = collectives.all_gather_tensor(sizes.unsqueeze(0), 0, (mesh, mesh_dim))
        if not bool((everywhere == sizes).all()):
            raise ValueError("Detected uneven DTensor local shard shapes; please use `run_check=False`.")
        if placement.is_replicate():
            first = torch.distributed.get_global_rank(mesh.get_group(mesh_dim), 0)
            local = collectives.broadcast(local, first, (mesh, mesh_dim))
    return local


class DTensor(torch.Tensor):
    """A tensor whose elements are distributed over the ranks of a device mesh.

    Made by :func:`distribute_tensor`, :meth:`from_local` or the factory functions of this module. Its shape is that of
    the complete tensor; each rank stores the piece that the placements describe. Operators run on the pieces and
    communicate where they must; all ranks call them together.

    Args:
        local_tensor (Tensor): this rank's piece.
        spec (DTensorSpec): mesh, placements, and global shape, strides and dtype.
        requires_grad (bool): whether autograd records its operations.
    """

    __torch_function__ = _C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, local_tensor, spec: DTensorSpec, *, requires_grad: bool):
        if local_tensor.requires_grad and not requires_grad:
            warnings.warn(
                "To construct DTensor from torch.Tensor, it's recommended to use local_tensor.detach() and make "
                "requires_grad consistent."
            )
        if spec.tensor_meta is None:
            raise AssertionError("TensorMeta should not be None!")
        tensor = torch.Tensor._make_wrapper_subclass(
            cls,
            spec.tensor_meta.shape,
            strides=spec.tensor_meta.stride,
            dtype=local_tensor.dtype,
            device=local_tensor.device,
            layout=local_tensor.layout,
            requires_grad=requires_grad,
        )
        tensor._spec = spec
        tensor._local_tensor = local_tensor
        return tensor

    def __init__(self, *args, **kwargs):
        pass

    def __repr__(self, *, tensor_contents=None) -> str:
        return (
            f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._spec.mesh}, "
            f"placements={self._spec.placements})"
        )

    def __tensor_flatten__(self):
        return ["_local_tensor"], (self._spec, self.requires_grad)

    @staticmethod
    def __tensor_unflatten__(inner_tensors, flatten_spec, outer_size, outer_stride):
        if flatten_spec is None:
            raise AssertionError("Expecting spec to be not None from `__tensor_flatten__` return value!")
        spec, requires_grad = flatten_spec
        local = inner_tensors["_local_tensor"]
        meta = TensorMeta(torch.Size(outer_size), tuple(outer_stride), spec.tensor_meta.dtype)
        return DTensor(local, DTensorSpec(spec.mesh, spec.placements, meta), requires_grad=requires_grad)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return _dispatch.dispatch(func, args, kwargs or {})

    @staticmethod
    def from_local(
        local_tensor: torch.Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: torch.Size | None = None,
        stride: tuple[int, ...] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> "DTensor":
        """Returns the distributed tensor of which each rank has a piece, with a gradient.

        Args:
            local_tensor (Tensor): this rank's piece.
            device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
            placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.
            run_check (bool): compares the pieces' shapes, and copies replicated pieces from the first rank.
                Default: ``False``.
            shape (torch.Size, optional): the global shape; needed for pieces of different shapes, with `stride`.
            stride (tuple[int, ...], optional): the global strides.
            grad_placements (list[Placement], optional): the placements of the gradient that arrives here; those of the
                tensor, with terms as replicated, if it is None.

        Returns:
            DTensor: the tensor.
        """
        if isinstance(local_tensor, DTensor):
            raise RuntimeError(
                f"the local_tensor argument only accepts torch.Tensor but got {type(local_tensor)} value."
            )
        device_mesh = device_mesh or _get_current_mesh()
        if local_tensor.device.type not in ("meta", device_mesh.device_type):
            local_tensor = local_tensor.to(device_mesh.device_type)
        if placements is None:
            placements = [Replicate()] * device_mesh.ndim
        else:
            placements = normalize_placements(placements, local_tensor.ndim)
            for index, placement in enumerate(placements):
                if is_shard_placement(placement) and placement.dim >= local_tensor.ndim:
                    raise RuntimeError(
                        f"Sharding dim {placement.dim} greater than tensor ndim {local_tensor.ndim} "
                        f"for placement number {index}"
                    )
        check_partial_reductions(placements)
        if grad_placements is not None:
            grad_placements = normalize_placements(grad_placements, local_tensor.ndim)
        return _FromLocal.apply(local_tensor, device_mesh, tuple(placements), run_check, shape, stride, grad_placements)

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """Returns this rank's piece, with a gradient.

        Args:
            grad_placements (list[Placement], optional): the placements of the piece's gradients; those of the tensor,
                with terms as replicated, if it is None.

        Returns:
            Tensor: the piece. It shares its memory with this tensor.
        """
        if not torch.is_grad_enabled():
            return self._local_tensor
        if grad_placements is not None:
            grad_placements = normalize_placements(grad_placements, self.ndim)
        return _ToLocal.apply(self, grad_placements)

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: torch.dtype | None = None,
        backward_dtype: torch.dtype | None = None,
    ) -> "DTensor":
        """Returns the same tensor with other placements, with a gradient.

        Args:
            device_mesh (DeviceMesh, optional): the tensor's own mesh; the default.
            placements (list[Placement]): the new placements.
            async_op (bool): has no effect: the collectives are complete. Default: ``False``.
            forward_dtype (torch.dtype, optional): the pieces' dtype while they are sent.
            backward_dtype (torch.dtype, optional): the same for gradients.

        Returns:
            DTensor: the redistributed tensor.
        """
        device_mesh = device_mesh or self.device_mesh
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        placements = normalize_placements(placements, self.ndim)
        for now, then in zip(self._spec.placements, placements):
            if then.is_partial() and now != then:
                raise RuntimeError(
                    f"Can not redistribute from {now} to {then}, redistributing to Partial is for internal use only!"
                )
            if is_shard_placement(then) and then.dim < 0:
                raise RuntimeError(f"Shard dim {then.dim} is out of range for a tensor of {self.ndim} dimensions")
        if placements == self._spec.placements and forward_dtype is None and backward_dtype is None:
            if device_mesh == self.device_mesh:
                return self
        return Redistribute.apply(self, device_mesh, placements, forward_dtype, backward_dtype)

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """Returns the complete tensor on every rank, with a gradient.

        Args:
            grad_placements (list[Placement], optional): the placements of the complete tensor's gradients. Default:
                replicated.

        Returns:
            Tensor: the complete tensor.
        """
        whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim, async_op=False)
        return _ToLocal.apply(whole, grad_placements)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh over whose ranks the tensor is distributed."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """How each dimension of the mesh cuts the tensor."""
        return self._spec.placements

    def __create_write_items__(self, fqn: str, object):
        from ..checkpoint.metadata import MetadataIndex, TensorProperties
        from ..checkpoint.planner import TensorWriteData, WriteItem, WriteItemType

        (chunk,) = self.__create_chunk_list__()
        data = TensorWriteData(chunk, TensorProperties.create_from_tensor(self.to_local()), self.size())
        return [WriteItem(MetadataIndex(fqn, chunk.offsets), WriteItemType.SHARD, tensor_data=data)]

    def __create_chunk_list__(self):
        from ..checkpoint.metadata import ChunkStorageMetadata

        self._raise_if_contains_partial_placements()
        sizes, offsets = local_shape_and_offset(self.shape, self.device_mesh, self.placements)
        return [ChunkStorageMetadata(torch.Size(offsets), torch.Size(sizes))]

    def __get_tensor_shard__(self, index):
        self._raise_if_contains_partial_placements()
        return self.to_local()

    def _raise_if_contains_partial_placements(self):
        if any(placement.is_partial() for placement in self.placements):
            raise ValueError(
                "Any checkpointing related operations are not supported for DTensor with partial placements!"
            )


def _check_and_normalize_placements(placements, mesh, ndim):
    if placements is None:
        placements = [Replicate()] * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! Found placements "
            f"length: {len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    check_partial_reductions(placements)
    return normalize_placements(placements, ndim)


def _scatter_along_mesh_dim(tensor, mesh, mesh_dim, placement, src):
    """Returns this rank's piece of the tensor of the group's rank `src`; its own tensor's piece if that is None."""
    group = mesh.get_group(mesh_dim)
    count, rank = group.size(), mesh.get_local_rank(mesh_dim)
    if src is None:
        return take(tensor, placement, count, rank)
    mine = take(tensor, placement, count, rank)
    pieces = [take(tensor, placement, count, other) for other in range(count)] if rank == src else []
    largest = torch.Size([-(-size // count) if dim == placement.dim else size for dim, size in enumerate(tensor.shape)])
    if not largest.numel():
        return mine
    room = tensor.new_empty(largest.numel())
    sent = None
    if rank == src:
        sent = [torch.nn.functional.pad(piece.reshape(-1), (0, largest.numel() - piece.numel())) for piece in pieces]
    torch.distributed.scatter(room, sent, group=group, group_src=src)
    return room[: mine.numel()].view(mine.shape)


def distribute_tensor(
    tensor: torch.Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Returns a distributed tensor with the values of a complete one.

    The ranks get the values of one rank. A gradient does not flow back: the tensor must be a leaf.

    Args:
        tensor (Tensor): the complete tensor; the same shape on all ranks.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.
        src_data_rank (int, optional): which rank of each line of the mesh sends its values; None sends nothing: each
            rank takes its piece of its own tensor. Default: ``0``.

    Returns:
        DTensor: the distributed tensor; a Parameter for a Parameter.

    Raises:
        RuntimeError: for a tensor that is no leaf.
        ValueError: for placements that do not fit the mesh, and for a DTensor with other placements.
    """
    device_mesh = device_mesh or _get_current_mesh()
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    if tensor.device.type not in (device_mesh.device_type, "meta"):
        tensor = tensor.to(device_mesh.device_type)
    placements = _check_and_normalize_placements(placements, device_mesh, tensor.ndim)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != device_mesh:
            raise ValueError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} "
                f"to a different device mesh {device_mesh}."
            )
        if tensor.placements != placements:
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements "
                f"{list(placements)}. do you want to call `redistribute` instead?"
            )
        return tensor
    local = tensor.detach()
    if device_mesh.get_coordinate() is None:
        local = tensor.new_empty(0)
    else:
        for mesh_dim, placement in enumerate(placements):
            local = _place_along_mesh_dim(local, device_mesh, mesh_dim, placement, src_data_rank)
    meta = TensorMeta(tensor.shape, tensor.stride(), tensor.dtype)
    spec = DTensorSpec(device_mesh, placements, meta)
    distributed = DTensor(local.requires_grad_(tensor.requires_grad), spec, requires_grad=tensor.requires_grad)
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(distributed, requires_grad=tensor.requires_grad)
    return distributed


def _place_along_mesh_dim(local, mesh, mesh_dim, placement, src):
    """Returns this rank's piece along one dimension of the mesh."""
    if local.is_meta:
        src = None
    if is_shard_placement(placement):
        if placement.dim >= local.ndim:
            raise AssertionError(f"Sharding dim {placement.dim} greater than tensor ndim {local.ndim}")
        return _scatter_along_mesh_dim(local, mesh, mesh_dim, placement, src)
    if src is not None:
        first = torch.distributed.get_global_rank(mesh.get_group(mesh_dim), src)
        local = collectives.broadcast(local, first, (mesh, mesh_dim))
    if isinstance(placement, Partial):
        return _make_partial_term(local, placement, mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim))
    if not isinstance(placement, Replicate):
        raise RuntimeError(
            f"Trying to distribute tensor with unsupported placements {placement} on device mesh dimension {mesh_dim}!"
        )
    return local


def _has_parameter_count(function, count):
    return len(inspect.signature(function).parameters) == count


def distribute_module(
    module: torch.nn.Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable | None = None,
    input_fn: Callable | None = None,
    output_fn: Callable | None = None,
) -> torch.nn.Module:
    """Makes a module's parameters and buffers distributed tensors.

    Args:
        module (Module): the module; it is changed.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        partition_fn (callable, optional): called as ``partition_fn(name, module, mesh)`` for each submodule, to
            distribute its parameters. What it leaves is replicated.
        input_fn (callable, optional): called as ``input_fn(module, inputs, mesh)`` before the module's forward.
        output_fn (callable, optional): called as ``output_fn(module, outputs, mesh)`` after it.

    Returns:
        Module: the module.

    Raises:
        RuntimeError: when the module was distributed before.
    """
    device_mesh = device_mesh or _get_current_mesh()
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been called on this module!"
        )
    for name, part in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, part, device_mesh)
        _replicate_plain_tensors(part, device_mesh)
    if input_fn is not None:
        if _has_parameter_count(input_fn, 2):
            warnings.warn(
                "Deprecating input_fn that takes two arguments (inputs, device_mesh), "
                "please use input_fn that takes in (module, inputs, device_mesh) instead!",
                FutureWarning,
                stacklevel=2,
            )
            module.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, device_mesh))
        elif _has_parameter_count(input_fn, 3):
            module.register_forward_pre_hook(lambda mod, inputs: input_fn(mod, inputs, device_mesh))
        else:
            raise ValueError(
                f"input_fn should take in 3 arguments, but got {len(inspect.signature(input_fn).parameters)} arguments!"
            )
    if output_fn is not None:
        if _has_parameter_count(output_fn, 2):
            warnings.warn(
                "Deprecating output_fn that takes two arguments (inputs, device_mesh), "
                "please use output_fn that takes in (module, inputs, device_mesh) instead!",
                FutureWarning,
                stacklevel=2,
            )
            module.register_forward_hook(lambda mod, inputs, outputs: output_fn(outputs, device_mesh))
        elif _has_parameter_count(output_fn, 3):
            module.register_forward_hook(lambda mod, inputs, outputs: output_fn(mod, outputs, device_mesh))
        else:
            raise ValueError(
                "output_fn should take in 3 arguments, but got "
                f"{len(inspect.signature(output_fn).parameters)} arguments!"
            )
    module._distribute_module_applied = True
    return module


def _replicate_plain_tensors(module, mesh):
    """Replicates a module's own parameters and buffers that are plain tensors."""
    whole = [Replicate()] * mesh.ndim
    for owned in (module._parameters, module._buffers):
        for name, value in owned.items():
            if value is None or isinstance(value, DTensor):
                continue
            if isinstance(value, torch.nn.Parameter):
                replicated = distribute_tensor(value.data, mesh, whole)
                owned[name] = torch.nn.Parameter(replicated, value.requires_grad)
            else:
                owned[name] = distribute_tensor(value, mesh, whole)


def _as_size(size):
    """Returns a size given as numbers or as one sequence."""
    return torch.Size(size[0] if len(size) == 1 and isinstance(size[0], Sequence) else size)


def _make_dtensor(size, fill, dtype, layout, requires_grad, mesh, placements):
    """Returns a distributed tensor; `fill(shape, box)` makes this rank's piece."""
    mesh = mesh or _get_current_mesh()
    if layout is not torch.strided:
        raise AssertionError("layout value not supported!")
    placements = tuple(placements) if placements else (Replicate(),) * mesh.ndim
    if mesh.ndim != len(placements):
        raise AssertionError("mesh dimension does not match the length of placements")
    placements = normalize_placements(placements, len(size))
    dtype = dtype or torch.get_default_dtype()
    shape, offset = local_shape_and_offset(size, mesh, placements)
    local = fill(shape, offset, dtype=dtype, device=mesh.device_type)
    meta = TensorMeta(size, make_contiguous_strides_for(size), local.dtype)
    return DTensor(
        local.requires_grad_(requires_grad), DTensorSpec(mesh, placements, meta), requires_grad=requires_grad
    )


def ones(
    *size,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor of ones.

    Args:
        size (int...): the global shape, as numbers or as one sequence.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    return _make_dtensor(
        _as_size(size),
        lambda shape, _, **options: torch.ones(shape, **options),
        dtype,
        layout,
        requires_grad,
        device_mesh,
        placements,
    )


def empty(
    *size,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor with any values.

    Args:
        size (int...): the global shape, as numbers or as one sequence.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    return _make_dtensor(
        _as_size(size),
        lambda shape, _, **options: torch.empty(shape, **options),
        dtype,
        layout,
        requires_grad,
        device_mesh,
        placements,
    )


def full(
    size,
    fill_value,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor of one value.

    Args:
        size (sequence of int): the global shape.
        fill_value (number): the value.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    return _make_dtensor(
        torch.Size(size), lambda shape, _, **options: torch.full(shape, fill_value, **options), dtype, layout,
        requires_grad, device_mesh, placements,
    )  # fmt: skip


def rand(
    *size,
    requires_grad: bool = False,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor of uniform random numbers in [0, 1); the same values for all placements.

    Args:
        size (int...): the global shape, as numbers or as one sequence.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    size = _as_size(size)

    def fill_uniform(shape, offset, **options):
        whole = torch.rand(size, **options)
        for dim, (start, count) in enumerate(zip(offset, shape)):
            whole = whole.narrow(dim, min(start, size[dim]), count)
        return whole.clone(memory_format=torch.contiguous_format)

    return _make_dtensor(size, fill_uniform, dtype, layout, requires_grad, device_mesh, placements)


def randn(
    *size,
    requires_grad: bool = False,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor of normal random numbers; the same values for all placements.

    Args:
        size (int...): the global shape, as numbers or as one sequence.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    size = _as_size(size)

    def fill_normal(shape, offset, **options):
        whole = torch.randn(size, **options)
        for dim, (start, count) in enumerate(zip(offset, shape)):
            whole = whole.narrow(dim, min(start, size[dim]), count)
        return whole.clone(memory_format=torch.contiguous_format)

    return _make_dtensor(size, fill_normal, dtype, layout, requires_grad, device_mesh, placements)


def zeros(
    *size,
    requires_grad: bool = False,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Returns a distributed tensor of zeros.

    Args:
        size (int...): the global shape, as numbers or as one sequence.
        dtype (torch.dtype, optional): its dtype. Default: torch's default dtype.
        layout (torch.layout): must be torch.strided, the default.
        requires_grad (bool): whether autograd records its operations. Default: ``False``.
        device_mesh (DeviceMesh, optional): the mesh; the current one of ``with mesh:`` if it is None.
        placements (list[Placement], optional): how each dimension of the mesh cuts the tensor. Default: replicated.

    Returns:
        DTensor: the tensor.
    """
    return _make_dtensor(
        _as_size(size),
        lambda shape, _, **options: torch.zeros(shape, **options),
        dtype,
        layout,
        requires_grad,
        device_mesh,
        placements,
    )
