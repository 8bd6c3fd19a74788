"""Samplers: which indices to visit, and in which order."""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Generic, TypeVar

from ..._root import torch

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)

# How many indices are sampled at a time, with replacement; the stream of random numbers depends on it.
_REPLACEMENT_CHUNK = 32


class Sampler(Generic[_T_co]):
    """Base class of samplers: iterables of indices (or of batches of them); a length is optional.

    Example:
        >>> class Backwards(torch.utils.data.Sampler):
        ...     def __iter__(self):
        ...         return iter([2, 1, 0])
        >>> list(torch.utils.data.DataLoader(["a", "b", "c"], sampler=Backwards(), batch_size=3))
        [['c', 'b', 'a']]
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """Gives all indices in order.

    Args:
        data_source (Sized): the dataset.

    Example:
        >>> list(torch.utils.data.SequentialSampler("abc"))
        [0, 1, 2]
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __len__(self) -> int:
        return len(self.data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))


def _check_positive_count(name, value, *, reject_bool):
    if not isinstance(value, int) or (reject_bool and isinstance(value, bool)) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class RandomSampler(Sampler[int]):
    """Yields random indices: a new permutation in each pass, or samples with replacement.

    Args:
        data_source (Sized): the dataset.
        replacement (bool): samples with replacement. Default: ``False``.
        num_samples (int, optional): how many; without replacement several permutations follow each
            other. Default: the length of the dataset.
        generator (torch.Generator, optional): source of numbers. Default: one that is seeded anew by
            the default generator in each pass.

    Attributes:
        num_samples (int): number of indices of a pass.

    Raises:
        ValueError: when `num_samples` is not positive.
        TypeError: when `replacement` is no bool.

    Example:
        >>> sorted(torch.utils.data.RandomSampler("abc"))
        [0, 1, 2]
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator=None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _check_positive_count("num_samples", self.num_samples, reject_bool=False)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size = len(self.data_source)
        generator = self.generator
        if generator is None:
            seed = int(torch.empty((), dtype=torch.int64).random_().item())
            generator = torch.Generator()
            generator.manual_seed(seed)
        chunk = _REPLACEMENT_CHUNK if self.replacement else size
        whole, rest = divmod(self.num_samples, chunk)
        if self.replacement:
            for count in [chunk] * whole + [rest]:
                yield from torch.randint(
                    high=size, size=(count,), dtype=torch.int64, generator=generator
                ).tolist()
        else:
            for _ in range(whole):
                yield from torch.randperm(size, generator=generator).tolist()
            yield from torch.randperm(size, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Gives the elements of a sequence in random order, each once.

    Args:
        indices (sequence): the indices.
        generator (torch.Generator, optional): source of the permutation. Default: the default
            generator.

    Example:
        >>> sorted(torch.utils.data.SubsetRandomSampler([5, 3, 8]))
        [3, 5, 8]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator=None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Draws indices 0 .. len(weights) - 1 with probabilities proportional to weights.

    Args:
        weights (sequence of float): nonnegative weights, in one dimension.
        num_samples (int): how many.
        replacement (bool): samples with replacement. Default: ``True``.
        generator (torch.Generator, optional): source of numbers. Default: the default generator.

    Raises:
        ValueError: when an argument is not as required.

    Example:
        >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=2))
        [1, 1]
    """

    weights: "torch.Tensor"
    num_samples: int
    replacement: bool

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator=None
    ) -> None:
        _check_positive_count("num_samples", num_samples, reject_bool=True)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Groups the indices of a sampler into lists.

    Args:
        sampler (iterable): the sampler.
        batch_size (int): length of the lists.
        drop_last (bool): leaves out a last list that is shorter.

    Raises:
        ValueError: when an argument is not as required.

    Example:
        >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        _check_positive_count("batch_size", batch_size, reject_bool=True)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (0 if self.drop_last else rest > 0)
