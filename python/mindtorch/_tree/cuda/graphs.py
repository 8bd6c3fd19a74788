"""CUDA graphs; a build without CUDA raises."""

from .._absent_device import make_refusing_function, make_refusing_class

_DUMMY = "Tried to instantiate dummy base class "
_NO_STREAMS = "torch.cuda.Stream requires CUDA support"

CUDAGraph = make_refusing_class(
    __name__,
    "CUDAGraph(keep_graph=False): Work of a stream, recorded once and replayed.",
    RuntimeError,
    _DUMMY + "CUDAGraph",
)
graph = make_refusing_class(
    __name__,
    "graph(cuda_graph, pool=None, stream=None, capture_error_mode='global', enable_annotations=False, "
    "check_input_liveness=False): Records the work of a block into a graph.",
    RuntimeError,
    _NO_STREAMS,
)
graph_pool_handle = make_refusing_function(
    __name__,
    "graph_pool_handle(): Returns the name of a new pool of memory for graphs.",
    RuntimeError,
    _DUMMY + "_graph_pool_handle",
)
is_current_stream_capturing = make_refusing_function(
    __name__,
    "is_current_stream_capturing(): Returns whether a graph is being recorded on the current stream.",
    RuntimeError,
    _DUMMY + "_cuda_isCurrentStreamCapturing",
)
make_graphed_callables = make_refusing_function(
    __name__,
    "make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None): "
    "Makes functions whose forward and backward are replays of recorded graphs.",
    RuntimeError,
    _NO_STREAMS,
)
