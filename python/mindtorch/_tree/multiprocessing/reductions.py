"""Pickling of tensors and storages between processes: as handles to shared memory."""

import os
import weakref
from multiprocessing import reduction

from .. import _C
from .._root import torch
from ..utils.hooks import warn_if_has_hooks

# Storages from, or sent to, other processes: one object for each piece of shared memory.
shared_cache: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


class StorageWeakRef:
    """A weak reference to a storage: it does not keep the memory, and tells whether it is still there.

    References to one storage are equal and have one hash, so that they can be keys.

    Args:
        storage (UntypedStorage or TypedStorage): the storage.

    Attributes:
        cdata (int): the library's handle of the reference.
    """

    __slots__ = ("_place", "cdata")

    def __init__(self, storage):
        self.cdata = storage._weak_ref()
        self._place = storage._cdata

    @classmethod
    def from_weakref(cls, cdata):
        """Takes over a handle that `_weak_ref()` gave.

        Args:
            cdata (int): the handle.

        Returns:
            StorageWeakRef: the reference.
        """
        made = cls.__new__(cls)
        made.cdata = made._place = cdata
        return made

    def expired(self):
        """Returns whether the storage was freed.

        Returns:
            bool: True once nothing holds it.
        """
        return torch.UntypedStorage._expired(self.cdata)

    def __del__(self):
        if _C is not None:  # at the interpreter's exit
            torch.UntypedStorage._free_weak_ref(self.cdata)

    def __hash__(self):
        return self._place

    def __eq__(self, other):
        if not isinstance(other, StorageWeakRef):
            return NotImplemented
        return self is other or (self._place == other._place and self.expired() == other.expired())


def rebuild_tensor(cls, storage, metadata):
    """Rebuilds a tensor over a received storage."""
    offset, size, stride, requires_grad = metadata
    tensor = torch._utils._rebuild_tensor(storage, offset, size, stride)
    if cls is torch.nn.parameter.Parameter:
        return torch.nn.parameter.Parameter(tensor, requires_grad=requires_grad)
    tensor.requires_grad = requires_grad
    return tensor


def rebuild_meta_tensor(cls, size, stride, dtype, requires_grad):
    """Rebuilds a meta tensor."""
    tensor = torch.empty_strided(size, stride, dtype=dtype, device="meta")
    if cls is torch.nn.parameter.Parameter:
        return torch.nn.parameter.Parameter(tensor, requires_grad=requires_grad)
    return tensor.requires_grad_(requires_grad)


def rebuild_sparse_coo_tensor(
    rebuild_indices_func, rebuild_indices_args, rebuild_values_func, rebuild_values_args, shape, is_coalesced
):
    """Rebuilds a sparse_coo tensor from received components."""
    indices, values = rebuild_indices_func(*rebuild_indices_args), rebuild_values_func(*rebuild_values_args)
    return torch.sparse_coo_tensor(indices, values, shape, is_coalesced=is_coalesced)


def rebuild_sparse_compressed_tensor(
    rebuild_compressed_indices_func,
    rebuild_compressed_indices_args,
    rebuild_plain_indices_func,
    rebuild_plain_indices_args,
    rebuild_values_func,
    rebuild_values_args,
    shape,
    layout,
):
    """Rebuilds a tensor of a compressed layout from received components."""
    compressed = rebuild_compressed_indices_func(*rebuild_compressed_indices_args)
    plain, values = rebuild_plain_indices_func(*rebuild_plain_indices_args), rebuild_values_func(*rebuild_values_args)
    return torch.sparse_compressed_tensor(compressed, plain, values, shape, layout=layout)


def reduce_sparse_tensor(sparse):
    """Reduces a sparse tensor: its components are sent as tensors."""
    if sparse.layout is torch.sparse_coo:
        parts = (*reduce_tensor(sparse._indices()), *reduce_tensor(sparse._values()))
        return rebuild_sparse_coo_tensor, (*parts, sparse.shape, sparse.is_coalesced())
    compressed, plain = torch._utils._compressed_and_plain_indices(sparse)
    parts = (*reduce_tensor(compressed), *reduce_tensor(plain), *reduce_tensor(sparse.values()))
    return rebuild_sparse_compressed_tensor, (*parts, sparse.shape, sparse.layout)


def reduce_tensor(tensor):
    """Reduces a tensor; RuntimeError for non-leaves that require grad."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    warn_if_has_hooks(tensor)
    if tensor.layout is not torch.strided:
        return reduce_sparse_tensor(tensor)
    if tensor.device.type == "meta":
        return rebuild_meta_tensor, (
            type(tensor),
            tensor.size(),
            tensor.stride(),
            tensor.dtype,
            tensor.requires_grad,
        )
    metadata = (tensor.storage_offset(), tensor.size(), tensor.stride(), tensor.requires_grad)
    return rebuild_tensor, (type(tensor), tensor._typed_storage(), metadata)


def fd_id(fd):
    """Identifies the file of a descriptor: descriptors differ between processes, files do not."""
    status = os.fstat(fd)
    return status.st_ino, status.st_dev


def rebuild_storage_fd(cls, df, size):
    """Maps a received file descriptor."""
    fd = df.detach()
    try:
        key = fd_id(fd)
        storage = shared_cache.get(key)
        if storage is None:
            storage = shared_cache[key] = cls._new_shared_fd_cpu(fd, size)
        return storage
    finally:
        os.close(fd)


def rebuild_storage_filename(cls, manager, handle, size):
    """Maps shared memory by name."""
    storage = shared_cache.get(handle)
    if storage is None:
        storage = shared_cache[handle] = cls._new_shared_filename_cpu(manager, handle, size)
    return storage._shared_decref()


def rebuild_storage_empty(cls):
    """Rebuilds an empty storage."""
    return cls()


def rebuild_typed_storage(storage, dtype):
    """Rebuilds a typed storage over a received one."""
    return torch.storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def rebuild_typed_storage_child(storage, storage_type):
    """As above, for a legacy class."""
    return storage_type(wrap_storage=storage, _internal=True)


def reduce_typed_storage(storage):
    """Reduces a typed storage."""
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def reduce_typed_storage_child(storage):
    """As above, for a legacy class."""
    return rebuild_typed_storage_child, (storage._untyped_storage, type(storage))


def reduce_storage(storage):
    """Moves a storage to shared memory and returns its handle."""
    from . import get_sharing_strategy

    if storage.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    if get_sharing_strategy() == "file_system":
        manager, handle, size = storage._share_filename_cpu_()
        shared_cache[handle] = storage
        # Takes a reference on behalf of the receiving process, which releases it.
        storage._shared_incref()
        return rebuild_storage_filename, (type(storage), manager, handle, size)
    if storage.size() == 0:
        return rebuild_storage_empty, (type(storage),)
    fd, size = storage._share_fd_cpu_()
    shared_cache[fd_id(fd)] = storage
    return rebuild_storage_fd, (type(storage), reduction.DupFd(fd), size)


def init_reductions():
    """Registers these functions with multiprocessing; without shared storages, tensors are pickled by value."""
    if not hasattr(_C.StorageBase, "_share_fd_cpu_"):
        return
    for cls in torch._storage_classes:
        untyped = cls.__name__ == "UntypedStorage"
        reduction.register(cls, reduce_storage if untyped else reduce_typed_storage_child)
    reduction.register(torch.storage.TypedStorage, reduce_typed_storage)
    from ..nn.parameter import Parameter

    for cls in (torch.Tensor, Parameter):
        reduction.register(cls, reduce_tensor)
