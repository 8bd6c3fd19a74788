"""The texts of torch.testing's failures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

torch = sys.modules[__package__.partition(".")[0]]


class ErrorMeta(Exception):
    """A failure in the comparison functions, raised as `to_error()`."""

    def __init__(self, type: type[Exception], msg: str, *, id: tuple[Any, ...] = ()) -> None:
        super().__init__(
            "If you are a user and see this message during normal operation "
            "please file an issue at https://github.com/pytorch/pytorch/issues. "
            "If you are a developer and working on the comparison functions, "
            "please `raise ErrorMeta.to_error()` for user facing errors."
        )
        self.type = type
        self.msg = msg
        self.id = id

    def to_error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """The exception for the user; `msg` replaces its text, or is a function of it."""
        if isinstance(msg, str):
            return self.type(msg)
        text = self.msg
        if self.id:
            text += f"\n\nThe failure occurred for item {''.join(str([item]) for item in self.id)}"
        return self.type(msg(text) if callable(msg) else text)


def _apply_identifier(default, identifier):
    if identifier is None:
        return default
    return identifier(default) if callable(identifier) else identifier


def _describe_difference(kind, difference, index, tolerance, exact):
    if index is None:
        text = f"{kind.title()} difference: {difference}"
    else:
        text = f"Greatest {kind} difference: {difference} at index {index}"
    return text if exact else f"{text} (up to {tolerance} allowed)"


def _describe_mismatch(name, extra, absolute, relative, *, rtol, atol):
    """`absolute` and `relative` are pairs of a difference and its index."""
    exact = rtol == 0 and atol == 0
    lines = [
        f"{name} are not {'equal' if exact else 'close'}!",
        "",
        extra.strip(),
        _describe_difference("absolute", *absolute, atol, exact),
        _describe_difference("relative", *relative, rtol, exact),
    ]
    return "\n".join(lines).strip()


def make_scalar_mismatch_msg(
    actual: bool | int | float | complex, expected: bool | int | float | complex, *, rtol: float, atol: float,
    identifier: str | Callable[[str], str] | None = None,
) -> str:
    """Returns a message about the difference between two numbers.

    Args:
        actual (number): what was computed.
        expected (number): what should be.
        rtol, atol (float): the tolerances.
        identifier (str or callable, optional): a name instead of "Scalars", or a function of that.
            Default: ``None``.

    Returns:
        str: the text.

    Example:
        >>> from torch.testing._comparison import make_scalar_mismatch_msg
        >>> print(make_scalar_mismatch_msg(1, 2, rtol=0, atol=0))
        Scalars are not equal!
        <BLANKLINE>
        Expected 2 but got 1.
        Absolute difference: 1
        Relative difference: 0.5
    """
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    extra = f"Expected {expected} but got {actual}."
    return _describe_mismatch(
        _apply_identifier("Scalars", identifier), extra, (absolute, None), (relative, None), rtol=rtol, atol=atol
    )


def _unravel(flat, shape):
    index = []
    for size in reversed(shape):
        flat, place = divmod(flat, size)
        index.append(place)
    return tuple(reversed(index))


def make_tensor_mismatch_msg(
    actual: torch.Tensor,
    expected: torch.Tensor,
    matches: torch.Tensor,
    *,
    rtol: float,
    atol: float,
    identifier: str | Callable[[str], str] | None = None,
):
    """Returns a message with the number of differing elements and the positions of the greatest differences.

    Args:
        actual (Tensor): what was computed.
        expected (Tensor): what should be.
        matches (Tensor): of bools, which elements are close.
        rtol, atol (float): the tolerances.
        identifier (str or callable, optional): a name instead of "Tensor-likes", or a function of that.
            Default: ``None``.

    Returns:
        str: the text.

    Example:
        >>> from torch.testing._comparison import make_tensor_mismatch_msg
        >>> a, b = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
        >>> print(make_tensor_mismatch_msg(a, b, a == b, rtol=0, atol=0))
        Tensor-likes are not equal!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 2.0 at index (1,)
        Greatest relative difference: 0.5 at index (1,)
    """
    total = matches.numel()
    wrong = total - int(torch.sum(matches))
    extra = f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})"
    name = _apply_identifier("Tensor-likes", identifier)
    if actual.dtype.is_floating_point and actual.dtype.itemsize == 1:
        first = tuple(torch.nonzero(~matches, as_tuple=False)[0].tolist())
        return f"{name} are not 'equal'!\n\n{extra}\nThe first mismatched element is at index {first}."

    actual, expected, matches_flat = actual.flatten(), expected.flatten(), matches.flatten()
    if not actual.dtype.is_floating_point and not actual.dtype.is_complex:
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)  # small integers would wrap around

    def find_greatest_difference(differences):
        differences[matches_flat] = 0
        value, place = torch.max(differences, 0)
        return value.item(), _unravel(int(place), matches.shape)

    absolute = torch.abs(actual - expected)
    found_absolute = find_greatest_difference(absolute)
    found_relative = find_greatest_difference(absolute / torch.abs(expected))
    return _describe_mismatch(name, extra, found_absolute, found_relative, rtol=rtol, atol=atol)
