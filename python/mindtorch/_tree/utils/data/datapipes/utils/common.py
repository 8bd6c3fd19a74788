"""Checks of functions and paths for pipes, and streams that close themselves."""

from __future__ import annotations

import fnmatch
import functools
import inspect
import os
import warnings
from collections.abc import Callable, Iterable
from io import IOBase

from ...._import_utils import dill_available
from ..datapipe import DataChunk


def length_or_type_error(pipe, source):
    """Returns the length of a pipe's source, if it has one."""
    if hasattr(type(source), "__len__"):
        return len(source)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


def source_length(pipe):
    """Returns the length of the source pipe."""
    return length_or_type_error(pipe, pipe.datapipe)


def nominal_length(pipe):
    """Returns the length that the user gave; TypeError for -1."""
    return length_or_type_error(pipe, None) if pipe.length == -1 else pipe.length


class Batches:
    """Shared by pipes of batches."""

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


def validate_input_col(fn: Callable, input_col: int | tuple | list | None) -> None:
    """Raises unless a function can be called with as many values as there are columns.

    Args:
        fn (callable): the function.
        input_col (int, str, sequence or None): the columns; anything but a list or tuple counts as one.

    Returns:
        None.

    Raises:
        ValueError: if it cannot.

    Example:
        >>> from torch.utils.data.datapipes.utils.common import validate_input_col
        >>> def pair(first, second):
        ...     return first, second
        >>> validate_input_col(pair, [0, 1])
    """
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:  # a builtin without a signature
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


def match_masks(name: str, masks: str | list[str]) -> bool:
    """Returns whether a name fits one of shell patterns, or there are none.

    Args:
        name (str): the name.
        masks (str or list of str): the patterns.

    Returns:
        bool: whether it fits.

    Example:
        >>> from torch.utils.data.datapipes.utils.common import match_masks
        >>> match_masks("a.txt", ["*.csv", "*.txt"])
        True
    """
    return not masks or any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def _warn_about(error):
    warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=2)
    raise error


def get_file_pathnames_from_root(
    root: str, masks: str | list[str], recursive: bool = False, abspath: bool = False, non_deterministic: bool = False
) -> Iterable[str]:
    """Yields the files of a folder (or the one file) whose names match a mask, sorted by default.

    Args:
        root (str): the folder or file.
        masks (str or list of str): shell patterns; empty for any name.
        recursive (bool): includes subfolders. Default: ``False``.
        abspath (bool): gives absolute paths. Default: ``False``.
        non_deterministic (bool): leaves the order to the system. Default: ``False``.

    Yields:
        str: each path.

    Returns:
        iterator of str: the paths.

    Raises:
        OSError: after a warning, if a folder cannot be read.

    Example:
        >>> import tempfile
        >>> from torch.utils.data.datapipes.utils.common import get_file_pathnames_from_root
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     list(get_file_pathnames_from_root(folder, ""))
        []
    """
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


def get_file_binaries_from_pathnames(pathnames: Iterable, mode: str, encoding: str | None = None):
    """Yields pairs of a path and its opened file.

    Args:
        pathnames (str or iterable of str): the paths.
        mode (str): mode for `open`; ``"b"`` and ``"t"`` are read ones.
        encoding (str, optional): of texts. Default: ``None``.

    Yields:
        tuple of str and StreamWrapper: each path and its file.

    Returns:
        iterator of tuple: the pairs.

    Raises:
        TypeError: if a path is no str.

    Example:
        >>> import os, tempfile
        >>> from torch.utils.data.datapipes.utils.common import get_file_binaries_from_pathnames
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "a.txt"), "w") as file:
        ...         _ = file.write("text")
        ...     [stream.read() for _, stream in get_file_binaries_from_pathnames([file.name], "b")]
        [b'text']
    """
    for pathname in pathnames if isinstance(pathnames, Iterable) else [pathnames]:
        if not isinstance(pathname, str):
            raise TypeError(f"Expected string type for pathname, but got {type(pathname)}")
        yield pathname, StreamWrapper(open(pathname, f"r{mode}" if mode in ("b", "t") else mode, encoding=encoding))


def validate_pathname_binary_tuple(data) -> None:
    """Raises TypeError unless it is a pair of a path and a binary stream.

    Args:
        data (Any): the value.

    Returns:
        None.

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.utils.common import validate_pathname_binary_tuple
        >>> validate_pathname_binary_tuple(("a.txt", io.BytesIO()))
    """
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
    """A file that closes when it is no longer used; it can also close its parent.

    Attributes and methods of the file are those of the wrapper.

    Args:
        file_obj (Any): the file.
        parent_stream (StreamWrapper, optional): the one it came out of, as an archive is to a member.
            Default: ``None``.
        name (str, optional): name for `repr`. Default: ``None``.

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.utils.common import StreamWrapper
        >>> stream = StreamWrapper(io.StringIO("text"), name="a")
        >>> stream.read(), stream.closed
        ('text', False)
    """

    session_streams = {}
    debug_unclosed_streams = False

    def __init__(self, file_obj, parent_stream=None, name=None) -> None:
        self.file_obj, self.parent_stream, self.name = file_obj, parent_stream, name
        self.closed = self.close_on_last_child = False
        self.child_counter = 0  # open streams that were opened from this one
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
        if self.debug_unclosed_streams:
            self.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v, depth=0) -> None:
        """Closes the streams within a value, ten containers deep at most.

        Args:
            v (Any): a stream, or dicts, lists and tuples that hold some.
            depth (int): nesting depth of the value. Default: ``0``.

        Returns:
            None.
        """
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, (dict, list, tuple)) and depth < 10:
            for item in v.values() if isinstance(v, dict) else v:
                cls.close_streams(item, depth + 1)

    def __getattr__(self, name):
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args, **kwargs) -> None:
        """Closes the file, and its parent after its last part.

        Args:
            *args, **kwargs: for the file's own `close`.

        Returns:
            None.
        """
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

    def autoclose(self) -> None:
        """Closes the stream now, or with the last stream opened from it.

        Returns:
            None.
        """
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self):
        return sorted({*vars(self), *dir(type(self)), *dir(self.file_obj)})

    def __del__(self) -> None:
        self.close()

    def __iter__(self):
        yield from self.file_obj

    def __next__(self):
        return next(self.file_obj)

    def __repr__(self) -> str:
        return f"StreamWrapper<{'' if self.name is None else f'{self.name},'}{self.file_obj!r}>"

    def __reduce__(self):
        return StreamWrapper, (self.file_obj,)
