"""The outcome of a call, in a form that compares mindtorch with real torch exactly or up to rounding."""

import math
import re
import warnings

import numpy


def normalise(text):
    """Normalises texts for all tests: the root's name, addresses, lists of keys, C++ source locations."""
    text = re.sub(r" \(Triggered internally.*", "", text)
    text = re.sub(r"is only available for these backends: .*", "is only available elsewhere", text, flags=re.DOTALL)
    return re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"\bmindtorch\b", "torch", text))


def outcome(call, torch):
    """Returns the value and warnings of `call(torch)`; a value is lists, strides and dtypes, or the error's type and
    text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = describe_value(call(torch), torch)
        except Exception as error:
            value = (type(error).__name__, normalise(str(error)))
    return value, [(type(w.message).__name__, normalise(str(w.message))) for w in caught]


def exact(tensor):
    """The values of a dense tensor as bytes, for comparison: NaNs are alike, zeros of different signs are not. For many
    values this is faster than lists."""
    tensor = tensor.detach()
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize < 4:
        tensor = tensor.float()
    values = tensor.numpy()
    if values.dtype.kind == "f":
        values = numpy.where(numpy.isnan(values), values.dtype.type("nan"), values)
    return values.tobytes()


def describe_value(value, torch):
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            return describe_sparse(value, torch)
        if value.is_meta:
            return ("meta", tuple(value.shape), str(value.dtype))
        return ("tensor", _round_numbers(value.tolist()), value.stride(), str(value.dtype), value.requires_grad)
    if isinstance(value, (list, tuple)):
        return [describe_value(item, torch) for item in value]
    if isinstance(value, dict):
        return {key: describe_value(item, torch) for key, item in value.items()}
    return normalise(str(value))


_COMPRESSED = {"sparse_csr": "crow col", "sparse_bsr": "crow col", "sparse_csc": "ccol row", "sparse_bsc": "ccol row"}


def describe_sparse(value, torch):
    """A sparse tensor as its layout, shape, dtype and described components."""
    layout = str(value.layout).removeprefix("torch.")
    if layout == "sparse_coo":
        parts = [value._indices(), value._values().detach(), value.is_coalesced()]
    else:
        indices = [getattr(value, f"{name}_indices")() for name in _COMPRESSED[layout].split()]
        parts = [*indices, value.values().detach()]
    return (
        layout,
        tuple(value.shape),
        str(value.dtype),
        value.requires_grad,
        [_describe_component(part, torch) for part in parts],
    )


def _describe_component(part, torch):
    """A component, described; strides of dimensions of size 1 do not matter."""
    if not isinstance(part, torch.Tensor) or part.is_meta:
        return describe_value(part, torch)
    steps = tuple(stride for stride, size in zip(part.stride(), part.shape, strict=True) if size > 1)
    return ("tensor", _round_numbers(part.tolist()), steps, str(part.dtype), part.requires_grad)


def _round_numbers(values):
    """Numbers to five digits: the order of additions is not part of the contract."""
    if isinstance(values, list):
        return [_round_numbers(value) for value in values]
    return f"{values + 0.0:.5g}" if isinstance(values, float) else str(values)


def result(call, torch):
    """The plain value of `call(torch)`, or its error's type and text, for `close`."""
    try:
        return plain(call(torch), torch)
    except Exception as error:
        return (type(error).__name__, normalise(str(error)))


def plain(value, torch):
    """Tensors as nested lists, at any depth; everything else as text."""
    if isinstance(value, torch.Tensor):
        return value.detach().tolist()
    if isinstance(value, dict):
        return {str(key): plain(item, torch) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, torch) for item in value]
    return value if isinstance(value, (bool, int, float)) else normalise(str(value))


def close(ours, theirs, relative=1e-5, absolute=1e-6):
    """Whether two plain values are equal up to rounding, for kernels that may round differently."""
    if isinstance(theirs, dict):
        return (
            isinstance(ours, dict)
            and ours.keys() == theirs.keys()
            and all(close(ours[key], theirs[key], relative, absolute) for key in theirs)
        )
    if isinstance(theirs, (list, tuple)):
        return (
            isinstance(ours, (list, tuple))
            and len(ours) == len(theirs)
            and all(close(mine, other, relative, absolute) for mine, other in zip(ours, theirs, strict=True))
        )
    if isinstance(theirs, complex) or isinstance(theirs, float) and not isinstance(theirs, bool):
        if isinstance(theirs, float) and math.isnan(theirs):
            return isinstance(ours, float) and math.isnan(ours)
        return ours == theirs or abs(ours - theirs) <= absolute + relative * abs(theirs)
    return ours == theirs
