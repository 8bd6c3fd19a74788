"""The hook-based checkpoint: drops tensors saved by forward, and recomputes them when backward first needs one."""

import contextlib
import threading
import uuid
import weakref
from collections import defaultdict

from .. import _C
from .._root import torch
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ._checkpoint_state import RegionState

_DEBUG_TIP = (
    "\nTip: To see a more detailed error message, either pass `debug=True` "
    "to\n`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\nwith `with "
    "torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\nenable checkpoint\N{NON-BREAKING HYPHEN}debug "
    "mode globally.\n\nIf this error occurs under torch.compile with automatic_dynamic_shapes enabled,\nit may be "
    "because the recomputation selected a different compiled graph than the\nforward pass (e.g., a dynamic graph "
    "instead of the original static graph).\nTo fix this, either:\n  - Use torch._dynamo.mark_dynamic() to explicitly "
    "mark varying dimensions as\n    dynamic upfront, avoiding the static-to-dynamic transition.\n  - Call "
    "torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache\n    reordering, which can change which "
    "graph is checked first between forward\n    and recompute.\nSee https://github.com/pytorch/pytorch/issues/166926 "
    "for more details and\nworkaround examples.\n"
)


class CheckpointError(RuntimeError):
    """Raised in backward if a checkpointed function did not repeat its computation."""


class _StopRecomputationError(Exception):
    """Ends a recomputation as soon as all tensors that backward needs exist."""


def _internal_assert(cond) -> None:
    if not cond:
        raise AssertionError(
            "Something went unexpectedly wrong in activation checkpoint. Please report this bug by filing an issue to "
            "PyTorch."
        )


class _SaveInputs(Function):
    """Keeps the region's tensor inputs as autograd does, so that an enclosing checkpoint may drop those too."""

    @staticmethod
    def forward(*tensors):
        return torch.empty((0,))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("Did not expect to backward on this graph")


class _Handle:
    """The key of one recomputed tensor; alive as long as a graph may need it."""


class _Holder:
    """Represents a saved tensor in the graph."""

    def __init__(self) -> None:
        self.handles = {}


class GraphExecGroup:
    """Inside the block, several backward calls share one recomputation."""

    _current = threading.local()

    def __enter__(self) -> "GraphExecGroup":
        current = GraphExecGroup._get_current_group()
        if current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {current}")
        self._current.group = self
        return self

    def __exit__(self, *args: object) -> None:
        self._current.group = None

    @classmethod
    def _get_current_group(cls) -> "GraphExecGroup | None":
        return getattr(cls._current, "group", None)


def _recomputation_owner():
    """Returns the owner of a shared recomputation: the group, the running backward, or this unpacking alone."""
    group = GraphExecGroup._get_current_group()
    if group is not None:
        return group
    task = _C._current_graph_task_id()
    return uuid.uuid4().int if task == -1 else task


class _CheckpointFrame:
    """One checkpointed call: how to recompute it, and the tensors that forward saved, in order."""

    def __init__(self, recompute_fn, early_stop, unpack_error_cb, metadata_fn) -> None:
        self.recompute_fn = recompute_fn
        self.early_stop = early_stop
        self.unpack_error_cb = unpack_error_cb
        self.metadata_fn = metadata_fn
        self.input_saver = None
        self.saved_args = []
        self.weak_holders = []
        self.x_metadatas = []
        self.recomputed = defaultdict(weakref.WeakKeyDictionary)
        self.recomp_counter = defaultdict(int)
        self.is_recomputed = defaultdict(bool)
        self.forward_completed = False
        self.ignore_saved_mismatch = False

    def save_inputs(self, *args) -> None:
        places = [index for index, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        self.saved_args = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        self.tensor_places = places
        # The additional input makes the node exist even if no argument requires a gradient.
        dummy = torch.empty((0,), requires_grad=True)
        self.input_saver = _SaveInputs.apply(dummy, *[args[place] for place in places]).grad_fn

    def get_inputs(self) -> list:
        inputs = list(self.saved_args)
        for place, tensor in zip(self.tensor_places, self.input_saver.saved_tensors, strict=True):
            inputs[place] = tensor
        return inputs

    def check_recomputed_tensors_match(self, gid) -> None:
        if self.ignore_saved_mismatch:
            return
        saved, again = len(self.weak_holders), self.recomp_counter[gid]
        if saved != again:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {saved}\n"
                f"Number of tensors saved during recomputation: {again}.\n{_DEBUG_TIP}"
            )
        mismatches = ""
        for index, weak_holder in enumerate(self.weak_holders):
            holder = weak_holder()
            if holder is None:
                continue
            handle = holder.handles.get(gid)
            _internal_assert(handle is not None and handle in self.recomputed[gid])
            found = self.metadata_fn(self.recomputed[gid][handle])
            if self.x_metadatas[index] != found:
                mismatches += (
                    f"tensor at position {index}:\nsaved metadata: {self.x_metadatas[index]}\n"
                    f"recomputed metadata: {found}\n"
                )
        if mismatches:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{mismatches}.\n{_DEBUG_TIP}"
            )

    def store_recomputed_tensor(self, tensor, gid) -> None:
        """Stores the next tensor that a recomputation saves under the holder that forward made at this point."""
        index, expected = self.recomp_counter[gid], len(self.weak_holders)
        self.recomp_counter[gid] = index + 1
        if index >= expected:
            self._handle_unexpected_tensor()
            return
        holder = self.weak_holders[index]()
        if holder is not None:
            _internal_assert(holder.handles.get(gid) is None)
            handle = holder.handles[gid] = _Handle()
            self.recomputed[gid][handle] = tensor
        if self.early_stop and index + 1 == expected:
            raise _StopRecomputationError

    def _handle_unexpected_tensor(self) -> None:
        if self.early_stop:
            raise AssertionError("Unexpected state: target_frame.early_stop is set")
        if self.forward_completed:
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                f"forward pass.\n{_DEBUG_TIP}"
            )
        # Backward runs inside the region's own forward, which has not saved its remaining tensors yet.
        self.ignore_saved_mismatch = True

    def recompute(self, gid) -> None:
        with contextlib.suppress(_StopRecomputationError):
            inputs = self.get_inputs()
            with _recomputation_hook(weakref.ref(self), gid), torch.enable_grad():
                self.recompute_fn(*inputs)
        self.is_recomputed[gid] = True
        self.check_recomputed_tensors_match(gid)


class _recomputation_hook(saved_tensors_hooks):
    """Collects the tensors that a recomputation saves for the holders that the graph still references."""

    def __init__(self, frame_ref, gid) -> None:
        def collect_recomputed(tensor):
            tensor = tensor.detach() if tensor.requires_grad else tensor
            frame = frame_ref()
            if frame is None:
                raise AssertionError("Internal error: target_frame reference is None")
            frame.store_recomputed_tensor(tensor, gid)
            return tensor

        super().__init__(collect_recomputed, lambda tensor: tensor)


class _checkpoint_hook(saved_tensors_hooks):
    """Drops the tensors that forward saves, and restores them by recomputation."""

    def __init__(self, frame) -> None:
        def pack_hook(x):
            holder = _Holder()
            frame.weak_holders.append(weakref.ref(holder))
            with torch.no_grad():
                frame.x_metadatas.append(frame.metadata_fn(x))
            return holder

        def unpack_hook(holder):
            gid = _recomputation_owner()
            if not frame.is_recomputed[gid]:
                frame.recompute(gid)
            _internal_assert(gid in holder.handles)
            handle = holder.handles[gid]
            if handle is None:
                extra = ""
                if GraphExecGroup._get_current_group() is not None:
                    extra = (
                        "Performing two backward calls that overlap (i.e. require the same saved activation in order "
                        "to compute gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup "
                        "context. "
                    )
                raise CheckpointError(
                    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                    f"{extra}If you are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise "
                    "please open an issue with details on your use case."
                )
            _internal_assert(handle in frame.recomputed[gid])
            tensor = frame.recomputed[gid][handle]
            holder.handles[gid] = None
            return tensor

        def unpack_and_explain_error(holder):
            try:
                return unpack_hook(holder)
            except CheckpointError as error:
                frame.unpack_error_cb(error)

        super().__init__(pack_hook, unpack_hook if frame.unpack_error_cb is None else unpack_and_explain_error)


def _current_device_context():
    """Returns the innermost `with torch.device(...)`, which recomputation needs as well."""
    from ..overrides import _get_current_function_mode_stack
    from ._device import DeviceContext

    modes = reversed(_get_current_function_mode_stack())
    return next((mode for mode in modes if isinstance(mode, DeviceContext)), contextlib.nullcontext())


@contextlib.contextmanager
def checkpointed_region(function, args, kwargs, options, contexts, unpack_error_cb, metadata_fn):
    """Runs forward inside; afterwards its graph holds only what a recomputation needs."""
    preserve_rng_state, early_stop = options
    forward_context, recompute_context = contexts
    state = RegionState(args, preserve_rng_state)
    is_device_initialized = state.is_device_initialized()
    device_context = _current_device_context()

    def recompute(*inputs) -> None:
        with state.replay(), recompute_context, device_context:
            function(*inputs, **kwargs)

    if not torch.is_grad_enabled():
        yield
        return
    frame = _CheckpointFrame(recompute, early_stop, unpack_error_cb, metadata_fn)
    frame.save_inputs(*args)
    failed = False
    with _checkpoint_hook(frame), forward_context:
        try:
            yield
        except BaseException:
            failed = True
            raise
    if failed:
        raise RuntimeError(
            "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during "
            "the checkpointed forward. This is not supported because checkpoint cannot return a value for a failed "
            "forward."
        )
    frame.forward_completed = True
    if preserve_rng_state and state.is_device_initialized() and not is_device_initialized:
        raise RuntimeError(
            "PyTorch's device state was initialized in the forward pass of a Checkpoint, which is not allowed. Please "
            "open an issue if you need this feature."
        )
