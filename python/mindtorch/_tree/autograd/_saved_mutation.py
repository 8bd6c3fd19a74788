"""allow_mutation_on_saved_tensors: copy-on-write for tensors that the graph has saved."""

import contextlib
from collections import defaultdict
from weakref import WeakKeyDictionary, WeakValueDictionary

from ..utils._python_dispatch import TorchDispatchMode
from .graph import saved_tensors_hooks

_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)
_active = False


class _Handle:
    """Represents a saved tensor in the graph; when it is freed, the record of that tensor is removed."""


class _Records:
    """Saved tensors by handle, found by their memory and version when they were saved."""

    def __init__(self) -> None:
        self.cloned = WeakKeyDictionary()
        self.original = WeakKeyDictionary()
        self.tid_to_weakhandle = WeakValueDictionary()
        self.sid_to_tid = defaultdict(set)

    def pack(self, tensor):
        tensor_id = (id(tensor), tensor.data_ptr(), tensor._version)
        self.sid_to_tid[tensor_id[1:]].add(tensor_id)
        handle = self.tid_to_weakhandle.get(tensor_id)
        if handle is None:
            handle = self.tid_to_weakhandle[tensor_id] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle):
        if not _active:
            raise AssertionError(_OUTSIDE)
        if handle in self.cloned:
            return self.cloned[handle]
        if handle not in self.original:
            raise AssertionError(_OUTSIDE)
        return self.original[handle]

    def clone_saved_before_write(self, tensor):
        for tensor_id in self.sid_to_tid.get((tensor.data_ptr(), tensor._version), ()):
            handle = self.tid_to_weakhandle.get(tensor_id)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = self.original.pop(handle).clone()

    def clear(self) -> None:
        for table in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            table.clear()


class _CloneBeforeWrite(TorchDispatchMode):
    def __init__(self, records: _Records) -> None:
        super().__init__()
        self.records = records

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        for index, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            written = kwargs["out"] if argument.is_out else args[index]
            for tensor in written if isinstance(written, list) else [written]:
                self.records.clone_saved_before_write(tensor)
        return func(*args, **kwargs)


@contextlib.contextmanager
def allow_mutation():
    global _active
    records = _Records()
    with saved_tensors_hooks(records.pack, records.unpack), _CloneBeforeWrite(records):
        if _active:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _active = True
        try:
            yield records
        finally:
            records.clear()
            _active = False
