"""torch.utils._triton: whether Triton kernels can run. None can, since there is no device for them."""

import importlib.util


def has_triton_package() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("triton") is not None


def has_triton() -> bool:
    """Whether there is a device for it: False."""
    return False
