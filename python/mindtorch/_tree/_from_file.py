"""torch.from_file: a tensor over a file's bytes."""

from ._root import torch


def from_file(
    filename,
    shared=None,
    size=0,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=None,
    requires_grad=False,
):
    """A 1-D tensor of `size` elements mapped from a file; with `shared`, what is written to it goes to the file."""
    if not isinstance(filename, str):
        kind = type(filename).__name__
        raise TypeError(f"from_file(): argument 'filename' (position 1) must be str, not {kind}")
    if layout not in (None, torch.strided):
        raise NotImplementedError(f"from_file: layout {layout} is not supported")
    if device is not None and torch.device(device).type != "cpu":
        raise NotImplementedError(f"from_file: device {device} is not supported")
    if pin_memory:
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    dtype = torch.get_default_dtype() if dtype is None else dtype
    storage = torch.UntypedStorage.from_file(filename, bool(shared), size * dtype.itemsize)
    return torch.empty(0, dtype=dtype).set_(storage, 0, (size,)).requires_grad_(requires_grad)
