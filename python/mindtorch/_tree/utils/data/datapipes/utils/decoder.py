"""From the bytes of a file to what they mean, by the file's extension."""

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


def basichandlers(extension, data):
    """Text, JSON, numbers, pickles and files of `torch.save`."""
    # Parts of these strings count as well, the empty extension among them.
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
# What each name asks for: the kind of result, its numbers, and Pillow's mode.
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
    """A handler that calls `f` for keys that end in the first extension that is no longer than the key's own."""
    targets = [target.split(".") for target in extensions.lower().split()]

    def handler(key, data):
        parts = key.lower().split(".")
        target = next((target for target in targets if len(target) <= len(parts)), None)
        return f(data) if target and parts[-len(target) :] == target else None

    return handler


def _needed(module, package, purpose, advice):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(f"Package `{package}` is required to be installed for {purpose}.{advice}") from error


class ImageHandler:
    """Decodes pictures with Pillow."""

    def __init__(self, imagespec):
        if imagespec not in imagespecs:
            raise AssertionError(f"unknown image specification: {imagespec}")
        self.imagespec = imagespec.lower()

    def __call__(self, extension, data):
        if extension.lower() not in ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm"):
            return None
        purpose = "default image decoder"
        numpy = _needed("numpy", "numpy", purpose, "Please use `pip install numpy` to install the package")
        pillow = _needed("PIL.Image", "PIL", purpose, "Please use `pip install Pillow` to install the package")
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
    """Decodes images as `imagespec` says, as "rgb8" or "torchrgb"."""
    return ImageHandler(imagespec)


def _from_file(extension, data, extensions, package, kind, read):
    """What a package that reads only named files makes of `data`."""
    if extension not in extensions:
        return None
    advice = f"Please use `pip install {package}`to install the package"
    module = _needed(package, package, f"default {kind} file loader", advice)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"file.{extension}")
        with open(path, "wb") as stream:
            stream.write(data)
        return read(module, path)


def videohandler(extension, data):
    """Decodes video files, by torchvision."""
    extensions = ("mp4", "ogv", "mjpeg", "avi", "mov", "h264", "mpg", "webm", "wmv")
    return _from_file(
        extension, data, extensions, "torchvision", "video", lambda package, path: package.io.read_video(path)
    )


def audiohandler(extension, data):
    """Decodes sound files, by torchaudio."""
    extensions = ("flac", "mp3", "sox", "wav", "m4a", "ogg", "wma")
    return _from_file(extension, data, extensions, "torchaudio", "audio", lambda package, path: package.load(path))


class MatHandler:
    """Decodes MATLAB's files with SciPy."""

    def __init__(self, **loadmat_kwargs):
        self.sio = _needed("scipy.io", "scipy", "mat file", "Please use `pip install scipy`to install the package")
        self.loadmat_kwargs = loadmat_kwargs

    def __call__(self, extension, data):
        return self.sio.loadmat(io.BytesIO(data), **self.loadmat_kwargs) if extension == "mat" else None


def mathandler(**loadmat_kwargs):
    """A decoder of MATLAB files, by scipy."""
    return MatHandler(**loadmat_kwargs)


def extension_extract_fn(pathname):
    """A path's extension without its dot."""
    return os.path.splitext(pathname)[1][1:]


class Decoder:
    """Asks its handlers one after another until one returns something."""

    def __init__(self, *handler, key_fn=extension_extract_fn):
        self.handlers = list(handler)
        self.key_fn = key_fn

    def add_handler(self, *handler):
        """The newest handlers are asked first."""
        self.handlers = [*handler, *self.handlers]

    @staticmethod
    def _is_stream_handle(data):
        return isinstance(data.file_obj if isinstance(data, StreamWrapper) else data, (io.BufferedIOBase, io.RawIOBase))

    def decode1(self, key, data):
        if not data:
            return data
        if self._is_stream_handle(data):
            stream, data = data, b"".join(data)
            stream.close()
        answers = (handler(key, data) for handler in self.handlers)
        return next((answer for answer in answers if answer is not None), data)

    def decode(self, data):
        result = {}
        for key, value in [data] if isinstance(data, tuple) else data or ():
            if key[0] == "_" and isinstance(value, bytes):
                result[key] = value.decode("utf-8")
            else:
                result[key] = self.decode1(self.key_fn(key), value)
        return result

    def __call__(self, data):
        return self.decode(data)
