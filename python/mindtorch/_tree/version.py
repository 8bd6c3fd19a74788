"""torch.version: the same values as in mindtorch.version, which is readable without loading the tree."""

from mindtorch.version import (  # the stub package keeps its absolute name under either root
    __version__,
    cuda,
    debug,
    git_version,
    hip,
    mindtorch,
    rocm,
    xpu,
)

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "mindtorch", "rocm", "xpu"]
