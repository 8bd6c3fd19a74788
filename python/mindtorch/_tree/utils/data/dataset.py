"""Datasets with indices or iteration, and ways to combine and split them."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from ..._root import torch
from .._deprecated import deprecated

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "StackDataset",
    "ConcatDataset",
    "ChainDataset",
    "Subset",
    "random_split",
]

_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Base class of datasets that give samples by key, usually by index.

    A subclass defines ``__getitem__`` and, for samplers, ``__len__``; ``__getitems__(indices)``,
    where defined, fetches a whole batch. ``a + b`` is a ConcatDataset.

    Example:
        >>> class Squares(torch.utils.data.Dataset):
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, index):
        ...         return index ** 2
        >>> list(torch.utils.data.DataLoader(Squares(), batch_size=2))
        [tensor([0, 1]), tensor([4])]
    """

    def __getitem__(self, index) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset[_T_co]") -> "ConcatDataset[_T_co]":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Base class of datasets that are read by iteration.

    A subclass defines ``__iter__``. With several workers each of them iterates a copy: use
    `get_worker_info` to give each its share, else every sample comes once per worker.

    Example:
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> list(torch.utils.data.DataLoader(Count(), batch_size=2))
        [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other: Dataset[_T_co]):
        return ChainDataset([self, other])


class TensorDataset(Dataset["tuple[torch.Tensor, ...]"]):
    """A dataset of the rows of tensors; a sample is a tuple with the same row of each.

    Args:
        *tensors (Tensor): tensors of the same size in the first dimension.

    Raises:
        AssertionError: when sizes differ.

    Example:
        >>> dataset = torch.utils.data.TensorDataset(torch.arange(3), torch.arange(3) * 10)
        >>> len(dataset), dataset[1]
        (3, (tensor(1), tensor(10)))
    """

    tensors: "tuple[torch.Tensor, ...]"

    def __init__(self, *tensors: "torch.Tensor") -> None:
        if len({tensor.size(0) for tensor in tensors}) > 1:
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __len__(self) -> int:
        return self.tensors[0].size(0)

    def __getitem__(self, index):
        return tuple(column[index] for column in self.tensors)


def _fetch_items(dataset, indices):
    """Returns the samples at `indices`, fetched together if the dataset supports that."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    found = dataset.__getitems__(indices)
    if len(found) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}")
    return found


class StackDataset(Dataset):
    """Several parallel datasets; a sample is a tuple, or a dict if the datasets are named.

    Args:
        *args (Dataset): datasets of one length, for tuples.
        **kwargs (Dataset): datasets of one length, for dicts.

    Raises:
        ValueError: when there are none, both kinds, or lengths differ.

    Example:
        >>> torch.utils.data.StackDataset(image=["a", "b"], label=[0, 1])[1]
        {'image': 'b', 'label': 1}
    """

    datasets: tuple | dict

    def __init__(self, *args: Dataset, **kwargs: Dataset) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        members = args or list(kwargs.values())
        self._length = len(members[0])
        if any(self._length != len(dataset) for dataset in members):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list):
        if isinstance(self.datasets, dict):
            columns = [_fetch_items(dataset, indices) for dataset in self.datasets.values()]
            return [dict(zip(self.datasets, row)) for row in zip(*columns)]
        return list(zip(*[_fetch_items(dataset, indices) for dataset in self.datasets]))

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[_T_co]):
    """Concatenated datasets.

    Args:
        datasets (iterable of Dataset): datasets with a length; no IterableDataset.

    Raises:
        AssertionError: when there are none, or one is an IterableDataset.

    Example:
        >>> dataset = torch.utils.data.ConcatDataset([[1, 2], [3]])
        >>> len(dataset), dataset[2], dataset[-1]
        (3, 3, 3)
    """

    datasets: list[Dataset[_T_co]]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence):
        """Returns where each dataset ends, in indices of the whole.

        Args:
            sequence (iterable): the datasets.

        Returns:
            list of int: the ends.
        """
        return list(itertools.accumulate(map(len, sequence)))

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        size = len(self)
        if idx < -size:
            raise ValueError("absolute value of index should not exceed dataset length")
        position = idx + size if idx < 0 else idx
        which = bisect.bisect_right(self.cumulative_sizes, position)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][position - start]

    @property
    @deprecated("`cummulative_sizes` attribute is renamed to `cumulative_sizes`")
    def cummulative_sizes(self):
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Concatenated iterable datasets.

    Args:
        datasets (iterable of IterableDataset): the datasets.

    Raises:
        AssertionError: while iterating, when one is no IterableDataset.

    Example:
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        >>> list(torch.utils.data.ChainDataset([Count(), Count()]))
        [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = datasets

    def _yield_checked_datasets(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._yield_checked_datasets():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._yield_checked_datasets())


class Subset(Dataset[_T_co]):
    """The samples of a dataset at given indices.

    Args:
        dataset (Dataset): the dataset.
        indices (sequence of int): the indices, in the order of the subset.

    Raises:
        NotImplementedError: when a subclass overrides ``__getitem__`` without ``__getitems__``.

    Example:
        >>> subset = torch.utils.data.Subset(["a", "b", "c"], [2, 0])
        >>> len(subset), subset[0]
        (2, 'c')
    """

    dataset: Dataset[_T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        # DataLoader fetches batches with __getitems__, so an override of __getitem__ alone would never be called.
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\ndef __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[index] for index in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        chosen = [self.indices[index] for index in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(chosen)
        return [self.dataset[index] for index in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def _compute_lengths(fractions, total):
    lengths = []
    for index, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {index} is not between 0 and 1")
        lengths.append(math.floor(total * fraction))
    for extra in range(total - sum(lengths)):
        lengths[extra % len(lengths)] += 1
    for index, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {index} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return lengths


def random_split(
    dataset: Dataset, lengths: Sequence[int | float], generator: torch.Generator | None = torch.default_generator
) -> list[Subset]:
    """Splits a dataset at random into parts of given lengths.

    Args:
        dataset (Dataset): has a length.
        lengths (sequence of int or float): lengths that sum to that of the dataset, or fractions that
            sum to 1; rounded down, the rest goes to the first parts one by one.
        generator (torch.Generator, optional): source of the permutation. Default: the default
            generator.

    Returns:
        list of Subset: the parts.

    Raises:
        ValueError: when lengths do not sum up.

    Example:
        >>> parts = torch.utils.data.random_split(range(10), [0.75, 0.25])
        >>> [len(part) for part in parts]
        [8, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _compute_lengths(lengths, len(dataset))
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = torch.randperm(sum(lengths), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, indices[end - length : end]) for end, length in zip(ends, lengths)]
