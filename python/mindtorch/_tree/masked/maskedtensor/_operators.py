"""How MaskedTensor handles operators in __torch_dispatch__: on the data, on the mask, or on both."""

import sys
from functools import cache, partial

from .core import (
    MaskedTensor,
    _get_data,
    _map_masked_tensors,
    _masks_match,
    _maybe_get_mask,
    _wrap_result,
    is_masked_tensor,
)

torch = sys.modules[__package__.split(".masked")[0]]

# Applies an operator to the data only; the mask does not change.
_UNARY = """
abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil clamp
clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p log2
logit i0 isnan nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin sinc
sinh sqrt square tan tanh trunc
""".split()
_NO_INPLACE_UNARY = {"angle", "positive", "signbit", "isnan"}
# Applies an operator to two operands whose masks must match.
_BINARY = """
add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide
fmod logaddexp logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal gt
less_equal lt less maximum minimum fmax fmin not_equal
""".split()
_NO_INPLACE_BINARY = {"logaddexp", "logaddexp2", "fmin", "minimum", "maximum", "fmax"}
# Applies the same operator to data and mask.
_BOTH = """
select transpose split t slice slice_backward select_backward index expand view _unsafe_view _reshape_alias cat
unsqueeze unfold unfold_backward im2col col2im stack
""".split()


def _make_unary(packet, *args, **kwargs):
    if kwargs:
        raise ValueError(
            "MaskedTensor unary ops require that len(kwargs) == 0. "
            "If you need support for this, please open an issue on Github."
        )
    if any(torch.is_tensor(a) for a in args[1:]):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    return packet(*_map_masked_tensors(args, _get_data)), args[0].get_mask()


def _make_binary(packet, *args, **kwargs):
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if any(torch.is_tensor(a) for a in args[2:]):
        raise TypeError("MaskedTensor binary ops do not support Tensor arguments aside from the lhs and rhs")
    if not _masks_match(*args[:2]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    result = packet(*_map_masked_tensors(args, _get_data))
    mask = _maybe_get_mask(args[0]) if is_masked_tensor(args[0]) else _maybe_get_mask(args[1])
    return result, mask


def _wrap_new_result(compute, packet, *args, **kwargs):
    data, mask = compute(packet, *args, **kwargs)
    return _wrap_result(data, mask.expand_as(data))


def _write_result_to_first(compute, packet, *args, **kwargs):
    data, mask = compute(packet, *args, **kwargs)
    args[0]._set_data_mask(data, mask)
    return args[0]


def _call_on_data_and_mask(packet, *args, **kwargs):
    data = packet(*_map_masked_tensors(args, _get_data), **kwargs)
    return _wrap_result(data, packet(*_map_masked_tensors(args, _maybe_get_mask), **kwargs))


def _check_argument_count(packet, args, kwargs, n_args=None, n_kwargs=None):
    where = f"__torch_dispatch__, {packet}"
    if n_args is not None and len(args) != n_args:
        raise ValueError(f"{where}: len(args) must be {n_args} but got {len(args)}")
    if n_kwargs is not None and len(kwargs) != n_kwargs:
        raise ValueError(f"{where}: len(kwargs) must be {n_kwargs} but got {len(kwargs)}")


def _call_on_data_only(packet, *args, **kwargs):
    return MaskedTensor(packet(_get_data(args[0])), _maybe_get_mask(args[0]))


def _answer_query_from_data(packet, *args, **kwargs):
    """Queries of the data."""
    return packet(_get_data(args[0]), *args[1:], **kwargs)


def _make_contiguous(packet, *args, **kwargs):
    from ._functions import MaskedContiguous

    return MaskedContiguous.apply(args[0])


def _copy_data_and_mask(packet, *args, **kwargs):
    mask = packet(_maybe_get_mask(args[0]), *args[1:], **{**kwargs, "dtype": torch.bool})
    return MaskedTensor(packet(_get_data(args[0]), *args[1:], **kwargs), mask)


def _make_ones_like(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=1)
    return MaskedTensor(packet(_get_data(args[0]), **kwargs), _maybe_get_mask(args[0]))


def _new_empty_strided(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=3)
    data = _get_data(args[0])
    for i, name, own in ((1, "size", data.size()), (2, "stride", data.stride())):
        if tuple(args[i]) != tuple(own):
            raise ValueError(f"__torch_dispatch__, {packet}: args[{i}] expected to be the same as data.{name}()")
    return MaskedTensor(packet(data, args[1], args[2], **kwargs), _maybe_get_mask(args[0]))


def _read_number_from_data(packet, *args, **kwargs):
    if not _maybe_get_mask(args[0]):
        raise ValueError(f"__torch_dispatch__, {packet}: expected a mask tensor")
    return packet(_get_data(args[0]))


def _softmax(packet, input, dim, *args, **kwargs):
    data, mask = _get_data(input), _maybe_get_mask(input)
    left = packet(data.masked_fill(~mask, -torch.inf), dim, *args, **kwargs)
    return MaskedTensor(left.masked_fill(~mask, 0), mask)


def _softmax_backward(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=4)
    grad, output, dim, input_dtype = args
    if not (is_masked_tensor(grad) and is_masked_tensor(output)):
        raise ValueError(f"__torch_dispatch__, {packet}: grad and output must both be MaskedTensors")
    if not _masks_match(grad, output):
        raise ValueError(f"__torch_dispatch__, {packet}: expected the masks of grad and output to match")
    mask = _maybe_get_mask(grad)
    inner = packet(_get_data(grad).masked_fill(~mask, 0), _get_data(output), dim, input_dtype)
    return MaskedTensor(inner, mask)


def _copy_data_to_first(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=2)
    if not _masks_match(args[0], args[1]):
        raise ValueError("args[0] mask and args[1] mask must match but do not")
    packet(_get_data(args[0]), _get_data(args[1]))
    return args[0]


def _as_masked_tensor(t):
    return t if is_masked_tensor(t) else MaskedTensor(t, torch.ones_like(t, dtype=torch.bool))


def _select_where(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=3, n_kwargs=0)
    if not torch.is_tensor(args[0]):
        raise ValueError(f"__torch_dispatch__, {packet}: expected args[0] to be a tensor")
    a, b = _as_masked_tensor(args[1]), _as_masked_tensor(args[2])
    return MaskedTensor(packet(args[0], _get_data(a), _get_data(b)), packet(args[0], a.get_mask(), b.get_mask()))


def _has_same_size(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=2)
    return _get_data(args[0]).is_same_size(_get_data(args[1]))


def _is_any_true(packet, *args, **kwargs):
    _check_argument_count(packet, args, kwargs, n_args=1, n_kwargs=0)
    data, mask = _get_data(args[0]), _maybe_get_mask(args[0])
    if mask is None:
        raise ValueError(f"__torch_dispatch__, {packet}: expected args[0] to be a MaskedTensor")
    if data.dtype != torch.bool:
        raise ValueError(f"__torch_dispatch__, {packet}: expected a boolean tensor")
    return MaskedTensor((data & mask).any(), torch.tensor(True))


_SPECIAL = {
    "is_contiguous": _answer_query_from_data,
    "is_strides_like_format": _answer_query_from_data,
    "is_non_overlapping_and_dense": _answer_query_from_data,
    "contiguous": _make_contiguous,
    "new_empty_strided": _new_empty_strided,
    "_local_scalar_dense": _read_number_from_data,
    "detach": _call_on_data_only,
    "clone": _call_on_data_only,
    "_to_copy": _copy_data_and_mask,
    "ones_like": _make_ones_like,
    "softmax": _softmax,
    "_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "copy_": _copy_data_to_first,
    "where": _select_where,
    "is_same_size": _has_same_size,
    "_is_any_true": _is_any_true,
}


@cache
def _map_operator_names_to_handlers():
    table = {}
    for names, without, compute in (
        (_UNARY, _NO_INPLACE_UNARY, _make_unary),
        (_BINARY, _NO_INPLACE_BINARY, _make_binary),
    ):
        for name in names:
            table[name] = partial(_wrap_new_result, compute)
            if name not in without:
                table[f"{name}_"] = partial(_write_result_to_first, compute)
    table.update(dict.fromkeys(_BOTH, _call_on_data_and_mask))
    table.update(_SPECIAL)
    return table


def find_operator_handler(packet):
    """Returns the handler of an operator (all its overloads), or None if it is unknown."""
    from ._functions import find_masked_reduction

    found = _map_operator_names_to_handlers().get(packet.__name__)
    return partial(found, packet) if found is not None else find_masked_reduction(packet.__name__)
