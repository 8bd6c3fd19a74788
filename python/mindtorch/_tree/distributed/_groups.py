"""A group of processes, which combines the backends of several device types."""

import enum

from .. import device


class ProcessGroup:
    """A group of processes, with a backend for each kind of device.

    init_process_group and new_group make one. The functions of torch.distributed check arguments and call
    its methods, which run the backend of the tensors' device and give its Work.

    Args:
        store (Store): where its processes find each other; a subclass may leave it out.
        rank (int): this process's rank.
        size (int): the number of members.
    """

    class BackendType(enum.Enum):
        UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, CUSTOM = 0, 1, 2, 6, 3, 4, 5

        __str__ = lambda self: f"BackendType.{self.name}"  # noqa: E731

    def __init__(self, store, rank=None, size=None):
        if size is None:  # of a Python subclass: ProcessGroup(rank, size)
            store, rank, size = None, store, rank
        self._store, self._rank, self._size = store, rank, size
        self._backends = {}
        self.group_name = self.group_desc = "undefined"
        self.bound_device_id = None

    def rank(self):
        """Returns this process's rank in the group."""
        return self._rank

    def size(self):
        """Returns the number of members."""
        return self._size

    def name(self):
        """Returns the name of the backend."""
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
        """Returns the store with which the group was created."""
        return self._store

    def _get_backend(self, kind):
        if kind.type not in self._backends:
            raise RuntimeError(f"No backend type associated with device type {kind.type}")
        return self._backends[kind.type]

    def _get_sequence_number_for_group(self):
        return next(iter(self._backends.values()))._get_sequence_number_for_group()

    def shutdown(self):
        """Shuts down all backends and closes their connections."""
        for backend in set(self._backends.values()):
            backend.shutdown()

    def abort(self):
        """Shuts down all backends without waiting for pending work."""
        for backend in set(self._backends.values()):
            backend.abort()

    def set_timeout(self, timeout):
        """Sets how long collectives wait.

        Args:
            timeout (timedelta): how long.
        """
        for backend in set(self._backends.values()):
            backend.set_timeout(timeout)

    def barrier(self, opts=None):
        """Waits until all ranks have called it; returns its Work. `opts` (BarrierOptions) may name a device."""
        kind = getattr(opts, "device", None) or device("cpu" if "cpu" in self._backends else next(iter(self._backends)))
        return self._get_backend(kind).barrier(opts)

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """Waits until all ranks have called it; rank 0 reports the ranks that did not in time.

        Args:
            timeout (timedelta, optional): how long to wait. Default: the group's.
            wait_all_ranks (bool): names all ranks that are missing, not only the first. Default: ``False``.
        """
        return self._get_backend(device("cpu")).monitored_barrier(timeout, wait_all_ranks)


def _find_first_element_of_nested_lists(value):
    while isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value


def _make_collective_method(name, purpose, signature_text):
    def run_collective(self, *arguments, opts=None, **options):
        tensor = next((t for t in map(_find_first_element_of_nested_lists, arguments) if hasattr(t, "device")), None)
        if tensor is None:
            raise TypeError(f"{name}() needs a tensor")
        if opts is not None:
            arguments = (*arguments, opts)
        return getattr(self._get_backend(tensor.device), name)(*arguments, **options)

    run_collective.__name__, run_collective.__qualname__ = name, f"ProcessGroup.{name}"
    run_collective.__doc__ = f"""{purpose}

Args:
    *arguments: {signature_text}.
    opts (optional): the last of them, by name.
    **options: others by name.

Returns:
    Work: of the backend of the tensors' device.
"""
    return run_collective


_METHODS = {  # the description and the arguments of each
    "allreduce": ("Joins the tensors of all ranks, in place.", "a list of one tensor, AllreduceOptions"),
    "allreduce_coalesced": ("Joins each of several tensors.", "a list of tensors, AllreduceCoalescedOptions"),
    "broadcast": ("Copies the root's tensor to all ranks.", "a list of one tensor, BroadcastOptions"),
    "reduce": ("Joins the tensors of all ranks in the root's.", "a list of one tensor, ReduceOptions"),
    "allgather": (
        "Fills a list with the tensors of all ranks.",
        "a list of one list of a tensor for each rank, a list of one tensor, AllgatherOptions",
    ),
    "_allgather_base": ("Fills one tensor with those of all ranks.", "the output, the input, AllgatherOptions"),
    "allgather_coalesced": (
        "Fills a list for each rank with its several tensors.",
        "a list of tensors for each rank, a list of tensors, AllgatherOptions",
    ),
    "gather": (
        "Fills the root's list with the tensors of all ranks.",
        "on the root a list of one list of a tensor for each rank, a list of one tensor, GatherOptions",
    ),
    "scatter": (
        "Gives each rank its tensor of the root's list.",
        "a list of one tensor, on the root a list of one list of a tensor for each rank, ScatterOptions",
    ),
    "reduce_scatter": (
        "Joins the lists of all ranks, and gives each rank the result at its index.",
        "a list of one tensor, a list of one list of a tensor for each rank, ReduceScatterOptions",
    ),
    "_reduce_scatter_base": (
        "Joins the tensors of all ranks, and gives each rank its rows.",
        "the output, the input, ReduceScatterOptions",
    ),
    "alltoall": (
        "Sends each tensor of a list to the rank of its index.",
        "the tensors that are filled, those that are sent, AllToAllOptions",
    ),
    "alltoall_base": (
        "Sends rows of a tensor to each rank.",
        "the output, the input, the numbers of rows that come from and go to each rank, AllToAllOptions",
    ),
    "send": ("Sends a tensor to a rank.", "a list of one tensor, the rank, the tag"),
    "recv": ("Receives a tensor from a rank.", "a list of one tensor, the rank, the tag"),
    "recv_anysource": ("Receives a tensor from any rank.", "a list of one tensor, the tag"),
}
for _name, _texts in _METHODS.items():
    setattr(ProcessGroup, _name, _make_collective_method(_name, *_texts))
