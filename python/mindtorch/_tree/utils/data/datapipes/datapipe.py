"""Datasets as pipes: each takes another pipe, in its constructor or by a method registered for it."""

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..._import_utils import import_dill
from ..dataset import Dataset, IterableDataset
from ._hook_iterator import SINGLE_ITERATOR, _SnapshotState, describe_pipe
from ._typing import _DataPipeMeta, _IterDataPipeMeta

__all__ = ["DataChunk", "DFIterDataPipe", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class DataChunk(list[_T]):
    """A batch within a pipe: a list that keeps the items it was made of.

    Args:
        items (iterable): the items.

    Example:
        >>> chunk = torch.utils.data.DataChunk([1, 2])
        >>> chunk.as_str("  "), list(chunk.raw_iterator())
        ('  [1, 2]', [1, 2])
    """

    def __init__(self, items: Iterable[_T]) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """Returns the items as text, in brackets.

        Args:
            indent (str): what to write before it. Default: ``""``.

        Returns:
            str: the text.
        """
        return f"{indent}[{', '.join(map(str, self))}]"

    def __iter__(self) -> Iterator[_T]:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator[_T]:
        """Returns an iterator over the items as they were given.

        Returns:
            iterator: of the items.
        """
        yield from self.items


_COUNTS = ["_valid_iterator_id", "_number_of_samples_yielded"]


class _Pipe:
    """Shared by pipes over streams and over maps; each kind has its own registered functions and hooks."""

    functions: dict[str, Callable]
    reduce_ex_hook: Callable | None = None
    getstate_hook: Callable | None = None
    str_hook: Callable | None = None
    repr_hook: Callable | None = None

    def __getattr__(self, attribute_name):
        function = type(self).functions.get(attribute_name)
        if function is None:
            raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{attribute_name}")
        bound = functools.partial(function, self)
        return functools.update_wrapper(wrapper=bound, wrapped=function, assigned=("__doc__",))

    @classmethod
    def register_function(cls, function_name, function) -> None:
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register) -> None:
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")

        def make_datapipe(source_dp, *args, **kwargs):
            return cls_to_register(source_dp, *args, **kwargs)

        make_datapipe.__doc__ = cls_to_register.__doc__
        cls.functions[function_name] = make_datapipe

    # Names of the attributes that the pickled state contains, as a tuple of their values, as in torch; "" if a class
    # pickles its whole __dict__.
    _kept = ""

    def __getstate__(self):
        names = self._kept.split()
        state = tuple([getattr(self, name) for name in names + _COUNTS]) if names else self.__dict__
        hook = type(self).getstate_hook
        return state if hook is None else hook(state)

    def __setstate__(self, state):
        names = self._kept.split()
        for name, value in zip(names + _COUNTS, state) if names else state.items():
            setattr(self, name, value)
        if names:
            self._reset_buffers()

    def _graph_state(self):
        """Returns the state of a pipe in which to search for its source pipes."""
        return self.__getstate__()

    def __reduce_ex__(self, *args, **kwargs):
        hook = type(self).reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    @classmethod
    def _set_hook(cls, name, hook):
        kind = IterDataPipe if issubclass(cls, IterDataPipe) else MapDataPipe
        if getattr(kind, name) is not None and hook is not None:
            raise RuntimeError(f"Attempt to override existing {name}")
        setattr(kind, name, None if hook is None else staticmethod(hook))

    @classmethod
    def set_getstate_hook(cls, hook_fn) -> None:
        cls._set_hook("getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn) -> None:
        cls._set_hook("reduce_ex_hook", hook_fn)

    def __repr__(self) -> str:
        return self.__class__.__qualname__ if self.repr_hook is None else self.repr_hook(self)

    def __str__(self) -> str:
        return self.__class__.__qualname__ if self.str_hook is None else self.str_hook(self)

    def __dir__(self):
        return [*super().__dir__(), *self.functions]


class IterDataPipe(_Pipe, IterableDataset[_T_co], metaclass=_IterDataPipeMeta):
    """A dataset that streams items, usually of another pipe."""

    functions: dict[str, Callable] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state: _SnapshotState = _SnapshotState.NotStarted
    _fast_forward_iterator: Iterator | None = None

    def __iter__(self) -> Iterator[_T_co]:
        return self

    def reset(self) -> None:
        """Called when an iteration starts."""

    def _start_iterator(self) -> int:
        """Invalidates all earlier iterators; returns the number of the new one."""
        self._valid_iterator_id = 0 if self._valid_iterator_id is None else self._valid_iterator_id + 1
        self.reset()
        return self._valid_iterator_id

    def _check_iterator(self, number) -> None:
        if self._valid_iterator_id != number:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created from the same "
                f"IterDataPipe: {describe_pipe(self)}\n"
                "This may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` if "
                f"that is necessary.{SINGLE_ITERATOR}"
            )


class DFIterDataPipe(IterDataPipe):
    """A pipe of data frames."""

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Pipe, Dataset[_T_co], metaclass=_DataPipeMeta):
    """A dataset with indices, usually over another one."""

    functions: dict[str, Callable] = {}


class _DataPipeSerializationWrapper:
    """Sends a pipe to another process; dill pickles what pickle cannot."""

    def __init__(self, datapipe) -> None:
        self._datapipe = datapipe

    def __getstate__(self):
        try:
            return pickle.dumps(self._datapipe), False
        except Exception:
            dill = import_dill()
            if dill is None:
                raise
            return dill.dumps(self._datapipe), True

    def _graph_state(self):
        return self._datapipe

    def __setstate__(self, state) -> None:
        value, use_dill = state
        self._datapipe = (import_dill() if use_dill else pickle).loads(value)

    def __len__(self) -> int:
        try:
            return len(self._datapipe)
        except Exception as error:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length") from error


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __init__(self, datapipe: IterDataPipe[_T_co]) -> None:
        self._datapipe_iter = None
        super().__init__(datapipe)

    def __next__(self) -> _T_co:
        items = self._datapipe_iter
        if items is None:
            raise AssertionError("Iterator has not been initialized; call __iter__() before __next__()")
        return next(items)

    def __iter__(self) -> "_IterDataPipeSerializationWrapper":
        self._datapipe_iter = iter(self._datapipe)
        return self


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, idx):
        return self._datapipe[idx]
