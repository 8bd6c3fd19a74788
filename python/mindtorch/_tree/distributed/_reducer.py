"""The reducer of DistributedDataParallel: copies gradients into flat buckets, and averages these over all processes."""

import enum
import os
import sys
import weakref
from collections import Counter
from functools import cache

from .._future import Future
from .._root import torch
from ._work import BroadcastOptions
from ._reducer_texts import (
    BUCKET_VIEW_LOST,
    CREATES_GRAPH,
    GRAPH_CHANGED,
    NOTHING_UNUSED,
    READY_TWICE,
    make_unfinished_reduction_error,
)

_DEFAULT_FIRST_BUCKET_BYTES = 1024 * 1024


@cache
def _print_warning_once(text):
    # torch prints these warnings from C++, without Python's warnings module.
    print("Warning: " + text, file=sys.stderr)


class BuiltinCommHookType(enum.Enum):
    """The hooks of `_register_builtin_comm_hook`."""

    ALLREDUCE, FP16_COMPRESS = range(2)

    __str__ = lambda self: f"BuiltinCommHookType.{self.name}"  # noqa: E731


class GradBucket:
    """The argument of a communication hook: the gradients of some parameters, flattened in one tensor."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, index, count, buffer, parameters):
        self._index, self._count, self._buffer, self._parameters = index, count, buffer, parameters

    def index(self) -> int:
        """The bucket's index in the order of reduction."""
        return self._index

    def is_last(self) -> bool:
        """Whether this bucket is the last one of the pass."""
        return self._index == self._count - 1

    def buffer(self):
        """All gradients, in one dimension."""
        return self._buffer

    def set_buffer(self, buffer) -> None:
        """Replaces the flat tensor that buffer() returns."""
        self._buffer = buffer

    def gradients(self):
        """The gradient of each parameter, as views of buffer(); empty for a sparse gradient."""
        if self._buffer.is_sparse:
            return []
        return _view_buffer_as_gradients(self._buffer, self._parameters)

    def parameters(self):
        """The parameters, in the order of their gradients."""
        return self._parameters


def _view_buffer_as_gradients(buffer, params):
    """Returns the parts of a flat tensor for each parameter's gradient, with the parameter's strides if it is dense."""
    views, offset = [], 0
    for param in params:
        views.append(buffer.as_strided(param.shape, torch.empty_like(param, device="meta").stride(), offset))
        offset += param.numel()
    return views


class _Bucket:
    """Some parameters, and the flat tensor that transfers their gradients."""

    def __init__(self, indices, params, sparse):
        self.indices, self.params, self.pending, self.work, self.sparse = indices, params, len(indices), None, sparse
        if sparse:  # one parameter, whose gradient is transferred itself
            shape = params[0].shape
            self.buffer = torch.ops.aten._sparse_coo_tensor_with_dims(1, len(shape) - 1, shape, dtype=params[0].dtype)
            return
        size = sum(param.numel() for param in params)
        self.buffer = torch.empty(size, dtype=params[0].dtype, device=params[0].device)
        self.views = _view_buffer_as_gradients(self.buffer, params)


class Reducer:
    """Averages the gradients of `params` over a group, a bucket at a time, during backward.

    Hooks on the parameters' accumulators report when a gradient is ready. Each process starts buckets in order; a
    callback at the end of backward waits for all of them and writes the results back.
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, params, buckets, group, find_unused, as_view, names, limits, skip_unused, sparse):
        self._params, self._group = params, group
        self._find_unused, self._as_view, self._skip_unused = find_unused, as_view, skip_unused
        self._names, self._limits, self._sparse = names, limits, sparse
        self._static = False
        self._hook = self._hook_state = None
        self._iterations = 0
        self._reset_backward_state()
        self._make_buckets(buckets)
        self._accumulators, self._handles = [], []
        myself = weakref.ref(self)
        with torch.enable_grad():
            for index, param in enumerate(self._params):
                node = param.expand_as(param).grad_fn.next_functions[0][0]
                self._accumulators.append(node)
                self._handles.append(node.register_hook(_make_gradient_ready_hook(myself, index)))

    def _reset_backward_state(self):
        self._expects_hooks = self._unfinished = self._marked_unused = self._rebuilt = False
        self._ready, self._unused = set(), []
        self._order = []
        self._used, self._used_anywhere, self._used_work = [0] * len(self._params), None, None
        self._triggers, self._triggers_left = Counter(), Counter()
        self._divisor = None
        self._set_forward_pass_work_handle(None, True)

    def _make_buckets(self, bucket_indices):
        self._buckets = [
            _Bucket(indices, [self._params[i] for i in indices], self._sparse[indices[0]]) for indices in bucket_indices
        ]
        self._places = {index: (bucket, slot) for bucket in self._buckets for slot, index in enumerate(bucket.indices)}
        self._next = 0

    # ---- called by DistributedDataParallel around a forward pass

    def prepare_for_forward(self) -> None:
        """Counts the iterations whose gradients are reduced."""
        self._iterations += 1

    def prepare_for_backward(self, outputs) -> None:
        """Expects a backward pass; the graph of `outputs` shows which parameters will get no gradient."""
        self._expects_hooks = True
        self._next = 0
        for bucket in self._buckets:
            bucket.pending = len(bucket.indices)
        self._triggers_left = self._triggers.copy()
        self._marked_unused = False
        self._ready.clear()
        if self._must_search_unused_parameters():
            self._unused = self._search_unused_parameters(outputs)

    def _must_search_unused_parameters(self):
        return self._find_unused and not self._static

    def _is_first_iteration_of_static_graph(self):
        return self._static and self._iterations == 1

    def _search_unused_parameters(self, outputs):
        stack = [output.grad_fn for output in outputs if output.grad_fn is not None]
        seen = set(stack)
        while stack:
            for node, _ in stack.pop().next_functions:
                if node is not None and node not in seen:
                    seen.add(node)
                    stack.append(node)
        unused = [index for index, node in enumerate(self._accumulators) if node not in seen]
        if not unused:
            _print_warning_once(NOTHING_UNUSED)
        return unused

    def _check_previous_reduction_finished(self):
        if self._unfinished:
            missing = [index for index in range(len(self._params)) if index not in self._ready]
            names = None
            if os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper() != "OFF":
                names = [self._names[index] for index in reversed(missing)]
            raise RuntimeError(
                make_unfinished_reduction_error(self._static, self._find_unused, self._group.rank(), missing, names)
            )

    def _rebuild_buckets(self) -> bool:
        """Runs once, after the first backward: rebuilds buckets in the order in which gradients arrived on rank 0."""
        self._check_previous_reduction_finished()
        if not (self._may_rebuild_buckets() and self._order):
            return False
        limits, _ = _compute_bucket_assignment_by_size(
            [self._params[index] for index in self._order], self._limits, self._sparse, self._order
        )
        # Each parameter is in one bucket, of the same size on every rank; one bucket per index.
        pairs = [(index, bucket) for bucket, indices in enumerate(limits) for index in indices]
        where = torch.tensor(pairs).T.contiguous()
        self._group.broadcast([where]).wait()
        buckets = {}
        for index, bucket in where.T.tolist():
            buckets.setdefault(bucket, []).append(index)
        self._rebuilt, self._order = True, []
        self._make_buckets(list(buckets.values()))
        return True

    def _may_rebuild_buckets(self):
        return (self._static or not self._find_unused) and not self._rebuilt

    def _push_all_rebuilt_params(self):
        if self._may_rebuild_buckets():
            self._order = list(range(len(self._params)))

    # ---- called during backward

    def _autograd_hook(self, index):
        if self._must_search_unused_parameters() or self._is_first_iteration_of_static_graph():
            # Outputs that the loss does not use also arrive here, without a gradient.
            if self._params[index].grad is not None:
                self._used[index] = 1
            if self._static:
                self._triggers[index] += 1
                return
        if not self._expects_hooks:
            return
        if not self._marked_unused:
            self._marked_unused = True
            for unused in self._unused:
                self._mark_parameter_ready(unused)
        if self._static:
            if self._triggers_left[index] <= 0:
                raise RuntimeError(GRAPH_CHANGED)
            self._triggers_left[index] -= 1
            if self._triggers_left[index]:
                return
        self._mark_parameter_ready(index)

    def _mark_parameter_ready(self, index):
        if index in self._ready:
            name = f" with name {self._names[index]}" if index in self._names else ""
            raise RuntimeError(READY_TWICE.format(index=index, name=name))
        self._ready.add(index)
        self._unfinished = True
        if self._may_rebuild_buckets():
            self._order.append(index)
        bucket, slot = self._places[index]
        self._copy_gradient_to_bucket(bucket, slot)
        bucket.pending -= 1
        while self._next < len(self._buckets) and not self._buckets[self._next].pending:
            if not (self._skip_unused and set(self._buckets[self._next].indices) <= set(self._unused)):
                self._start_bucket_reduction(self._next)
            self._next += 1
        if self._next == len(self._buckets):
            if self._must_search_unused_parameters():
                self._start_used_map_all_reduce()
            torch.autograd.Variable._execution_engine.queue_callback(self._finish_backward_reduction)

    def _copy_gradient_to_bucket(self, bucket, slot):
        """Copies a gradient into its bucket; divides it by the number of processes unless a hook does that."""
        param = bucket.params[slot]
        grad, hooked = param.grad, self._hook is not None
        if self._divisor is None:
            self._divisor = self._world_size()
        if bucket.sparse:
            if grad is None:
                raise RuntimeError("Expected sparse gradient to be defined.")
            if not grad.is_sparse:
                raise RuntimeError("Expected variable to have sparse gradient.")
            bucket.buffer = grad.detach() if hooked else grad.detach().div_(self._divisor)
            return
        view = bucket.views[slot]
        if grad is None:
            view.zero_()
        elif self._as_view and _shares_memory(grad, view):
            if not hooked:
                view.div_(self._divisor)
        else:
            if grad.requires_grad:
                _print_warning_once(CREATES_GRAPH)
                grad = grad.detach()
            if hooked:
                view.copy_(grad)
            else:
                torch.mul(grad, 1 / self._divisor, out=view)
            if self._as_view:
                param.grad = view

    def _world_size(self):
        work = self._forward_work
        if work is None:
            return self._group.size()
        work.wait()
        return int(work.result()[0].item())

    def _start_bucket_reduction(self, position):
        bucket = self._buckets[position]
        tensor = torch.view_as_real(bucket.buffer) if bucket.buffer.is_complex() else bucket.buffer
        bucket.work = self._reduce_bucket(GradBucket(position, len(self._buckets), tensor, bucket.params))

    def _start_used_map_all_reduce(self):
        self._used_anywhere, self._used_map = None, self._get_local_used_map()
        self._used_work = self._group.allreduce([self._used_map])

    def _get_local_used_map(self):
        return torch.tensor(self._used, dtype=torch.int32, device=self._params[0].device)

    def _delay_all_reduce(self):
        """Runs after the first backward of a static graph, which counted hook calls: reduces everything."""
        self._start_used_map_all_reduce()
        self._unused = [index for index in range(len(self._params)) if not self._triggers[index]]
        self._unfinished = True
        for position, bucket in enumerate(self._buckets):
            for slot in range(len(bucket.indices)):
                self._copy_gradient_to_bucket(bucket, slot)
            self._start_bucket_reduction(position)
        self._finish_backward_reduction()

    @torch.no_grad()
    def _finish_backward_reduction(self):
        self._expects_hooks = self._unfinished = False
        for bucket in self._buckets:
            if bucket.work is None:
                continue
            result, bucket.work = bucket.work(), None
            self._divisor = None
            if bucket.sparse:
                bucket.params[0].grad.copy_(result)
                continue
            if bucket.buffer.is_complex():
                result = torch.view_as_complex(result)
            inside = _shares_memory(result, bucket.buffer)
            self._write_results_to_gradients(
                bucket, bucket.views if inside else _view_buffer_as_gradients(result.reshape(-1), bucket.params)
            )
        if self._used_work is not None:
            self._used_work.wait()
            self._used_work = None
        if self._must_search_unused_parameters():
            self._used = [0] * len(self._params)

    def _write_results_to_gradients(self, bucket, results):
        grads, averages = [], []
        for slot, (index, param) in enumerate(zip(bucket.indices, bucket.params)):
            average, grad = results[slot], param.grad
            if self._as_view:
                view = bucket.views[slot]
                if average is not view:
                    view.copy_(average)
            if (self._static or self._find_unused) and self._is_unused_on_all_ranks(index):
                continue
            if self._as_view:
                if grad is None:
                    param.grad = view
                elif not _shares_memory(grad, view):
                    raise RuntimeError(BUCKET_VIEW_LOST)
            elif grad is None:
                param.grad = torch.empty_like(param, requires_grad=False).copy_(average)
            else:
                grads.append(grad)
                averages.append(average)
        if grads:
            torch._foreach_copy_(grads, averages)

    def _is_unused_on_all_ranks(self, index):
        if self._used[index]:
            return False
        if self._used_anywhere is None:
            self._used_work.wait()
            self._used_anywhere = self._used_map.tolist()
        return not self._used_anywhere[index]

    # ---- reduction of a bucket

    def _reduce_bucket(self, bucket):
        """Starts the reduction; the returned work waits for the flat result."""
        tensor = bucket.buffer()
        if self._hook is not None:
            future = self._run_comm_hook(bucket)

            def wait_and_average():
                value = future.wait()
                if not isinstance(value, torch.Tensor):
                    raise RuntimeError(f"Unable to cast {value} to Tensor")
                return value

            return wait_and_average
        work = self._group.allreduce([tensor])
        return lambda: work.wait() and tensor

    def _run_comm_hook(self, bucket):
        if self._hook is None:
            return self._run_allreduce_hook(bucket)
        future = self._hook(self._hook_state, bucket)
        if not isinstance(future, Future):
            kind = type(future)
            raise RuntimeError(
                f"Unable to cast Python instance of type {kind} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_"
                "MESSAGES or compile in debug mode for details). DDP communication hook's callback must return a "
                f"torch.futures.Future object, but got {kind.__module__}.{kind.__qualname__}"
            )
        return future

    def _run_allreduce_hook(self, bucket):
        return self._group.allreduce([bucket.buffer()]).get_future().then(lambda future: future.value()[0])

    def _set_comm_hook(self, state, hook, texts="register_comm_hook or register_builtin_comm_hook"):
        if self._hook is not None:
            raise RuntimeError(texts + " can only be called once.")
        self._hook_state, self._hook = state, hook

    # ---- static graphs, uneven inputs, and hooks that are removed

    def _set_static_graph(self):
        if self._iterations:
            raise RuntimeError(
                "set_static_graph() should be called before training loop starts "
                "and after DistributedDataParallel is constructed."
            )
        self._static = True

    def _set_forward_pass_work_handle(self, work, use_static_world_size):
        self._forward_work = None if use_static_world_size else work

    def _get_zeros_like_grad_buckets(self):
        return [
            GradBucket(position, len(self._buckets), torch.zeros_like(bucket.buffer), bucket.params)
            for position, bucket in enumerate(self._buckets)
        ]

    def _remove_autograd_hooks(self):
        for handle in self._handles:
            handle.remove()


def _make_gradient_ready_hook(reducer, index):
    def mark_gradient_ready(*_):
        if (alive := reducer()) is not None:
            alive._autograd_hook(index)

    return mark_gradient_ready


def _shares_memory(a, b):
    return a is b or a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def _register_comm_hook(reducer, state, comm_hook):
    reducer._set_comm_hook(state, comm_hook)


def _register_builtin_comm_hook(reducer, comm_hook_type):
    from .algorithms.ddp_comm_hooks import default_hooks

    hook = getattr(default_hooks, comm_hook_type.name.lower() + "_hook")
    reducer._set_comm_hook(reducer._group, hook, "register_builtin_comm_hook or register_comm_hook")


def _compute_bucket_assignment_by_size(tensors, bucket_size_limits, expect_sparse_gradient=(), tensor_indices=()):
    """Assigns tensors to buckets: of one dtype and device, up to a limit of bytes; returns the buckets and their
    limits.

    The last limit applies to all further buckets. A tensor with a sparse gradient has its own bucket.
    """
    done, open_buckets, position = [], {}, Counter()
    for place, tensor in enumerate(tensors):
        if tensor.is_sparse:
            raise RuntimeError("No support for sparse tensors.")
        index = tensor_indices[place] if tensor_indices else place
        if expect_sparse_gradient and expect_sparse_gradient[index]:
            done.append(([index], 0))
            continue
        kind = tensor.dtype, tensor.device
        limit = bucket_size_limits[min(position[kind], len(bucket_size_limits) - 1)]
        indices, size, _ = open_buckets.pop(kind, ([], 0, 0))
        indices.append(index)
        size += tensor.nbytes
        if size >= limit:
            done.append((indices, limit))
            position[kind] += 1
        else:
            open_buckets[kind] = indices, size, limit
    done += [(indices, limit) for indices, _, limit in open_buckets.values()]
    if not tensor_indices:
        done.sort(key=lambda bucket: min(bucket[0]))
    return [indices for indices, _ in done], [limit for _, limit in done]


def _verify_params_across_processes(process_group, params, logger=None):
    """Raises if the number of parameters differs from rank 0's, or, on the rank concerned, if a shape differs."""
    rank = process_group.rank()
    mine = torch.tensor([len(params)])
    counts = [torch.empty_like(mine) for _ in range(process_group.size())]
    process_group.allgather([counts], [mine]).wait()
    for other, count in enumerate(counts):
        if count != mine:
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(params)} params, "
                f"while rank {other} has inconsistent {int(count)} params."
            )
    shapes = torch.tensor([number for param in params for number in (*param.shape, *param.stride())], dtype=torch.long)
    process_group.broadcast([shapes]).wait()
    theirs = iter(shapes.tolist())
    for index, param in enumerate(params):
        # Sizes are compared before strides, because the error reports them first.
        for what, numbers in (("sizes", param.shape), ("strides", param.stride())):
            if [next(theirs) for _ in numbers] != list(numbers):
                who = f"[{rank}]: " if what == "sizes" else ""
                raise RuntimeError(
                    f"{who}params[{index}] in this process with sizes "
                    f"{list(param.shape)} appears not to match {what} of the same param in process 0."
                )


def _broadcast_coalesced(process_group, tensors, buffer_size, src=0):
    """Copies one process's tensors to all others, several per message of up to about `buffer_size` bytes."""
    with torch.no_grad():
        for indices in _compute_bucket_assignment_by_size(tensors, [buffer_size])[0]:
            group = [tensors[index] for index in indices]
            flat = torch.cat([tensor.reshape(-1) for tensor in group])
            process_group.broadcast([flat], BroadcastOptions(rootRank=src)).wait()
            parts = flat.split([tensor.numel() for tensor in group])
            torch._foreach_copy_(group, [part.view(tensor.shape) for part, tensor in zip(parts, group)])
