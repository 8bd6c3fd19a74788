"""Decorators of pipes, and of functions with pipes as arguments."""

import functools
import inspect
from typing import get_type_hints

from ._typing import _DataPipeMeta
from .datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:
    """`@functional_datapipe("name")`: `pipe.name(...)` then makes the decorated pipe over `pipe`.

    Args:
        name (str): name of the function, not yet taken.
        enable_df_api_tracing (bool): for pipes of data frames; only ``False`` works. Default:
            ``False``.

    Example:
        >>> from torch.utils.data import IterDataPipe, functional_datapipe
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> @functional_datapipe("doubled_for_help")
        ... class Doubled(IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...     def __iter__(self):
        ...         return (2 * item for item in self.source)
        >>> list(IterableWrapper([1, 2, 3]).doubled_for_help())
        [2, 4, 6]
    """

    def __init__(self, name, enable_df_api_tracing=False):
        if enable_df_api_tracing:
            raise NotImplementedError("functional_datapipe(enable_df_api_tracing=True): there are no data frame pipes")
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls):
        for base in (IterDataPipe, MapDataPipe):
            if issubclass(cls, base):
                base.register_datapipe_as_function(self.name, cls)
        return cls


_determinism = False


class _Setting:
    """Sets one of this module's variables from now on; as a context, restores it at the end."""

    _name: str
    _value: bool
    prev: bool

    def __init__(self):
        self.prev = globals()[self._name]
        globals()[self._name] = self._value

    def __enter__(self):
        pass

    def __exit__(self, exc_type, exc_value, traceback):
        globals()[self._name] = self.prev


class guaranteed_datapipes_determinism(_Setting):
    """Refuses pipes that say that their order is not certain, from its making to the end of its block.

    Example:
        >>> from torch.utils.data import IterDataPipe, guaranteed_datapipes_determinism, non_deterministic
        >>> @non_deterministic
        ... class Hasty(IterDataPipe):
        ...     pass
        >>> with guaranteed_datapipes_determinism():
        ...     Hasty()
        Traceback (most recent call last):
        TypeError: Hasty is non-deterministic, but you set 'guaranteed_datapipes_determinism'. You can
            turn off determinism for this DataPipe if that is acceptable for your application
    """

    _name, _value = "_determinism", True


class non_deterministic:
    """Marks a pipe whose order is not certain: always, or where a function of its arguments says so.

    Such a pipe is refused within `guaranteed_datapipes_determinism`.

    Args:
        arg (type or callable): the class of the pipe (`@non_deterministic`), or a function of the
            pipe's own arguments that returns whether the order is uncertain
            (`@non_deterministic(function)`).

    Raises:
        TypeError: if `arg` is a class that is no `IterDataPipe`, or is not callable.

    Example:
        >>> from torch.utils.data import IterDataPipe, non_deterministic
        >>> @non_deterministic(lambda items, shuffled=False: shuffled)
        ... class Items(IterDataPipe):
        ...     def __init__(self, items, shuffled=False):
        ...         self.items = items
        ...     def __iter__(self):
        ...         return iter(self.items)
        >>> list(Items([1, 2]))
        [1, 2]
    """

    cls = None

    def __init__(self, arg):
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {arg.__name__} is found"
                )
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args, **kwargs):
        if self.cls is not None:
            self._raise_if_determinism_required("")
            return self.cls(*args, **kwargs)
        decorated = args[0]
        if not isinstance(decorated, type) or not issubclass(decorated, IterDataPipe):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {decorated.__name__} is found")
        self.cls = decorated
        return self.deterministic_wrapper_fn

    def _raise_if_determinism_required(self, condition):
        if _determinism:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic{condition}, but you set 'guaranteed_datapipes_determinism'. "
                "You can turn off determinism for this DataPipe if that is acceptable for your application"
            )

    def deterministic_wrapper_fn(self, *args, **kwargs):
        """Makes the pipe, if its order is certain or need not be; replaces the decorated class.

        Args:
            *args, **kwargs: arguments of the pipe, which the function of the decorator sees as well.

        Returns:
            IterDataPipe: the pipe.

        Raises:
            TypeError: if the function returns no bool, or if the order is uncertain and must not be.
        """
        uncertain = self.deterministic_fn(*args, **kwargs)
        if not isinstance(uncertain, bool):
            raise TypeError(
                "deterministic_fn of `non_deterministic` decorator is required to return a boolean value, but "
                f"{type(uncertain)} is found"
            )
        if uncertain:
            self._raise_if_determinism_required(" with the inputs")
        return self.cls(*args, **kwargs)


def argument_validation(f):
    """Decorator that checks that arguments annotated as pipes are pipes, by the attribute `type` of each.

    Args:
        f (callable): a function with parameters annotated as pipes, which `IterDataPipe[T]` is not.

    Returns:
        callable: the function, which raises TypeError where an argument is no pipe.

    Example:
        >>> from torch.utils.data import IterDataPipe, argument_validation
        >>> @argument_validation
        ... def total(pipe: IterDataPipe):
        ...     return sum(pipe)
        >>> total([1, 2])
        Traceback (most recent call last):
        TypeError: Expected argument 'pipe' as a IterDataPipe, but found <class 'list'>
    """
    signature = inspect.signature(f)
    hints = {name: hint for name, hint in get_type_hints(f).items() if isinstance(hint, _DataPipeMeta)}

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name not in hints:
                continue
            if not isinstance(value, IterDataPipe):
                raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
            if not value.type.issubtype(hints[name].type):
                raise TypeError(
                    f"Expected type of argument '{name}' as a subtype of hint {hints[name].type}, but found "
                    f"{value.type}"
                )
        return f(*args, **kwargs)

    return wrapper


_runtime_validation_enabled = True


class runtime_validation_disabled(_Setting):
    """In the block, pipes do not check the types of their items.

    Example:
        >>> from torch.utils.data import runtime_validation_disabled
        >>> with runtime_validation_disabled():
        ...     pass
    """

    _name, _value = "_runtime_validation_enabled", False


def runtime_validation(f):
    """Decorator of a pipe's `__iter__` that checks each item against the pipe's attribute `type`.

    A pipe has no such attribute of itself; its class gives it, with a method `issubtype_of_instance`.

    Args:
        f (callable): the method, named `__iter__`.

    Returns:
        callable: the method, which raises RuntimeError at an item of another type.

    Raises:
        TypeError: if the method has another name.

    Example:
        >>> from torch.utils.data import IterDataPipe, runtime_validation
        >>> class Whole:
        ...     def issubtype_of_instance(self, item):
        ...         return isinstance(item, int)
        >>> class Numbers(IterDataPipe):
        ...     type = Whole()
        ...     @runtime_validation
        ...     def __iter__(self):
        ...         yield from (1, 2)
        >>> list(Numbers())
        [1, 2]
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")

    @functools.wraps(f)
    def wrapper(self):
        checked = _runtime_validation_enabled
        for item in f(self):
            if checked and not self.type.issubtype_of_instance(item):
                raise RuntimeError(f"Expected an instance as subtype of {self.type}, but found {item}({type(item)})")
            yield item

    return wrapper
