"""Files of named tensors in the formats of the library: safetensors, torch.save, NumPy, GGUF, and compressed ones."""

import os
from typing import Any

from . import _proxy

torch = _proxy.load()

__all__ = ["load_file", "load_metadata", "save_file"]

_FORMATS = {"safetensors": 1, "torch": 2, "npy": 4, "npz": 5, "compressed": 7}
_SUFFIXES = {
    ".safetensors": "safetensors", ".pt": "torch", ".pth": "torch", ".bin": "torch",
    ".npy": "npy", ".npz": "npz", ".mtz": "compressed",
}  # fmt: skip
_MAP, _COPY = 0, 1


def load_file(path: str | os.PathLike[str], *, mmap: bool = False) -> dict[str, Any]:
    """Returns the tensors of a file by their names; its first bytes tell the format.

    Tensors inside the object of a torch.save file are named by the keys and indices that lead to them, joined by dots;
    the array of a .npy file by the empty string.

    Args:
        path (str or PathLike): a file.
        mmap (bool): maps the file where the format allows it, so that elements are read on access. The file must not
            change meanwhile. Default: ``False``.

    Returns:
        dict: tensors by name.

    Raises:
        RuntimeError: when the file cannot be read, is damaged, or has no format that is known here.
        pickle.UnpicklingError: when a pickle contains what ``torch.load(weights_only=True)`` refuses.
    """
    return torch._C._load_tensors(path, _MAP if mmap else _COPY)[0]


def load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Returns the pairs of texts of a safetensors, GGUF or compressed file."""
    return torch._C._load_tensors(path, _MAP)[1]


def save_file(
    tensors: dict[str, Any],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    metadata: dict[str, str] | None = None,
    level: int | None = None,
) -> None:
    """Saves tensors under their names. The old content of `path` stays until the new file is complete.

    Args:
        tensors (dict): tensors by name; a .npy file has a single one.
        path (str or PathLike): where to.
        format (str, optional): ``safetensors``, ``torch``, ``npy``, ``npz`` or ``compressed``. Default: by the suffix
            of the path: ``.safetensors``, ``.pt``, ``.pth``, ``.bin``, ``.npy``, ``.npz`` or ``.mtz``.
        metadata (dict, optional): texts by name, for safetensors and compressed files.
        level (int, optional): of compressed files: 1 (fast) to 22 (small). Default: 3.

    Raises:
        ValueError: when the format is unknown, or cannot represent a tensor.
        RuntimeError: when the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> from mindtorch.files import load_file, save_file
        >>> path = os.path.join(tempfile.mkdtemp(), "weights.mtz")
        >>> save_file({"weight": torch.ones(2)}, path)
        >>> load_file(path)
        {'weight': tensor([1., 1.])}
    """
    name = os.fspath(path)
    if format is None:
        suffix = os.path.splitext(name)[1]
        if suffix not in _SUFFIXES:
            raise ValueError(f"the suffix {suffix!r} names no format; pass format=, one of {', '.join(_FORMATS)}")
        format = _SUFFIXES[suffix]
    if format not in _FORMATS:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(_FORMATS)}")
    texts = tuple(text for pair in (metadata or {}).items() for text in pair)
    torch._C._save_tensors(path, dict(tensors), _FORMATS[format], texts, 0 if level is None else level)
