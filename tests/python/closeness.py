"""Compares what two torches gave, up to rounding, where kernels may round differently."""

import math


def plain(value, torch):
    """Tensors as nested lists, at any depth; all else as text."""
    if isinstance(value, torch.Tensor):
        return value.detach().tolist()
    if isinstance(value, dict):
        return {str(key): plain(item, torch) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, torch) for item in value]
    return value if isinstance(value, (bool, int, float)) else str(value).replace("mindtorch.", "torch.")


def result(call, torch):
    """The plain value of `call(torch)`, or its error's type and text."""
    try:
        return plain(call(torch), torch)
    except Exception as error:
        return (type(error).__name__, str(error).replace("mindtorch.", "torch."))


def close(ours, theirs, relative=1e-5, absolute=1e-6):
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(
            close(ours[key], theirs[key], relative, absolute) for key in theirs
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


def is_missing(ours, theirs=None):
    """Whether ours failed for want of an operator where real torch did something else."""
    if ours == theirs or not (isinstance(ours, tuple) and len(ours) == 2 and isinstance(ours[0], str)):
        return False
    return ours[0] == "NotImplementedError" or (ours[0] == "AttributeError" and "has no attribute" in ours[1])
