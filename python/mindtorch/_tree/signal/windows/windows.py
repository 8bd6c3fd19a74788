"""Window functions; a periodic one (`sym=False`) is a symmetric one of M + 1 points without its last."""

import inspect
from collections.abc import Iterable
from functools import wraps
from math import sqrt

from ..._root import torch


def _with_options(body):
    """The public window from `body(M, given, *, own parameters)`; `given` holds the keywords that all windows have."""

    def window(
        M: int,
        *,
        sym: bool = True,
        dtype=None,
        layout=torch.strided,
        device=None,
        requires_grad: bool = False,
        **parameters,
    ):
        given = {"sym": sym, "dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
        return body(M, given, **parameters)

    first, _, *own = inspect.signature(body).parameters.values()
    _, *shared, _ = inspect.signature(window).parameters.values()
    window = wraps(body)(window)

    @wraps(body)
    def counting(*args, **keywords):  # Python itself would not count the window's own keywords here
        unknown = [name for name in keywords if name not in counting.__signature__.parameters]
        if unknown:
            raise TypeError(f"{body.__name__}() got an unexpected keyword argument '{unknown[0]}'")
        if len(args) > 1 and keywords:
            n = len(keywords)
            raise TypeError(
                f"{body.__name__}() takes 1 positional argument but {len(args)} positional arguments "
                f"(and {n} keyword-only argument{'s' * (n > 1)}) were given"
            )
        return window(*args, **keywords)

    counting.__signature__ = inspect.Signature([first, *own, *shared])
    return counting


def _options(name, M, given):
    """Checks what all windows check; returns the keyword arguments of factories."""
    options = {key: value for key, value in given.items() if key != "sym"}
    if options["dtype"] is None:
        options["dtype"] = torch.get_default_dtype()
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if options["layout"] is not torch.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {options['layout']}")
    if options["dtype"] not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {options['dtype']}")
    return options


@_with_options
def exponential(M: int, given, *, center: float | None = None, tau: float = 1.0):
    """exp(-|n - center| / tau)"""
    options = _options("exponential", M, given)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if given["sym"] and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return torch.empty((0,), **options)
    if center is None:
        center = (M if not given["sym"] and M > 1 else M - 1) / 2.0
    step = 1 / tau
    k = torch.linspace(start=-center * step, end=(-center + (M - 1)) * step, steps=M, **options)
    return torch.exp(-torch.abs(k))


@_with_options
def cosine(M: int, given):
    """sin(pi (n + 1/2) / M)"""
    options = _options("cosine", M, given)
    if M == 0:
        return torch.empty((0,), **options)
    start = 0.5
    step = torch.pi / (M + 1 if not given["sym"] and M > 1 else M)
    k = torch.linspace(start=start * step, end=(start + (M - 1)) * step, steps=M, **options)
    return torch.sin(k)


@_with_options
def gaussian(M: int, given, *, std: float = 1.0):
    """exp(-(n / (std sqrt(2)))^2), around the middle"""
    options = _options("gaussian", M, given)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return torch.empty((0,), **options)
    start = -(M if not given["sym"] and M > 1 else M - 1) / 2.0
    step = 1 / (std * sqrt(2))
    k = torch.linspace(start=start * step, end=(start + (M - 1)) * step, steps=M, **options)
    return torch.exp(-(k**2))


@_with_options
def kaiser(M: int, given, *, beta: float = 12.0):
    """I0(sqrt(beta^2 - k^2)) / I0(beta)"""
    options = _options("kaiser", M, given)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    # A tensor, so that the end of the range cannot round beyond beta.
    beta = torch.tensor(beta, dtype=options["dtype"], device=options["device"])
    step = 2.0 * beta / (M if not given["sym"] else M - 1)
    end = torch.minimum(beta, -beta + (M - 1) * step)
    k = torch.linspace(start=-beta, end=end, steps=M, **options)
    return torch.i0(torch.sqrt(beta * beta - torch.pow(k, 2))) / torch.i0(beta)


@_with_options
def hamming(M: int, given):
    """0.54 - 0.46 cos"""
    return general_hamming(M, **given)


@_with_options
def hann(M: int, given):
    """1/2 - 1/2 cos"""
    return general_hamming(M, alpha=0.5, **given)


@_with_options
def blackman(M: int, given):
    """Three cosine terms."""
    _options("blackman", M, given)
    return general_cosine(M, a=[0.42, 0.5, 0.08], **given)


@_with_options
def bartlett(M: int, given):
    """A triangle."""
    options = _options("bartlett", M, given)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    step = 2 / (M if not given["sym"] else M - 1)
    k = torch.linspace(start=-1, end=-1 + (M - 1) * step, steps=M, **options)
    return 1 - torch.abs(k)


@_with_options
def general_cosine(M, given, *, a: Iterable):
    """The alternating sum of a_i cos(i x)."""
    options = _options("general_cosine", M, given)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    step = 2 * torch.pi / (M if not given["sym"] else M - 1)
    k = torch.linspace(start=0, end=(M - 1) * step, steps=M, **options)
    signed = [(-1) ** index * weight for index, weight in enumerate(a)]
    requires_grad = options["requires_grad"]
    a_i = torch.tensor(signed, device=options["device"], dtype=options["dtype"], requires_grad=requires_grad)
    i = torch.arange(a_i.shape[0], dtype=a_i.dtype, device=a_i.device, requires_grad=requires_grad)
    return (a_i.unsqueeze(-1) * torch.cos(i.unsqueeze(-1) * k)).sum(0)


@_with_options
def general_hamming(M: int, given, *, alpha: float = 0.54):
    """alpha - (1 - alpha) cos"""
    return general_cosine(M, a=[alpha, 1.0 - alpha], **given)


@_with_options
def nuttall(M: int, given):
    """Nuttall's four-term minimum (IEEE TASSP 29 (1), 1981)."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], **given)
