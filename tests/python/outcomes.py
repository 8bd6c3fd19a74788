"""What a call did, in a form that is equal for equal outcomes on our package and on real torch."""

import warnings


def outcome(call, torch):
    """(value, warnings) of `call(torch)`; a value is lists, strides and dtypes, or the error's type and text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = described(call(torch), torch)
        except Exception as error:
            value = (type(error).__name__, str(error).replace("mindtorch.", "torch."))
    return value, [(type(w.message).__name__, str(w.message)) for w in caught]


def described(value, torch):
    if isinstance(value, torch.Tensor):
        if value.is_meta:
            return ("meta", tuple(value.shape), str(value.dtype))
        return ("tensor", _rounded(value.tolist()), value.stride(), str(value.dtype), value.requires_grad)
    if isinstance(value, (list, tuple)):
        return [described(item, torch) for item in value]
    if isinstance(value, dict):
        return {key: described(item, torch) for key, item in value.items()}
    return str(value).replace("mindtorch.", "torch.")


def _rounded(values):
    """Numbers to five digits: the order in which sums are taken is nobody's contract."""
    if isinstance(values, list):
        return [_rounded(value) for value in values]
    return f"{values + 0.0:.5g}" if isinstance(values, float) else str(values)


def is_missing(value):
    """Whether an outcome only says that an operator is not in the library yet."""
    kind, text = value[0][:2] if isinstance(value[0], tuple) else ("", "")
    if kind not in ("AttributeError", "NotImplementedError"):
        return False
    return "has no attribute" in text or kind == "NotImplementedError"
