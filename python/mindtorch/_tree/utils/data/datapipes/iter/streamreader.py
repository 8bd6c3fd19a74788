"""A pipe that reads streams."""

from __future__ import annotations

from collections.abc import Iterator


from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe):
    """The contents of each stream with its label; `pipe.read_from_stream()` makes it. Streams get closed.

    Args:
        datapipe (IterDataPipe): the source, of pairs of a label and a stream.
        chunk (int, optional): how much to read at once. Default: ``None``, everything.

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([("a", io.StringIO("text"))]).read_from_stream(chunk=3))
        [('a', 'tex'), ('a', 't')]
    """

    def __init__(self, datapipe, chunk: int | None = None) -> None:
        self.datapipe = datapipe
        self.chunk = chunk

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for label, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield label, data
            stream.close()
