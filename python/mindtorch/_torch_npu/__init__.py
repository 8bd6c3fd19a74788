"""torch_npu: the module that programs for Ascend NPUs import; the backend itself is torch.npu."""

import torch
from torch import npu

from ._operators import (
    get_npu_format,
    npu_format_cast,
    npu_format_cast_,
    npu_fusion_attention,
    npu_rms_norm,
    npu_rotary_mul,
    npu_swiglu,
)

__version__ = torch.__version__
__all__ = [
    "get_npu_format",
    "npu",
    "npu_format_cast",
    "npu_format_cast_",
    "npu_fusion_attention",
    "npu_rms_norm",
    "npu_rotary_mul",
    "npu_swiglu",
]


def _autoload():
    """torch calls this entry point of installed backends; it has nothing to do."""
