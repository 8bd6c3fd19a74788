"""Window functions; a periodic one (`sym=False`) is a symmetric one of M + 1 points without the last."""

import inspect
from collections.abc import Iterable
from functools import wraps
from math import sqrt

from ..._root import torch


def _make_window_function(body):
    """Makes the public window from `body(M, given, *, own parameters)`; `given` has the keywords of all windows."""

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
    def call_with_keyword_count(*args, **keywords):  # otherwise Python would not count the window's own keywords here
        unknown = [name for name in keywords if name not in call_with_keyword_count.__signature__.parameters]
        if unknown:
            raise TypeError(f"{body.__name__}() got an unexpected keyword argument '{unknown[0]}'")
        if len(args) > 1 and keywords:
            n = len(keywords)
            raise TypeError(
                f"{body.__name__}() takes 1 positional argument but {len(args)} positional arguments "
                f"(and {n} keyword-only argument{'s' * (n > 1)}) were given"
            )
        return window(*args, **keywords)

    call_with_keyword_count.__signature__ = inspect.Signature([first, *own, *shared], return_annotation=torch.Tensor)
    return call_with_keyword_count


def _check_options(name, M, given):
    """Makes the checks of all windows; returns the keyword arguments of factories."""
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


def _count_steps(M, sym):
    """Returns the number of steps of a window: a periodic one has one more, to the next period's first point."""
    return M if M > 1 and not sym else M - 1


def _sample_window_formula(formula, M, options, first, spacing):
    """Evaluates the formula at M points that are `spacing` apart, the first at `first * spacing`."""
    if M == 0:
        return torch.empty((0,), **options)
    start = first * spacing if first else 0  # an int, which appears in linspace's errors
    points = torch.linspace(start=start, end=(first + (M - 1)) * spacing, steps=M, **options)
    return formula(points)


@_make_window_function
def exponential(M: int, given, *, center: float | None = None, tau: float = 1.0):
    """Computes an exponential (Poisson) window: ``exp(-|n - center| / tau)``.

    Args:
        M (int): length, at least 0.
        center (float, optional): where the peak is; only with ``sym=False``. Default: the middle.
        tau (float): decay, above zero. Default: ``1.0``.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.exponential(3)
        tensor([0.3679, 1.0000, 0.3679])
    """
    options = _check_options("exponential", M, given)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if given["sym"] and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    peak = _count_steps(M, given["sym"]) / 2.0 if center is None else center
    return _sample_window_formula(lambda x: torch.exp(-torch.abs(x)), M, options, -peak, 1 / tau)


@_make_window_function
def cosine(M: int, given):
    """Computes a cosine window: ``sin(pi * (n + 1/2) / M)``.

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.cosine(3)
        tensor([0.5000, 1.0000, 0.5000])
    """
    options = _check_options("cosine", M, given)
    arcs = _count_steps(M, given["sym"]) + 1
    return _sample_window_formula(torch.sin, M, options, 0.5, torch.pi / max(arcs, 1))


@_make_window_function
def gaussian(M: int, given, *, std: float = 1.0):
    """Computes a Gaussian window: ``exp(-(n - (M - 1) / 2) ** 2 / (2 * std ** 2))``.

    Args:
        M (int): length, at least 0.
        std (float): standard deviation in samples, above zero. Default: ``1.0``.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.gaussian(3)
        tensor([0.6065, 1.0000, 0.6065])
    """
    options = _check_options("gaussian", M, given)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    first = -_count_steps(M, given["sym"]) / 2.0
    return _sample_window_formula(lambda x: torch.exp(-(x**2)), M, options, first, 1 / (std * sqrt(2)))


@_make_window_function
def kaiser(M: int, given, *, beta: float = 12.0):
    """Computes a Kaiser window: ``I0(beta * sqrt(1 - x ** 2)) / I0(beta)`` for x from -1 to 1.

    Args:
        M (int): length, at least 0.
        beta (float): shape, at least 0; larger is narrower. Default: ``12.0``.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.kaiser(3, beta=2.0)
        tensor([0.4387, 1.0000, 0.4387])
    """
    options = _check_options("kaiser", M, given)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    # A tensor, so that the end of the range cannot round to more than beta.
    beta = torch.tensor(beta, dtype=options["dtype"], device=options["device"])
    step = 2.0 * beta / (M if not given["sym"] else M - 1)
    end = torch.minimum(beta, -beta + (M - 1) * step)
    k = torch.linspace(start=-beta, end=end, steps=M, **options)
    return torch.i0(torch.sqrt(beta * beta - torch.pow(k, 2))) / torch.i0(beta)


@_make_window_function
def hamming(M: int, given):
    """Computes a Hamming window: ``0.54 - 0.46 * cos(2 * pi * n / (M - 1))``.

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.hamming(3)
        tensor([0.0800, 1.0000, 0.0800])
    """
    return general_hamming(M, **given)


@_make_window_function
def hann(M: int, given):
    """Computes a Hann window: ``(1 - cos(2 * pi * n / (M - 1))) / 2``.

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.hann(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return general_hamming(M, alpha=0.5, **given)


@_make_window_function
def blackman(M: int, given):
    """Computes a Blackman window: ``0.42 - 0.5 * cos(x) + 0.08 * cos(2 * x)``, x = 2 pi n / (M - 1).

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.blackman(3).round(decimals=4).abs()
        tensor([0., 1., 0.])
    """
    _check_options("blackman", M, given)
    return general_cosine(M, a=[0.42, 0.5, 0.08], **given)


@_make_window_function
def bartlett(M: int, given):
    """Computes a Bartlett (triangular) window: ``1 - |2 * n / (M - 1) - 1|``.

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    options = _check_options("bartlett", M, given)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    step = 2 / (M if not given["sym"] else M - 1)
    k = torch.linspace(start=-1, end=-1 + (M - 1) * step, steps=M, **options)
    return 1 - torch.abs(k)


@_make_window_function
def general_cosine(M, given, *, a: Iterable):
    """Computes a sum of cosines with alternating signs.

    ``sum_i (-1) ** i * a[i] * cos(i * x)`` with x = 2 pi n / (M - 1).

    Args:
        M (int): length, at least 0.
        a (iterable of float): the coefficients.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
        tensor([0., 1., 0.])
    """
    options = _check_options("general_cosine", M, given)
    if M == 0:
        return torch.empty((0,), **options)
    if M == 1:
        return torch.ones((1,), **options)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    leaf = {name: options[name] for name in ("dtype", "device", "requires_grad")}

    def sum_of_cosines(x):
        weights = torch.tensor([weight * (-1) ** order for order, weight in enumerate(a)], **leaf)
        orders = torch.arange(len(weights), **leaf)
        return (weights.unsqueeze(-1) * torch.cos(orders.unsqueeze(-1) * x)).sum(0)

    return _sample_window_formula(sum_of_cosines, M, options, 0, 2 * torch.pi / (M - given["sym"]))


@_make_window_function
def general_hamming(M: int, given, *, alpha: float = 0.54):
    """Computes a generalised Hamming window: ``alpha - (1 - alpha) * cos(2 * pi * n / (M - 1))``.

    Args:
        M (int): length, at least 0.
        alpha (float): the constant term. Default: ``0.54``.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.general_hamming(3, alpha=0.75)
        tensor([0.5000, 1.0000, 0.5000])
    """
    return general_cosine(M, a=[alpha, 1.0 - alpha], **given)


@_make_window_function
def nuttall(M: int, given):
    """Computes Nuttall's minimum four-term window, a sum of cosines.

    The coefficients are 0.3635819, 0.4891775, 0.1365995 and 0.0106411 (Nuttall 1981, "Some windows with
    very good sidelobe behavior").

    Args:
        M (int): length, at least 0.
        sym (bool): symmetric, for filters; otherwise periodic, one period of M + 1 points without the
            last, for spectra. Default: ``True``.
        dtype (torch.dtype, optional): float32 or float64. Default: the default dtype.
        layout (torch.layout): ``torch.strided`` only.
        device (torch.device, optional): the device. Default: the default device.
        requires_grad (bool): whether the result is a leaf that requires gradients. Default: ``False``.

    Returns:
        Tensor: of shape ``(M,)``; empty for 0, ones for 1.

    Raises:
        ValueError: when an argument is out of its range.

    Example:
        >>> torch.signal.windows.nuttall(5)[2].round(decimals=4)
        tensor(1.)
    """
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], **given)
