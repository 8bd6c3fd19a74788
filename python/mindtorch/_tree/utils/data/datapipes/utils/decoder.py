"""Decodes the bytes of a file according to its extension."""

from __future__ import annotations

import importlib
import io
import json
import os
import pickle
import tempfile

from ....._root import torch
from .common import StreamWrapper

__all__ = [
    "Decoder",
    "ImageHandler",
    "MatHandler",
    "audiohandler",
    "basichandlers",
    "extension_extract_fn",
    "handle_extension",
    "imagehandler",
    "mathandler",
    "videohandler",
]


def basichandlers(extension: str, data):
    """Decodes texts, JSON, numbers, pickles and files of `torch.save`.

    Args:
        extension (str): which of them: ``txt``, ``text`` and ``transcript``; ``json`` and ``jsn``;
            ``cls``, ``cls2``, ``class``, ``count``, ``index``, ``inx`` and ``id``; ``pyd`` and
            ``pickle``; ``pt``.
        data (bytes): what the file holds.

    Returns:
        Any: the value; None for other extensions and for values that are not numbers.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import basichandlers
        >>> basichandlers("json", b"[1, 2]"), basichandlers("cls", b"7"), basichandlers("png", b"")
        ([1, 2], 7, None)
    """
    # Substrings of these names match as well, and so does an empty extension.
    if extension in "txt text transcript":
        return data.decode("utf-8")
    if extension in ("cls", "cls2", "class", "count", "index", "inx", "id"):
        try:
            return int(data)
        except ValueError:
            return None
    if extension in "json jsn":
        return json.loads(data)
    if extension in ("pyd", "pickle"):
        return pickle.loads(data)
    return torch.load(io.BytesIO(data)) if extension == "pt" else None


_MODES = ("l", "rgb", "rgba")
# {image specification: (library of the decoded result, its dtype, Pillow's mode)}
imagespecs = {
    **{f"{mode}8": ("numpy", "uint8", mode) for mode in _MODES},
    **{mode: ("numpy", "float", mode) for mode in _MODES},
    **{f"torch{mode}8": ("torch", "uint8", mode) for mode in _MODES},
    **{f"torch{mode}": ("torch", "float", mode) for mode in _MODES},
    "torch": ("torch", "float", "rgb"),
    **{f"pil{mode}": ("pil", None, mode) for mode in _MODES},
    "pil": ("pil", None, "rgb"),
}


def handle_extension(extensions, f):
    """Returns a handler that calls a function for certain extensions.

    Compares a key with the first extension that has at most as many components.

    Args:
        extensions (str): the extensions, with spaces between.
        f (callable): from bytes to a value.

    Returns:
        callable: maps a key and bytes to the result of `f`, or to None.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import handle_extension
        >>> handler = handle_extension("txt", bytes.decode)
        >>> handler("a.txt", b"text"), handler("a.png", b"")
        ('text', None)
    """
    targets = [target.split(".") for target in extensions.lower().split()]

    def handler(key, data):
        parts = key.lower().split(".")
        target = next((target for target in targets if len(target) <= len(parts)), None)
        return f(data) if target and parts[-len(target) :] == target else None

    return handler


def _import_needed(module, package, purpose, advice):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(f"Package `{package}` is required to be installed for {purpose}.{advice}") from error


class ImageHandler:
    """Decodes pictures with Pillow, and NumPy for all but Pillow's own images.

    Called with the extension and the bytes; None for what is no ``jpg``, ``jpeg``, ``png``, ``ppm``,
    ``pgm``, ``pbm`` or ``pnm``.

    Args:
        imagespec (str): ``"l"``, ``"rgb"`` or ``"rgba"`` for NumPy arrays of floats from 0 to 1; with
            ``8`` at the end, of bytes; with ``torch`` in front, tensors with channels first; with
            ``pil`` in front, Pillow's images. ``"torch"`` and ``"pil"`` are in RGB.

    Raises:
        AssertionError: if it is none of these.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import ImageHandler
        >>> ImageHandler("rgb8")("txt", b"text") is None
        True
    """

    def __init__(self, imagespec) -> None:
        if imagespec not in imagespecs:
            raise AssertionError(f"unknown image specification: {imagespec}")
        self.imagespec = imagespec.lower()

    def __call__(self, extension, data):
        if extension.lower() not in ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm"):
            return None
        purpose = "default image decoder"
        numpy = _import_needed("numpy", "numpy", purpose, "Please use `pip install numpy` to install the package")
        pillow = _import_needed("PIL.Image", "PIL", purpose, "Please use `pip install Pillow` to install the package")
        kind, numbers, mode = imagespecs[self.imagespec]
        with io.BytesIO(data) as stream:
            picture = pillow.open(stream)
            picture.load()
        picture = picture.convert(mode.upper())
        if kind == "pil":
            return picture
        pixels = numpy.asarray(picture)
        if pixels.dtype != numpy.uint8:
            raise AssertionError(f"numpy image array should be type uint8, but got {pixels.dtype}")
        if kind == "torch":
            pixels = torch.tensor(numpy.array(pixels.transpose(2, 0, 1)))
        elif numbers == "float":
            pixels = pixels.astype("f")
        return pixels if numbers == "uint8" else pixels / 255.0


def imagehandler(imagespec):
    """Returns a decoder of pictures.

    Args:
        imagespec (str): the form of the result, as for `ImageHandler`.

    Returns:
        ImageHandler: the decoder.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import imagehandler
        >>> imagehandler("torchrgb").imagespec
        'torchrgb'
    """
    return ImageHandler(imagespec)


def _decode_through_file(extension, data, extensions, package, kind, read_file):
    """Returns the result of a package that reads only named files, for `data`."""
    if extension not in extensions:
        return None
    advice = f"Please use `pip install {package}`to install the package"
    module = _import_needed(package, package, f"default {kind} file loader", advice)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"file.{extension}")
        with open(path, "wb") as stream:
            stream.write(data)
        return read_file(module, path)


def videohandler(extension, data):
    """Decodes video files, by torchvision's `read_video`.

    Args:
        extension (str): such as ``mp4``.
        data (bytes): what the file holds.

    Returns:
        Any: what torchvision makes of it; None for other extensions.

    Raises:
        ModuleNotFoundError: if torchvision is missing.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import videohandler
        >>> videohandler("txt", b"text") is None
        True
    """
    extensions = ("mp4", "ogv", "mjpeg", "avi", "mov", "h264", "mpg", "webm", "wmv")
    return _decode_through_file(
        extension, data, extensions, "torchvision", "video", lambda package, path: package.io.read_video(path)
    )


def audiohandler(extension, data):
    """Decodes sound files, by torchaudio's `load`.

    Args:
        extension (str): such as ``wav``.
        data (bytes): what the file holds.

    Returns:
        Any: what torchaudio makes of it; None for other extensions.

    Raises:
        ModuleNotFoundError: if torchaudio is missing.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import audiohandler
        >>> audiohandler("txt", b"text") is None
        True
    """
    extensions = ("flac", "mp3", "sox", "wav", "m4a", "ogg", "wma")
    return _decode_through_file(
        extension, data, extensions, "torchaudio", "audio", lambda package, path: package.load(path)
    )


class MatHandler:
    """Decodes MATLAB's files with SciPy; called with the extension and the bytes.

    Args:
        **loadmat_kwargs: arguments for `scipy.io.loadmat`.

    Raises:
        ModuleNotFoundError: if SciPy is missing.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import MatHandler
        >>> import io
        >>> import scipy.io
        >>> file = io.BytesIO()
        >>> scipy.io.savemat(file, {"x": [[1, 2]]})
        >>> MatHandler()("mat", file.getvalue())["x"]
        array([[1, 2]])
    """

    def __init__(self, **loadmat_kwargs) -> None:
        self.sio = _import_needed(
            "scipy.io", "scipy", "mat file", "Please use `pip install scipy`to install the package"
        )
        self.loadmat_kwargs = loadmat_kwargs

    def __call__(self, extension, data):
        return self.sio.loadmat(io.BytesIO(data), **self.loadmat_kwargs) if extension == "mat" else None


def mathandler(**loadmat_kwargs):
    """Returns a decoder of MATLAB's files.

    Args:
        **loadmat_kwargs: arguments for `scipy.io.loadmat`.

    Returns:
        MatHandler: the decoder.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import mathandler
        >>> mathandler()("txt", b"text") is None
        True
    """
    return MatHandler(**loadmat_kwargs)


def extension_extract_fn(pathname):
    """Returns a path's extension without its dot.

    Args:
        pathname (str): the path.

    Returns:
        str: the extension, or ``""``.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import extension_extract_fn
        >>> extension_extract_fn("folder/a.tar.gz")
        'gz'
    """
    return os.path.splitext(pathname)[1][1:]


class Decoder:
    """Calls its handlers in order until one returns a value.

    Args:
        *handler (callable): from an extension and bytes to a value, or None.
        key_fn (callable): from a path to the extension. Default: `extension_extract_fn`.

    Example:
        >>> from torch.utils.data.datapipes.utils.decoder import Decoder, basichandlers
        >>> Decoder(basichandlers)([("a.json", b"[1]"), ("a.txt", b"text"), ("a.bin", b"?")])
        {'a.json': [1], 'a.txt': 'text', 'a.bin': b'?'}
    """

    def __init__(self, *handler, key_fn=extension_extract_fn) -> None:
        self.handlers = list(handler)
        self.key_fn = key_fn

    def add_handler(self, *handler) -> None:
        """Adds handlers, which are called before the others.

        Args:
            *handler (callable): the handlers.

        Returns:
            None.
        """
        self.handlers = [*handler, *self.handlers]

    @staticmethod
    def _is_stream_handle(data):
        return isinstance(data.file_obj if isinstance(data, StreamWrapper) else data, (io.BufferedIOBase, io.RawIOBase))

    def decode1(self, key, data):
        """Returns what the handlers make of one value.

        Args:
            key (str): the extension.
            data (bytes or binary stream): the value; a stream is read and closed.

        Returns:
            Any: the first result that is not None, or the value itself.
        """
        if not data:
            return data
        if self._is_stream_handle(data):
            stream, data = data, b"".join(data)
            stream.close()
        answers = (handler(key, data) for handler in self.handlers)
        return next((answer for answer in answers if answer is not None), data)

    def decode(self, data):
        """Returns what the handlers make of named values.

        Args:
            data (tuple or iterable of tuple): one or more pairs of a path and bytes or a binary stream;
                bytes under a path that begins with ``_`` are text.

        Returns:
            dict: from each path to the value.
        """
        result = {}
        for key, value in [data] if isinstance(data, tuple) else data or ():
            if key[0] == "_" and isinstance(value, bytes):
                result[key] = value.decode("utf-8")
            else:
                result[key] = self.decode1(self.key_fn(key), value)
        return result

    def __call__(self, data):
        return self.decode(data)
