"""A group of processes, which joins the backends of several kinds of devices."""

import enum

from .. import device
from ._gloo import ProcessGroupGloo


class ProcessGroup:
    """A group of processes: one backend for each kind of device. Made by `init_process_group` and `new_group`."""

    class BackendType(enum.Enum):
        UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, CUSTOM = 0, 1, 2, 6, 3, 4, 5

        __str__ = lambda self: f"BackendType.{self.name}"  # noqa: E731

    def __init__(self, store, rank=None, size=None):
        if size is None:  # of a subclass in Python: ProcessGroup(rank, size)
            store, rank, size = None, store, rank
        self._store, self._rank, self._size = store, rank, size
        self._backends = {}
        self.group_name = self.group_desc = "undefined"
        self.bound_device_id = None

    def rank(self):
        """This process's rank in the group."""
        return self._rank

    def size(self):
        """How many processes the group has."""
        return self._size

    def name(self):
        """The backend's name."""
        return next(iter(self._backends.values()))._get_backend_name() if self._backends else "undefined"

    def _id(self):
        return id(self)

    _get_backend_name = name

    @property
    def _device_types(self):
        return [device(kind) for kind in self._backends]

    def _register_backend(self, kind, backend_type, backend):
        self._backends[kind.type] = backend

    def _set_default_backend(self, backend_type):
        pass

    def _set_group_name(self, name):
        self.group_name = name

    def _set_group_desc(self, description):
        self.group_desc = description

    def get_group_store(self):
        """The store that the group was made with."""
        return self._store

    def _get_backend(self, kind):
        if kind.type not in self._backends:
            raise RuntimeError(f"No backend type associated with device type {kind.type}")
        return self._backends[kind.type]

    def _get_sequence_number_for_group(self):
        return next(iter(self._backends.values()))._get_sequence_number_for_group()

    def shutdown(self):
        """Ends all backends."""
        for backend in set(self._backends.values()):
            backend.shutdown()

    def abort(self):
        """Ends all backends."""
        for backend in set(self._backends.values()):
            backend.abort()

    def set_timeout(self, timeout):
        """Sets how long collectives wait."""
        for backend in set(self._backends.values()):
            backend.set_timeout(timeout)

    def barrier(self, opts=None):
        """Ends when all ranks have come."""
        kind = getattr(opts, "device", None) or device("cpu" if "cpu" in self._backends else next(iter(self._backends)))
        return self._get_backend(kind).barrier(opts)

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """A barrier by which rank 0 says which ranks did not come in time."""
        return self._get_backend(device("cpu")).monitored_barrier(timeout, wait_all_ranks)


def _first_tensor(value):
    while isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value


def _by_device(name):
    def method(self, *arguments, opts=None, **options):
        tensor = next((t for t in map(_first_tensor, arguments) if hasattr(t, "device")), None)
        if tensor is None:
            raise TypeError(f"{name}() needs a tensor")
        if opts is not None:
            arguments = (*arguments, opts)
        return getattr(self._get_backend(tensor.device), name)(*arguments, **options)

    method.__name__, method.__qualname__ = name, f"ProcessGroup.{name}"
    method.__doc__ = (
        f"{getattr(ProcessGroupGloo, name).__doc__} Run by the backend of the tensors' device; gives its Work."
    )
    return method


for _name in (
    "allreduce allreduce_coalesced broadcast reduce allgather _allgather_base allgather_coalesced gather scatter "
    "reduce_scatter _reduce_scatter_base alltoall alltoall_base send recv recv_anysource"
).split():
    setattr(ProcessGroup, _name, _by_device(_name))
