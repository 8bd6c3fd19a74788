"""CUDA graphs, which a build without CUDA refuses."""

from .._absent_device import refuse_all, refusing_class, refusing

_DUMMY = "Tried to instantiate dummy base class "

CUDAGraph = refusing_class(__name__, "CUDAGraph", RuntimeError, _DUMMY + "CUDAGraph")
graph = refusing_class(__name__, "graph", RuntimeError, "torch.cuda.Stream requires CUDA support")
graph_pool_handle = refusing(__name__, "graph_pool_handle", RuntimeError, _DUMMY + "_graph_pool_handle")
is_current_stream_capturing = refusing(
    __name__, "is_current_stream_capturing", RuntimeError, _DUMMY + "_cuda_isCurrentStreamCapturing"
)
refuse_all(__name__, ("make_graphed_callables",), RuntimeError, "torch.cuda.Stream requires CUDA support")
