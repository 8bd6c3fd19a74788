"""A pipe that reads streams."""


from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe):
    """What each stream holds, whole or in chunks, beside its label; streams are closed at their end."""

    def __init__(self, datapipe, chunk=None):
        self.datapipe = datapipe
        self.chunk = chunk

    def __iter__(self):
        for label, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield label, data
            stream.close()
