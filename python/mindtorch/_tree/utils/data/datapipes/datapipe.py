"""Datasets as pipes: each is made over another, by a constructor or by a method registered for it."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "DFIterDataPipe", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class DataChunk(list[_T]):
    """A batch within a pipe."""

    def __init__(self, items: Iterable[_T]) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        return f"{indent}[{', '.join(map(str, self))}]"

    def __iter__(self) -> Iterator[_T]:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator[_T]:
        yield from self.items


class _Pipe:
    """What pipes over streams and over maps share; each kind has its own functions and hooks."""

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

        def make(source_dp, *args, **kwargs):
            return cls_to_register(source_dp, *args, **kwargs)

        make.__doc__ = cls_to_register.__doc__
        cls.functions[function_name] = make

    def __getstate__(self):
        hook = type(self).getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

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


def _single(iterate):
    """Of a pipe's iterators only the newest lives: one that starts resets the pipe."""

    def begin(self):
        self._valid_iterator_id = (self._valid_iterator_id or 0) + 1
        self._number_of_samples_yielded = 0
        self.reset()
        return self._valid_iterator_id

    @functools.wraps(iterate)
    def start(self):
        number = begin(self)
        return _guarded(self, iterate(self), number)

    @functools.wraps(iterate)
    def start_at_first_item(self):
        number = begin(self)
        yield from _guarded(self, iterate(self), number)

    return start_at_first_item if inspect.isgeneratorfunction(iterate) else start


def _guarded(pipe, iterator, number):
    while True:
        if pipe._valid_iterator_id != number:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created from the same "
                f"IterDataPipe: {_described(pipe)}\n"
                "This may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` if "
                "that is necessary.\n"
                "For feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this "
                "issue: https://github.com/pytorch/data/issues/45."
            )
        try:
            item = next(iterator)
        except StopIteration:
            return
        pipe._number_of_samples_yielded += 1
        yield item


def _described(pipe) -> str:
    """The pipe with the arguments that it keeps under their own names."""
    kept = vars(pipe)
    names = sorted(name for name in inspect.signature(type(pipe)).parameters if name in kept)
    return f"{type(pipe).__name__}({', '.join(f'{name}={_name(kept[name])}' for name in names)})"


def _name(value) -> str:
    return value.__name__ if inspect.isfunction(value) else repr(value)


class IterDataPipe(_Pipe, IterableDataset[_T_co]):
    """A dataset that streams, made over another."""

    functions: dict[str, Callable] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__iter__" in vars(cls):
            cls.__iter__ = _single(vars(cls)["__iter__"])

    def __iter__(self) -> Iterator[_T_co]:
        return self

    def reset(self) -> None:
        """Called as an iteration starts."""


class DFIterDataPipe(IterDataPipe):
    """A pipe of data frames."""

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Pipe, Dataset[_T_co]):
    """A dataset with indices, made over another."""

    functions: dict[str, Callable] = {}
