"""A pipe that decodes files."""

import warnings

from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import source_length
from ..utils.decoder import Decoder, basichandlers, extension_extract_fn, imagehandler


@functional_datapipe("routed_decode")
class RoutedDecoderIterDataPipe(IterDataPipe):
    """Pairs of a path and what its file means, by its extension."""

    def __init__(self, datapipe, *handlers, key_fn=extension_extract_fn):
        self.datapipe = datapipe
        self.decoder = Decoder(*(handlers or (basichandlers, imagehandler("torch"))), key_fn=key_fn)
        warnings.warn(
            f"`{type(self).__name__}()` and its functional API `.routed_decode()` are deprecated since 1.12 and will "
            "be removed in 1.13.\nSee https://github.com/pytorch/data/issues/163 for details.",
            FutureWarning,
            stacklevel=2,
        )

    def add_handler(self, *handler):
        self.decoder.add_handler(*handler)

    def __iter__(self):
        for data in self.datapipe:
            yield data[0], self.decoder(data)[data[0]]

    __len__ = source_length
