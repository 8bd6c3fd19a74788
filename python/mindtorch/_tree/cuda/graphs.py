"""CUDA graphs, which a build without CUDA refuses."""

from .._absent_device import refusing, refusing_class

_DUMMY = "Tried to instantiate dummy base class "
_NO_STREAMS = "torch.cuda.Stream requires CUDA support"

CUDAGraph = refusing_class(__name__, "CUDAGraph(keep_graph=False)", RuntimeError, _DUMMY + "CUDAGraph")
graph = refusing_class(
    __name__,
    "graph(cuda_graph, pool=None, stream=None, capture_error_mode='global', enable_annotations=False, "
    "check_input_liveness=False)",
    RuntimeError,
    _NO_STREAMS,
)
graph_pool_handle = refusing(__name__, "graph_pool_handle()", RuntimeError, _DUMMY + "_graph_pool_handle")
is_current_stream_capturing = refusing(
    __name__, "is_current_stream_capturing()", RuntimeError, _DUMMY + "_cuda_isCurrentStreamCapturing"
)
make_graphed_callables = refusing(
    __name__,
    "make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None)",
    RuntimeError,
    _NO_STREAMS,
)
