"""Defines when a result of the library equals one of real torch; both are torch's values."""

# rtol and atol by dtype: a few rounding errors of the type, since sums may be added in another order.
TOLERANCES = {
    "torch.float16": (2e-3, 2e-3),
    "torch.bfloat16": (1.6e-2, 2e-2),
    "torch.float32": (2e-5, 2e-5),
    "torch.complex64": (2e-5, 2e-5),
}
OTHERWISE = (1e-7, 1e-7)  # double precision; integers and bools are equal anyway


class Mismatch(AssertionError):
    """A difference, and its location."""


def call_and_catch(function):
    """(value, None), or (None, exception)."""
    try:
        return function(), None
    except Exception as error:
        return None, error


def yield_tensors(value, kind):
    """Returns all tensors of the class `kind` in nested lists, tuples and dictionaries."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from yield_tensors(item, kind)


def make_incoming_gradients(lib, outs, low, high):
    """Returns a tensor of fixed numbers for each of `outs`, the same for both libraries, as incoming gradients."""
    return [lib.linspace(low, high, out.numel(), dtype=lib.float64).reshape(out.shape).to(out.dtype) for out in outs]


def compare(torch, ours, theirs, path="result", strides=True):
    """Raises Mismatch unless types, dtypes, shapes, strides (if requested) and values are equal."""
    if isinstance(theirs, torch.Tensor):
        compare_tensors(torch, ours, theirs, path, strides)
    elif isinstance(theirs, (list, tuple)):
        if not isinstance(ours, (list, tuple)) or len(ours) != len(theirs):
            raise Mismatch(f"{path}: {type(ours).__name__} for {type(theirs).__name__}({len(theirs)})")
        for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            compare(torch, mine, other, f"{path}[{index}]", strides)
    elif (isinstance(theirs, (bool, int, float, complex, str)) or theirs is None) and not are_equal(ours, theirs):
        raise Mismatch(f"{path}: {ours!r} for {theirs!r}")


def are_equal(ours, theirs):
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, float) and abs(ours - theirs) <= 1e-6 * max(1, abs(theirs)):
        return True
    return ours == theirs or (ours != ours and theirs != theirs)


def compare_tensors(torch, ours, theirs, path, strides):
    if not isinstance(ours, torch.Tensor):
        raise Mismatch(f"{path}: {type(ours).__name__} for a tensor")
    if ours.dtype != theirs.dtype:
        raise Mismatch(f"{path}: dtype {ours.dtype} for {theirs.dtype}")
    if ours.shape != theirs.shape:
        raise Mismatch(f"{path}: shape {tuple(ours.shape)} for {tuple(theirs.shape)}")
    is_strided = theirs.layout == torch.strided
    mine, other = (value.detach() if is_strided else value.detach().to_dense() for value in (ours, theirs))
    rtol, atol = TOLERANCES.get(str(other.dtype), OTHERWISE)
    try:
        torch.testing.assert_close(mine, other, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        raise Mismatch(f"{path}: " + " ".join(str(error).split())[:240]) from None
    if strides and is_strided and theirs.numel() > 0 and ours.stride() != theirs.stride():
        raise Mismatch(f"{path}: stride {ours.stride()} for {theirs.stride()}")
