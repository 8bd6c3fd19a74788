"""torch.distributed.tensor in a build without distributed: the class that programs look for among their tensors."""

from ..._absent_device import refusing_class

__all__ = ["DTensor"]

DTensor = refusing_class(
    __name__,
    "DTensor(local_tensor, spec, *, requires_grad)",
    NotImplementedError,
    "torch.distributed.tensor.DTensor: this build has no distributed package",
)
