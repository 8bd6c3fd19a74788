"""Window functions; a periodic one (`sym=False`) is a symmetric one of M + 1 points without its last."""

from collections.abc import Iterable
from math import sqrt

from ..._root import torch


def _options(name, M, dtype, layout, device, requires_grad):
    """Checks what all windows check; returns the keyword arguments of factories."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not torch.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}



def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """exp(-|n - center| / tau)"""
    options = _options("exponential", M, dtype, layout, device, requires_grad)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return torch.empty((0,), **options)
    if center is None:
        center = (M if not sym and M > 1 else M - 1) / 2.0
    step = 1 / tau
    k = torch.linspace(start=-center * step, end=(-center + (M - 1)) * step, steps=M, **options)
    return torch.exp(-torch.abs(k))


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """sin(pi (n + 1/2) / M)"""
    options = _options("cosine", M, dtype, layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    start = 0.5
    step = torch.pi / (M + 1 if not sym and M > 1 else M)
    k = torch.linspace(start=start * step, end=(start + (M - 1)) * step, steps=M, **options)
    return torch.sin(k)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """exp(-(n / (std sqrt(2)))^2), around the middle"""
    options = _options("gaussian", M, dtype, layout, device, requires_grad)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return torch.empty((0,), **options)
    start = -(M if not sym and M > 1 else M - 1) / 2.0
    step = 1 / (std * sqrt(2))
    k = torch.linspace(start=start * step, end=(start + (M - 1)) * step, steps=M, **options)
    return torch.exp(-(k**2))


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """I0(sqrt(beta^2 - k^2)) / I0(beta)"""
    options = _options("kaiser", M, dtype, layout, device, requires_grad)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    # A tensor, so that the end of the range cannot round beyond beta.
    beta = torch.tensor(beta, dtype=options["dtype"], device=device)
    step = 2.0 * beta / (M if not sym else M - 1)
    end = torch.minimum(beta, -beta + (M - 1) * step)
    k = torch.linspace(start=-beta, end=end, steps=M, **options)
    return torch.i0(torch.sqrt(beta * beta - torch.pow(k, 2))) / torch.i0(beta)


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """0.54 - 0.46 cos"""
    return general_hamming(
        M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """1/2 - 1/2 cos"""
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """Three cosine terms."""
    _options("blackman", M, dtype, layout, device, requires_grad)
    return general_cosine(
        M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """A triangle."""
    options = _options("bartlett", M, dtype, layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    step = 2 / (M if not sym else M - 1)
    k = torch.linspace(start=-1, end=-1 + (M - 1) * step, steps=M, **options)
    return 1 - torch.abs(k)


def general_cosine(
    M: int,
    *,
    a: Iterable,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """The alternating sum of a_i cos(i x)."""
    options = _options("general_cosine", M, dtype, layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    step = 2 * torch.pi / (M if not sym else M - 1)
    k = torch.linspace(start=0, end=(M - 1) * step, steps=M, **options)
    signed = [(-1) ** index * weight for index, weight in enumerate(a)]
    a_i = torch.tensor(signed, device=device, dtype=options["dtype"], requires_grad=requires_grad)
    i = torch.arange(a_i.shape[0], dtype=a_i.dtype, device=a_i.device, requires_grad=a_i.requires_grad)
    return (a_i.unsqueeze(-1) * torch.cos(i.unsqueeze(-1) * k)).sum(0)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """alpha - (1 - alpha) cos"""
    return general_cosine(
        M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype=None,
    layout=torch.strided,
    device=None,
    requires_grad: bool = False,
):
    """Nuttall's four-term minimum (IEEE TASSP 29 (1), 1981)."""
    return general_cosine(
        M,
        a=[0.3635819, 0.4891775, 0.1365995, 0.0106411],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )
