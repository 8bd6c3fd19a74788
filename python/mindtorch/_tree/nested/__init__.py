"""torch.nested: batches of tensors of different sizes."""

from __future__ import annotations

from .._root import torch
from ._base import is_nested
from ._internal.nested_tensor import (
    NestedTensor as _NestedTensor,
    _rebuild_njt,
    jagged_from_list,
    jagged_from_tensor_and_lengths,
    nested_view_from_values_offsets,
    nested_view_from_values_offsets_lengths,
)

__all__ = [
    "to_padded_tensor",
    "as_nested_tensor",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "narrow",
    "masked_select",
]

Tensor = torch.Tensor
torch.serialization.add_safe_globals([_NestedTensor, _rebuild_njt])


def _refuse_layout(layout, what="nested tensors"):
    raise RuntimeError(f"Specified layout is unsupported for {what}: {layout}")


def as_nested_tensor(
    ts: Tensor | list[Tensor] | tuple[Tensor, ...],
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
    layout=None,
) -> Tensor:
    """Returns a nested tensor of copies of tensors; gradients flow back to them.

    A nested tensor is returned as it is, if nothing changes. A dense tensor becomes the batch of its
    rows.

    Args:
        ts (Tensor or list of Tensor): the tensors, all with the same number of dimensions.
        dtype (torch.dtype, optional): type of the result. Default: that of the first one.
        device (torch.device, optional): device of the result. Default: that of the first one.
        layout (torch.layout, optional): ``torch.strided`` or ``torch.jagged``, where tensors may
            differ in one dimension only. Default: ``torch.strided``.

    Returns:
        Tensor: the nested tensor.

    Raises:
        TypeError: for another `ts`.
        RuntimeError: for tensors that the layout cannot hold.

    Example:
        >>> a = torch.ones(2, requires_grad=True)
        >>> torch.nested.as_nested_tensor([a, torch.zeros(3)], layout=torch.jagged).sum().backward()
        >>> a.grad
        tensor([1., 1.])
    """
    from . import _strided

    is_list = isinstance(ts, (list, tuple)) and all(isinstance(t, Tensor) for t in ts)
    if not isinstance(ts, Tensor) and not is_list:
        raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
    if isinstance(ts, tuple):
        ts = list(ts)
    layout = torch.strided if layout is None else layout
    if isinstance(ts, Tensor) and ts.dim() <= 1:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if isinstance(ts, Tensor) and ts.is_nested:
        if ts.layout != layout:
            raise RuntimeError("as_nested_tensor(): Converting between nested tensor layouts is not supported")
        return ts.to(device=device, dtype=dtype)
    if layout == torch.strided and isinstance(ts, Tensor):
        ts = ts.to(dtype=dtype, device=device)
        return _strided.nest_rows_of_tensor(ts) if ts.is_contiguous() else _strided.from_list(ts.unbind())
    if layout == torch.strided:
        return _strided.from_list(ts, dtype=dtype, device=device)
    if layout != torch.jagged:
        _refuse_layout(layout)
    if not isinstance(ts, Tensor):
        return jagged_from_list(ts, offsets=None, dtype=dtype, device=device)[0]
    ts = ts.to(dtype=dtype, device=device)
    batch, length = ts.shape[:2]
    offsets = torch.arange(batch + 1, device=ts.device, dtype=torch.int64) * length
    return nested_view_from_values_offsets(ts.flatten(0, 1), offsets, 1, length, length)


def to_padded_tensor(input, padding, output_size=None, out=None) -> Tensor:
    """Returns a dense tensor of the pieces of a nested one, with a number where they end.

    Args:
        input (Tensor): a nested tensor.
        padding (float): the number.
        output_size (tuple of int, optional): sizes of the result. Default: the largest of each
            dimension.

    Keyword Args:
        out (Tensor, optional): not supported. Default: ``None``.

    Returns:
        Tensor: dense; a copy.

    Raises:
        RuntimeError: when `output_size` is too small, or no piece has an element.

    Example:
        >>> x = torch.nested.nested_tensor([torch.ones(1), torch.ones(3)])
        >>> torch.nested.to_padded_tensor(x, 0.0)
        tensor([[1., 0., 0.],
                [1., 1., 1.]])
    """
    if not is_nested(input):
        raise NotImplementedError(_describe_missing_kernel("to_padded_tensor", "CPU"))
    return input.to_padded_tensor(padding, output_size)


def _describe_missing_kernel(name, backend):
    """Returns the text of an operator without a kernel for a backend."""
    return (
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build). If you are a Facebook employee using PyTorch on mobile, please visit "
        f"https://fburl.com/ptmfixes for possible resolutions. 'aten::{name}' is only available for these backends: "
        "[CPU]."
    )


def nested_tensor(
    tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns a nested tensor of copies of tensors or lists of numbers, without their history.

    Args:
        tensor_list (list of Tensor or of lists): the pieces.

    Keyword Args:
        dtype (torch.dtype, optional): type of the result. Default: that of the first piece.
        layout (torch.layout, optional): ``torch.strided`` or ``torch.jagged``, where pieces may differ
            in one dimension only. Default: ``torch.strided``.
        device (torch.device, optional): device of the result. Default: that of the first piece.
        requires_grad (bool): whether the result collects gradients. Default: ``False``.
        pin_memory (bool): needs an accelerator. Default: ``False``.

    Returns:
        Tensor: the nested tensor, a leaf.

    Raises:
        TypeError: when `tensor_list` is no list.
        RuntimeError: for pieces that the layout cannot hold.

    Example:
        >>> torch.nested.nested_tensor([torch.ones(1), torch.zeros(2)])
        nested_tensor([
          tensor([1.]),
          tensor([0., 0.])
        ])
    """
    from . import _strided

    layout = torch.strided if layout is None else layout
    if layout == torch.strided:
        if not isinstance(tensor_list, (list, tuple)):
            raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
        result = _strided.from_list(_detach_or_convert_parts(tensor_list, dtype, device), dtype=dtype, device=device)
    elif layout == torch.jagged:
        parts = list(tensor_list) if not isinstance(tensor_list, Tensor) else list(tensor_list.unbind())
        with torch.no_grad():
            result = jagged_from_list(_detach_or_convert_parts(parts, dtype, device), None, dtype=dtype, device=device)[
                0
            ]
    else:
        _refuse_layout(layout)
    if pin_memory and layout == torch.jagged:
        result = result.pin_memory()
    if requires_grad and not (result.is_floating_point() or result.is_complex()):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return result.detach().requires_grad_() if requires_grad else result


def _detach_or_convert_parts(parts, dtype, device):
    return [p.detach() if isinstance(p, Tensor) else torch.as_tensor(p, dtype=dtype, device=device) for p in parts]


def narrow(tensor: Tensor, dim: int, start: int | Tensor, length: int | Tensor, layout=torch.strided) -> Tensor:
    """Returns a nested view of a piece of each row of a dense tensor.

    Args:
        tensor (Tensor): dense, with two or more dimensions.
        dim (int): 1, the dimension that the pieces are of.
        start (int or Tensor): where the piece of each row begins.
        length (int or Tensor): how long the piece of each row is.

    Keyword Args:
        layout (torch.layout): ``torch.jagged`` takes tensors for `start` and `length`; with
            ``torch.strided`` it is ``Tensor.narrow``. Default: ``torch.strided``.

    Returns:
        Tensor: the nested tensor; it has gaps, so that ``lengths()`` is not ``None``.

    Example:
        >>> x = torch.arange(6).view(2, 3)
        >>> y = torch.nested.narrow(x, 1, torch.tensor([0, 1]), torch.tensor([1, 2]), layout=torch.jagged)
        >>> y.unbind()
        (tensor([0]), tensor([4, 5]))
    """
    for name, value in (("start", start), ("length", length)):
        if not isinstance(value, (int, torch.SymInt, Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if layout == torch.strided:
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        from . import _strided

        return _strided.from_list(tensor.unbind()).narrow(dim, start, length)
    if layout != torch.jagged:
        _refuse_layout(layout, "nested narrow")
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    rows = tensor.shape[0]
    start, length = (_expand_to_rows(v, rows, tensor.device) for v in (start, length))
    return jagged_from_tensor_and_lengths(tensor, start, length)[0]


def _expand_to_rows(value, rows, device):
    if not isinstance(value, Tensor):
        return torch.full((rows,), value, device=device, dtype=torch.int64)
    if value.dim() == 0:
        return value.expand(rows)
    if value.shape != (rows,):
        raise RuntimeError(
            "When constructing a jagged nested tensor using narrow(), your start and length must be Tensors that "
            "broadcast to input.shape[0]"
        )
    return value


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Tensor | None = None,
    lengths: Tensor | None = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Tensor:
    """Returns a nested view of sequences that are stored one after another.

    Args:
        values (Tensor): the sequences, along one dimension.
        offsets (Tensor, optional): where each sequence begins in `values`, and where the last one ends.
            Default: computed from `lengths`.
        lengths (Tensor, optional): the length of each sequence; with `offsets` there may be gaps
            behind the sequences. Default: up to the next sequence.
        jagged_dim (int, optional): the irregular dimension of the result. Default: 1.
        min_seqlen (int, optional): the shortest length, if it is known. Default: computed when needed.
        max_seqlen (int, optional): the longest length, if it is known. Default: computed when needed.

    Returns:
        Tensor: the nested tensor, with the jagged layout; gradients flow back to `values`.

    Raises:
        RuntimeError: without `offsets` and `lengths`.
        ValueError: for a `jagged_dim` below 1.

    Example:
        >>> x = torch.nested.nested_tensor_from_jagged(torch.arange(3.0), torch.tensor([0, 1, 3]))
        >>> x.unbind()
        (tensor([0.]), tensor([1., 2.]))
    """
    if isinstance(values, torch.fx.Proxy):
        raise RuntimeError(
            "torch.nested.nested_tensor_from_jagged does not support tracing with fx.symbolic_trace. "
            "Use fx.wrap to wrap the function that calls nested_tensor_from_jagged."
        )
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    if offsets is None:
        offsets, lengths = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]), None
    if jagged_dim is None:
        jagged_dim = 1
    elif jagged_dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return nested_view_from_values_offsets_lengths(
        values, offsets, lengths, ragged_idx=jagged_dim, min_seqlen=min_seqlen, max_seqlen=max_seqlen
    )


def masked_select(tensor: Tensor, mask: Tensor) -> Tensor:
    """Returns the elements that a mask selects, as a nested tensor with a sequence for each row.

    Args:
        tensor (Tensor): dense.
        mask (Tensor): bool; it broadcasts with `tensor`.

    Returns:
        Tensor: nested, with the jagged layout.

    Raises:
        RuntimeError: for other layouts.

    Example:
        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> torch.nested.masked_select(x, x != 2).unbind()
        (tensor([1]), tensor([3, 4]))
    """
    if tensor.layout != torch.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    if mask.layout != torch.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided mask, given: {mask.layout}")
    values = tensor.masked_select(mask)
    mask = mask.expand(torch.broadcast_shapes(tensor.shape, mask.shape))
    counts = mask.sum(dim=tuple(range(1, mask.dim()))) if mask.dim() > 1 else mask.sum().reshape(1)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return nested_tensor_from_jagged(values, offsets)
