"""Sequences of different lengths: padded together, or packed without padding."""

import warnings
from collections.abc import Iterable
from typing import NamedTuple, Optional

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
    """The fields of a PackedSequence."""

    data: torch.Tensor
    batch_sizes: torch.Tensor
    sorted_indices: Optional[torch.Tensor]
    unsorted_indices: Optional[torch.Tensor]


def bind(optional, fn):
    """fn(optional), or None for None."""
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """The steps of all sequences one after another; `batch_sizes[t]` sequences reach step t."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        fields = _packed_sequence_init_args(data, batch_sizes, sorted_indices, unsorted_indices)
        return super().__new__(cls, *fields)

    def pin_memory(self):
        """A copy in pinned memory."""

        def pin(tensor):
            return tensor.pin_memory()

        return type(self)(
            pin(self.data), self.batch_sizes, bind(self.sorted_indices, pin), bind(self.unsorted_indices, pin)
        )

    def to(self, *args, **kwargs):
        """Moves and casts the data; the indices follow to its device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        _, _, non_blocking, memory_format = _C._nn._parse_to(*args, **kwargs)

        def follow(tensor):
            return tensor.to(data.device, non_blocking=non_blocking, memory_format=memory_format)

        return type(self)(
            data, self.batch_sizes, bind(self.sorted_indices, follow), bind(self.unsorted_indices, follow)
        )

    def _to_device_type(self, kind, args, kwargs):
        target = torch.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        if target.device.type != kind:
            kwargs["device"] = kind
        return self.to(*args, **kwargs)

    def cuda(self, *args, **kwargs):
        """Moves to a CUDA device."""
        return self._to_device_type("cuda", args, kwargs)

    def npu(self, *args, **kwargs):
        """Moves to an NPU."""
        return self._to_device_type("npu", args, kwargs)

    def cpu(self, *args, **kwargs):
        """Moves to the CPU."""
        return self._to_device_type("cpu", args, kwargs)

    def double(self):
        """Casts to float64."""
        return self.to(dtype=torch.double)

    def float(self):
        """Casts to float32."""
        return self.to(dtype=torch.float)

    def half(self):
        """Casts to float16."""
        return self.to(dtype=torch.half)

    def long(self):
        """Casts to int64."""
        return self.to(dtype=torch.long)

    def int(self):
        """Casts to int32."""
        return self.to(dtype=torch.int)

    def short(self):
        """Casts to int16."""
        return self.to(dtype=torch.short)

    def char(self):
        """Casts to int8."""
        return self.to(dtype=torch.int8)

    def byte(self):
        """Casts to uint8."""
        return self.to(dtype=torch.uint8)

    @property
    def is_cuda(self):
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda

    @property
    def is_npu(self):
        """Whether the data is on an NPU."""
        return self.data.is_npu

    def is_pinned(self):
        """Whether the data is in pinned memory."""
        return self.data.is_pinned()


def _packed_sequence_init_args(data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is None:  # the old form: one (data, batch_sizes) pair
        if not (isinstance(data, (list, tuple)) and len(data) == 2):
            raise AssertionError("Expected data to be a list or tuple of length 2")
        return data[0], data[1], sorted_indices, unsorted_indices
    if batch_sizes.device.type != "cpu":
        raise ValueError(
            "batch_sizes should always be on CPU. "
            "Instances of PackedSequence should never be created manually. "
            "They should be instantiated by functions like pack_sequence "
            "and pack_padded_sequences in nn.utils.rnn. "
            "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
        )
    return data, batch_sizes, sorted_indices, unsorted_indices


def invert_permutation(permutation):
    """The permutation that undoes `permutation`."""
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.legacy_contiguous_format)
    inverse.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))
    return inverse


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs a padded batch; without `enforce_sorted` the sequences are sorted by length first."""
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.to(dtype=torch.int64)
    else:
        if _C._get_tracing_state():
            warnings.warn(
                "pack_padded_sequence has been called with a Python list of "
                "sequence lengths. The tracer cannot track the data flow of Python "
                "values, and it will treat them as constants, likely rendering "
                "the trace incorrect for any other combination of lengths.",
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


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """(padded batch, lengths) of a PackedSequence."""
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length "
                "of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    padded, lengths = torch._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Stacks sequences of different lengths, the shorter ones filled with `padding_value`."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return _C._nn.pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded batch."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = torch.arange(padded_sequences.shape[1], device=lengths.device)
    return [row[steps < length] for row, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Packs a list of sequences."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a PackedSequence."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
