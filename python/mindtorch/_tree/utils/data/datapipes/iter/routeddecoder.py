"""A pipe that decodes files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import source_length
from ..utils.decoder import Decoder, basichandlers, extension_extract_fn, imagehandler


@functional_datapipe("routed_decode")
class RoutedDecoderIterDataPipe(IterDataPipe):
    """Pairs of a path and what its file means, by its extension; `pipe.routed_decode()` makes it.

    Deprecated in torch, which warns.

    Args:
        datapipe (IterDataPipe): the source, of pairs of a path and a binary stream.
        *handlers (callable): from an extension and bytes to a value, or None for what it does not know.
            Default: `basichandlers`, then pictures as tensors.
        key_fn (callable): from a path to its extension. Default: `extension_extract_fn`.

    Example:
        >>> import io, warnings
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> files = IterableWrapper([("a.json", io.BytesIO(b"[1, 2]"))], deepcopy=False)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     list(files.routed_decode())
        [('a.json', [1, 2])]
    """

    def __init__(self, datapipe, *handlers: Callable, key_fn: Callable = extension_extract_fn) -> None:
        self.datapipe = datapipe
        self.decoder = Decoder(*(handlers or (basichandlers, imagehandler("torch"))), key_fn=key_fn)
        warnings.warn(
            f"`{type(self).__name__}()` and its functional API `.routed_decode()` are deprecated since 1.12 and will "
            "be removed in 1.13.\nSee https://github.com/pytorch/data/issues/163 for details.",
            FutureWarning,
            stacklevel=2,
        )

    def add_handler(self, *handler: Callable) -> None:
        """Adds handlers, which are called before the others.

        Args:
            *handler (callable): the handlers.

        Returns:
            None.
        """
        self.decoder.add_handler(*handler)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for data in self.datapipe:
            yield data[0], self.decoder(data)[data[0]]

    __len__ = source_length
