"""A pipe of the files in folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import get_file_pathnames_from_root, nominal_length
from .utils import IterableWrapperIterDataPipe


@functional_datapipe("list_files")
class FileListerIterDataPipe(IterDataPipe):
    """The paths of the files in one or more folders, in the order of their names.

    Args:
        root (str, sequence or IterDataPipe): the folder or folders; a file is listed itself.
            Default: ``"."``.
        masks (str or list of str): shell patterns, of which a name must fit one. Default: ``""``, any.
        recursive (bool): includes subfolders. Default: ``False``.
        abspath (bool): gives absolute paths. Default: ``False``.
        non_deterministic (bool): leaves the order to the system. Default: ``False``.
        length (int): what `len` returns; -1 for none. Default: ``-1``.

    Example:
        >>> import os, tempfile
        >>> from torch.utils.data.datapipes.iter import FileLister
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("b.txt", "a.txt", "c.csv"):
        ...         open(os.path.join(folder, name), "w").close()
        ...     [os.path.basename(path) for path in FileLister(folder, "*.txt")]
        ['a.txt', 'b.txt']
    """

    def __init__(
        self, root: str | Sequence[str] | IterDataPipe = ".", masks: str | list[str] = "", *, recursive: bool = False,
        abspath: bool = False, non_deterministic: bool = False, length: int = -1,
    ) -> None:
        if not isinstance(root, IterDataPipe):
            root = IterableWrapperIterDataPipe([root] if isinstance(root, str) else root)
        self.datapipe = root
        self.masks = masks
        self.recursive = recursive
        self.abspath = abspath
        self.non_deterministic = non_deterministic
        self.length = length

    def __iter__(self) -> Iterator[str]:
        for root in self.datapipe:
            yield from get_file_pathnames_from_root(
                root, self.masks, self.recursive, self.abspath, self.non_deterministic
            )

    __len__ = nominal_length
