"""The `reduction` argument of losses, and the two older arguments it replaced."""

import warnings


def get_enum(reduction):
    """Returns the operator library's number for a reduction."""
    if reduction == "none":
        return 0
    if reduction == "mean":
        return 1
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        return 1
    if reduction == "sum":
        return 2
    raise ValueError(f"{reduction} is not a valid value for reduction")


def legacy_get_string(size_average, reduce, emit_warning=True):
    """Returns the reduction that `size_average` and `reduce` mean; None counts as True."""
    averaged = size_average is None or size_average
    reduced = reduce is None or reduce
    if not reduced:
        meant = "none"
    else:
        meant = "mean" if averaged else "sum"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.", stacklevel=2
        )
    return meant


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """Returns `legacy_get_string` as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
