"""A pipe of opened files."""


from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import get_file_binaries_from_pathnames, nominal_length


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(IterDataPipe):
    """Each path with its file, opened for reading."""

    def __init__(self, datapipe, mode="r", encoding=None, length=-1):
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
