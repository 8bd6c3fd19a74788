"""The graph of pipes behind a pipe: `{id: (pipe, graph of its sources)}`."""

import io
import pickle
import warnings
from collections.abc import Collection

from .._import_utils import import_dill
from .datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[DataPipe, "DataPipeGraph"]]


def _keep_values_that_may_hold_pipes(state):
    """Types in a pipe's state that can contain pipes."""
    if isinstance(state, dict):
        return {key: value for key, value in state.items() if _may_hold_pipes(value)}
    if isinstance(state, (list, tuple)):
        return [value for value in state if _may_hold_pipes(value)]
    return state


def _may_hold_pipes(value) -> bool:
    return isinstance(value, (IterDataPipe, MapDataPipe, Collection))


class _Finder:
    """Pickles a pipe's state, discards the result, and records the pipes that it contains."""

    def __init__(self, file, pipe, only_datapipe, seen) -> None:
        super().__init__(file)
        self.pipe, self.only_datapipe, self.seen = pipe, only_datapipe, seen
        self.found = []

    def reducer_override(self, value):
        if not isinstance(value, (IterDataPipe, MapDataPipe)):
            return NotImplemented
        if value is self.pipe:
            state = value._graph_state()
            return object, (), _keep_values_that_may_hold_pipes(state) if self.only_datapipe else state
        if id(value) not in self.seen:
            self.seen.add(id(value))
            self.found.append(value)
        return object, ()


def _find_sources(pipe, only_datapipe, path) -> list:
    def find_with_pickler(module):
        finder = type("_Finder", (_Finder, module.Pickler), {})(io.BytesIO(), pipe, only_datapipe, set(path))
        finder.dump(pipe)
        return finder.found

    try:
        return find_with_pickler(pickle)
    except (pickle.PickleError, AttributeError, TypeError):
        dill = import_dill()
        if dill is None:
            raise
        return find_with_pickler(dill)


def _build_graph(pipe, only_datapipe, path) -> DataPipeGraph:
    if not isinstance(pipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(pipe)} is found")
    if id(pipe) in path:
        return {}
    path = path | {id(pipe)}
    sources: DataPipeGraph = {}
    for source in _find_sources(pipe, only_datapipe, path):
        sources.update(_build_graph(source, only_datapipe, path))
    return {id(pipe): (pipe, sources)}


def traverse_dps(datapipe: DataPipe) -> DataPipeGraph:
    """Returns the graph of pipes behind a pipe, through attributes that are pipes or containers.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.

    Returns:
        dict: ``{id: (pipe, graph of its sources)}``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> source = IterableWrapper(range(3))
        >>> batches = source.batch(2)
        >>> traverse_dps(batches) == {id(batches): (batches, {id(source): (source, {})})}
        True
    """
    return _build_graph(datapipe, True, frozenset())


def traverse(datapipe: DataPipe, only_datapipe: bool | None = None) -> DataPipeGraph:
    """Returns the graph of pipes behind a pipe; the deprecated form of `traverse_dps`.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.
        only_datapipe (bool, optional): goes only through attributes that are pipes or containers;
            otherwise through all. Default: ``None``, like ``False``.

    Returns:
        dict: ``{id: (pipe, graph of its sources)}``.

    Example:
        >>> import warnings
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     len(traverse(IterableWrapper(range(3))))
        1
    """
    message = "`traverse` function is deprecated and will be removed after 1.13. Please use `traverse_dps` instead."
    if not only_datapipe:
        message += " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warnings.warn(message, FutureWarning, stacklevel=2)
    return _build_graph(datapipe, bool(only_datapipe), frozenset())
