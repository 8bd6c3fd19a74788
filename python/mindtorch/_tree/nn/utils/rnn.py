"""Sequences of different lengths: padded, or packed without padding."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional, Self

from ... import _C
from ..._root import torch

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
    "pack_sequence",
    "unpack_sequence",
]


class PackedSequence_(NamedTuple):
    """Holds the fields of a PackedSequence.

    Args:
        data (Tensor): the steps.
        batch_sizes (Tensor): how many sequences reach each step.
        sorted_indices (Tensor or None): the order of the sequences.
        unsorted_indices (Tensor or None): the order that undoes it.

    Example:
        >>> from torch.nn.utils.rnn import PackedSequence_
        >>> PackedSequence_._fields
        ('data', 'batch_sizes', 'sorted_indices', 'unsorted_indices')
    """

    data: torch.Tensor
    batch_sizes: torch.Tensor
    sorted_indices: Optional[torch.Tensor]
    unsorted_indices: Optional[torch.Tensor]


def bind(optional: Any, fn: Callable[[Any], Any]) -> Any:
    """Calls a function unless its argument is None.

    Args:
        optional (object or None): the argument.
        fn (callable): the function.

    Returns:
        object or None: ``fn(optional)``, or ``None``.

    Example:
        >>> from torch.nn.utils.rnn import bind
        >>> bind(None, len), bind([1], len)
        (None, 1)
    """
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """Holds sequences of different lengths without padding: all first steps, then all second ones, and so on.

    `pack_sequence` and `pack_padded_sequence` make it, recurrent layers accept it.
    ``batch_sizes[t]`` sequences reach step `t`, the longest sequence first.

    Args:
        data (Tensor): ``(sum of lengths, *)``.
        batch_sizes (Tensor, optional): int64 on the CPU. Default: ``None``, where `data` is a
            pair of both.
        sorted_indices (Tensor, optional): which sequence of the batch each packed one is.
            Default: ``None``, in order.
        unsorted_indices (Tensor, optional): where each sequence of the batch is. Default:
            ``None``, computed.

    Raises:
        ValueError: when `batch_sizes` is not on the CPU.

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([7, 8, 9]), torch.tensor([5, 6])])
        >>> packed.data, packed.batch_sizes
        (tensor([7, 5, 8, 6, 9]), tensor([2, 2, 1]))
    """

    def __new__(
        cls,
        data: torch.Tensor,
        batch_sizes: torch.Tensor | None = None,
        sorted_indices: torch.Tensor | None = None,
        unsorted_indices: torch.Tensor | None = None,
    ) -> Self:
        fields = _packed_sequence_init_args(data, batch_sizes, sorted_indices, unsorted_indices)
        return super().__new__(cls, *fields)

    def pin_memory(self) -> Self:
        """Returns a copy in pinned memory."""

        def pin_tensor(tensor):
            return tensor.pin_memory()

        return type(self)(
            pin_tensor(self.data),
            self.batch_sizes,
            bind(self.sorted_indices, pin_tensor),
            bind(self.unsorted_indices, pin_tensor),
        )

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Returns the sequence with its data on another device or of another dtype; itself if nothing changes.

        Args:
            *args: as for `Tensor.to`.
            **kwargs: as for `Tensor.to`.

        Returns:
            PackedSequence: the indices follow to the device.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        _, _, non_blocking, memory_format = _C._nn._parse_to(*args, **kwargs)

        def move_like_data(tensor):
            return tensor.to(data.device, non_blocking=non_blocking, memory_format=memory_format)

        return type(self)(
            data,
            self.batch_sizes,
            bind(self.sorted_indices, move_like_data),
            bind(self.unsorted_indices, move_like_data),
        )

    def _to_device_type(self, kind, args, kwargs):
        target = torch.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        if target.device.type != kind:
            kwargs["device"] = kind
        return self.to(*args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """Returns the sequence on a CUDA device; `*args` and `**kwargs` as for `Tensor.to`."""
        return self._to_device_type("cuda", args, kwargs)

    def npu(self, *args, **kwargs):
        """Returns the sequence on an NPU; `*args` and `**kwargs` as for `Tensor.to`."""
        return self._to_device_type("npu", args, kwargs)

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """Returns the sequence on the CPU; `*args` and `**kwargs` as for `Tensor.to`."""
        return self._to_device_type("cpu", args, kwargs)

    def double(self) -> Self:
        """Returns the sequence with its data cast to float64."""
        return self.to(dtype=torch.double)

    def float(self) -> Self:
        """Returns the sequence with its data cast to float32."""
        return self.to(dtype=torch.float)

    def half(self) -> Self:
        """Returns the sequence with its data cast to float16."""
        return self.to(dtype=torch.half)

    def long(self) -> Self:
        """Returns the sequence with its data cast to int64."""
        return self.to(dtype=torch.long)

    def int(self) -> Self:
        """Returns the sequence with its data cast to int32."""
        return self.to(dtype=torch.int)

    def short(self) -> Self:
        """Returns the sequence with its data cast to int16."""
        return self.to(dtype=torch.short)

    def char(self) -> Self:
        """Returns the sequence with its data cast to int8."""
        return self.to(dtype=torch.int8)

    def byte(self) -> Self:
        """Returns the sequence with its data cast to uint8."""
        return self.to(dtype=torch.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda

    @property
    def is_npu(self):
        """Whether the data is on an NPU."""
        return self.data.is_npu

    def is_pinned(self) -> bool:
        """Returns whether the data is in pinned memory."""
        return self.data.is_pinned()


def _packed_sequence_init_args(data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
    steps = (data, batch_sizes)
    if batch_sizes is None:
        steps = data  # the old form: a pair
        if not isinstance(steps, (list, tuple)) or len(steps) != 2:
            raise AssertionError("Expected data to be a list or tuple of length 2")
    elif batch_sizes.device.type != "cpu":
        raise ValueError(
            "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They "
            "should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
            "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
        )
    if unsorted_indices is None:
        return (*steps, sorted_indices, invert_permutation(sorted_indices))
    return (*steps, sorted_indices, unsorted_indices)


def invert_permutation(permutation: torch.Tensor | None) -> torch.Tensor | None:
    """Returns the permutation that undoes another one.

    Args:
        permutation (Tensor or None): int64, one-dimensional.

    Returns:
        Tensor or None: ``inverse[permutation[i]] == i``; ``None`` for ``None``.

    Example:
        >>> nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.legacy_contiguous_format)
    inverse.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))
    return inverse


def pack_padded_sequence(
    input: torch.Tensor, lengths: torch.Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs a padded batch of sequences.

    Args:
        input (Tensor): ``(T, B, *)``, or ``(B, T, *)`` with `batch_first`.
        lengths (Tensor or list of int): length of each sequence, above zero, on the CPU.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        enforce_sorted (bool): whether lengths must descend; otherwise the sequences are sorted
            first. Default: ``True``.

    Returns:
        PackedSequence: the steps that count.

    Raises:
        RuntimeError: when lengths are not positive, or do not fall and `enforce_sorted` is set.

    Example:
        >>> packed = nn.utils.rnn.pack_padded_sequence(
        ...     torch.tensor([[8, 0], [5, 6]]), [1, 2], batch_first=True, enforce_sorted=False)
        >>> packed.data, packed.sorted_indices
        (tensor([5, 8, 6]), tensor([1, 0]))
    """
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.to(dtype=torch.int64)
    else:
        if _C._get_tracing_state():
            warnings.warn(
                "pack_padded_sequence has been called with a Python list of sequence lengths. The tracer cannot track "
                "the data flow of Python values, and it will treat them as constants, likely rendering the trace "
                "incorrect for any other combination of lengths.",
                stacklevel=2,
            )
        lengths = torch.as_tensor(lengths, dtype=torch.int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = torch.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = torch._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Pads a packed batch of sequences: undoes `pack_padded_sequence`.

    The order of the batch is that before packing.

    Args:
        sequence (PackedSequence): the batch.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        padding_value (float): what fills the ends. Default: ``0.0``.
        total_length (int, optional): length of the result. Default: ``None``, that of the longest.

    Returns:
        tuple of two Tensors: ``(T, B, *)``, or ``(B, T, *)``, and the lengths, int64.

    Raises:
        ValueError: when `total_length` is too small.

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2],
                [3, 0]]), tensor([2, 1]))
    """
    longest = sequence.batch_sizes.size(0)
    length = longest if total_length is None else total_length
    if length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={length} and max sequence length being {longest}"
        )
    steps = (sequence.data, sequence.batch_sizes)
    padded, lengths = torch._pad_packed_sequence(*steps, batch_first, padding_value, length)
    order = sequence.unsorted_indices
    if order is not None:
        padded, lengths = padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]
    return padded, lengths


def pad_sequence(
    sequences: torch.Tensor | list[torch.Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> torch.Tensor:
    """Stacks sequences of different lengths; the shorter ones are filled up.

    Args:
        sequences (iterable of Tensor): each ``(L, *)``, equal but for `L`.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        padding_value (float): what fills them up. Default: ``0.0``.
        padding_side (str): ``"right"`` or ``"left"``. Default: ``"right"``.

    Returns:
        Tensor: ``(T, B, *)``, or ``(B, T, *)``, where `T` is the greatest length.

    Raises:
        RuntimeError: when `sequences` is no iterable.

    Example:
        >>> nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return _C._nn.pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(
    padded_sequences: torch.Tensor, lengths: torch.Tensor, batch_first: bool = False
) -> list[torch.Tensor]:
    """Returns the sequences of a padded batch: undoes `pad_sequence`.

    Args:
        padded_sequences (Tensor): ``(T, B, *)``, which is transposed in place, or ``(B, T, *)``.
        lengths (Tensor): length of each sequence.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.

    Returns:
        list of Tensor: the sequences.

    Example:
        >>> nn.utils.rnn.unpad_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), True)
        [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = torch.arange(padded_sequences.shape[1], device=lengths.device)
    return [row[steps < length] for row, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[torch.Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs a list of sequences.

    Args:
        sequences (list of Tensor): each ``(L, *)``, equal but for `L`.
        enforce_sorted (bool): whether lengths must descend; otherwise the sequences are sorted
            first. Default: ``True``.

    Returns:
        PackedSequence: the steps of all.

    Example:
        >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).data
        tensor([1, 3, 2])
    """
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[torch.Tensor]:
    """Returns the sequences of a packed batch: undoes `pack_sequence`.

    Args:
        packed_sequences (PackedSequence): the batch.

    Returns:
        list of Tensor: the sequences.

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> nn.utils.rnn.unpack_sequence(packed)
        [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
