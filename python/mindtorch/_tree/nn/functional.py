"""torch.nn.functional: layers as functions. The code is in the private siblings, by family."""

from .. import _C
from .._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3, boolean_dispatch
from .._root import torch
from ..overrides import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)
from . import _reduction as _Reduction
from . import grad
from . import (
    _functional_activation,
    _functional_attention,
    _functional_loss,
    _functional_matmul,
    _functional_norm,
    _functional_pooling,
    _functional_vision,
)

Tensor = torch.Tensor


def _reexport_sibling_modules():
    """Re-exports the siblings' functions under this module's name."""
    for sibling in (
        _functional_activation,
        _functional_attention,
        _functional_loss,
        _functional_matmul,
        _functional_norm,
        _functional_pooling,
        _functional_vision,
    ):
        for name, value in vars(sibling).items():
            if getattr(value, "__module__", None) == sibling.__name__:
                value.__module__ = __name__
                globals()[name] = value


_reexport_sibling_modules()

threshold = _functional_activation.threshold
GRID_SAMPLE_INTERPOLATION_MODES = _functional_vision.GRID_SAMPLE_INTERPOLATION_MODES
GRID_SAMPLE_PADDING_MODES = _functional_vision.GRID_SAMPLE_PADDING_MODES

# Operators that are their own functional form; those that the library lacks are absent here too.
_FROM_TORCH = (
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "conv_tbc",
    "avg_pool1d",
    "adaptive_avg_pool1d",
    "threshold_",
    "relu_",
    "selu_",
    "celu_",
    "prelu",
    "rrelu_",
    "hardshrink",
    "bilinear",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "native_channel_shuffle",
    "pairwise_distance",
    "pdist",
    "cosine_similarity",
)
_FROM_NN = {
    "avg_pool2d": "avg_pool2d",
    "avg_pool3d": "avg_pool3d",
    "hardtanh_": "hardtanh_",
    "elu_": "elu_",
    "leaky_relu_": "leaky_relu_",
    "logsigmoid": "log_sigmoid",
    "gelu": "gelu",
    "softplus": "softplus",
    "softshrink": "softshrink",
    "linear": "linear",
    "one_hot": "one_hot",
    "scaled_dot_product_attention": "scaled_dot_product_attention",
}
for _name in _FROM_TORCH:
    if hasattr(torch, _name):
        globals()[_name] = getattr(torch, _name)
for _name, _operator in _FROM_NN.items():
    if hasattr(_C._nn, _operator):
        globals()[_name] = getattr(_C._nn, _operator)
del _name, _operator
ScalingType, SwizzleType = _functional_matmul._ScalingType, _functional_matmul._SwizzleType
