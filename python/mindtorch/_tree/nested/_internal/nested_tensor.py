"""The jagged layout: all values in one tensor, and the offsets where each sequence begins in it."""

import itertools
import weakref

from ..._root import torch
from .._base import ATTRIBUTES, IRREGULAR, Nested, nest_values_with_history, values_with_history
from .nested_int import get_nested_int, number_of_nested_int

__all__ = ["NestedTensor", "buffer_from_jagged", "jagged_from_list", "jagged_from_tensor_and_lengths"]

_numbers = itertools.count(1)
# {id(tensor): (weak reference to it, its nested int)} for tensors of offsets or lengths
_known = {}


def get_tensor_symint(tensor, *, coeff=1):
    """Returns the irregular size that a tensor of offsets or lengths stands for: equal only for the same tensor."""
    key = id(tensor)
    entry = _known.get(key)
    if entry is None or entry[0]() is not tensor:
        entry = (weakref.ref(tensor, lambda _: _known.pop(key, None)), next(_numbers))
        _known[key] = entry
    return get_nested_int(entry[1], coeff)


def _share_symint_of_offsets(tensor, other):
    """Makes a tensor of offsets stand for the same size as another one."""
    key = id(tensor)
    number = number_of_nested_int(get_tensor_symint(other))
    _known[key] = (weakref.ref(tensor, lambda _: _known.pop(key, None)), number)


def _store_val_in_tensor(value):
    """Returns a tensor whose size is the value."""
    return torch.zeros(value, 0)


def _get_sdpa_extreme_seqlen(function, tensor):
    return int(function(tensor).item())


def sizes_as_plain_ints(sizes):
    """Returns sizes with an int for each nested one."""
    numbers = [number_of_nested_int(size) for size in sizes]
    return [int(s) if n is None else IRREGULAR + n for s, n in zip(sizes, numbers, strict=True)]


class NestedTensor(Nested):
    """A batch of sequences of different lengths in the jagged layout.

    ``torch.nested.nested_tensor`` and ``torch.nested.nested_tensor_from_jagged`` make them.

    Args:
        values (Tensor): the sequences, one after another along one dimension.
        offsets (Tensor): where each sequence begins, and the end of the last one.
        lengths (Tensor, optional): lengths of sequences with gaps behind them. Default: none.

    Example:
        >>> torch.nested.nested_tensor_from_jagged(torch.ones(3, 2), torch.tensor([0, 1, 3])).is_nested
        True
    """

    @staticmethod
    def __new__(cls, values, offsets, *, lengths=None, **kwargs):
        """Makes a tensor without memory of its own, with the sizes of the batch."""
        if offsets is None:
            raise AssertionError("offsets must not be None")
        if offsets.ndim != 1:
            raise AssertionError(f"offsets must be 1D, but got {offsets.ndim}D")
        if isinstance(values, NestedTensor):
            raise AssertionError("values must not be a NestedTensor")
        if values.device != offsets.device:
            raise AssertionError(
                "values and offsets must be on the same device, but got "
                f"values.device={values.device} and offsets.device={offsets.device}"
            )
        batch = offsets.shape[0] - 1
        if lengths is not None and batch != lengths.shape[0]:
            raise AssertionError(
                f"offsets and lengths batch sizes must match: offsets.shape[0] - 1 = {batch}, "
                f"lengths.shape[0] = {lengths.shape[0]}"
            )
        ragged_idx = kwargs.get("_ragged_idx", 1)
        ragged = get_tensor_symint(offsets if lengths is None else lengths)
        size = (batch, *values.shape[: ragged_idx - 1], ragged, *values.shape[ragged_idx:])
        self = torch.Tensor._make_wrapper_subclass(
            cls, sizes_as_plain_ints(size), dtype=values.dtype, device=values.device,
            requires_grad=kwargs.get("requires_grad", False),
        )  # fmt: skip
        self._ragged_idx = ragged_idx
        self._size = size
        self._strides = (ragged * values.stride(ragged_idx - 1), *values.stride())
        return self

    def __init__(self, values, offsets, *, lengths=None, **kwargs):
        self._values = values.detach() if values.requires_grad else values
        self._offsets = offsets
        self._lengths = lengths
        self._metadata_cache = kwargs.get("_metadata_cache") or {}

    # ---- what rules use

    def _stored_values(self):
        return self._values

    def _gradient_function_of_values(self):
        return values_with_history

    def _make_like_function(self, **changes):
        """Returns a function that makes a nested tensor of this structure."""
        keep = {
            "lengths": self._lengths,
            "_ragged_idx": self._ragged_idx,
            "_metadata_cache": self._metadata_cache,
        } | changes
        offsets = keep.pop("offsets", self._offsets)
        return lambda values: nest_values_with_history(values, lambda v: NestedTensor(v, offsets, **keep))

    def _find_rule(self, operator, is_step=False):
        from .ops import find_rule

        return find_rule(operator)

    # ---- parts

    def values(self):
        """Returns the values of all sequences, as one tensor with their history.

        Returns:
            Tensor: the values; they share memory with this tensor.
        """
        return values_with_history(self)

    def offsets(self):
        """Returns where the sequences begin.

        Returns:
            Tensor: one more number than there are sequences.
        """
        return self._offsets

    def lengths(self):
        """Returns the lengths of sequences with gaps behind them.

        Returns:
            Tensor: the lengths, or ``None`` if there are no gaps.
        """
        return self._lengths

    def _sequence_lengths(self):
        """Returns the length of each sequence."""
        return self._offsets.diff() if self._lengths is None else self._lengths

    def _sequence_bounds(self):
        """Returns (begin, length) of each sequence."""
        return list(zip(self._offsets[:-1].tolist(), self._sequence_lengths().tolist(), strict=True))

    def _extreme_sequence_length(self, key, function):
        if key not in self._metadata_cache:
            count = _get_sdpa_extreme_seqlen(function, self._sequence_lengths())
            self._metadata_cache[key] = _store_val_in_tensor(count)
        return self._metadata_cache[key].shape[0]

    def _get_max_seqlen(self):
        return self._extreme_sequence_length("max_seqlen", torch.max)

    def _get_min_seqlen(self):
        return self._extreme_sequence_length("min_seqlen", torch.min)

    @property
    def _max_seqlen_tensor(self):
        return self._metadata_cache.get("max_seqlen")

    @_max_seqlen_tensor.setter
    def _max_seqlen_tensor(self, value):
        self._metadata_cache["max_seqlen"] = value

    @property
    def _min_seqlen_tensor(self):
        return self._metadata_cache.get("min_seqlen")

    @_min_seqlen_tensor.setter
    def _min_seqlen_tensor(self, value):
        self._metadata_cache["min_seqlen"] = value

    @property
    def _max_seqlen(self):
        return self._get_max_seqlen()

    @property
    def _min_seqlen(self):
        return self._get_min_seqlen()

    @property
    def _maybe_max_seqlen(self):
        known = self._max_seqlen_tensor
        return None if known is None else known.shape[0]

    @property
    def _maybe_min_seqlen(self):
        known = self._min_seqlen_tensor
        return None if known is None else known.shape[0]

    def _is_contiguous_or_false(self):
        return self._lengths is None and self._values.is_contiguous()

    def to_padded_tensor(self, padding, output_size=None):
        """Returns a dense tensor, with a number behind shorter sequences.

        Args:
            padding (float): the number.
            output_size (tuple of int, optional): its size of the irregular dimension is that of the
                result. Default: the longest length.

        Returns:
            Tensor: dense.
        """
        from .ops import pad_sequences

        return pad_sequences(self, padding, output_size)

    def __repr__(self):
        grad = f", grad_fn={self.grad_fn}" if self.grad_fn else ", requires_grad=True" if self.requires_grad else ""
        contiguous = self._is_contiguous_or_false()
        return f"NestedTensor(size={self._size}, offsets={self._offsets}{grad}, contiguous={contiguous})"

    # ---- copies and files

    def _constructor_arguments(self):
        return {
            "values": self._values,
            "offsets": self._offsets,
            "lengths": self._lengths,
            "_ragged_idx": self._ragged_idx,
            "_metadata_cache": self._metadata_cache,
            "requires_grad": self.requires_grad,
        }

    def __reduce_ex__(self, proto):
        state = {k: v for k, v in self.__dict__.items() if k not in ("_size", "_strides", "_origin")}
        arguments = (self._constructor_arguments(),)
        return (torch._tensor._rebuild_from_type_v2, (_rebuild_njt, type(self), arguments, state))

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(torch._tensor_pickle._NOT_A_LEAF)
        if id(self) not in memo:
            from copy import deepcopy

            parts = {k: deepcopy(v, memo) for k, v in self._constructor_arguments().items()}
            memo[id(self)] = _rebuild_njt(parts)
            if self.grad is not None:
                memo[id(self)].grad = deepcopy(self.grad, memo)
        return memo[id(self)]

    def __tensor_flatten__(self):
        context = {"requires_grad": self.requires_grad, "ragged_idx": self._ragged_idx}
        parts = ["_values", "_offsets"]
        optional = ("_lengths", "_min_seqlen_tensor", "_max_seqlen_tensor")
        return parts + [name for name in optional if getattr(self, name) is not None], context

    @staticmethod
    def __tensor_unflatten__(inner_tensors, meta, outer_size, outer_stride):
        if not 2 <= len(inner_tensors) <= 5:
            raise AssertionError(f"Expected 2-5 inner tensors, but got {len(inner_tensors)}")
        cache = {key: inner_tensors.get(f"_{key}_tensor") for key in ("min_seqlen", "max_seqlen")}
        return NestedTensor(
            inner_tensors["_values"], inner_tensors["_offsets"], lengths=inner_tensors.get("_lengths"),
            requires_grad=meta["requires_grad"], _ragged_idx=meta["ragged_idx"],
            _metadata_cache={k: v for k, v in cache.items() if v is not None},
        )  # fmt: skip


# In torch the nested int of an irregular dimension belongs to the tensor of offsets, which stays one object.
NestedTensor._attributes = ATTRIBUTES | {
    "shape": lambda self: torch.Size(self._size),
    "size": lambda self, dim=None: torch.Size(self._size) if dim is None else self._size[dim],
    "stride": lambda self, dim=None: self._strides if dim is None else self._strides[dim],
    "layout": lambda self: torch.jagged,
    "is_contiguous": lambda self, memory_format=None: self._is_contiguous_or_false(),
    "numel": lambda self: _count_elements(self),
    "nelement": lambda self: _count_elements(self),
    "nbytes": lambda self: _count_elements(self) * self.element_size(),
    "storage_offset": lambda self: self._values.storage_offset(),
    "data_ptr": lambda self: 0,
    "__len__": lambda self: self._size[0],
    "is_pinned": lambda self, device=None: self._values.is_pinned(),
    "item": lambda self: _get_only_element(self).item(),
    "__bool__": lambda self: bool(
        _get_only_element(self, "Boolean value of Tensor with more than one value is ambiguous")
    ),
    "is_same_size": lambda self, other: _same_sizes(self, other),
    "tolist": lambda self: _refuse_tolist(self),
    "numpy": lambda self, **more: _refuse_numpy(),
    "untyped_storage": lambda self: _refuse_storage(),
    "data": lambda self: NestedTensor(**(self._constructor_arguments() | {"requires_grad": False})),
}


def _count_elements(self):
    if self._lengths is None:
        return self._values.numel()
    others = 1
    for size in (*self._values.shape[: self._ragged_idx - 1], *self._values.shape[self._ragged_idx :]):
        others *= size
    return int(self._lengths.sum()) * others


def _get_only_element(self, refusal=None):
    count = _count_elements(self)
    if count != 1:
        raise RuntimeError(refusal or f"a Tensor with {count} elements cannot be converted to Scalar")
    return self._values.reshape(())


def _same_sizes(a, b):
    return isinstance(a, NestedTensor) and isinstance(b, NestedTensor) and a._size == b._size


def _refuse_tolist(self):
    raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")


def _refuse_numpy():
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def _refuse_storage():
    raise RuntimeError(
        "The tensor has a non-zero number of elements, but its data is not allocated yet.\n"
        "If you're using torch.compile/export/fx, it is likely that we are erroneously tracing into a custom kernel. "
        "To fix this, please wrap the custom kernel into an opaque custom op. Please see the following for details: "
        "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\n"
        "If you're using Caffe2, Caffe2 uses a lazy allocation, so you will need to call mutable_data() or "
        "raw_mutable_data() to actually allocate memory."
    )


def _rebuild_njt(constructor_kwargs):
    """Makes the tensor of a file."""
    return NestedTensor(**constructor_kwargs)


# ---- construction


def nested_view_from_values_offsets(values, offsets, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Returns a nested tensor over values, without gaps."""
    return nested_view_from_values_offsets_lengths(values, offsets, None, ragged_idx, min_seqlen, max_seqlen)


def nested_view_from_values_offsets_lengths(values, offsets, lengths, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Returns a nested tensor over values."""
    known = {"min_seqlen": min_seqlen, "max_seqlen": max_seqlen}
    cache = {key: _store_val_in_tensor(value) for key, value in known.items() if value is not None}
    result = nest_values_with_history(
        values,
        lambda v: NestedTensor(v, offsets, lengths=lengths, _ragged_idx=ragged_idx, _metadata_cache=cache),
    )
    base = values if values._base is None else values._base

    def view_of(new_base):
        place = (values.shape, values.stride(), values.storage_offset())
        again = new_base if base is values else new_base.as_strided(*place)
        return nested_view_from_values_offsets_lengths(again, offsets, lengths, ragged_idx, min_seqlen, max_seqlen)

    result._origin = (base, view_of)
    return result


def _find_irregular_dimension(tensors):
    """Returns the one dimension along which tensors differ, 0 if they do not."""
    first = tensors[0].shape
    differing = [d for d in range(len(first)) if any(t.shape[d] != first[d] for t in tensors)]
    if len(differing) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. "
            "Note that the jagged layout only allows for a single ragged dimension. "
            "For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    return differing[0] if differing else 0


def _check_same_dtype_device_and_rank(tensors):
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what, get in (("dtype", lambda t: t.dtype), ("device", lambda t: t.device), ("dim", lambda t: t.dim())):
        if any(get(t) != get(tensors[0]) for t in tensors):
            place = "be on the same" if what == "device" else "have the same"
            raise RuntimeError(f"When constructing a nested tensor, all tensors in list must {place} {what}")
    if tensors[0].dim() == 0:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")


def jagged_from_list(tensors, offsets, dtype=None, device=None):
    """Returns (nested tensor of copies, with their history; its offsets)."""
    tensors = list(tensors)
    _check_same_dtype_device_and_rank(tensors)
    ragged = _find_irregular_dimension(tensors)
    values = torch.cat(tensors, dim=ragged).to(dtype=dtype, device=device)
    lengths = [t.shape[ragged] for t in tensors]
    if offsets is None:
        offsets = torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int64, device=values.device)
    return (
        nested_view_from_values_offsets(values, offsets, ragged + 1, min(lengths), max(lengths)),
        offsets,
    )


def jagged_from_tensor_and_lengths(tensor, starts, lengths):
    """Returns (nested view of a piece of each row; offsets; lengths, or None for whole rows)."""
    batch, length = tensor.shape[:2]
    values = tensor.reshape(batch * length, *tensor.shape[2:])
    rows = torch.arange(batch, device=tensor.device, dtype=torch.int64) * length
    counts = lengths.to(torch.int64)
    offsets = torch.cat([rows + starts, (rows + starts + counts)[-1:]])
    known = (int(counts.min()), int(counts.max())) if batch else (0, 0)
    if bool((offsets[:-1] + counts == offsets[1:]).all()):  # no gaps between the pieces
        begin, end = (int(offsets[0]), int(offsets[-1])) if batch else (0, 0)
        return nested_view_from_values_offsets(values[begin:end], offsets - begin, 1, *known), offsets - begin, None
    return nested_view_from_values_offsets_lengths(values, offsets, lengths, 1, *known), offsets, lengths


def nested_from_padded(tensor, offsets, ragged_idx=1, sum_S=None):
    """Returns the nested tensor of the first elements of each row of a padded one."""
    from .ops import unpad_sequences

    return unpad_sequences(tensor, offsets, ragged_idx)


class ViewNestedFromBuffer(torch.autograd.Function):
    """From values to a nested tensor; only for programs that name it."""

    @staticmethod
    def forward(ctx, values, offsets, metadata_cache=None):
        return NestedTensor(values.detach(), offsets, _metadata_cache=metadata_cache or {})

    @staticmethod
    def backward(ctx, grad):
        return values_with_history(grad), None, None


def buffer_from_jagged(jagged):
    """Returns the values."""
    return jagged._values


# In torch this argument of `_nested_view_from_jagged` only selects the layout's kernels; it never requires gradients.
_dummy = None


def _nt_view_dummy():
    global _dummy
    if _dummy is None:
        _dummy = NestedTensor(torch.zeros(3, 3), torch.zeros(3, dtype=torch.int64))
    return _dummy
