"""Settings for complete graphs of pipes."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from ..._root import torch
from .._deprecated import deprecated
from .datapipes.iter.sharding import SHARDING_PRIORITIES, _ShardingIterDataPipe
from .graph import DataPipe, DataPipeGraph, traverse_dps

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings", "get_all_graph_pipes"]


def get_all_graph_pipes(graph: DataPipeGraph) -> list[DataPipe]:
    """Returns the pipes of a graph, each once, every branch to its end before the next.

    Args:
        graph (dict): the graph, of `torch.utils.data.graph.traverse_dps`.

    Returns:
        list: the pipes.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph import traverse_dps
        >>> from torch.utils.data.graph_settings import get_all_graph_pipes
        >>> source = IterableWrapper(range(3))
        >>> batches = source.batch(2)
        >>> get_all_graph_pipes(traverse_dps(batches)) == [batches, source]
        True
    """
    return list(_list_each_once(graph, {}).values())


def _list_each_once(graph, found) -> dict:
    for number, (pipe, sources) in graph.items():
        if number not in found:
            found[number] = pipe
            _list_each_once(sources, found)
    return found


def _has_shuffle(datapipe, *methods) -> bool:
    return all(inspect.ismethod(getattr(datapipe, name, None)) for name in methods)


def _is_sharding_datapipe(datapipe: DataPipe) -> bool:
    return isinstance(datapipe, _ShardingIterDataPipe) or _has_shuffle(datapipe, "apply_sharding")


def apply_sharding(
    datapipe: DataPipe, num_of_instances: int, instance_id: int, sharding_group=SHARDING_PRIORITIES.DEFAULT
) -> DataPipe:
    """Says to each pipe of a graph that keeps a share which one.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.
        num_of_instances (int): number of shares.
        instance_id (int): number of this one.
        sharding_group (SHARDING_PRIORITIES): who shares. Default: ``SHARDING_PRIORITIES.DEFAULT``.

    Returns:
        IterDataPipe or MapDataPipe: the pipe itself.

    Raises:
        RuntimeError: if there are two such pipes on one way to a source.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_sharding
        >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter(), 2, 0))
        [0, 2, 4]
    """

    _shard_sources(traverse_dps(datapipe), (num_of_instances, instance_id), sharding_group, None)
    return datapipe


def _shard_sources(graph, share, sharding_group, above) -> None:
    """Applies a share to the pipes of a graph; `above` is the pipe nearer to the end that has applied it already."""
    for pipe, sources in graph.values():
        applied = above
        if _is_sharding_datapipe(pipe):
            if above is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data loss. Sharding "
                    f"already applied to {above} while trying to apply to {pipe}"
                )
            takes_group = len(inspect.signature(pipe.apply_sharding).parameters) > 2
            group = {"sharding_group": sharding_group} if takes_group else {}
            pipe.apply_sharding(*share, **group)
            applied = pipe
        _shard_sources(sources, share, sharding_group, applied)


def _is_shuffle_datapipe(datapipe: DataPipe) -> bool:
    return _has_shuffle(datapipe, "set_shuffle", "set_seed")


def apply_shuffle_settings(datapipe: DataPipe, shuffle: bool | None = None) -> DataPipe:
    """Enables or disables the shufflers of a graph; adds one if there is none and shuffling is requested.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.
        shuffle (bool, optional): on or off. Default: ``None``, as they are.

    Returns:
        IterDataPipe or MapDataPipe: the pipe itself, or the new shuffler after it.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_settings
        >>> list(apply_shuffle_settings(IterableWrapper(range(4)).shuffle(), False))
        [0, 1, 2, 3]
    """
    if shuffle is None:
        return datapipe
    shufflers = [pipe for pipe in get_all_graph_pipes(traverse_dps(datapipe)) if _is_shuffle_datapipe(pipe)]
    if not shufflers and shuffle:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware "
            "that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


@deprecated(
    "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. Please use "
    "`apply_random_seed` instead."
)
def apply_shuffle_seed(datapipe: DataPipe, rng: Any) -> DataPipe:
    """Seeds the pipes of a graph: the deprecated name of `apply_random_seed`.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.
        rng (torch.Generator): the source of the seeds.

    Returns:
        IterDataPipe or MapDataPipe: the pipe itself.

    Example:
        >>> import warnings
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_shuffle_seed
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     list(apply_shuffle_seed(IterableWrapper(range(3)), torch.Generator()))
        [0, 1, 2]
    """
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: DataPipe, rng: "torch.Generator") -> DataPipe:
    """Seeds every pipe of a graph that takes a seed.

    Args:
        datapipe (IterDataPipe or MapDataPipe): the last pipe.
        rng (torch.Generator): the source of the seeds.

    Returns:
        IterDataPipe or MapDataPipe: the pipe itself.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> from torch.utils.data.graph_settings import apply_random_seed
        >>> sorted(apply_random_seed(IterableWrapper(range(3)).shuffle(), torch.Generator()))
        [0, 1, 2]
    """
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has_shuffle(pipe, "set_seed"):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe
