"""Checks of functions and paths for pipes, and streams that close themselves."""

import fnmatch
import functools
import inspect
import os
import warnings
from collections.abc import Iterable
from io import IOBase

from ...._import_utils import dill_available
from ..datapipe import DataChunk


def length_of(pipe, source):
    """The length of what a pipe is made over, if that has one."""
    if hasattr(type(source), "__len__"):
        return len(source)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


def source_length(pipe):
    """The length of the pipe that this one reads."""
    return length_of(pipe, pipe.datapipe)


def nominal_length(pipe):
    """The length that the user gave; TypeError for -1."""
    return length_of(pipe, None) if pipe.length == -1 else pipe.length


class Batches:
    """What pipes of batches share."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __len__(self):
        whole, rest = divmod(source_length(self), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


def validate_input_col(fn, input_col):
    """Raises unless the function can be called with as many values as there are columns."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:  # a built-in without a signature
        return
    wanted = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    name = fn.func.__name__ if isinstance(fn, functools.partial) else getattr(fn, "__name__", fn)
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keywords = sum(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if keywords:
        problem = f"{keywords} non-default keyword-only parameters, which is not allowed."
    elif len(parameters) < wanted and not takes_any:
        problem = f"{len(parameters)} parameters, but {wanted} are required."
    elif len(by_place) < wanted and not takes_any or sum(p.default is p.empty for p in by_place) > wanted:
        problem = f"{len(by_place)} positional parameters, but {wanted} are required."
    else:
        return
    raise ValueError(f"The function {name} takes {problem}")


def _check_unpickable_fn(fn):
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    fn = fn.func if isinstance(fn, functools.partial) else fn
    is_local = "<locals>" in getattr(fn, "__qualname__", "")
    if (is_local or getattr(fn, "__name__", None) == "<lambda>") and not dill_available():
        warnings.warn(
            f"{'Local' if is_local else 'Lambda'} function is not supported by pickle, please use regular python "
            "function or functools.partial instead.",
            stacklevel=2,
        )


def match_masks(name, masks):
    """Whether a name fits a shell pattern, or there are none."""
    return not masks or any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def _warn_about(error):
    warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=2)
    raise error


def get_file_pathnames_from_root(root, masks, recursive=False, abspath=False, non_deterministic=False):
    """The files of a folder (or the one file) whose names fit a mask, sorted unless asked otherwise."""
    for folder, folders, files in [("", [], [root])] if os.path.isfile(root) else os.walk(root, onerror=_warn_about):
        if not non_deterministic:
            files.sort()
            folders.sort()
        for name in files:
            if match_masks(os.path.basename(name), masks):
                path = os.path.join(folder, name)
                yield os.path.abspath(path) if abspath else path
        if not recursive:
            return


def get_file_binaries_from_pathnames(pathnames, mode, encoding=None):
    """Pairs of a path and its opened file."""
    for pathname in pathnames if isinstance(pathnames, Iterable) else [pathnames]:
        if not isinstance(pathname, str):
            raise TypeError(f"Expected string type for pathname, but got {type(pathname)}")
        yield pathname, StreamWrapper(open(pathname, f"r{mode}" if mode in ("b", "t") else mode, encoding=encoding))


def validate_pathname_binary_tuple(data):
    """TypeError unless it is (path, binary stream)."""
    if not isinstance(data, tuple):
        raise TypeError(f"pathname binary data should be tuple type, but it is type {type(data)}")
    if len(data) != 2:
        raise TypeError(f"pathname binary stream tuple length should be 2, but got {len(data)}")
    if not isinstance(data[0], str):
        raise TypeError(f"pathname within the tuple should have string type pathname, but it is type {type(data[0])}")
    if not isinstance(data[1], (IOBase, StreamWrapper)):
        raise TypeError(
            "binary stream within the tuple should have IOBase orits subclasses as type, but it is type "
            f"{type(data[1])}"
        )


class StreamWrapper:
    """A file that is closed when it goes out of use, and that can close the file it came out of after its last part."""

    session_streams = {}
    debug_unclosed_streams = False

    def __init__(self, file_obj, parent_stream=None, name=None):
        self.file_obj = file_obj
        self.child_counter = 0
        self.parent_stream = parent_stream
        self.close_on_last_child = False
        self.name = name
        self.closed = False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
        if self.debug_unclosed_streams:
            self.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v, depth=0):
        """Closes the streams within a value, ten containers deep at most."""
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, (dict, list, tuple)) and depth < 10:
            for item in v.values() if isinstance(v, dict) else v:
                cls.close_streams(item, depth + 1)

    def __getattr__(self, name):
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args, **kwargs):
        if self.closed:
            return
        if self.debug_unclosed_streams:
            del self.session_streams[self]
        parent = self.parent_stream
        if isinstance(parent, StreamWrapper):
            parent.child_counter -= 1
            if parent.close_on_last_child:
                parent.autoclose()
        try:
            self.file_obj.close(*args, **kwargs)
        except AttributeError:  # not everything wrapped can be closed
            pass
        self.closed = True

    def autoclose(self):
        """Closes the stream now, or with the last stream that came out of it."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self):
        return sorted({*vars(self), *dir(type(self)), *dir(self.file_obj)})

    def __del__(self):
        self.close()

    def __iter__(self):
        yield from self.file_obj

    def __next__(self):
        return next(self.file_obj)

    def __repr__(self):
        return f"StreamWrapper<{'' if self.name is None else f'{self.name},'}{self.file_obj!r}>"

    def __reduce__(self):
        return StreamWrapper, (self.file_obj,)
