"""Operators of the jagged layout: one table of rules, by the operator's name with or without its overload."""

import math

from ..._prims_common import canonicalize_dim
from ..._root import torch
from .._base import (
    IRREGULAR,
    dropout,
    is_nested,
    is_pinned,
    map_nested,
    native_dropout,
    values_with_history,
    pin_memory,
)
from .._pointwise import is_pointwise
from .nested_int import get_nested_int, number_of_nested_int
from .nested_tensor import (
    NestedTensor,
    _same_sizes,
    nested_view_from_values_offsets,
    sizes_as_plain_ints,
)

_rules = {}


def find_rule(operator):
    """Returns the rule of an operator, or one that raises."""
    packet = operator._overloadpacket.__name__
    found = _rules.get(operator.__name__) or _rules.get(packet)
    if found is not None:
        return found
    if is_pointwise(packet):
        return _run_pointwise_on_values
    return _run_decomposition


def _register_rule(*names, takes=None):
    """Registers a rule; with `takes`, the signature in torch's words, only for tensors without gaps or reordering."""

    def add_rule(function):
        def check_arguments_and_run(func, *args, **kwargs):
            first = args[0] if args and is_nested(args[0]) else None
            if first is not None and (first._lengths is not None or first._ragged_idx != 1):
                name = takes.partition(":")[0]
                raise ValueError(
                    f"NestedTensor {func.__name__}({takes}): expected {name} to be "
                    "a contiguous jagged layout NestedTensor"
                )
            return function(func, *args, **kwargs)

        for name in names:
            _rules[name] = check_arguments_and_run if takes else function
        return function

    return add_rule


def _run_decomposition(func, *args, **kwargs):
    if func._can_decompose() and func._overloadpacket.__name__ not in _UNSUPPORTED:
        return func.decompose(*args, **kwargs)
    raise NotImplementedError(func)


_UNSUPPORTED = {"repeat", "norm", "allclose", "t", "index", "cumsum", "logsumexp"}


# ---- dimensions


def _dim_within_values(name, self, dim, allow_ragged=False, ndim=None):
    """Returns the dimension of the values for one of the batch."""
    dim = canonicalize_dim(ndim or len(self._size), dim)
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    if dim == self._ragged_idx and not allow_ragged:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    return dim - 1


def _sizes_with_nested_ints(sizes):
    """Returns sizes with a nested int for each irregular one."""
    return [get_nested_int(s - IRREGULAR) if isinstance(s, int) and s >= IRREGULAR else s for s in sizes]


def _split_into_sequences(self, values=None):
    """Returns the values of each sequence, with their history."""
    values = values_with_history(self) if values is None else values
    return [values.narrow(self._ragged_idx - 1, begin, length) for begin, length in self._sequence_bounds()]


def _join_sequences(self, pieces):
    """Returns the nested tensor of changed sequences: their lengths and the irregular dimension are as before."""
    if self._lengths is None:
        return self._make_like_function()(torch.cat(pieces, dim=self._ragged_idx - 1))
    values, parts, end = values_with_history(self), [], 0
    shape = list(pieces[0].shape) if pieces else list(values.shape)
    for piece, (begin, length) in zip(pieces, self._sequence_bounds(), strict=True):
        parts += [_make_zero_gap(piece, shape, self._ragged_idx - 1, begin - end), piece]
        end = begin + length
    parts.append(_make_zero_gap(values, shape, self._ragged_idx - 1, values.shape[self._ragged_idx - 1] - end))
    return self._make_like_function()(torch.cat([p for p in parts if p is not None], dim=self._ragged_idx - 1))


def _make_zero_gap(like, shape, dim, length):
    if length <= 0:
        return None
    return like.new_zeros([*shape[:dim], length, *shape[dim + 1 :]])


# ---- pointwise


def _sequence_index_of_positions(self):
    """Returns the sequence that each position along the values' irregular dimension belongs to."""
    length = self._values.shape[self._ragged_idx - 1]
    positions = torch.arange(length, device=self._values.device)
    return torch.bucketize(positions, self._offsets[1:].contiguous(), right=True).clamp_(max=max(self._size[0] - 1, 0))


def _make_shape_mismatch_error(func, a, b):
    return RuntimeError(f"cannot call binary pointwise function {func.__name__} with inputs of shapes {a} and {b}")


def _align_dense_with_values(func, like, dense, swapped):
    """Returns a dense operand as it broadcasts against the values of `like`."""
    ndim = len(like._size)
    if dense.dim() == 0:
        return dense
    if dense.dim() > ndim:
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    sizes = [1] * (ndim - dense.dim()) + list(dense.shape)
    expected = sizes_as_plain_ints(like._size)
    if sizes[like._ragged_idx] != 1 or any(1 not in (s, e) and s != e for s, e in zip(sizes, expected, strict=True)):
        shapes = (torch.Size(like._size), dense.shape)
        raise _make_shape_mismatch_error(func, *(reversed(shapes) if swapped else shapes))
    if sizes[0] == 1:
        return dense.reshape(sizes[1:]) if dense.dim() == ndim else dense
    position = like._ragged_idx - 1
    return (
        dense.squeeze(like._ragged_idx).movedim(0, position).index_select(position, _sequence_index_of_positions(like))
    )


def _run_pointwise_on_values(func, *args, **kwargs):
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
    like = next(t for t in tensors if is_nested(t))
    if func._overloadpacket.__name__ == "copy_":
        _check_copy_sizes(*tensors[:2])

    def take_values(value):
        if is_nested(value):
            if value._size == like._size or _can_broadcast_regular_dims(value, like):
                return values_with_history(value)
            raise _make_shape_mismatch_error(func, like._size, value._size)
        if isinstance(value, torch.Tensor):
            return _align_dense_with_values(func, like, value, swapped=value is tensors[0])
        return value

    result = func(*map(take_values, args), **{k: take_values(v) for k, v in kwargs.items()})
    if func._overloadpacket.__name__.endswith("_") and not func.__name__.startswith("__"):
        return args[0]
    if isinstance(result, torch.Tensor):
        return like._make_like_function()(result)
    return type(result)(like._make_like_function()(r) for r in result)


def _can_broadcast_regular_dims(a, b):
    """Whether two nested tensors broadcast along regular dimensions."""
    a, b = a._size, b._size
    if len(a) != len(b) or [number_of_nested_int(s) for s in a] != [number_of_nested_int(s) for s in b]:
        return False
    return a[0] == b[0] and all(
        number_of_nested_int(s) is not None or 1 in (s, t) or s == t for s, t in zip(a, b, strict=True)
    )


def _check_copy_sizes(self, source):
    if is_nested(source) and not _same_sizes(self, source):
        raise RuntimeError(
            f"copy_(): expected compatible input and src shapes, but got: {torch.Size(self._size)} and "
            f"{torch.Size(source._size)}"
        )


# ---- conversions and copies


@_register_rule("detach", "alias")
def _detach(func, self):
    if is_nested(self):
        return NestedTensor(**(self._constructor_arguments() | {"requires_grad": False}))
    return self


@_register_rule("clone")
def _clone(func, self, memory_format=None):
    if memory_format == torch.contiguous_format and self._lengths is not None:
        pieces = _split_into_sequences(self)
        values = torch.cat(pieces, dim=self._ragged_idx - 1)
        ends = self._lengths.cumsum(0)
        offsets = torch.cat([ends.new_zeros(1), ends]).to(self._offsets.dtype)
        return self._make_like_function(offsets=offsets, lengths=None)(values)
    values = values_with_history(self)
    return self._make_like_function()(values.clone(memory_format=memory_format) if memory_format else values.clone())


@_register_rule("contiguous")
def _contiguous(func, self, memory_format=torch.contiguous_format):
    return self if self._is_contiguous_or_false() else _clone(func, self, torch.contiguous_format)


@_register_rule("to", "_to_copy", "type_as", "cpu")
def _to(func, self, *args, **kwargs):
    values = func(values_with_history(self), *map_nested(values_with_history, args), **kwargs)
    if values is self._values:
        return self
    if values.device == self._offsets.device:
        return self._make_like_function()(values)
    moved = self._offsets.to(values.device)
    lengths = None if self._lengths is None else self._lengths.to(values.device)
    return self._make_like_function(offsets=moved, lengths=lengths)(values)


@_register_rule(
    "empty_like", "ones_like", "zeros_like", "rand_like", "randn_like", "full_like", "randint_like", "bernoulli.p"
)
def _like_factory(func, self, *args, layout=None, **kwargs):
    with torch.no_grad():
        values = func(self._values, *args, **kwargs)
    return self._make_like_function(_metadata_cache=dict(self._metadata_cache))(values)


@_register_rule("new_empty_strided")
def _new_like(func, self, size, stride, **kwargs):
    """Called by the engine, for a gradient of its own."""
    return self._make_like_function()(torch.empty_like(self._values))


@_register_rule("new_empty", "new_zeros", "new_ones", "new_full")
def _new_factory(func, self, size, *args, **kwargs):
    if list(size):
        raise RuntimeError("new_empty() not supported for NJT with shape != ()")
    return func(self._values, size, *args, **kwargs)


_register_rule("is_pinned")(is_pinned)
_register_rule("pin_memory", "_pin_memory")(pin_memory)


@_register_rule("is_same_size")
def _is_same_size(func, self, other):
    return _same_sizes(self, other)


@_register_rule("equal")
def _equal(func, self, other):
    return _same_sizes(self, other) and torch.equal(self._values, other._values)


@_register_rule("values", "_values")
def _values(func, self):
    return values_with_history(self)


# ---- sequences


@_register_rule("unbind")
def _unbind(func, self, dim=0):
    if dim != 0:
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    if self._ragged_idx == 0:
        raise RuntimeError("unbind(): nested tensor ragged_idx out of bounds (should be >= 1)")
    values, dim = values_with_history(self), self._ragged_idx - 1
    bounds = self._sequence_bounds()
    if self._lengths is not None and any(b + n > values.shape[dim] for b, n in bounds):
        raise RuntimeError("unbind(): nested tensor offsets and lengths do not match ragged_idx dimension")
    return [values.narrow(dim, begin, length) for begin, length in bounds]


@_register_rule("select")
def _select(func, self, dim, index):
    dim = canonicalize_dim(len(self._size), dim)
    if dim == 0:
        return _unbind(func, self)[index] if -self._size[0] <= index < self._size[0] else ()[0]
    if self._lengths is not None:
        raise ValueError("select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes")
    inner = _dim_within_values("select", self, dim)
    shift = dim < self._ragged_idx
    return self._make_like_function(_ragged_idx=self._ragged_idx - shift)(
        values_with_history(self).select(inner, index)
    )


@_register_rule("slice")
def _slice(func, self, dim=0, start=None, end=None, step=1):
    return self._make_like_function()(
        func(values_with_history(self), _dim_within_values("slice", self, dim), start, end, step)
    )


@_register_rule("narrow")
def _narrow(func, self, dim, start, length):
    return self._make_like_function()(
        values_with_history(self).narrow(_dim_within_values("narrow", self, dim), start, length)
    )


@_register_rule("split", "split_with_sizes", "chunk")
def _split(func, self, count, dim=0):
    name = func._overloadpacket.__name__
    if name == "chunk" and canonicalize_dim(len(self._size), dim) == 0:
        return _chunk_batch(self, count)
    inner = _dim_within_values(name, self, dim)
    return [self._make_like_function()(part) for part in func(values_with_history(self), count, inner)]


def _chunk_batch(self, count):
    rows = self._size[0]
    each = -(-rows // count)
    bounds, values, result = self._sequence_bounds(), values_with_history(self), []
    dim = self._ragged_idx - 1
    for first in range(0, rows, each):
        some = bounds[first : first + each]
        begin, end = some[0][0], some[-1][0] + some[-1][1]
        offsets = self._offsets[first : first + len(some) + 1] - self._offsets[first]
        lengths = None if self._lengths is None else self._lengths[first : first + len(some)]
        counts = [n for _, n in some]
        result.append(
            nested_view_from_values_offsets(
                values.narrow(dim, begin, end - begin), offsets, self._ragged_idx, min(counts), max(counts)
            )
            if lengths is None
            else self._make_like_function(offsets=offsets, lengths=lengths, _metadata_cache={})(
                values.narrow(dim, begin, values.shape[dim] - begin)
            )
        )
    return result


@_register_rule("masked_select")
def _masked_select(func, self, mask):
    if len(self._size) > 2:
        raise RuntimeError("masked_select only support 2-D selections currently")
    if not is_nested(mask) or not _same_sizes(self, mask):
        raise RuntimeError(
            f"Mask with shape {mask.shape} is not compatible with input's shape {torch.Size(self._size)}"
        )
    chosen = mask._values
    counts = torch.stack([piece.sum() for piece in _split_into_sequences(mask, chosen)])
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return nested_view_from_values_offsets(values_with_history(self).masked_select(chosen), offsets)


@_register_rule("cat", "concat", "concatenate")
def _cat(func, tensors, dim=0):
    like = next(t for t in tensors if is_nested(t))
    inner = _dim_within_values("cat", like, dim)
    parts = [values_with_history(t) if is_nested(t) else _expand_dense_to_values(t, like) for t in tensors]
    return like._make_like_function()(torch.cat(parts, dim=inner))


@_register_rule("stack")
def _stack(func, tensors, dim=0):
    if not all(is_nested(t) for t in tensors):
        raise RuntimeError("stack(): expected all nested tensors inputs")
    first = tensors[0]
    if any(len(t._size) != len(first._size) for t in tensors):
        raise RuntimeError("stack(): expected all nested tensors to have the same dim")
    if any(t._size != first._size for t in tensors):
        raise RuntimeError("stack(): expected all nested tensors to have the same nested structure")
    ndim = len(first._size) + 1
    at = _dim_within_values("stack", first, dim, allow_ragged=True, ndim=ndim)
    shift = at + 1 <= first._ragged_idx
    return first._make_like_function(_ragged_idx=first._ragged_idx + shift)(
        torch.stack([values_with_history(t) for t in tensors], dim=at)
    )


# ---- shapes


@_register_rule("squeeze.dim")
def _squeeze(func, self, dim):
    inner = _dim_within_values("squeeze", self, dim)
    values = values_with_history(self)
    shift = values.shape[inner] == 1 and inner + 1 < self._ragged_idx
    return self._make_like_function(_ragged_idx=self._ragged_idx - shift)(values.squeeze(inner))


@_register_rule("unsqueeze")
def _unsqueeze(func, self, dim):
    inner = _dim_within_values("unsqueeze", self, dim, allow_ragged=True, ndim=len(self._size) + 1)
    shift = inner + 1 <= self._ragged_idx
    return self._make_like_function(_ragged_idx=self._ragged_idx + shift)(values_with_history(self).unsqueeze(inner))


@_register_rule("transpose", "swapaxes", "swapdims")
def _transpose(func, self, dim0, dim1):
    a, b = (canonicalize_dim(len(self._size), d) for d in (dim0, dim1))
    if a == b:
        return self
    if 0 in (a, b):
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    moved = {a: b, b: a}.get(self._ragged_idx, self._ragged_idx)
    return self._make_like_function(_ragged_idx=moved)(values_with_history(self).transpose(a - 1, b - 1))


@_register_rule("mT", "adjoint")
def _matrix_transpose(func, self):
    return _transpose(func, self, -2, -1)


@_register_rule("numpy_T")
def _reverse_dims(func, self):
    return _permute(func, self, list(range(len(self._size)))[::-1])


@_register_rule("permute")
def _permute(func, self, dims):
    ndim = len(self._size)
    if len(dims) != ndim:
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({ndim}) "
            f"does not match the length of the desired ordering of dimensions ({len(dims)})."
        )
    order = [canonicalize_dim(ndim, d) for d in dims]
    if len(set(order)) != ndim:
        raise ValueError("permute(): duplicate dims are not allowed.")
    if self._lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    moved = order.index(self._ragged_idx)
    return self._make_like_function(_ragged_idx=moved)(values_with_history(self).permute([d - 1 for d in order[1:]]))


def _has_same_sizes_up_to_ragged(self, sizes):
    end = self._ragged_idx + 1
    mine = sizes_as_plain_ints(self._size)
    return len(sizes) >= end and all(s in (-1, m) for s, m in zip(sizes[:end], mine[:end], strict=True))


@_register_rule("view", "reshape", "_unsafe_view")
def _view(func, self, size):
    mine = sizes_as_plain_ints(self._size)
    if self._ragged_idx != 1 and list(size) != mine:
        raise RuntimeError(
            f"view(): does not support ragged_idx != 1 except when inp._size == size. "
            f"inp._size is ({self._size}) and size is ({_sizes_with_nested_ints(size)})."
        )
    if not _has_same_sizes_up_to_ragged(self, size):
        raise RuntimeError(f"view(): cannot view shape {self._size} as {_sizes_with_nested_ints(size)}")
    values = values_with_history(self)
    inner = [-1 if s == -1 else s for s in size[1:]]
    for i in range(self._ragged_idx):
        inner[i] = values.shape[i]
    if -1 not in inner and math.prod(inner) != values.numel():
        raise RuntimeError(f"view(): cannot view shape {self._size} as {_sizes_with_nested_ints(size)}")
    return self._make_like_function()(
        values.reshape(inner) if func._overloadpacket.__name__ == "reshape" else values.view(inner)
    )


@_register_rule("view_as", "reshape_as")
def _view_as(func, self, other):
    packet = torch.ops.aten.view if func._overloadpacket.__name__ == "view_as" else torch.ops.aten.reshape
    return _view(packet.default, self, sizes_as_plain_ints(other._size if is_nested(other) else other.shape))


@_register_rule("flatten.using_ints")
def _flatten(func, self, start_dim=0, end_dim=-1):
    ndim = len(self._size)
    start, end = canonicalize_dim(ndim, start_dim), canonicalize_dim(ndim, end_dim)
    if start == end:
        return self
    if start == 0:
        raise RuntimeError("flatten(): not supported for NestedTensor on dim=0")
    if start <= self._ragged_idx <= end:
        raise RuntimeError("flatten(): not supported for NestedTensor on ragged dim")
    shift = end - start if end < self._ragged_idx else 0
    return self._make_like_function(_ragged_idx=self._ragged_idx - shift)(
        values_with_history(self).flatten(start - 1, end - 1)
    )


def _unflatten(self, dim, sizes):
    inner = _dim_within_values("unflatten", self, dim)
    values = values_with_history(self).unflatten(inner, tuple(sizes))
    shift = len(sizes) - 1 if inner + 1 < self._ragged_idx else 0
    return self._make_like_function(_ragged_idx=self._ragged_idx + shift)(values)


NestedTensor._attributes["unflatten"] = _unflatten


@_register_rule("expand", "broadcast_to")
def _expand(func, self, size, implicit=False):
    if func._overloadpacket.__name__ == "broadcast_to" and len(size) > len(self._size):
        raise ValueError(
            "broadcast_to(): broadcasting to a higher-dim shape is currently not supported "
            "for nested tensors with the jagged layout"
        )
    if not _has_same_sizes_up_to_ragged(self, size):
        raise RuntimeError(f"expand(): cannot expand shape {self._size} -> {_sizes_with_nested_ints(size)}")
    inner = list(size[1:])
    inner[self._ragged_idx - 1] = -1
    return self._make_like_function()(values_with_history(self).expand(inner))


def _expand_dense_to_values(dense, like):
    """Returns the values that a dense tensor has when it is expanded to the sizes of a nested one."""
    return _align_dense_with_values(torch.ops.aten.expand_as.default, like, dense, swapped=True).expand(
        like._values.shape
    )


@_register_rule("expand_as")
def _expand_as(func, self, other):
    if is_nested(self):
        return _expand(torch.ops.aten.expand.default, self, sizes_as_plain_ints(other._size))
    return other._make_like_function()(_expand_dense_to_values(self, other))


# ---- reductions


def _reduce_dims(func, name, self, dims, keepdim, options):
    """Returns the reduction over some dimensions: nested, dense, or a tuple of either."""
    ndim = len(self._size)
    dims = [canonicalize_dim(ndim, d) for d in dims]
    ragged = self._ragged_idx
    if ragged in dims:
        if self._lengths is not None:
            raise RuntimeError(
                f"{name}(): reducing across the ragged dimension is not supported "
                "for non-contiguous nested tensors with holes"
            )
        if 0 in dims:
            inner = [d - 1 for d in dims if d]
            result = func(values_with_history(self), inner, keepdim, **options)
            return result.unsqueeze(0) if keepdim else result
        if len(dims) > 1:
            raise RuntimeError(
                f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors"
            )
        return _reduce_each_sequence(func, self, keepdim, options)
    if 0 in dims:
        raise RuntimeError(
            f"{name}(): reducing along the batch dimension but not the ragged dimension "
            "is not supported for nested tensors"
        )
    inner = [d - 1 for d in dims]
    result = func(values_with_history(self), inner if _accepts_dim_list(func) else inner[0], keepdim, **options)
    shift = 0 if keepdim else sum(d < ragged for d in dims)
    make = self._make_like_function(_ragged_idx=ragged - shift)
    return make(result) if isinstance(result, torch.Tensor) else _make_same_namedtuple(result, map(make, result))


def _make_same_namedtuple(result, parts):
    return type(result)(parts)


def _accepts_dim_list(func):
    return any(a.name == "dim" and "int[" in str(a) for a in func._schema.arguments) or "[" in _schema_type_of_dim(func)


def _schema_type_of_dim(func):
    text = str(func._schema)
    before = text.partition(" dim")[0]
    return before[before.rfind(",") + 1 :]


def _reduce_each_sequence(func, self, keepdim, options):
    dim = self._ragged_idx - 1
    dim = [dim] if _accepts_dim_list(func) else dim
    results = [func(piece, dim, keepdim, **options) for piece in _split_into_sequences(self)]
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return _make_same_namedtuple(results[0], [torch.stack(parts) for parts in zip(*results, strict=True)])


@_register_rule(
    "sum.default", "mean.default", "prod.default", "all.default", "any.default", "max.default", "min.default"
)
def _reduce_all(func, self, dtype=None):
    return func(values_with_history(self), **({} if dtype is None else {"dtype": dtype}))


@_register_rule(
    "sum.dim_IntList", "mean.dim", "prod.dim_int", "any.dim", "any.dims", "all.dim", "all.dims", "max.dim", "min.dim",
    "amax", "amin", "argmax", "argmin",
)  # fmt: skip
def _reduce(func, self, dim=None, keepdim=False, dtype=None):
    name = func._overloadpacket.__name__
    options = {} if dtype is None else {"dtype": dtype}
    if dim is None or dim == []:
        return func(values_with_history(self), dim, keepdim, **options)
    return _reduce_dims(func, name, self, [dim] if isinstance(dim, int) else list(dim), keepdim, options)


@_register_rule("softmax", "log_softmax", "_softmax", "_log_softmax")
def _softmax(func, self, dim, *args, **kwargs):
    name = func._overloadpacket.__name__.lstrip("_")
    dim = canonicalize_dim(len(self._size), dim)
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported when reducing across the batch dimension for NestedTensor")
    if dim != self._ragged_idx:
        return self._make_like_function()(func(values_with_history(self), dim - 1, *args, **kwargs))
    if name == "log_softmax":
        raise RuntimeError(f"{name}(): not supported when reducing along the ragged dimension for NestedTensor")
    if self._ragged_idx > 1:
        raise RuntimeError(
            f"{name}(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor"
        )
    if self._lengths is not None:
        raise RuntimeError(
            f"{name}(): not supported where lengths is not None "
            "if reducing across the ragged dimension for NestedTensor"
        )
    return _join_sequences(self, [func(piece, 0, *args, **kwargs) for piece in _split_into_sequences(self)])


@_register_rule("diff")
def _diff(func, self, n=1, dim=-1, prepend=None, append=None):
    if prepend is not None or append is not None:
        raise NotImplementedError(func)
    return self._make_like_function()(torch.diff(values_with_history(self), n, _dim_within_values("diff", self, dim)))


@_register_rule("glu")
def _glu(func, self, dim=-1):
    return self._make_like_function()(
        torch.nn.functional.glu(values_with_history(self), _dim_within_values("glu", self, dim))
    )


# ---- products and layers


@_register_rule("linear", takes="input: jt, weight: t, bias: t?")
def _linear(func, input, weight, bias=None):
    return input._make_like_function()(func(values_with_history(input), weight, bias))


@_register_rule(
    "conv1d", "conv2d", "conv3d", "convolution",
    takes="input: jt, weight: t, bias: t?, stride: any, padding: any, dilation: any, transposed: any, "
    "output_padding: any, groups: any",
)  # fmt: skip
def _convolution(func, input, *args, **kwargs):
    return input._make_like_function()(func(values_with_history(input), *args, **kwargs))


@_register_rule("embedding")
def _embedding(func, weight, indices, *args, **kwargs):
    return indices._make_like_function()(func(weight, values_with_history(indices), *args, **kwargs))


_TAKEN_BY_DROPOUT = "self: jt, float: any, train: any?"
_register_rule("dropout", "feature_dropout", "alpha_dropout", takes=_TAKEN_BY_DROPOUT)(dropout)
_register_rule("native_dropout", takes=_TAKEN_BY_DROPOUT)(native_dropout)


@_register_rule("layer_norm", "native_layer_norm")
def _layer_norm(func, input, normalized_shape, weight=None, bias=None, eps=1e-5, *more):
    ndim = len(input._size)
    if ndim <= 2:
        raise RuntimeError("layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions")
    first = ndim - len(normalized_shape)
    if first <= 0:
        raise RuntimeError("layer_norm(): not supported when normalizing over the batch dimension for NestedTensor")
    if first > input._ragged_idx:
        result = func(values_with_history(input), normalized_shape, weight, bias, eps, *more)
        return (
            input._make_like_function()(result)
            if isinstance(result, torch.Tensor)
            else tuple(map(input._make_like_function(), result))
        )
    if input._lengths is not None:
        raise RuntimeError(
            "layer_norm(): not supported where lengths is not None "
            "if operating on the ragged dimension for NestedTensor"
        )
    count = len(normalized_shape)
    pieces = [
        torch.nn.functional.layer_norm(p, p.shape[p.dim() - count :], eps=eps) for p in _split_into_sequences(input)
    ]
    values = torch.cat(pieces, dim=input._ragged_idx - 1)
    values = values if weight is None else values * weight
    return input._make_like_function()(values if bias is None else values + bias)


@_register_rule("rms_norm")
def _rms_norm(func, input, normalized_shape, weight=None, eps=None):
    if len(input._size) - len(normalized_shape) <= input._ragged_idx:
        raise ValueError("rms_norm(): Normalization over the ragged dim not supported for nested tensors")
    return input._make_like_function()(func(values_with_history(input), normalized_shape, weight, eps))


@_register_rule("bmm")
def _bmm(func, self, mat2):
    if self.dim() != 3:
        raise ValueError("bmm(): input must be 3D")
    if mat2.dim() != 3:
        raise ValueError("bmm(): mat2 must be 3D")
    return _matmul(func, self, mat2)


@_register_rule("matmul")
def _matmul(func, self, other):
    product = _multiply_nested_by_nested if is_nested(self) and is_nested(other) else _multiply_nested_by_dense
    result = product(self, other)
    if result is None:
        left = self._size if is_nested(self) else self.shape
        right = torch.Size(other._size) if is_nested(other) else other.shape
        raise RuntimeError(f"matmul(): not supported between inputs of shapes {left} and {right}")
    return result


def _multiply_nested_by_nested(self, other):
    """Returns the product of two nested tensors, or None where there is none."""
    same = self._size[self._ragged_idx] == other._size[other._ragged_idx]
    if not same or self._lengths is not None or other._lengths is not None:
        return None
    left, right = (t._ragged_idx - len(t._size) for t in (self, other))
    if (left, right) == (-1, -2):  # the irregular dimension is summed over
        return torch.stack(
            [a @ b for a, b in zip(_split_into_sequences(self), _split_into_sequences(other), strict=True)]
        )
    if left == right and left < -2 and len(self._size) == len(other._size):
        return self._make_like_function()(torch.matmul(values_with_history(self), values_with_history(other)))
    return None


def _multiply_nested_by_dense(self, other):
    """Returns the product of a nested tensor and a dense one, in either order, or None where there is none."""
    first = is_nested(self)
    nested, dense = (self, other) if first else (other, self)
    place = nested._ragged_idx - len(nested._size)
    if place == (-1 if first else -2) or nested._lengths is not None:
        return None
    if dense.dim() < 2 or (dense.dim() == 2 and (first or place < -2)):
        values = (values_with_history(nested), dense) if first else (dense, values_with_history(nested))
        return nested._make_like_function()(torch.matmul(*values))
    if dense.dim() == 2:
        rows = [dense] * nested._size[0]
    elif dense.dim() == len(nested._size) and dense.shape[0] in (1, nested._size[0]):
        rows = dense.expand(nested._size[0], *dense.shape[1:])
    else:
        return None
    pairs = zip(_split_into_sequences(nested), rows, strict=True)
    return _join_sequences(nested, [p @ d if first else d @ p for p, d in pairs])


@_register_rule("scaled_dot_product_attention")
def _attention(func, *args, **kwargs):
    from .sdpa import jagged_scaled_dot_product_attention

    return jagged_scaled_dot_product_attention(*args, **kwargs)


# ---- conversion to dense


@_register_rule("to_padded_tensor")
def _to_padded_tensor(func, self, padding, output_size=None):
    return pad_sequences(self, padding, output_size)


def pad_sequences(self, padding, output_size=None):
    """Returns a dense tensor, with `padding` behind shorter sequences."""
    if self._lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    ragged = self._ragged_idx
    length = self._get_max_seqlen() if output_size is None else output_size[ragged]
    values = values_with_history(self).movedim(ragged - 1, 0)
    rows = _sequence_index_of_positions(self)
    positions = torch.arange(values.shape[0], device=values.device) - self._offsets[rows]
    if output_size is not None:
        kept = positions < length
        values, rows, positions = values[kept], rows[kept], positions[kept]
    padded = values.new_full((self._size[0], length, *values.shape[1:]), padding)
    return padded.index_put((rows, positions), values).movedim(1, ragged)


def unpad_sequences(padded, offsets, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Returns the nested tensor of the first elements of each row."""
    rows = padded.movedim(ragged_idx, 1)
    counts = offsets.diff()
    kept = torch.arange(rows.shape[1], device=padded.device) < counts[:, None]
    values = rows[kept].movedim(0, ragged_idx - 1)
    return nested_view_from_values_offsets(values, offsets, ragged_idx, min_seqlen, max_seqlen)


# ---- functions that other modules call


def raggedness_matches(nt, size):
    """Returns whether the first sizes, up to the irregular one, are those of a nested tensor."""
    return _has_same_sizes_up_to_ragged(nt, sizes_as_plain_ints(size))


def is_contiguous_general(func, self):
    """Returns whether the values are contiguous and without gaps."""
    return self._is_contiguous_or_false()
