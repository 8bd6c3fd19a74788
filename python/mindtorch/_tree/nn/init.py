"""torch.nn.init: initial values of parameters, generated in torch's order."""

import math
import warnings
from typing import Literal

from .._root import torch
from ..overrides import handle_torch_function, has_torch_function_unary

__all__ = [
    "calculate_gain",
    "uniform_",
    "normal_",
    "trunc_normal_",
    "constant_",
    "ones_",
    "zeros_",
    "eye_",
    "dirac_",
    "xavier_uniform_",
    "xavier_normal_",
    "kaiming_uniform_",
    "kaiming_normal_",
    "orthogonal_",
    "sparse_",
    "uniform",
    "normal",
    "constant",
    "eye",
    "dirac",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
    "sparse",
]

_GAIN_ONE = {
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
}


def _no_grad_uniform_(tensor, a, b, generator=None):
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(tensor, mean, std, generator=None):
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_fill_(tensor, val):
    with torch.no_grad():
        return tensor.fill_(val)


def _no_grad_zero_(tensor):
    with torch.no_grad():
        return tensor.zero_()


def calculate_gain(
    nonlinearity: Literal[
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "sigmoid",
        "tanh",
        "relu",
        "leaky_relu",
        "selu",
    ],
    param: int | float | None = None,
) -> float:
    """Returns the factor by which weights before a nonlinearity are scaled to keep the variance.

    1 for linear and convolution layers and the sigmoid, 5/3 for tanh, sqrt(2) for ReLU,
    ``sqrt(2 / (1 + slope^2))`` for leaky ReLU (He et al. 2015), 3/4 for SELU.

    Args:
        nonlinearity (str): ``"linear"``, ``"conv1d"`` and so on, ``"sigmoid"``, ``"tanh"``,
            ``"relu"``, ``"leaky_relu"`` or ``"selu"``.
        param (float, optional): slope of the leaky ReLU. Default: ``None``, 0.01.

    Returns:
        float: the factor.

    Raises:
        ValueError: for an unknown name or a slope that is not a number.

    Example:
        >>> nn.init.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity in _GAIN_ONE:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        else:
            slope = param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(
    tensor: torch.Tensor, a: float = 0.0, b: float = 1.0, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Fills with values from the uniform distribution over ``[a, b)``.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        a (float): lower end. Default: ``0.0``.
        b (float): upper end. Default: ``1.0``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> w = nn.init.uniform_(torch.empty(4, 6), -1.0, 1.0)
        >>> bool((w.abs() <= 1).all())
        True
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(uniform_, (tensor,), tensor=tensor, a=a, b=b, generator=generator)
    return _no_grad_uniform_(tensor, a, b, generator)


def normal_(
    tensor: torch.Tensor, mean: float = 0.0, std: float = 1.0, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Fills with values from the normal distribution.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        mean (float): its mean. Default: ``0.0``.
        std (float): its standard deviation. Default: ``1.0``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> nn.init.normal_(torch.empty(4, 6), std=0.0).sum()
        tensor(0.)
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(normal_, (tensor,), tensor=tensor, mean=mean, std=std, generator=generator)
    return _no_grad_normal_(tensor, mean, std, generator)


def _standard_normal_cdf(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _resample_values_outside(tensor, mean, std, a, b, generator):
    """Samples all values again and replaces those outside [a, b]."""
    # Rounds the bounds to the tensor's dtype: otherwise a sample of a half type may never be inside.
    low = tensor.new_tensor(a, device="cpu").item()
    high = tensor.new_tensor(b, device="cpu").item()
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            break
        fresh = torch.empty_like(result).normal_(mean, std, generator=generator)
        result = torch.where(outside, fresh, result)
    if result is not tensor:
        tensor.copy_(result)


def _reject_from_uniform(tensor, mean, std, a, b, generator):
    """Rejection sampling with a uniform proposal: for bounds that cover little of the normal distribution's mass."""
    peak = max(a, min(mean, b))
    log_peak = -0.5 * ((peak - mean) / std) ** 2
    proposal = torch.empty_like(tensor)
    height = torch.empty_like(tensor)

    def is_proposal_rejected():
        """Whether log(u) exceeds the density at the proposal, relative to its peak; overwrites the proposal."""
        proposal.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return height.uniform_(generator=generator).log_().gt(proposal)

    tensor.uniform_(a, b, generator=generator)
    proposal.copy_(tensor)
    pending = is_proposal_rejected()
    if not pending.any():
        return
    result = tensor
    while True:
        proposal.uniform_(a, b, generator=generator)
        result = torch.where(pending, proposal, result)
        pending = torch.where(pending, is_proposal_rejected(), pending)
        if not pending.any():
            break
    tensor.copy_(result)


def _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=None):
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with torch.no_grad():
        mass = _standard_normal_cdf((b - mean) / std) - _standard_normal_cdf((a - mean) / std)
        draw = _resample_values_outside if mass > 0.3 else _reject_from_uniform
        draw(tensor, mean, std, a, b, generator)
    return tensor


def trunc_normal_(
    tensor: torch.Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Fills with values from a normal distribution restricted to ``[a, b]``.

    Values outside are drawn again, or, where the interval holds little of the distribution,
    drawn by rejection from the uniform one. Warns when `mean` is more than two `std` outside
    the interval.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        mean (float): mean of the distribution before it is cut. Default: ``0.0``.
        std (float): its standard deviation. Default: ``1.0``.
        a (float): lower end. Default: ``-2.0``.
        b (float): upper end. Default: ``2.0``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> w = nn.init.trunc_normal_(torch.empty(4, 6))
        >>> bool((w.abs() <= 2).all())
        True
    """
    return _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=generator)


def constant_(tensor: torch.Tensor, val: float) -> torch.Tensor:
    """Fills with one value.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        val (float): the value.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> nn.init.constant_(torch.empty(2), 0.3)
        tensor([0.3000, 0.3000])
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(constant_, (tensor,), tensor=tensor, val=val)
    return _no_grad_fill_(tensor, val)


def ones_(tensor: torch.Tensor) -> torch.Tensor:
    """Fills with ones.

    Args:
        tensor (Tensor): filled in place, without a gradient.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> nn.init.ones_(torch.empty(2))
        tensor([1., 1.])
    """
    return _no_grad_fill_(tensor, 1.0)


def zeros_(tensor: torch.Tensor) -> torch.Tensor:
    """Fills with zeros.

    Args:
        tensor (Tensor): filled in place, without a gradient.

    Returns:
        Tensor: `tensor`.

    Example:
        >>> nn.init.zeros_(torch.empty(2))
        tensor([0., 0.])
    """
    return _no_grad_zero_(tensor)


def eye_(tensor: torch.Tensor) -> torch.Tensor:
    """Makes a matrix the identity: as many features pass a linear layer unchanged as can.

    Args:
        tensor (Tensor): two-dimensional, filled in place, without a gradient.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for another number of dimensions.

    Example:
        >>> nn.init.eye_(torch.empty(3, 2))
        tensor([[1., 0.],
                [0., 1.],
                [0., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: torch.Tensor, groups: int = 1) -> torch.Tensor:
    """Makes convolution weights pass as many channels through unchanged as they can.

    The centre of filter `i` is one at input channel `i`, all else is zero.

    Args:
        tensor (Tensor): of 3, 4 or 5 dimensions, filled in place, without a gradient.
        groups (int): groups of output channels, each of which begins at input channel 0.
            Default: ``1``.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for another number of dimensions, or output channels that `groups` does not
            divide.

    Example:
        >>> x = torch.randn(1, 2, 5)
        >>> torch.equal(F.conv1d(x, nn.init.dirac_(torch.empty(2, 2, 3)), padding=1), x)
        True
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels, in_channels, *kernel = tensor.size()
    if out_channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    per_group = out_channels // groups
    centre = tuple(size // 2 for size in kernel)
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, in_channels)):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = 1
    for size in tensor.shape[2:]:
        receptive_field *= size
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _xavier_std(tensor, gain):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def xavier_uniform_(tensor: torch.Tensor, gain: float = 1.0, generator: torch.Generator | None = None) -> torch.Tensor:
    """Fills with uniform values that keep variances through a layer (Glorot and Bengio 2010, eq. 16).

    From ``U(-b, b)`` with ``b = gain * sqrt(6 / (fan_in + fan_out))``. `fan_in` is
    ``tensor.size(1)`` and `fan_out` ``tensor.size(0)``, each times the number of elements of
    the dimensions that follow: the tensor is a weight ``(out, in, *)``.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        gain (float): a factor, see `calculate_gain`. Default: ``1.0``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> w = nn.init.xavier_uniform_(torch.empty(3, 3))
        >>> bool((w.abs() <= 1).all())  # sqrt(6 / 6)
        True
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return _no_grad_uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: torch.Tensor, gain: float = 1.0, generator: torch.Generator | None = None) -> torch.Tensor:
    """Fills with normal values that keep variances through a layer (Glorot and Bengio 2010).

    Mean 0 and standard deviation ``gain * sqrt(2 / (fan_in + fan_out))``. `fan_in` is
    ``tensor.size(1)`` and `fan_out` ``tensor.size(0)``, each times the number of elements of
    the dimensions that follow: the tensor is a weight ``(out, in, *)``.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        gain (float): a factor, see `calculate_gain`. Default: ``1.0``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> w = nn.init.xavier_normal_(torch.empty(400, 400))
        >>> round(w.std().item(), 2)  # sqrt(2 / 800)
        0.05
    """
    return _no_grad_normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def _is_empty(tensor):
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def kaiming_uniform_(
    tensor: torch.Tensor,
    a: float = 0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: Literal[
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "sigmoid",
        "tanh",
        "relu",
        "leaky_relu",
        "selu",
    ] = "leaky_relu",
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Fills with uniform values made for rectifiers (He et al. 2015, section 2.2).

    From ``U(-b, b)`` with ``b = gain * sqrt(3 / fan)``. An empty tensor warns. `fan_in` is
    ``tensor.size(1)`` and `fan_out` ``tensor.size(0)``, each times the number of elements of
    the dimensions that follow: the tensor is a weight ``(out, in, *)``.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        a (float): slope of the leaky ReLU that follows. Default: ``0``.
        mode (str): ``"fan_in"`` keeps the variance of the forward pass, ``"fan_out"`` that of
            the backward pass. Default: ``"fan_in"``.
        nonlinearity (str): what follows, see `calculate_gain`. Default: ``"leaky_relu"``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> w = nn.init.kaiming_uniform_(torch.empty(4, 6), nonlinearity="relu")
        >>> bool((w.abs() <= 1).all())  # sqrt(2) * sqrt(3 / 6)
        True
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(
            kaiming_uniform_, (tensor,), tensor=tensor, a=a, mode=mode, nonlinearity=nonlinearity, generator=generator
        )
    if _is_empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return _no_grad_uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: torch.Tensor,
    a: float = 0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: Literal[
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "sigmoid",
        "tanh",
        "relu",
        "leaky_relu",
        "selu",
    ] = "leaky_relu",
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Fills with normal values made for rectifiers (He et al. 2015, eq. 10 and 14).

    Mean 0 and standard deviation ``gain / sqrt(fan)``. An empty tensor warns. `fan_in` is
    ``tensor.size(1)`` and `fan_out` ``tensor.size(0)``, each times the number of elements of
    the dimensions that follow: the tensor is a weight ``(out, in, *)``.

    Args:
        tensor (Tensor): filled in place, without a gradient.
        a (float): slope of the leaky ReLU that follows. Default: ``0``.
        mode (str): ``"fan_in"`` keeps the variance of the forward pass, ``"fan_out"`` that of
            the backward pass. Default: ``"fan_in"``.
        nonlinearity (str): what follows, see `calculate_gain`. Default: ``"leaky_relu"``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> w = nn.init.kaiming_normal_(torch.empty(400, 800), nonlinearity="relu")
        >>> round(w.std().item(), 2)  # sqrt(2 / 800)
        0.05
    """
    if _is_empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return _no_grad_normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor: torch.Tensor, gain: float = 1, generator: torch.Generator | None = None) -> torch.Tensor:
    """Makes rows or columns, whichever are fewer, orthonormal; uniformly distributed (Saxe et al. 2013).

    Dimensions after the first count as one. The factor Q of a Gaussian matrix, its signs made
    unique (Mezzadri 2006).

    Args:
        tensor (Tensor): of two or more dimensions, filled in place, without a gradient.
        gain (float): a factor. Default: ``1``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for fewer than two dimensions.

    Example:
        >>> w = nn.init.orthogonal_(torch.empty(2, 5))
        >>> torch.allclose(w @ w.T, torch.eye(2), atol=1e-5)
        True
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.is_meta or not tensor.numel():
        return tensor
    shape = (tensor.size(0), tensor.numel() // tensor.size(0))
    gaussian = tensor.new_empty(shape).normal_(generator=generator)
    is_wide = shape[0] < shape[1]
    factors = torch.linalg.qr(gaussian.mT if is_wide else gaussian)
    basis = factors.Q.mul_(factors.R.diagonal().sign())  # a unique factorisation, hence Q uniform (Mezzadri 2006)
    with torch.no_grad():
        tensor.view(shape).copy_(basis.mT if is_wide else basis).mul_(gain)
    return tensor


def sparse_(
    tensor: torch.Tensor, sparsity: float, std: float = 0.01, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Fills with normal values and sets a share of each column to zero (Martens 2010).

    Args:
        tensor (Tensor): two-dimensional, filled in place, without a gradient.
        sparsity (float): the share that is zero, rounded up to whole rows.
        std (float): standard deviation of the others. Default: ``0.01``.
        generator (torch.Generator, optional): source of random numbers. Default: ``None``, the
            default generator.

    Returns:
        Tensor: `tensor`.

    Raises:
        ValueError: for another number of dimensions.

    Example:
        >>> (nn.init.sparse_(torch.empty(10, 4), 0.3) == 0).sum(0)
        tensor([3, 3, 3, 3])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if not tensor.is_meta:
        _no_grad_normal_(tensor, 0, std, generator)
        with torch.no_grad():
            rows = len(tensor)
            for column in range(tensor.size(1)):
                tensor[torch.randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


def _make_deprecate(meth):
    """Makes the old name, without the underscore, of an initialiser."""
    new_name = meth.__name__
    old_name = new_name[:-1]

    def deprecated_init(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{old_name}` is now deprecated in favor of `nn.init.{new_name}`.", FutureWarning, stacklevel=2
        )
        return meth(*args, **kwargs)

    deprecated_init.__doc__ = (
        f"Is the deprecated name of `{new_name}`; warns.\n\n"
        f"Args:\n    *args: those of `{new_name}`.\n    **kwargs: those of `{new_name}`.\n\n"
        "Returns:\n    Tensor: the tensor, filled."
    )
    deprecated_init.__name__ = old_name
    return deprecated_init


(
    uniform, normal, constant, eye, dirac, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, orthogonal,
    sparse,
) = map(
    _make_deprecate,
    (
        uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_,
        orthogonal_, sparse_,
    ),
)  # fmt: skip
