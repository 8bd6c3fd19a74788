"""torch's classes for the library's backends: gloo, mpi, and those that plugins add. The library transfers all data."""

from datetime import timedelta

from .._C import _processes
from ._work import (
    AllreduceOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    Work,
)

_TIMEOUT = timedelta(minutes=30)


class Backend:
    """Runs a group's collectives for one device type. `tensors` is a list of one."""

    class Options:
        """The options of a backend."""

        def __init__(self, backend="undefined", timeout=_TIMEOUT):
            self.backend, self._timeout = backend, timeout
            self.global_ranks_in_group, self.group_name = [], ""

    supports_splitting = supports_coalescing = supports_time_estimate = supports_shrinking = False

    def __init__(self, rank, size):
        self._rank, self._size = rank, size

    def rank(self):
        """This process's rank in the group."""
        return self._rank

    def size(self):
        """The number of processes in the group."""
        return self._size

    def name(self):
        """The backend's name."""
        return self._get_backend_name()

    def _get_sequence_number_for_group(self):
        return 0

    def _set_sequence_number_for_group(self):
        pass

    def shutdown(self):
        """Shuts the backend down."""

    abort = shutdown


class _Native(Backend):
    """A backend of the library, by name."""

    _backend, _title = "gloo", "Gloo"

    def __init__(self, store, rank, size, timeout=_TIMEOUT, name=""):
        super().__init__(rank, size)
        self._group = _processes.group(self._backend, store._handle(), rank, size, timeout, name)

    def _get_backend_name(self):
        return self._backend

    def _get_sequence_number_for_group(self):
        return self._group.sequence

    def _set_default_timeout(self, timeout):
        self._group.set_timeout(timeout)

    set_timeout = _set_default_timeout

    def shutdown(self):
        self._group.abort()

    abort = shutdown

    def _start_work(
        self, kind, inputs, outputs, result, options=None, root=0, flags=0, tag=0, timeout=None, sizes=((), ()), op=0
    ):
        if timeout is None and options is not None and options.timeout > timedelta(0):
            timeout = options.timeout
        is_async = options is None or options.asyncOp
        work = self._group.start(kind, inputs, outputs, op, root, flags, tag, timeout, is_async, *sizes)
        return Work(result, work)

    def _native_reduce_op(self, options):
        op = options.reduceOp
        op = op.op if isinstance(op, ReduceOp) else op
        if op is ReduceOp.PREMUL_SUM:
            raise RuntimeError(f"Cannot use ReduceOp.PREMUL_SUM with {self._title}")
        return op.value

    def allreduce(self, tensors, options=None):
        """Reduces the tensors of all ranks, in place."""
        options = options or AllreduceOptions()
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        return self._start_work(
            _processes.ALL_REDUCE, (), tensors, tensors, options, op=self._native_reduce_op(options)
        )

    allreduce_coalesced = allreduce

    def broadcast(self, tensors, options=None):
        """Copies the root's tensor to all ranks."""
        options = options or BroadcastOptions()
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        return self._start_work(_processes.BROADCAST, (), tensors, tensors, options, options.rootRank)

    def reduce(self, tensors, options=None):
        """Reduces the tensors of all ranks into the root's."""
        options = options or ReduceOptions()
        op = self._native_reduce_op(options)
        return self._start_work(_processes.REDUCE, (), tensors, tensors, options, options.rootRank, op=op)

    def allgather(self, output_tensors, input_tensors, options=None):
        """Gathers the tensors of all ranks in each list."""
        (outputs,), inputs = output_tensors, input_tensors
        return self._start_work(_processes.ALL_GATHER, inputs, outputs, [list(outputs)], options)

    def _allgather_base(self, output, tensor, options=None):
        """Gathers the tensors of all ranks in one tensor, in rank order."""
        return self._start_work(_processes.ALL_GATHER_SINGLE, [tensor], [output], [output], options)

    def allgather_coalesced(self, output_lists, tensors, options=None):
        """As `allgather`, for several tensors."""
        works = [
            self._start_work(
                _processes.ALL_GATHER, [tensor], [outputs[index] for outputs in output_lists], output_lists
            )
            for index, tensor in enumerate(tensors)
        ]
        for work in works[:-1]:
            work.wait()
        return works[-1]

    def gather(self, output_tensors, input_tensors, options=None):
        """Gathers the tensors of all ranks in the root's list."""
        options = options or GatherOptions()
        outputs = output_tensors[0] if output_tensors else []
        return self._start_work(_processes.GATHER, input_tensors, outputs, [outputs], options, options.rootRank)

    def scatter(self, output_tensors, input_tensors, options=None):
        """Sends each rank its tensor of the root's list."""
        options = options or ScatterOptions()
        inputs = input_tensors[0] if input_tensors else []
        return self._start_work(_processes.SCATTER, inputs, output_tensors, output_tensors, options, options.rootRank)

    def reduce_scatter(self, output_tensors, input_tensors, options=None):
        """Reduces lists with one tensor per rank; each rank gets the result at its index."""
        options = options or ReduceScatterOptions()
        (inputs,) = input_tensors
        return self._start_work(
            _processes.REDUCE_SCATTER,
            inputs,
            output_tensors,
            output_tensors,
            options,
            op=self._native_reduce_op(options),
        )

    def _reduce_scatter_base(self, output, tensor, options=None):
        """As `reduce_scatter`, for one tensor whose rows are distributed."""
        options = options or ReduceScatterOptions()
        op = self._native_reduce_op(options)
        return self._start_work(_processes.REDUCE_SCATTER_SINGLE, [tensor], [output], [output], options, op=op)

    def alltoall(self, output_tensors, input_tensors, options=None):
        """Sends the i-th tensor to rank i, and receives the i-th of the other list from there; all have one shape."""
        return self._start_work(_processes.ALL_TO_ALL, input_tensors, output_tensors, list(output_tensors), options)

    def alltoall_base(self, output, tensor, output_sizes, input_sizes, options=None):
        """Sends rows of a tensor to each rank and receives rows into another: as many as the sizes state, else equal
        numbers."""
        sizes = input_sizes, output_sizes
        return self._start_work(_processes.ALL_TO_ALL_SINGLE, [tensor], [output], [output], options, sizes=sizes)

    def barrier(self, options=None):
        """Returns when all ranks have called it."""
        return self._start_work(_processes.BARRIER, (), (), [], options)

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """A barrier in which rank 0 reports the ranks that did not arrive in time."""
        flags = _processes.WAIT_ALL_RANKS if wait_all_ranks else 0
        self._start_work(_processes.MONITORED_BARRIER, (), (), [], flags=flags, timeout=timeout).wait()

    def send(self, tensors, peer, tag=0):
        """Sends a tensor to a rank."""
        return self._start_work(_processes.SEND, tensors, (), None, root=peer, tag=tag)

    def recv(self, tensors, peer, tag=0):
        """Receives a tensor from a rank."""
        return self._start_work(_processes.RECEIVE, (), tensors, None, root=peer, tag=tag)

    def recv_anysource(self, tensors, tag=0):
        """Receives a tensor from any rank."""
        return self._start_work(_processes.RECEIVE, (), tensors, None, root=-1, tag=tag)


class ProcessGroupGloo(_Native):
    """Collectives of CPU tensors over the Gloo library.

    Args:
        store (Store): where the members find each other.
        rank (int): this process among the members, from 0.
        size (int): the number of members.
        timeout (datetime.timedelta): how long a collective may wait for the others.
        name (str): the name of the group in error texts.

    Example:
        >>> store = torch.distributed.HashStore()
        >>> group = torch.distributed.ProcessGroupGloo(store, 0, 1)
        >>> group.size()
        1
    """

    class _Options(Backend.Options):
        def __init__(self):
            super().__init__("gloo")

    Options = _Options


class _ProcessGroupMPI(_Native):
    """Collectives of CPU tensors over the machine's MPI."""

    _backend, _title = "mpi", "MPI"


class ProcessGroupHCCL(_Native):
    """Collectives of NPU tensors over the vendor's HCCL.

    They run on streams of their own. A work's `wait` makes the current stream wait and returns; with a timeout, and
    for barriers, it waits for the end.

    Args:
        store (Store): where the members find each other.
        rank (int): this process among the members, from 0.
        size (int): the number of members.
        timeout (datetime.timedelta): how long a collective may wait for the others.
        name (str): the name of the group in error texts.
    """

    _backend, _title = "hccl", "HCCL"

    class _Options(Backend.Options):
        def __init__(self):
            super().__init__("hccl")

    Options = _Options

    def __init__(self, store, rank, size, timeout=_TIMEOUT, name=""):
        super().__init__(store, rank, size, timeout, name)
        self._pending, self._timeout = [], timeout

    def _start_work(self, *args, **options):
        work = super()._start_work(*args, **options)
        self._pending = [each for each in self._pending if not each.is_completed()] + [work]
        return work

    def barrier(self, options=None):
        """Returns when all ranks have called it; `options.device_ids[0]` is the NPU to use, if given."""
        if not (devices := getattr(options, "device_ids", None)):
            return super().barrier(options)
        from .. import npu

        with npu.device(devices[0]):
            return super().barrier(options)

    def shutdown(self):
        """Waits for works in progress, each until its timeout, and closes the connections."""
        for work in self._pending:
            try:
                work.wait(self._timeout)
            except RuntimeError:  # whoever waits for the work gets its error
                break
        self._pending = []
        super().shutdown()


class FakeProcessGroup(_Native):
    """Simulates a group of any size in one process, for tests of programs."""

    _backend = "fake"
