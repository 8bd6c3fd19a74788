"""Makes the tensors without memory of the wrapper classes in this package."""

from ..._root import torch


def make_wrapper(cls, like, size=None, strides=None, requires_grad=False):
    """Returns a tensor of a class, with the properties of another tensor and no memory.

    Args:
        cls (type): a subclass of Tensor.
        like (Tensor): has the dtype, device, layout and storage offset of the result.
        size (tuple of ints, optional), strides (tuple of ints, optional): Default: those of `like`.
        requires_grad (bool, optional): whether the result needs a gradient. Default: ``False``.

    Returns:
        Tensor: of the class `cls`.
    """
    properties = {name: getattr(like, name) for name in ("dtype", "device", "layout")}
    properties["storage_offset"] = like.storage_offset()
    properties["strides"] = like.stride() if strides is None else strides
    size = like.size() if size is None else size
    return torch.Tensor._make_wrapper_subclass(cls, size, requires_grad=requires_grad, **properties)
