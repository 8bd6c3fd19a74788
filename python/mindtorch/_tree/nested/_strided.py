"""The strided layout of nested tensors: pieces of any sizes, each a strided view of one buffer."""

import functools
import itertools
import math
import sys
import warnings

from .._prims_common import canonicalize_dim, make_contiguous_strides_for
from .._root import torch
from ._base import (
    ATTRIBUTES,
    Nested,
    nest_values_with_history,
    dropout,
    is_nested,
    is_pinned,
    map_nested,
    native_dropout,
    values_with_history,
    pin_memory,
)
from ._pointwise import BACKWARD

_numbers = itertools.count(1 << 20)
# {sizes of all pieces: the int that stands for these sizes in the shape that the C++ library sees}
_known = {}
_MOST_REMEMBERED = 4096


@functools.cache
def _warn_once():
    warnings.warn(
        "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
        "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, "
        "has better operator coverage, and works with torch.compile.",
        stacklevel=_count_frames_to_first_outside_caller(),
    )


def _count_frames_to_first_outside_caller():
    """Returns the stack level of the first caller outside this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__):
        depth, frame = depth + 1, frame.f_back
    return depth


def _raise_sizes_unsupported(what):
    raise RuntimeError(f"Internal error: NestedTensorImpl doesn't support {what}. Please file an issue.")


def _int_for_sizes(sizes):
    if sizes not in _known:
        if len(_known) >= _MOST_REMEMBERED:
            _known.clear()
        _known[sizes] = next(_numbers)
    return _known[sizes]


def _contiguous_geometry(sizes):
    """Returns (strides, offsets) of pieces one behind another."""
    ends = [0, *itertools.accumulate(map(math.prod, sizes))]
    return tuple(map(make_contiguous_strides_for, sizes)), tuple(ends[: len(sizes)])


def _transpose_table(rows, width):
    return list(zip(*rows, strict=True)) if rows else [()] * width


class Strided(Nested):
    """A nested tensor of the strided layout.

    Args:
        buffer (Tensor): the memory of all pieces, with one dimension.
        sizes (tuple of tuples): the sizes of each piece.
        strides (tuple of tuples): its strides.
        offsets (tuple of int): where it begins.
    """

    @staticmethod
    def __new__(cls, buffer, sizes, strides, offsets):
        """Makes a tensor without memory of its own; for the library its sizes are one number and ones."""
        _warn_once()
        plain = [len(sizes), _int_for_sizes(sizes), *[1] * (len(sizes[0]) - 1)] if sizes and sizes[0] else [len(sizes)]
        self = torch.Tensor._make_wrapper_subclass(cls, plain, dtype=buffer.dtype, device=buffer.device)
        self._buffer, self._sizes = buffer, sizes
        self._piece_strides, self._piece_offsets = strides, offsets
        return self

    def __init__(self, *args):
        pass

    # ---- what rules use

    def _stored_values(self):
        return self._buffer

    def _sizes_strides_and_offsets(self):
        return self._sizes, self._piece_strides, self._piece_offsets

    def _make_like_function(self):
        geometry = self._sizes_strides_and_offsets()
        return lambda buffer: nest_values_with_history(buffer, lambda b: Strided(b, *geometry))

    def _is_contiguous_geometry(self):
        """Whether the pieces are contiguous and follow one another."""
        return self._sizes_strides_and_offsets()[1:] == _contiguous_geometry(self._sizes)

    def _is_contiguous_and_fills_buffer(self):
        return self._is_contiguous_geometry() and self._buffer.numel() == sum(map(math.prod, self._sizes))

    def _gradient_function_of_values(self):
        if self._is_contiguous_and_fills_buffer():
            return lambda grad: values_with_history(_make_contiguous_nested(grad))
        shape, (sizes, strides, offsets) = self._buffer.shape, self._sizes_strides_and_offsets()

        def scatter_gradient_to_buffer(grad):
            values = values_with_history(_make_contiguous_nested(grad))
            places = [_buffer_positions_of_piece(*piece) for piece in zip(sizes, strides, offsets, strict=True)]
            index = torch.cat(places) if places else torch.zeros(0, dtype=torch.int64)
            return values.new_zeros(shape).index_add(0, index, values)

        return scatter_gradient_to_buffer

    def _find_rule(self, operator, is_step=False):
        return find_rule(operator, is_step)

    def _nested_tensor_size(self):
        if not hasattr(self, "_size_table"):
            self._size_table = _table_to_tensor(self._sizes)
        return self._size_table

    def _nested_tensor_strides(self):
        return _table_to_tensor(self._piece_strides)

    def _nested_tensor_storage_offsets(self):
        return torch.tensor(self._piece_offsets, dtype=torch.int64)

    def values(self):
        """Returns the buffer of a contiguous tensor, with its history.

        Returns:
            Tensor: one dimension; shares memory with this tensor.
        """
        return values_with_history(self)

    def to_padded_tensor(self, padding, output_size=None):
        """Returns a dense tensor, with a number where pieces end.

        Args:
            padding (float): the number.
            output_size (tuple of int, optional): sizes of the result. Default: the largest of each
                dimension.

        Returns:
            Tensor: dense.
        """
        return pad_pieces(self, padding, output_size)

    def __repr__(self):
        parts = ",\n".join(_indent(_format_piece(p, self.requires_grad)) for p in split_into_pieces(self.detach()))
        grad = (
            f", grad_fn=<{type(self.grad_fn).__name__}>"
            if self.grad_fn
            else ", requires_grad=True"
            if self.requires_grad
            else ""
        )
        return f"nested_tensor([\n{parts}\n]{grad})"

    def __reduce_ex__(self, proto):
        return (
            torch._utils._rebuild_nested_tensor,
            (
                self._buffer, self._nested_tensor_size(), self._nested_tensor_strides(),
                self._nested_tensor_storage_offsets(),
            ),
        )  # fmt: skip

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(torch._tensor_pickle._NOT_A_LEAF)
        if id(self) not in memo:
            memo[id(self)] = self.detach().clone().requires_grad_(self.requires_grad)
        return memo[id(self)]


def _format_piece(piece, requires_grad):
    return repr(piece.requires_grad_(requires_grad) if piece.is_floating_point() or piece.is_complex() else piece)


def _indent(text):
    return "\n".join("  " + line for line in text.split("\n"))


def _table_to_tensor(rows):
    if not rows:
        return torch.tensor(1.0)
    return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), len(rows[0]))


def _size(self, dim=None):
    if dim is None:
        _raise_sizes_unsupported("sizes")
    dim = canonicalize_dim(self.dim(), dim)
    if dim == 0:
        return len(self._sizes)
    column = {size[dim - 1] for size in self._sizes}
    if len(column) != 1:
        raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
    return column.pop()


def _numel(self):
    return sum(map(math.prod, self._sizes))


def _get_item_of_only_element(self):
    if _numel(self) != 1:
        raise RuntimeError(f"a Tensor with {_numel(self)} elements cannot be converted to Scalar")
    return split_into_pieces(self)[0].item()


def _bool_of_only_element(self):
    if _numel(self) != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(split_into_pieces(self)[0])


Strided._attributes = ATTRIBUTES | {
    "shape": lambda self: _raise_sizes_unsupported("sizes"),
    "size": _size,
    "stride": lambda self, dim=None: _raise_sizes_unsupported("strides"),
    "layout": lambda self: torch.strided,
    "is_contiguous": lambda self, memory_format=None: self._is_contiguous_geometry(),
    "numel": _numel,
    "nelement": _numel,
    "nbytes": lambda self: _numel(self) * self.element_size(),
    "storage_offset": lambda self: self._buffer.storage_offset(),
    "data_ptr": lambda self: self._buffer.data_ptr(),
    "storage": lambda self: self._buffer.storage(),
    "untyped_storage": lambda self: self._buffer.untyped_storage(),
    "__len__": lambda self: _raise_sizes_unsupported("sizes"),
    "__iter__": lambda self: iter(self.unbind()),
    "is_pinned": lambda self, device=None: self._buffer.is_pinned(),
    "item": _get_item_of_only_element,
    "__bool__": _bool_of_only_element,
    "tolist": lambda self: _raise_sizes_unsupported("strides"),
    "numpy": lambda self, **more: _raise_sizes_unsupported("sizes"),
    "unflatten": lambda self, dim, sizes: _raise_sizes_unsupported("sizes"),
    "data": lambda self: Strided(self._buffer, *self._sizes_strides_and_offsets()),
    "is_same_size": lambda self, other: _has_same_sizes(self, other),
}


# ---- construction


def split_into_pieces(nested):
    """Returns the pieces, with their history."""
    buffer = values_with_history(nested)
    if nested._is_contiguous_and_fills_buffer():
        parts = buffer.split([math.prod(size) for size in nested._sizes])
        return [p.view(size) for p, size in zip(parts, nested._sizes, strict=True)]
    return [buffer.as_strided(*piece) for piece in zip(*_geometry_from_storage_start(nested), strict=True)]


def _geometry_from_storage_start(nested):
    sizes, strides, offsets = nested._sizes_strides_and_offsets()
    start = nested._buffer.storage_offset()
    return sizes, strides, [start + o for o in offsets]


def _buffer_positions_of_piece(size, strides, offset):
    index = torch.full((), offset, dtype=torch.int64)
    for n, step in zip(size, strides, strict=True):
        index = index[..., None] + torch.arange(n) * step
    return index.reshape(-1)


def nest_contiguous_pieces(buffer, sizes):
    """Returns the nested tensor of pieces one behind another in a buffer."""
    sizes = tuple(map(tuple, sizes))
    geometry = _contiguous_geometry(sizes)
    return nest_values_with_history(buffer, lambda b: Strided(b, sizes, *geometry))


def nest_views_of_buffer(buffer, sizes, strides, offsets):
    """Returns the nested tensor of given views of a buffer."""
    geometry = (tuple(map(tuple, sizes)), tuple(map(tuple, strides)), tuple(offsets))
    return nest_values_with_history(buffer, lambda b: Strided(b, *geometry))


def nest_copies_of_pieces(parts):
    """Returns the nested tensor of copies of pieces, with their history."""
    parts = list(parts)
    buffer = torch.cat([p.reshape(-1) for p in parts]) if parts else torch.zeros(0)
    return nest_contiguous_pieces(buffer, [p.shape for p in parts])


def _make_contiguous_nested(nested):
    """Returns the nested tensor with contiguous pieces that fill their buffer."""
    return nested if nested._is_contiguous_and_fills_buffer() else nest_copies_of_pieces(split_into_pieces(nested))


def from_list(parts, dtype=None, device=None):
    """Returns the nested tensor of copies of tensors, with their history."""
    parts = list(parts)
    if not parts:
        return nest_contiguous_pieces(torch.zeros(0, dtype=dtype, device=device), ())
    first = parts[0]
    for i, part in enumerate(parts):
        if part.dim() != first.dim():
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. "
                f"Found dimension {part.dim()} for Tensor at index {i} and dimension {first.dim()} "
                "for Tensor at index 0."
            )
    dtype = first.dtype if dtype is None else dtype
    return nest_copies_of_pieces([p.to(dtype=dtype, device=first.device if device is None else device) for p in parts])


def nest_rows_of_tensor(dense):
    """Returns the nested view of the rows of a contiguous tensor."""
    result = nest_contiguous_pieces(dense.reshape(-1), [dense.shape[1:]] * dense.shape[0])
    result._origin = (dense if dense._base is None else dense._base, None)
    return result


def rebuild_from_file(buffer, sizes, strides, offsets):
    """Returns the nested tensor of a file; RuntimeError if its parts do not fit."""
    for table in (sizes, strides, offsets):
        if table.numel() * table.element_size() > table.untyped_storage().nbytes():
            raise RuntimeError("a nested tensor's sizes repeat the same memory")
    if offsets.dim() != 1 or sizes.shape != strides.shape:
        raise RuntimeError("a nested tensor's sizes, strides and offsets do not fit")
    rows = len(offsets.tolist())
    tables = [tuple(map(tuple, t.tolist())) if rows else () for t in (sizes, strides)]
    result = Strided(buffer, *tables, tuple(offsets.tolist()))
    split_into_pieces(result)  # checks that they are inside the buffer
    return result


# ---- rules

_rules = {}

# The pointwise operators that torch implements for this layout. The unary ones need contiguous pieces.
_UNARY = frozenset(
    "abs sgn neg relu gelu silu tanh sin cos sqrt selu logical_not isnan isinf isposinf isneginf".split()
)
_BINARY = frozenset("add sub mul div true_divide divide multiply subtract masked_fill".split())
_COMPARISONS = frozenset("eq gt ge".split())
_WRITING = frozenset(
    "abs_ neg_ relu_ gelu_ silu_ tanh_ sin_ cos_ sqrt_ selu_ add_ mul_ fill_ zero_ copy_ normal_ uniform_".split()
)
# Overloads that torch does not implement for this layout.
_MISSING = frozenset("masked_fill.Tensor gt.Tensor ge.Tensor rsub.Scalar div.Tensor_mode".split())
# Operators that only formulas of gradients may call on this layout.
_STEPS = BACKWARD | frozenset("rsub le lt ne pow reciprocal exp sigmoid square where logical_and".split())


def find_rule(operator, is_step):
    """Returns the rule of an operator, or one that raises; the engine may also call steps of gradients."""
    packet = operator._overloadpacket.__name__
    found = _rules.get(operator.__name__) or _rules.get(packet)
    if found is not None:
        return found
    known = _UNARY | _BINARY | _COMPARISONS | _WRITING
    if packet in known and operator.__name__ not in _MISSING or packet in _STEPS and is_step:
        return _run_pointwise
    return _raise_missing_kernel


def _raise_missing_kernel(func, *args, **kwargs):
    from . import _describe_missing_kernel as text

    overload = func.__name__.removesuffix(".default")
    raise NotImplementedError(text(overload, "NestedTensorCPU"))


def _register_rule(*names):
    def add_rule(function):
        _rules.update(dict.fromkeys(names, function))
        return function

    return add_rule


def _has_same_sizes(a, b):
    if not (is_nested(a) and is_nested(b)):
        words = ["is" if is_nested(t) else "is not" for t in (a, b)]
        raise RuntimeError(
            f"Expected both self and other to be nested tensors. Self {words[0]} nested. While Other {words[1]} nested."
        )
    return a._sizes == b._sizes


def _require_contiguous_geometry(self, text):
    if not self._is_contiguous_geometry():
        raise RuntimeError(text)


def _run_pointwise(func, *args, **kwargs):
    packet = func._overloadpacket.__name__
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    like = next(t for t in tensors if is_nested(t))
    _check_pointwise_operands(packet, like, tensors)
    writes = packet.endswith("_")
    if all(not is_nested(t) or t._sizes_strides_and_offsets() == like._sizes_strides_and_offsets() for t in tensors):
        result = func(*map_nested(values_with_history, args), **kwargs)
        return args[0] if writes else like._make_like_function()(result)
    rows = zip(
        *(split_into_pieces(a) if is_nested(a) else itertools.repeat(a, len(like._sizes)) for a in args), strict=True
    )
    results = [func(*row, **kwargs) for row in rows]
    return args[0] if writes else nest_copies_of_pieces(results)


def _check_pointwise_operands(packet, like, tensors):
    """Raises for tensors that an operator on each element does not combine."""
    plain = packet.removesuffix("_")
    if plain in _COMPARISONS and len(tensors) > 1:
        raise RuntimeError(f"{plain} does not support nested tensor as other value.")
    if packet in _UNARY:
        _require_contiguous_geometry(like, "NestedTensor must be contiguous to get buffer.")
    if packet == "copy_" and not all(map(is_nested, tensors)):
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    for other in tensors:
        if is_nested(other):
            _check_nested_operand(packet, plain, like, other)
        elif other.dim() != 0:
            names = ["nested" if is_nested(t) else "non-nested" for t in tensors[:2]]
            raise RuntimeError(
                f"Expected both self and other to be nested, but got a {names[0]} self and {names[1]} other"
            )


def _check_nested_operand(packet, plain, like, other):
    if other._sizes != like._sizes:
        if packet == "copy_":
            raise RuntimeError("copy_ only supports tensors that are the same size for Nested implementations")
        raise RuntimeError(f"{plain} does not support broadcasting when given a NestedTensor")
    if plain in _BINARY - {"add", "sub", "subtract"}:
        for what, a, b in zip(
            ("strides", "offsets"),
            like._sizes_strides_and_offsets()[1:],
            other._sizes_strides_and_offsets()[1:],
            strict=True,
        ):
            if a != b:
                raise RuntimeError(f"{plain} requires {what} to match when given NestedTensors")


@_register_rule("detach", "alias")
def _detach(func, self):
    return Strided(self._buffer, *self._sizes_strides_and_offsets())


@_register_rule("clone")
def _clone(func, self, memory_format=None):
    if memory_format == torch.contiguous_format:
        return (
            nest_contiguous_pieces(values_with_history(self).clone(), self._sizes)
            if self._is_contiguous_and_fills_buffer()
            else nest_copies_of_pieces(split_into_pieces(self))
        )
    if memory_format not in (None, torch.preserve_format):
        raise RuntimeError(
            "Nested tensor clone supports Preserve and Contiguous memory formats, called clone with memory format: "
            f"{_name_of_memory_format(memory_format)}"
        )
    return self._make_like_function()(values_with_history(self).clone())


def _name_of_memory_format(memory_format):
    name = str(memory_format).rpartition(".")[2]
    return {"channels_last": "ChannelsLast", "channels_last_3d": "ChannelsLast3d"}[name]


@_register_rule("contiguous")
def _contiguous(func, self, memory_format=torch.contiguous_format):
    return self if self._is_contiguous_geometry() else nest_copies_of_pieces(split_into_pieces(self))


@_register_rule("to", "_to_copy", "cpu", "type_as")
def _to(func, self, *args, **kwargs):
    buffer = func(values_with_history(self), *map_nested(values_with_history, args), **kwargs)
    return self if buffer is self._buffer else self._make_like_function()(buffer)


@_register_rule("empty_like", "ones_like", "zeros_like", "randn_like")
def _like_factory(func, self, *args, memory_format=None, layout=None, **kwargs):
    with torch.no_grad():
        if func._overloadpacket.__name__ != "empty_like":
            _require_contiguous_geometry(self, "NestedTensor must be contiguous to get buffer.")
        elif memory_format == torch.contiguous_format:
            return nest_contiguous_pieces(
                func(values_with_history(_make_contiguous_nested(self)).detach(), *args, **kwargs), self._sizes
            )
        elif memory_format not in (None, torch.preserve_format):
            raise RuntimeError(
                "empty_like_nested only supports memory format Preserve or Contiguous, "
                f"but got {_name_of_memory_format(memory_format)} instead."
            )
        return self._make_like_function()(func(self._buffer, *args, **kwargs))


@_register_rule("new_empty_strided")
def _new_like(func, self, size, stride, **kwargs):
    """Called by the engine, for a gradient of its own."""
    return nest_contiguous_pieces(
        torch.empty_like(values_with_history(_make_contiguous_nested(self))).detach(), self._sizes
    )


@_register_rule("new_tensor")
def _new_tensor(func, self, *args, **kwargs):
    return func(self._buffer, *args, **kwargs)


@_register_rule("is_same_size")
def _is_same_size(func, self, other):
    return _has_same_sizes(self, other)


_register_rule("is_pinned")(is_pinned)
_register_rule("pin_memory", "_pin_memory")(pin_memory)


@_register_rule("values", "_values")
def _values(func, self):
    return values_with_history(self)


@_register_rule("unbind")
def _unbind(func, self, dim=0):
    if canonicalize_dim(self.dim(), dim) != 0:
        raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
    return split_into_pieces(self)


@_register_rule("select")
def _select(func, self, dim, index):
    dim = canonicalize_dim(self.dim(), dim)
    rows = len(self._sizes)
    if dim == 0:
        if not -rows <= index < rows:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {rows}")
        return split_into_pieces(self)[index]
    return _nest_views_with_geometry_of_meta(self, [p.select(dim - 1, index) for p in _make_meta_pieces(self)])


# ---- views: geometry is computed with tensors of the meta device, of the same sizes and strides


def _make_meta_pieces(self):
    """Returns meta tensors with the geometry of the pieces."""
    geometry = self._sizes_strides_and_offsets()
    reaches = [
        offset + sum((n - 1) * step for n, step in zip(size, strides, strict=True) if n)
        for size, strides, offset in zip(*geometry, strict=True)
    ]
    base = torch.empty(max(reaches, default=0) + 1, device="meta")
    return [base.as_strided(*piece) for piece in zip(*geometry, strict=True)]


def _nest_views_with_geometry_of_meta(self, shadows):
    """Returns the nested tensor over the same buffer with the geometry of meta tensors."""
    return nest_views_of_buffer(
        values_with_history(self),
        [s.shape for s in shadows],
        [s.stride() for s in shadows],
        [s.storage_offset() for s in shadows],
    )


@_register_rule("transpose", "swapaxes", "swapdims")
def _transpose(func, self, dim0, dim1):
    a, b = (canonicalize_dim(self.dim(), d) for d in (dim0, dim1))
    if a == b:
        return self
    if 0 in (a, b):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return _nest_views_with_geometry_of_meta(self, [p.transpose(a - 1, b - 1) for p in _make_meta_pieces(self)])


@_register_rule("mT", "adjoint")
def _matrix_transpose(func, self):
    return _transpose(func, self, -2, -1)


@_register_rule("numpy_T")
def _reverse(func, self):
    _raise_missing_kernel(torch.ops.aten.permute.default)


@_register_rule("squeeze.dim")
def _squeeze(func, self, dim):
    dim = canonicalize_dim(self.dim(), dim)
    if dim == 0:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment "
            "if you need this feature, please open an issue on github describing your use case."
        )
    if self.dim() <= 2:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing a nested tensor of singleton tensors is not supported at the "
            "moment, if you need this feature, please open an issue on githubdescribing your use case."
        )
    if any(size[dim - 1] != 1 for size in self._sizes):
        return _nest_views_with_geometry_of_meta(self, _make_meta_pieces(self))
    return _nest_views_with_geometry_of_meta(self, [p.squeeze(dim - 1) for p in _make_meta_pieces(self)])


@_register_rule("unsqueeze")
def _unsqueeze(func, self, dim):
    dim = canonicalize_dim(self.dim() + 1, dim)
    if dim == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment "
            "if you need this feature, please open an issue on github describing your use case."
        )
    return _nest_views_with_geometry_of_meta(self, [p.unsqueeze(dim - 1) for p in _make_meta_pieces(self)])


@_register_rule("squeeze.default")
def _squeeze_all(func, self):
    raise RuntimeError(
        "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the moment, "
        "however you can use squeeze(Tensor self, int dim) instead if you need this feature, "
        "please open an issue on github describing your use case."
    )


@_register_rule("flatten", "expand_as", "rms_norm")
def _refuse_operator_on_sizes(func, *args, **kwargs):
    _raise_sizes_unsupported("sizes")


def _compute_view_shapes_of_pieces(self, name, size):
    """Returns the new sizes of each piece; -1 keeps a size, and is computed for a new dimension."""
    if not size:
        raise RuntimeError("shape '[]' is invalid for a nested tensor")
    if not self._sizes:
        raise RuntimeError("empty nested tensor cannot be reshaped")
    if size[0] != len(self._sizes):
        raise RuntimeError(f"{name}: For now nested {name} cannot change or infer the implicit batch dimension")
    if any(s < -1 for s in size):
        raise RuntimeError(f"invalid shape dimension {min(size)}")
    if list(size[1:]).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    shapes = []
    for old in self._sizes:
        new = [old[i] if s == -1 and i < len(old) else s for i, s in enumerate(size[1:])]
        known = math.prod(s for s in new if s != -1)
        if -1 in new and known:
            new[new.index(-1)] = math.prod(old) // known
        if math.prod(new) != math.prod(old):
            raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {math.prod(old)}")
        shapes.append(new)
    return shapes


@_register_rule("view", "_unsafe_view")
def _view(func, self, size):
    shapes = _compute_view_shapes_of_pieces(self, "view", size)
    shadows = []
    for piece, shape in zip(_make_meta_pieces(self), shapes, strict=True):
        try:
            shadows.append(piece.view(shape))
        except RuntimeError:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            ) from None
    return _nest_views_with_geometry_of_meta(self, shadows)


@_register_rule("reshape")
def _reshape(func, self, size):
    shapes = _compute_view_shapes_of_pieces(self, "reshape", size)
    try:
        shadows = [p.view(shape) for p, shape in zip(_make_meta_pieces(self), shapes, strict=True)]
    except RuntimeError:
        return nest_copies_of_pieces(
            [p.reshape(shape) for p, shape in zip(split_into_pieces(self), shapes, strict=True)]
        )
    return _nest_views_with_geometry_of_meta(self, shadows)


@_register_rule("view_as", "reshape_as")
def _view_as(func, self, other):
    return nest_copies_of_pieces(
        [p.reshape(size) for p, size in zip(split_into_pieces(self), other._sizes, strict=True)]
    )


@_register_rule("chunk")
def _chunk(func, self, chunks, dim=0):
    ndim = self.dim()
    dim = canonicalize_dim(ndim, dim)
    if dim != ndim - 1:
        raise RuntimeError("Chunk for nested tensors is currently only supported for the last dimension.")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not self._is_contiguous_geometry():
        raise RuntimeError("chunk expects `self` to be contiguous.")
    width = _size(self, dim)
    if width % chunks:
        raise RuntimeError(
            "Chunk for nested tensors is only supported for nested tensors with trailing dimension divisible by "
            f"chunks, got: {width} % {chunks} != 0"
        )
    each = width // chunks
    return [
        _nest_views_with_geometry_of_meta(self, [p.narrow(-1, i * each, each) for p in _make_meta_pieces(self)])
        for i in range(chunks)
    ]


@_register_rule("split_with_sizes")
def _split_with_sizes(func, self, split_sizes, dim=0):
    ndim = self.dim()
    if canonicalize_dim(ndim, dim) != ndim - 1:
        raise RuntimeError("split_with_sizes for nested tensors is currently only supported for the last dimension.")
    if not split_sizes:
        raise RuntimeError("split_with_sizes expects number of splits to be non-zero")
    if not self._is_contiguous_geometry():
        raise RuntimeError("split_with_sizes expects `self` to be contiguous.")
    width = _size(self, -1)
    if sum(split_sizes) != width:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {width} (input tensor's size at dimension -1), "
            f"but got split_sizes={list(split_sizes)}"
        )
    starts = itertools.accumulate([0, *split_sizes[:-1]])
    return [
        _nest_views_with_geometry_of_meta(self, [p.narrow(-1, start, n) for p in _make_meta_pieces(self)])
        for start, n in zip(starts, split_sizes, strict=True)
    ]


@_register_rule("narrow")
def _narrow(func, self, dim, start, length):
    if dim != 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    if not self._is_contiguous_geometry():
        raise RuntimeError("narrow(): only contiguous nested tensors supported")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative")
    rows = len(self._sizes)
    if not -rows <= start <= rows:
        raise IndexError(f"start out of range (expected to be in range of [-{rows}, {rows}], but got {start})")
    if start + length > rows:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({rows}).")
    return _nest_views_with_geometry_of_meta(self, _make_meta_pieces(self)[start : start + length])


@_register_rule("cat", "concat", "concatenate")
def _cat(func, tensors, dim=0):
    dim = canonicalize_dim(tensors[0].dim(), dim)
    if not all(map(is_nested, tensors)):
        raise RuntimeError("Expected each tensor in given list to be nested.")
    for t in tensors:
        _require_contiguous_geometry(t, "cat(): only contiguous nested tensors are supported")
    if dim == 0:
        return nest_copies_of_pieces([p for t in tensors for p in split_into_pieces(t)])
    return nest_copies_of_pieces(
        [torch.cat(row, dim - 1) for row in zip(*map(split_into_pieces, tensors), strict=True)]
    )


# ---- reductions and layers


@_register_rule("sum.dim_IntList")
def _sum(func, self, dim=None, keepdim=False, dtype=None):
    _require_contiguous_geometry(
        self, "NestedTensor does not support reductions when the input is noncontiguous for now."
    )
    if dim is None or len(dim) != 1:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    at = canonicalize_dim(self.dim(), dim[0])
    if at != self.dim() - 1:
        raise RuntimeError(
            f"NestedTensor can only be reduced across the last dimension for now got dimension {at} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    if dtype is not None:
        raise RuntimeError("NestedTensor does not support dtype for sum")
    return nest_copies_of_pieces([p.sum(-1, keepdim=True) for p in split_into_pieces(self)])


@_register_rule("softmax", "log_softmax", "_softmax")
def _softmax(func, self, dim, *args, **kwargs):
    if func._overloadpacket.__name__ == "log_softmax":
        _raise_missing_kernel(torch.ops.aten._log_softmax.default)
    if not self._sizes:
        return _clone(func, self)
    at = canonicalize_dim(self.dim(), dim)
    if at == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return nest_copies_of_pieces([func(p, at - 1, *args, **kwargs) for p in split_into_pieces(self)])


_register_rule("dropout", "feature_dropout", "alpha_dropout")(dropout)
_register_rule("native_dropout")(native_dropout)


@_register_rule("embedding")
def _embedding(func, weight, indices, *args, **kwargs):
    if is_nested(weight):
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    indices_packed = _make_contiguous_nested(indices)
    values = func(weight, values_with_history(indices_packed), *args, **kwargs)
    return nest_contiguous_pieces(values.reshape(-1), [(*size, weight.shape[-1]) for size in indices._sizes])


@_register_rule("linear")
def _linear(func, input, weight, bias=None):
    if not is_nested(input) or is_nested(bias):
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    if is_nested(weight):
        raise RuntimeError("Linear does not support nested weight when input is a nested tensor.")
    _require_contiguous_geometry(input, "for now linear only supports contiguous nested tensor")
    if input.dim() != 3 or weight.dim() != 2:
        raise RuntimeError(
            "Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. "
            f"Nested tensor dim: {input.dim()}. Dense tensor dim: {weight.dim()}"
        )
    column = _sizes_by_dim(input)[-1]
    if len(set(column)) > 1:
        raise RuntimeError(
            "Expected all tensors in nested tensor to have the same trailing dimension, instead last dimension equals: "
            f"{_format_column(column)}"
        )
    last = column[0]
    if last != weight.shape[1]:
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to equal "
            f"'weight.size(1), but got: last_dim = {last}, and weight.size(1) = {weight.shape[1]}"
        )
    rows = values_with_history(_make_contiguous_nested(input)).reshape(-1, last)
    values = func(rows, weight, bias)
    return nest_contiguous_pieces(values.reshape(-1), [(*size[:-1], weight.shape[0]) for size in input._sizes])


@_register_rule("layer_norm")
def _layer_norm(func, input, normalized_shape, weight=None, bias=None, eps=1e-5, *more):
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    _require_contiguous_geometry(
        input,
        "Expected nested_tensor_impl_is_contiguous(nt_input) to be true, but got false.  "
        "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
    )
    columns = _sizes_by_dim(input)[-len(normalized_shape) :]
    for i, (n, column) in enumerate(zip(normalized_shape[-len(columns) :], columns, strict=True)):
        if len(set(column)) > 1:
            raise RuntimeError("normalized_shape extends into irregular dimensions for the nested tensor")
        if column[0] != n:
            raise RuntimeError(f"The shape at dimension {i}of normalized_shape doesn't match the input")
    values = values_with_history(_make_contiguous_nested(input)).reshape(-1, *normalized_shape)
    return nest_contiguous_pieces(func(values, normalized_shape, weight, bias, eps).reshape(-1), input._sizes)


def _require_both_nested(self, other):
    if not (is_nested(self) and is_nested(other)):
        names = ["nested" if is_nested(t) else "non-nested" for t in (self, other)]
        raise RuntimeError(f"Expected both to be nested, but got a {names[0]} self and {names[1]} other")


@_register_rule("bmm")
def _bmm(func, self, mat2):
    if self.dim() != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2.dim() != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    left, right = (split_into_pieces(t) if is_nested(t) else t.unbind() for t in (self, mat2))
    if len(left) != len(right):
        raise RuntimeError(
            f"Expected size for the 1st dimension of batch2 tensor to be: {len(left)} but got: {len(right)}."
        )
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"{i}-th nested matrices in batch cannot be multiplied "
                f"({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
            )
    return nest_copies_of_pieces([a @ b for a, b in zip(left, right, strict=True)])


@_register_rule("matmul")
def _matmul(func, self, other):
    regular = is_nested(self) and all(len(set(column)) == 1 for column in _sizes_by_dim(self)[1:])
    if regular and self.dim() == 4 and not is_nested(other) and other.dim() == 2:
        return nest_copies_of_pieces([p @ other for p in split_into_pieces(self)])
    _require_both_nested(self, other)
    for name, t in (("1st", self), ("2nd", other)):
        if t.dim() < 3:
            raise RuntimeError(
                "matmul: For nested tensors, only inputs with >= 3 dims are currently supported. "
                f"{name} input has rank: {t.dim()}"
            )
    if self.dim() != other.dim():
        raise RuntimeError("matmul: both inputs must have the same rank")
    if len(self._sizes) != len(other._sizes):
        raise RuntimeError(
            f"matmul: Expected size for the 1st dimension of 2nd input tensor to be: {len(self._sizes)} "
            f"but got: {len(other._sizes)}."
        )
    left, right = _sizes_by_dim(self), _sizes_by_dim(other)
    if left[:-2] != right[:-2]:
        texts = [_format_table([size[:-2] for size in t._sizes]) for t in (self, other)]
        raise RuntimeError(
            "matmul: For nested tensors, batch dimensions must have the same sizes, no broadcasting is currently "
            f"performed. Got batch shapes for self {texts[0]} and batch shapes for mat2 {texts[1]}"
        )
    if left[-1] != right[-2]:
        raise RuntimeError(
            "matmul: Nested tensors cannot be matrix multiplied, last dimension of self has sizes"
            f"{_format_column(left[-1])}second last dimension of mat2 has sizes{_format_column(right[-2])}"
        )
    return nest_copies_of_pieces(
        [a @ b for a, b in zip(split_into_pieces(self), split_into_pieces(other), strict=True)]
    )


def _sizes_by_dim(self):
    return _transpose_table(self._sizes, 0)


def _format_column(column):
    width = max(len(str(n)) for n in column)
    rows = "\n".join(f" {n:>{width}}" for n in column)
    return f"{rows}\n[ torch.LongTensor{{{len(column)}}} ]"


def _format_table(rows):
    lines = "\n".join(" " + "  ".join(map(str, row)) for row in rows)
    return f"{lines}\n[ torch.LongTensor{{{len(rows)},{len(rows[0])}}} ]"


@_register_rule("scaled_dot_product_attention")
def _attention(func, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if attn_mask is not None:
        raise RuntimeError(
            "Scaled_dot_product_attention: Nested tensors for query / key are not supported "
            "when an explicit attn_mask is set"
        )
    if is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Nested tensors for query / key are not supported when is_causal=True"
        )
    _require_both_nested(query, key)
    _require_both_nested(query, value)
    rows = zip(*map(split_into_pieces, (query, key, value)), strict=True)
    attend = torch.nn.functional.scaled_dot_product_attention
    options = {"dropout_p": dropout_p, "is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa}
    return nest_copies_of_pieces([attend(q, k, v, **options) for q, k, v in rows])


@_register_rule("_native_multi_head_attention")
def _multi_head_attention(func, query, key, value, *args, **kwargs):
    rows = zip(*(split_into_pieces(t) for t in (query, key, value)), strict=True)
    results = [func(*(piece[None] for piece in row), *args, **kwargs) for row in rows]
    outputs = nest_copies_of_pieces([out.squeeze(0) for out, _ in results])
    if results[0][1] is None:
        return outputs, None
    return outputs, nest_copies_of_pieces([weights.squeeze(0) for _, weights in results]).to_padded_tensor(0.0)


@_register_rule("_transformer_encoder_layer_fwd")
def _encoder_layer(func, src, *args, **kwargs):
    return nest_copies_of_pieces([func(piece[None], *args, **kwargs).squeeze(0) for piece in split_into_pieces(src)])


@_register_rule("to_padded_tensor")
def _to_padded_tensor(func, self, padding, output_size=None):
    return pad_pieces(self, padding, output_size)


def pad_pieces(self, padding, output_size=None):
    """Returns a dense tensor, with `padding` where pieces end."""
    _require_contiguous_geometry(self, "for now to_padded_tensor only supports contiguous nested tensor")
    if not self._sizes:
        return values_with_history(self)
    if not _numel(self):
        raise RuntimeError("to_padded_tensor: at least one constituent tensor should have non-zero numel")
    sizes = [len(self._sizes), *map(max, _sizes_by_dim(self))]
    if output_size is not None:
        if len(output_size) != len(sizes):
            raise RuntimeError("Length of output_size does not match NestedTensor dims. Broadcasting is not supported.")
        if any(a < b for a, b in zip(output_size, sizes, strict=True)):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        sizes = list(output_size)
    rows = []
    for piece in split_into_pieces(self):
        pads = [n for d in reversed(range(piece.dim())) for n in (0, sizes[d + 1] - piece.shape[d])]
        rows.append(torch.nn.functional.pad(piece, pads, value=padding))
    rows += [torch.full_like(rows[0], padding)] * (sizes[0] - len(rows))
    return torch.stack(rows)


Strided.__name__ = Strided.__qualname__ = "Tensor"
Strided.__module__ = torch.__name__
