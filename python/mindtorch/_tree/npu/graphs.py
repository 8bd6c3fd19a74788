"""Graphs: a stream's work, recorded once and replayed as a whole."""

import gc

from .. import _C
from .._root import torch
from ._backend import has_device
from .memory import empty_cache, host_empty_cache
from .streams import Stream, stream as _stream_context

__all__ = [
    "is_current_stream_capturing",
    "graph_pool_handle",
    "NPUGraph",
    "graph",
    "make_graphed_callables",
]

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


def _require_device(name: str) -> None:
    if not has_device():
        raise RuntimeError(f"Tried to instantiate dummy base class {name}")


def is_current_stream_capturing() -> bool:
    """Returns whether a graph is being recorded on the current stream.

    Returns:
        bool: whether one is.

    Raises:
        RuntimeError: when there is no device.
    """
    _require_device("_npu_isCurrentStreamCapturing")
    return torch.npu.is_initialized() and _C._npu_isCurrentStreamCapturing()


def graph_pool_handle() -> tuple[int, int]:
    """Returns the name of a new pool of memory, which several graphs can share.

    Returns:
        tuple[int, int]: the name, for `pool` of `graph` and NPUGraph.capture_begin.

    Raises:
        RuntimeError: when there is no device.
    """
    _require_device("_graph_pool_handle")
    return _C._npu_graphPoolHandle()


class NPUGraph(_C._NPUGraphBase):
    """Work of a stream, recorded once and done again as a whole by `replay`.

    A replay uses the addresses of the recording: write new inputs into the same tensors. Tensors made
    while recording live in the graph's pool of memory as long as the graph does.

    Args:
        keep_graph (bool): only ``False`` is supported; otherwise NotImplementedError.

    Raises:
        RuntimeError: when there is no device.
    """

    def __new__(cls, keep_graph: bool = False):
        _require_device(cls.__name__)
        if keep_graph:
            raise NotImplementedError("torch.npu.NPUGraph: keep_graph=True is not supported")
        return super().__new__(cls)

    def capture_begin(self, pool=None, capture_error_mode: str = "global", check_input_liveness: bool = False) -> None:
        """Begins to record the current stream, which must not be the default one.

        Args:
            pool (tuple, optional): a pool of memory, of graph_pool_handle or another graph's `pool()`.
                Default: one of its own.
            capture_error_mode (str): which calls that a recording forbids are errors: of all threads
                ("global"), of this one ("thread_local") or none ("relaxed"). Default: ``"global"``.
            check_input_liveness (bool): only ``False`` is supported; otherwise NotImplementedError.
        """
        if check_input_liveness:
            raise NotImplementedError("torch.npu.NPUGraph: check_input_liveness=True is not supported")
        if capture_error_mode not in _MODES:
            raise RuntimeError(
                f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}"
            )
        super().capture_begin((0, 0) if pool is None else tuple(pool), _MODES[capture_error_mode])


def _make_refusing_method(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"torch.npu.NPUGraph.{name} is not supported")

    refuse.__name__ = name
    refuse.__doc__ = f"Raises NotImplementedError: this package's graphs have no {name}."
    return refuse


for _name in "debug_dump enable_debug_mode get_graph_data instantiate raw_npu_graph raw_npu_graph_exec".split():
    setattr(NPUGraph, _name, _make_refusing_method(_name))


class graph:
    """Records the work of a block into a graph; the block does not run it.

    Waits for the device and empties the caches of memory first.

    Args:
        npu_graph (NPUGraph): the graph.
        pool (tuple, optional): its pool of memory, of graph_pool_handle. Default: one of its own.
        stream (Stream, optional): the stream to record. Default: one that all recordings share.
        capture_error_mode (str): as of NPUGraph.capture_begin. Default: ``"global"``.
        enable_annotations, check_input_liveness (bool): only ``False`` is supported; otherwise NotImplementedError.
    """

    default_capture_stream = None

    def __init__(
        self,
        npu_graph,
        pool=None,
        stream=None,
        capture_error_mode: str = "global",
        enable_annotations: bool = False,
        check_input_liveness: bool = False,
    ):
        if enable_annotations:
            raise NotImplementedError("torch.npu.graph: enable_annotations=True is not supported")
        if stream is None and self.__class__.default_capture_stream is None:
            self.__class__.default_capture_stream = Stream()
        self.pool = () if pool is None else (pool,)
        self.capture_stream = stream if stream is not None else self.__class__.default_capture_stream
        self.stream_ctx = _stream_context(self.capture_stream)
        self.npu_graph = npu_graph
        self.capture_error_mode = capture_error_mode
        self.check_input_liveness = check_input_liveness

    def __enter__(self) -> None:
        torch.npu.synchronize()
        gc.collect()
        empty_cache()
        host_empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.npu_graph.capture_begin(
                *self.pool,
                capture_error_mode=self.capture_error_mode,
                check_input_liveness=self.check_input_liveness,
            )
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, *args: object) -> None:
        try:
            self.npu_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*args)


def make_graphed_callables(
    callables, sample_args, num_warmup_iters: int = 3, allow_unused_input: bool = False, pool=None
):
    """Makes functions whose forward and backward are replays of recorded graphs.

    All arguments must be tensors of the sample's shapes. A module is changed in place, and runs its
    recording in the mode (training or not) that it had. Later backward passes cannot be differentiated.

    Args:
        callables (Callable, Module or tuple of them): what to record.
        sample_args (tuple of Tensor, or tuple of such tuples): example arguments for each.
        num_warmup_iters (int): runs before the recording. Default: ``3``.
        allow_unused_input (bool): accepts inputs that do not affect the outputs. Default: ``False``.
        pool (tuple, optional): a pool of memory, of graph_pool_handle. Default: a new one.

    Returns:
        Callable or tuple of Callable: the replaying functions, as `callables` was given.

    Raises:
        RuntimeError: when there is no device, a module has hooks or buffers that need gradients, or
            autocast caches.
        TypeError: when a sample argument is no tensor.
    """
    if not has_device():
        raise RuntimeError("torch.npu.Stream requires NPU support")
    from ._graphed_callables import make_graphed_callables_as_given

    return make_graphed_callables_as_given(callables, sample_args, num_warmup_iters, allow_unused_input, pool)
