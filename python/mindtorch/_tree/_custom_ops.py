"""torch._custom_ops: a former home of torch.library's functions."""

from .library import get_ctx

__all__ = ["get_ctx"]
