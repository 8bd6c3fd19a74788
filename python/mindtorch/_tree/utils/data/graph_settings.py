"""Settings of whole graphs of pipes."""

import warnings

from ..._root import torch
from .datapipes.datapipe import IterDataPipe, MapDataPipe
from .datapipes.iter.combinatorics import ShufflerIterDataPipe

__all__ = ["apply_shuffle_settings", "apply_shuffle_seed", "apply_random_seed", "get_all_graph_pipes"]


def _held(value):
    if isinstance(value, (IterDataPipe, MapDataPipe)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _held(item)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _held(item)


def _pipes_from(datapipe) -> list:
    """The pipe and every pipe that it is made over, each once."""
    found: dict[int, object] = {}
    pending = [datapipe]
    while pending:
        pipe = pending.pop()
        if id(pipe) not in found:
            found[id(pipe)] = pipe
            pending.extend(_held(vars(pipe)))
    return list(found.values())


def get_all_graph_pipes(graph) -> list:
    """The pipes of a graph `{id: (pipe, graph of its sources)}`, each once."""
    found: dict[int, object] = {}
    pending = [graph]
    while pending:
        for number, (pipe, sources) in pending.pop().items():
            found.setdefault(number, pipe)
            pending.append(sources)
    return list(found.values())


def _is_shuffle_datapipe(datapipe) -> bool:
    return hasattr(datapipe, "set_shuffle") and hasattr(datapipe, "set_seed")


def apply_shuffle_settings(datapipe, shuffle: bool | None = None):
    """Turns the shufflers of a graph on or off; a graph without one gets one where shuffling is asked for."""
    if shuffle is None:
        return datapipe
    shufflers = [pipe for pipe in _pipes_from(datapipe) if _is_shuffle_datapipe(pipe)]
    if not shufflers and shuffle:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware "
            "that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = ShufflerIterDataPipe(datapipe)
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe, rng):
    """Seeds every pipe of a graph that takes a seed."""
    for pipe in _pipes_from(datapipe):
        if callable(getattr(pipe, "set_seed", None)):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe


def apply_shuffle_seed(datapipe, rng):
    """Historical name of `apply_random_seed`."""
    warnings.warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. Please use "
        "`apply_random_seed` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return apply_random_seed(datapipe, rng)
