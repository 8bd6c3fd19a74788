"""torch.backends.cudnn: not available; stores flags for programs that set them."""

from __future__ import annotations

import warnings

from .. import _require_bool, _FP32Precision, _make_property_module, _require_precision_name, _Setting
from ..._root import torch

conv = _FP32Precision("cuda", "conv")
rnn = _FP32Precision("cuda", "rnn")


def _init():
    return False


def version() -> int | None:
    """Returns the version of cuDNN: None.

    Returns:
        int or None: always None here.
    """
    return None


def is_available() -> bool:
    """Returns whether cuDNN is available: False.

    Returns:
        bool: always False here.
    """
    return False


def is_acceptable(tensor):
    """Returns whether cuDNN can work on a tensor: False, with a warning for CUDA tensors.

    Args:
        tensor (Tensor): the tensor.

    Returns:
        bool: always False here.
    """
    if not enabled_setting.get() or tensor.device.type != "cuda":
        return False
    if tensor.dtype in (torch.half, torch.float, torch.double):
        warnings.warn(
            "PyTorch was compiled without cuDNN/MIOpen support. To use cuDNN/MIOpen, rebuild PyTorch making sure the "
            "library is visible to the build system.",
            stacklevel=2,
        )
    return False


enabled_setting = _Setting(True, _require_bool)
_make_property_module(
    __name__,
    {
        "enabled": enabled_setting,
        "benchmark": _Setting(False, _require_bool),
        # The cuDNN library stores this limit; without the library the setting does not exist.
        "benchmark_limit": _Setting(None, lambda value: None),
        "deterministic": _Setting(False, _require_bool),
        "allow_tf32": _Setting(True, _require_bool),
        "fp32_precision": _Setting("none", _require_precision_name),
        "depthwise_kernel": _Setting("auto"),
    },
    {
        "enabled": False,
        "benchmark": False,
        "benchmark_limit": 10,
        "deterministic": False,
        "allow_tf32": True,
        "fp32_precision": "none",
        "depthwise_kernel": "auto",
    },
)
