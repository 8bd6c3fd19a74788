"""torch.from_file: a tensor over a file's bytes."""

from __future__ import annotations

from ._root import torch


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | str | None = None,
    pin_memory: bool | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """Maps a file to a 1-D tensor, without reading it at once.

    Args:
        filename (str): the file; with `shared` it is made, or enlarged, where needed.
        shared (bool, optional): writes go to the file, and to others who map it; otherwise they stay in
            this tensor. Default: ``None``, not shared.
        size (int): number of elements. Default: ``0``.
        dtype (torch.dtype, optional): their dtype. Default: the default dtype.
        layout (torch.layout, optional): strided only.
        device (torch.device, optional): the CPU only.
        pin_memory (bool, optional): must not be True.
        requires_grad (bool): whether the result requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(size,)``, over the file's memory.

    Raises:
        RuntimeError: when the file cannot be opened or is too small.
        NotImplementedError: for other layouts and devices.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data")
        >>> shared = torch.from_file(path, shared=True, size=2, dtype=torch.int32)
        >>> _ = shared.copy_(torch.tensor([5, 7]))
        >>> torch.from_file(path, size=2, dtype=torch.int32)
        tensor([5, 7], dtype=torch.int32)
        >>> os.remove(path)
        >>> os.rmdir(os.path.dirname(path))
    """
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
