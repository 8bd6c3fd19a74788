"""A pipe of opened files."""

from __future__ import annotations

from collections.abc import Iterable


from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import get_file_binaries_from_pathnames, nominal_length


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(IterDataPipe):
    """Each path with its file, opened for reading; `pipe.open_files()` makes it.

    Args:
        datapipe (IterDataPipe): the source, of paths.
        mode (str): ``"r"``, ``"rt"`` or ``"t"`` for text, ``"rb"`` or ``"b"`` for bytes.
            Default: ``"r"``.
        encoding (str, optional): of texts. Default: ``None``, the system's.
        length (int): what `len` returns; -1 for none. Default: ``-1``.

    Raises:
        ValueError: for another mode, or an encoding with bytes.

    Example:
        >>> import os, tempfile
        >>> from torch.utils.data.datapipes.iter import FileLister
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "a.txt"), "w") as file:
        ...         _ = file.write("text")
        ...     [stream.read() for path, stream in FileLister(folder).open_files()]
        ['text']
    """

    def __init__(self, datapipe: Iterable[str], mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        self.datapipe = datapipe
        self.mode = mode
        self.encoding = encoding
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.length = length

    def __iter__(self):
        yield from get_file_binaries_from_pathnames(self.datapipe, self.mode, self.encoding)

    __len__ = nominal_length
