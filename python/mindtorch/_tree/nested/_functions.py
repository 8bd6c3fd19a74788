"""The functions of torch's root that make nested tensors: `torch._nested_tensor_from_mask` and others."""

from .._root import torch
from . import _strided
from ._internal import nested_tensor as _jagged, ops as _ops

__all__ = [
    "_nested_compute_contiguous_strides_offsets",
    "_nested_from_padded",
    "_nested_from_padded_and_nested_example",
    "_nested_from_padded_tensor",
    "_nested_get_jagged_dummy",
    "_nested_get_lengths",
    "_nested_get_max_seqlen",
    "_nested_get_min_seqlen",
    "_nested_get_offsets",
    "_nested_get_ragged_idx",
    "_nested_get_values",
    "_nested_tensor_from_mask",
    "_nested_tensor_from_mask_left_aligned",
    "_nested_tensor_from_tensor_list",
    "_nested_view_from_buffer",
    "_nested_view_from_jagged",
]


def _nested_tensor_from_tensor_list(list, dtype=None, layout=None, device=None, pin_memory=None):
    """Returns the nested tensor of copies of tensors, with their history."""
    return _strided.from_list(list, dtype=dtype, device=device)


def _nested_tensor_from_mask_left_aligned(t, mask):
    """Returns whether in each row of a mask all True elements come first."""
    return not bool((mask[:, 1:] & ~mask[:, :-1]).any())


def _nested_tensor_from_mask(t, mask, mask_check=True):
    """Returns the nested tensor of the rows' first elements, as many as the mask has True elements."""
    if mask.dtype != torch.bool:
        raise RuntimeError(f"Expected mask to be of ScalarType Bool, but got {_type_name(mask)} instead.")
    if mask.dim() != 2:
        raise RuntimeError("Padding mask should be 2D")
    if t.dim() != 3:
        raise RuntimeError("Input should be a 3D tensor, N * L * D")
    if t.shape[:2] != mask.shape:
        raise RuntimeError("Mask size should match input size")
    if mask_check and not _nested_tensor_from_mask_left_aligned(t, mask):
        raise RuntimeError("Mask must be left-aligned without gaps")
    counts = mask.sum(-1).tolist()
    return _strided.nest_copies_of_pieces([row[:n] for row, n in zip(t.unbind(), counts, strict=True)])


def _type_name(tensor):
    return tensor.type().rpartition(".")[2].removesuffix("Tensor")


def _nested_from_padded(padded, cpu_nested_shape_example, fuse_transform_0213=False):
    """Returns the nested tensor of the first elements of each row, of given sizes."""
    if fuse_transform_0213:
        padded = padded.transpose(1, 2).flatten(2)
    sizes = cpu_nested_shape_example.tolist()
    return _strided.nest_copies_of_pieces(
        [_narrow_to_size(row, size) for row, size in zip(padded.unbind(), sizes, strict=True)]
    )


def _narrow_to_size(row, size):
    for dim, n in enumerate(size):
        row = row.narrow(dim, 0, n)
    return row


def _nested_from_padded_and_nested_example(padded, nt_example):
    """Returns the nested tensor of the first elements of each row, of the sizes of another one."""
    return _nested_from_padded(padded, nt_example._nested_tensor_size())


def _nested_view_from_buffer(self, nested_size, nested_strides, offsets):
    """Returns the nested tensor of given views of a buffer."""
    return _strided.nest_views_of_buffer(self, nested_size.tolist(), nested_strides.tolist(), offsets.tolist())


def _nested_compute_contiguous_strides_offsets(nested_size):
    """Returns (strides, offsets) of contiguous pieces of these sizes."""
    strides, offsets = _strided._contiguous_geometry([tuple(size) for size in nested_size.tolist()])
    return _strided._table_to_tensor(strides), torch.tensor(offsets, dtype=torch.int64)


def _nested_view_from_jagged(self, offsets, dummy, lengths=None, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Returns a nested tensor over values; the extreme lengths are sizes of tensors."""
    known = [None if t is None else t.shape[0] for t in (min_seqlen, max_seqlen)]
    return _jagged.nested_view_from_values_offsets_lengths(self, offsets, lengths, ragged_idx, *known)


def _nested_get_values(self):
    """Returns the values of all sequences, with their history."""
    return self.values()


def _nested_get_offsets(self):
    """Returns where the sequences begin."""
    return self._offsets


def _nested_get_lengths(self):
    """Returns the lengths of sequences with gaps, or None."""
    return self._lengths


def _nested_get_ragged_idx(self):
    """Returns the irregular dimension."""
    return self._ragged_idx


def _nested_get_min_seqlen(self):
    """Returns a tensor whose size is the shortest length, or None if it is not known."""
    return self._min_seqlen_tensor


def _nested_get_max_seqlen(self):
    """Returns a tensor whose size is the longest length, or None if it is not known."""
    return self._max_seqlen_tensor


def _nested_get_jagged_dummy(any):
    """Returns a nested tensor to pass for `dummy`."""
    return _jagged._nt_view_dummy()


def _nested_from_padded_tensor(padded, offsets, dummy, ragged_idx=1, min_seqlen=None, max_seqlen=None, sum_S=None):
    """Returns the nested tensor of the first elements of each row of a padded one."""
    known = [None if t is None else t.shape[0] for t in (min_seqlen, max_seqlen)]
    return _ops.unpad_sequences(padded, offsets, ragged_idx, *known)
