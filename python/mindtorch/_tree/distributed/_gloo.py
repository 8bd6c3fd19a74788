"""The gloo backend: collectives of CPU tensors over `_transport`."""

import queue
import threading
from datetime import timedelta

from .. import (
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    empty,
    empty_like,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int16,
    maximum,
    minimum,
    mul,
    strided,
    uint8,
    uint16,
    uint32,
    uint64,
    zeros,
)
from ._gloo_sparse import all_reduce_sparse, check_sparse
from ._transport import Mesh
from ._work import (
    AllreduceOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    Work,
    _Receiving,
)

_TIMEOUT = timedelta(minutes=30)
_ONE_STEP = 1 << 13  # up to so many bytes everything is sent to everyone
_PIECE = 1 << 20  # so many bytes of a rank's part are joined at a time

_Op = ReduceOp.RedOpType
_JOIN = {
    _Op.SUM: add,
    _Op.AVG: add,
    _Op.PRODUCT: mul,
    _Op.MIN: minimum,
    _Op.MAX: maximum,
    _Op.BAND: bitwise_and,
    _Op.BOR: bitwise_or,
    _Op.BXOR: bitwise_xor,
}
_NOT_REDUCED = (int16, uint16, uint32, uint64, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz)


class Backend:
    """What runs the collectives of one kind of device. `tensors` is a list of one."""

    class Options:
        """What a backend is made with."""

        def __init__(self, backend="undefined", timeout=_TIMEOUT):
            self.backend, self._timeout = backend, timeout
            self.global_ranks_in_group, self.group_name = [], ""

    supports_splitting = supports_coalescing = supports_time_estimate = supports_shrinking = False

    def __init__(self, rank, size):
        self._rank, self._size, self._sequence = rank, size, 0

    def rank(self):
        """This process's rank in the group."""
        return self._rank

    def size(self):
        """How many processes the group has."""
        return self._size

    def name(self):
        """The backend's name."""
        return self._get_backend_name()

    def _get_sequence_number_for_group(self):
        return self._sequence

    def _set_sequence_number_for_group(self):
        pass

    def shutdown(self):
        """Ends the backend."""

    abort = shutdown


def _flat(tensor):
    """A contiguous view, or a copy to be copied back."""
    if tensor.layout is not strided:
        raise NotImplementedError(f"gloo has no such collective for tensors of layout {tensor.layout}")
    return tensor.data.contiguous().view(-1)


def _write_back(flat, tensor):
    """Into the tensor that `_flat` had to copy."""
    if flat.data_ptr() != tensor.data_ptr():
        tensor.data.copy_(flat.view(tensor.shape))


class ProcessGroupGloo(Backend):
    """Collectives of CPU tensors over TCP: results are the same bits on every rank, in the order of the ranks."""

    class _Options(Backend.Options):
        def __init__(self):
            super().__init__("gloo")

    Options = _Options

    def __init__(self, store, rank, size, timeout=_TIMEOUT):
        super().__init__(rank, size)
        self._timeout = timeout
        self._mesh = Mesh(store, rank, size, timeout)
        self._queue, self._pending = None, 0
        self._lock = threading.Lock()

    def _get_backend_name(self):
        return "gloo"

    def _set_default_timeout(self, timeout):
        self._timeout = self._mesh.timeout = timeout

    set_timeout = _set_default_timeout

    def shutdown(self):
        if self._queue is not None:
            self._queue.put(None)
        self._mesh.close()

    abort = shutdown

    # Collectives run one after another, in the order of the calls: at once where the caller waits and none is on its
    # way, else on a thread of the group. Each has a tag of its own, below those of messages.

    def _start(self, function, result, options):
        with self._lock:
            self._sequence += 1
            tag = -self._sequence
            waits = options is not None and not options.asyncOp and not self._pending
            if not waits:
                self._pending += 1
        work = Work(result)
        if waits:
            return work._run(lambda: function(tag))
        if self._queue is None:
            self._queue = queue.SimpleQueue()
            threading.Thread(target=self._serve, daemon=True).start()
        self._queue.put((work, function, tag))
        return work

    def _serve(self):
        while (entry := self._queue.get()) is not None:
            work, function, tag = entry
            work._run(lambda function=function, tag=tag: function(tag))
            with self._lock:
                self._pending -= 1

    def _check_root(self, name, root):
        if not 0 <= root < self._size:
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")

    def _others(self):
        """The other ranks, from the next on, so that not all send to one."""
        return [(self._rank + step) % self._size for step in range(1, self._size)]

    def _exchange(self, tag, outgoing, incoming):
        """Sends a tensor to each rank of one table, and fills those of the other from each of its ranks."""
        receipts = [self._mesh.post(peer, tag, tensor) for peer, tensor in incoming.items()]
        for peer in self._others():
            if peer in outgoing:
                self._mesh.send(peer, tag, outgoing[peer])
        for receipt in receipts:
            self._mesh.wait(receipt, self._timeout)

    def _reducer(self, tensor, op):
        """The function that joins two tensors, after checks of the operation and the dtype."""
        if tensor.dtype in _NOT_REDUCED:
            raise RuntimeError("Invalid scalar type")
        if op in (_Op.BAND, _Op.BOR, _Op.BXOR) and (tensor.is_floating_point() or tensor.is_complex()):
            raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
        if op not in _JOIN:
            raise RuntimeError(f"Cannot use ReduceOp.{op.name} with Gloo")
        return _JOIN[op]

    def _reduce_parts(self, tag, parts, op, out=None):
        """Joins everybody's part for this rank, in the order of the ranks, into `out`, which may be this rank's own.

        `parts` is a list by rank of flat tensors.
        """
        op = op.op if isinstance(op, ReduceOp) else op
        join, mine = self._reducer(parts[0], op), parts[self._rank]
        received = {peer: empty_like(mine) for peer in self._others()}
        self._exchange(tag, dict(enumerate(parts)), received)
        out = empty_like(mine) if out is None else out
        total = received.get(0, mine)
        for rank in range(1, self._size):
            into = out if rank == self._size - 1 else received[1] if total is mine else total
            total = join(total, received.get(rank, mine), out=into)
        if self._size == 1 and out is not mine:
            out.copy_(mine)
        if op is _Op.AVG:
            out.div_(self._size)
        return out

    def _all_reduce(self, tag, flat, op):
        """Joins flat tensors in place.

        Small ones whole by everybody, others in parts, one for each rank, that go round after, as much at a time as the
        caches hold.
        """
        size = flat.element_size()
        if flat.numel() * size <= _ONE_STEP or self._size == 1:
            self._reduce_parts(tag, [flat] * self._size, op, flat)
            return
        for piece in flat.split(self._size * _PIECE // size):
            parts = piece.tensor_split(self._size)
            mine = self._reduce_parts(tag, parts, op, parts[self._rank])
            self._exchange(tag, dict.fromkeys(self._others(), mine), {p: parts[p] for p in self._others()})

    def allreduce(self, tensors, options=None):
        """Joins the tensors of all ranks, in place."""
        options = options or AllreduceOptions()
        tensors = [tensors] if not isinstance(tensors, (list, tuple)) else tensors
        sparse = [check_sparse(tensor, options.reduceOp) for tensor in tensors]

        def run(tag):
            everybody = self._others()
            for tensor, is_sparse in zip(tensors, sparse, strict=True):
                if is_sparse:
                    exchange = lambda mine, table: self._exchange(tag, dict.fromkeys(everybody, mine), table)  # noqa: E731
                    all_reduce_sparse(exchange, self._rank, self._size, tensor)
                    continue
                flat = _flat(tensor)
                self._all_reduce(tag, flat, options.reduceOp)
                _write_back(flat, tensor)

        return self._start(run, list(tensors), options)

    allreduce_coalesced = allreduce

    def broadcast(self, tensors, options=None):
        """Copies the root's tensor to all ranks."""
        options = options or BroadcastOptions()
        tensor = tensors if not isinstance(tensors, (list, tuple)) else tensors[0]
        self._check_root("broadcast", options.rootRank)

        def run(tag):
            # A tree: in each round those that have the tensor send it to as many that do not.
            flat, place, reach = _flat(tensor), (self._rank - options.rootRank) % self._size, 1
            while reach < self._size:
                if place < reach and place + reach < self._size:
                    self._mesh.send((place + reach + options.rootRank) % self._size, tag, flat)
                elif reach <= place < 2 * reach:
                    self._mesh.wait(
                        self._mesh.post((place - reach + options.rootRank) % self._size, tag, flat), self._timeout
                    )
                reach *= 2
            _write_back(flat, tensor)

        return self._start(run, [tensor], options)

    def reduce(self, tensors, options=None):
        """Joins the tensors of all ranks in the root's."""
        options = options or ReduceOptions()
        self._check_root("reduce", options.rootRank)
        (tensor,) = tensors

        def run(tag):
            flat, root = _flat(tensor), options.rootRank
            parts = list(flat.tensor_split(self._size))
            mine = self._reduce_parts(tag, parts, options.reduceOp)
            if self._rank != root:
                self._mesh.send(root, tag, mine)
                return
            parts[root].copy_(mine)
            self._exchange(tag, {}, {peer: parts[peer] for peer in self._others()})
            _write_back(flat, tensor)

        return self._start(run, [tensor], options)

    def _deliver(self, tag, mine, outputs):
        """Everybody's tensor into each rank's list."""
        flat = _flat(mine)
        received = {
            p: empty(flat.shape, dtype=flat.dtype) if not outputs[p].is_contiguous() else outputs[p]
            for p in self._others()
        }
        self._exchange(tag, dict.fromkeys(self._others(), flat), received)
        received[self._rank] = flat
        for peer, tensor in received.items():
            if tensor is not outputs[peer]:
                outputs[peer].data.copy_(tensor.view(outputs[peer].shape))

    def _check_like(self, name, tensors, pattern):
        """As gloo's checks: all tensors have the dtype and the shape of the first."""
        for index, tensor in enumerate(tensors):
            if tensor.dtype != pattern.dtype:
                raise RuntimeError(
                    f"ProcessGroupGloo::{name}: invalid tensor type at index {index} "
                    f"(expected {_described(pattern)}, got {_described(tensor)})"
                )
            if tensor.shape != pattern.shape:
                expected, got = (f"({', '.join(map(str, t.shape))})" for t in (pattern, tensor))
                raise RuntimeError(
                    f"ProcessGroupGloo::{name}: invalid tensor size at index {index} (expected {expected}, got {got})"
                )

    def _check_list(self, name, kind, tensors, pattern):
        """A list of the root: a tensor for each rank, all like one."""
        if len(tensors) != self._size:
            raise RuntimeError(
                f"ProcessGroupGloo::{name}: Incorrect {kind} list size {len(tensors)}. {kind.capitalize()} list size "
                f"should be {self._size}, same as size of the process group."
            )
        self._check_like(name, tensors, pattern)

    def allgather(self, output_tensors, input_tensors, options=None):
        """Fills each list with the tensors of all ranks."""
        (outputs,), (mine,) = output_tensors, input_tensors
        if len(outputs) != self._size:
            raise RuntimeError(
                f"ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length {self._size}, "
                f"got {len(outputs)})"
            )
        self._check_like("allgather", outputs, mine)
        return self._start(lambda tag: self._deliver(tag, mine, outputs), [list(outputs)], options)

    def _allgather_base(self, output, tensor, options=None):
        """Fills one tensor with those of all ranks, one after another."""
        rows = output.chunk(self._size)
        if len(rows) != self._size or rows[0].shape != tensor.shape or rows[0].dtype != tensor.dtype:
            return self.allgather([list(rows)], [tensor], options)
        return self._start(lambda tag: self._deliver(tag, tensor, rows), [output], options)

    def allgather_coalesced(self, output_lists, tensors, options=None):
        """As `allgather`, for several tensors."""

        def run(tag):
            for index, tensor in enumerate(tensors):
                self._deliver(tag, tensor, [outputs[index] for outputs in output_lists])

        return self._start(run, output_lists, options)

    def gather(self, output_tensors, input_tensors, options=None):
        """Fills the root's list with the tensors of all ranks."""
        options = options or GatherOptions()
        self._check_root("gather", options.rootRank)
        (mine,) = input_tensors
        outputs = output_tensors[0] if output_tensors else None
        if self._rank == options.rootRank:
            self._check_list("gather", "output", outputs, mine)

        def run(tag):
            if self._rank != options.rootRank:
                self._mesh.send(options.rootRank, tag, _flat(mine))
                return
            received = {peer: empty(mine.numel(), dtype=mine.dtype) for peer in self._others()}
            self._exchange(tag, {}, received)
            received[self._rank] = mine
            for peer, tensor in received.items():
                outputs[peer].data.copy_(tensor.view(outputs[peer].shape) if tensor is not mine else mine)

        return self._start(run, [outputs], options)

    def scatter(self, output_tensors, input_tensors, options=None):
        """Gives each rank its tensor of the root's list."""
        options = options or ScatterOptions()
        self._check_root("scatter", options.rootRank)
        (output,) = output_tensors
        inputs = input_tensors[0] if input_tensors else None
        if self._rank == options.rootRank:
            self._check_list("scatter", "input", inputs, output)

        def run(tag):
            if self._rank == options.rootRank:
                self._exchange(tag, {peer: _flat(inputs[peer]) for peer in self._others()}, {})
                output.data.copy_(inputs[self._rank])
                return
            received = empty(output.numel(), dtype=output.dtype)
            self._mesh.wait(self._mesh.post(options.rootRank, tag, received), self._timeout)
            output.data.copy_(received.view(output.shape))

        return self._start(run, [output], options)

    def reduce_scatter(self, output_tensors, input_tensors, options=None):
        """Joins each rank's list of tensors, and gives every rank the one of its place."""
        options = options or ReduceScatterOptions()
        (output,), (inputs,) = output_tensors, input_tensors
        if len(inputs) != self._size:
            raise RuntimeError(
                f"ProcessGroupGloo::reduce_scatter: invalid input tensor list at index 0 (expected length "
                f"{self._size}, "
                f"got {len(inputs)})"
            )
        self._check_like("reduce_scatter", inputs, output)

        def run(tag):
            total = self._reduce_parts(tag, [_flat(tensor) for tensor in inputs], options.reduceOp)
            output.data.copy_(total.view(output.shape))

        return self._start(run, [output], options)

    def _reduce_scatter_base(self, output, tensor, options=None):
        """As `reduce_scatter` of one tensor, whose rows are shared out."""
        return self.reduce_scatter([output], [list(tensor.data.view(self._size, *output.shape))], options)

    def alltoall(self, output_tensors, input_tensors, options=None):
        """Sends the tensor of each place to that rank, and fills those of the other list; all have one shape."""
        self._check_like("alltoall", output_tensors, output_tensors[0])
        self._check_like("alltoall", input_tensors, input_tensors[0])
        return self._all_to_all(output_tensors, input_tensors, list(output_tensors), options)

    def _all_to_all(self, output_tensors, input_tensors, result, options):
        def run(tag):
            received = {
                peer: empty(output_tensors[peer].numel(), dtype=output_tensors[peer].dtype) for peer in self._others()
            }
            self._exchange(tag, {peer: _flat(input_tensors[peer]) for peer in self._others()}, received)
            received[self._rank] = input_tensors[self._rank]
            for peer, tensor in received.items():
                output_tensors[peer].data.copy_(tensor.view(output_tensors[peer].shape))

        return self._start(run, result, options)

    def alltoall_base(self, output, tensor, output_sizes, input_sizes, options=None):
        """Sends rows of one tensor to each rank, and fills the other: as many as the sizes say, else as many each."""
        for sizes, whole in ((output_sizes, output), (input_sizes, tensor)):
            if not sizes and whole.shape[0] % self._size:
                raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
            if sizes and (len(sizes) != self._size or sum(sizes) != whole.shape[0]):
                raise RuntimeError(
                    "Split sizes doesn't match total dim 0 size"
                    if len(sizes) == self._size
                    else "Number of tensor splits not equal to group size"
                )
        outputs, inputs = (
            whole.data.split(list(sizes) if sizes else whole.shape[0] // self._size)
            if whole.numel()
            else [whole] * self._size
            for whole, sizes in ((output, output_sizes), (tensor, input_sizes))
        )
        return self._all_to_all(outputs, inputs, [output], options)

    def barrier(self, options=None):
        """Ends when all ranks have come."""
        return self._start(lambda tag: self._all_reduce(tag, zeros(1, dtype=uint8), _Op.SUM), [], options)

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """A barrier by which rank 0 says which ranks did not come in time."""
        timeout = timeout or self._timeout

        def run(tag):
            token = zeros(1, dtype=uint8)
            if self._rank:
                self._mesh.send(0, tag, token)
                try:
                    self._mesh.wait(self._mesh.post(0, tag, token), timeout)
                except RuntimeError as error:
                    raise RuntimeError(
                        f"Rank {self._rank} successfully reached monitoredBarrier, but received errors while waiting "
                        "for send/recv from rank 0. Please check rank 0 logs for faulty rank.\n"
                        f" Original exception: \n{error}"
                    ) from None
                return
            missing = []
            for peer, receipt in {peer: self._mesh.post(peer, tag, token) for peer in range(1, self._size)}.items():
                try:
                    self._mesh.wait(receipt, timeout)
                except RuntimeError as error:
                    missing.append(peer)
                    if not wait_all_ranks:
                        raise RuntimeError(
                            f"[Rank 0]: Rank {peer} failed to pass monitoredBarrier in "
                            f"{int(timeout.total_seconds() * 1000)} ms\n Original exception: \n{error}"
                        ) from None
            if missing:
                raise RuntimeError(
                    f"[Rank 0]: Ranks {', '.join(map(str, missing))} failed to pass monitoredBarrier in "
                    f"{int(timeout.total_seconds() * 1000)} ms"
                )
            for peer in range(1, self._size):
                self._mesh.send(peer, tag, token)

        self._start(run, [], BarrierOptions(asyncOp=False)).wait()

    def send(self, tensors, peer, tag=0):
        """Sends a tensor to a rank."""
        (tensor,) = tensors
        _check_contiguous(tensor)
        return Work()._run(lambda: self._mesh.send(peer, tag, tensor))

    def recv(self, tensors, peer, tag=0):
        """Fills a tensor with what a rank sends."""
        (tensor,) = tensors
        _check_contiguous(tensor)
        return _Receiving(self._mesh, self._mesh.post(peer, tag, tensor))

    def recv_anysource(self, tensors, tag=0):
        """Fills a tensor with what any rank sends."""
        return self.recv(tensors, None, tag)


def _check_contiguous(tensor):
    if not tensor.is_contiguous():
        raise RuntimeError("input tensor has to be contiguous")


def _described(tensor):
    name = str(tensor.dtype).partition(".")[2]
    name = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int"}.get(name, name)
    return (
        f"TensorOptions(dtype={name}, device={tensor.device}, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )
