"""Runs a program on real torch: on_torch.py PROGRAM.

PyPI's torchvision has an extension built for CUDA, which torch's CPU build cannot load; without it, importing
torchvision fails. The schemas of its operators, defined here, let its Python files be imported. Calling one of the
operators still fails. torchaudio's extensions are of the same kind; torchaudio works without them if it does not find
their files. mindtorch loads the extensions.
"""

import importlib.util
import runpy
import sys
import types
from pathlib import Path

OPERATORS = (
    "nms qnms roi_align qroi_align _roi_align_backward ps_roi_align _ps_roi_align_backward roi_pool _roi_pool_backward"
    " ps_roi_pool _ps_roi_pool_backward deform_conv2d _deform_conv2d_backward"
)

if importlib.util.find_spec("torchvision") is not None:
    import torch

    library = torch.library.Library("torchvision", "DEF")
    for name in OPERATORS.split():
        library.define(f"{name}(Tensor x) -> Tensor")

if importlib.util.find_spec("torchaudio") is not None:
    absent = types.ModuleType("torchaudio._extension")
    absent._IS_TORCHAUDIO_EXT_AVAILABLE = absent._IS_ALIGN_AVAILABLE = False
    absent.fail_if_no_align = lambda function: function
    sys.modules[absent.__name__] = absent

sys.argv = sys.argv[1:]
sys.path[0] = str(Path(sys.argv[0]).parent)
runpy.run_path(sys.argv[0], run_name="__main__")
