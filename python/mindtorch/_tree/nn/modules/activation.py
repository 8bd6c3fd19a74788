"""Activation layers."""

import warnings

from ..._method_copies import copies_methods
from ..._root import torch
from .. import functional as F
from .. import init as _init
from ._multihead_attention import MultiheadAttention
from ._optional import register_optional_parameter
from .module import Module

__all__ = [
    "Threshold",
    "ReLU",
    "RReLU",
    "Hardtanh",
    "ReLU6",
    "Sigmoid",
    "Hardsigmoid",
    "Tanh",
    "SiLU",
    "Mish",
    "Hardswish",
    "ELU",
    "CELU",
    "SELU",
    "GLU",
    "GELU",
    "Hardshrink",
    "LeakyReLU",
    "LogSigmoid",
    "Softplus",
    "Softshrink",
    "MultiheadAttention",
    "PReLU",
    "Softsign",
    "Tanhshrink",
    "Softmin",
    "Softmax",
    "Softmax2d",
    "LogSoftmax",
]

MultiheadAttention.__module__ = __name__


def _inplace_note(module, separator=", "):
    """Returns the repr's addition for a layer that works in place."""
    return f"{separator}inplace=True" if module.inplace else ""


@copies_methods("__init__")
class _MaybeInplace(Module):
    """A layer that may overwrite its input with its result."""

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        return _inplace_note(self, separator="")


class Threshold(_MaybeInplace):
    """Replaces values at or below a threshold: ``y = x if x > threshold else value``.

    A NaN stays NaN.

    Args:
        threshold (float): values above it pass unchanged.
        value (float): what all others become.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Threshold(0.5, -1.0)(torch.tensor([0.2, 0.5, 0.9]))
        tensor([-1.0000, -1.0000,  0.9000])
    """

    __constants__ = ["threshold", "value", "inplace"]
    threshold: float
    value: float

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return f"threshold={self.threshold}, value={self.value}{_inplace_note(self)}"


class ReLU(_MaybeInplace):
    """Sets negative values to zero: ``y = max(0, x)``.

    The gradient at zero is zero. NaN stays NaN.

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.ReLU()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.relu(input, inplace=self.inplace)


class RReLU(Module):
    """Multiplies negative values by a slope drawn at random in training (Xu et al. 2015, section 2.4).

    ``y = x`` for ``x >= 0``, else ``y = a * x`` with `a` from ``U(lower, upper)``, anew for
    each element and call. In evaluation mode `a` is ``(lower + upper) / 2``.

    Args:
        lower (float): smallest slope. Default: ``1/8``.
        upper (float): largest slope. Default: ``1/3``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.RReLU(0.1, 0.3).eval()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-0.4000,  0.0000,  3.0000])
    """

    __constants__ = ["lower", "upper", "inplace"]
    lower: float
    upper: float
    inplace: bool

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}{_inplace_note(self)}"


class Hardtanh(Module):
    """Clamps values to an interval: ``y = min(max(x, min_val), max_val)``.

    Args:
        min_val (float): lower end. Default: ``-1.0``.
        max_val (float): upper end, above `min_val`. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.
        min_value (float, optional): deprecated name of `min_val`. Default: ``None``.
        max_value (float, optional): deprecated name of `max_val`. Default: ``None``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Hardtanh(-1.5, 2.0)(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.5000,  0.0000,  2.0000])
    """

    __constants__ = ["min_val", "max_val", "inplace"]
    min_val: float
    max_val: float
    inplace: bool

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            self._warn_renamed("min_value", "min_val")
            min_val = min_value
        if max_value is not None:
            self._warn_renamed("max_value", "max_val")
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    @staticmethod
    def _warn_renamed(old, new):
        warnings.warn(f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning, stacklevel=3)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}{_inplace_note(self)}"


class ReLU6(Hardtanh):
    """Clamps values to the interval from 0 to 6: ``y = min(max(0, x), 6)``.

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.ReLU6()(torch.tensor([-2.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return _inplace_note(self, separator="")


class Sigmoid(Module):
    """Maps values to the interval from 0 to 1: ``y = 1 / (1 + exp(-x))``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Sigmoid()(torch.tensor([-100.0, 0.0, 100.0]))
        tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return torch.sigmoid(input)


class Hardsigmoid(Module):
    """Approximates the sigmoid by three line segments: ``y = min(max(x / 6 + 1 / 2, 0), 1)``.

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
        tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """Applies the hyperbolic tangent: ``y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Tanh()(torch.tensor([-20.0, 0.0, 20.0]))
        tensor([-1.,  0.,  1.])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return torch.tanh(input)


class SiLU(_MaybeInplace):
    """Multiplies values by their sigmoid: ``y = x * sigmoid(x)``, also known as swish.

    Elfwing et al. 2017, "Sigmoid-Weighted Linear Units".

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.SiLU()(torch.tensor([-20.0, 0.0, 20.0]))
        tensor([-4.1223e-08,  0.0000e+00,  2.0000e+01])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.silu(input, inplace=self.inplace)


class Mish(_MaybeInplace):
    """Computes ``y = x * tanh(softplus(x))``, a smooth function that is not monotonic (Misra 2019).

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Mish()(torch.tensor([0.0, 30.0]))
        tensor([ 0., 30.])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.mish(input, inplace=self.inplace)


class Hardswish(Module):
    """Multiplies values by a piecewise linear sigmoid: ``y = x * min(max(x + 3, 0), 6) / 6``.

    Howard et al. 2019, "Searching for MobileNetV3", section 5.2.

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Hardswish()(torch.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000,  0.6667,  4.0000])
    """

    __constants__ = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.hardswish(input, self.inplace)


@copies_methods("__init__")
class _WithAlpha(Module):
    __constants__ = ["alpha", "inplace"]
    alpha: float
    inplace: bool

    def __init__(self, alpha=1.0, inplace=False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self):
        return f"alpha={self.alpha}{_inplace_note(self)}"


class ELU(_WithAlpha):
    """Lets negative values saturate: ``y = x`` above zero, ``alpha * (exp(x) - 1)`` below.

    Clevert et al. 2015, eq. 15.

    Args:
        alpha (float): minus the limit at minus infinity. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.ELU(alpha=2.0)(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.7293,  0.0000,  3.0000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.elu(input, self.alpha, self.inplace)


class CELU(_WithAlpha):
    """Is an ELU with a continuous derivative: ``y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.

    Barron 2017, eq. 2.

    Args:
        alpha (float): minus the limit at minus infinity, not zero. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.CELU(alpha=2.0)(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.2642,  0.0000,  3.0000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.celu(input, self.alpha, self.inplace)


class SELU(_MaybeInplace):
    """Is a scaled ELU that keeps mean 0 and variance 1 from layer to layer (Klambauer et al. 2017, eq. 2).

    ``y = scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))`` with ``scale`` =
    1.0507009873554805 and ``alpha`` = 1.6732632423543772. Initialise weights with
    ``nonlinearity="linear"`` and drop with `AlphaDropout`.

    Args:
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.SELU()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.5202,  0.0000,  3.1521])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.selu(input, self.inplace)


class GLU(Module):
    """Multiplies one half of the input by the sigmoid of the other: ``y = a * sigmoid(b)``.

    `a` is the first half along `dim`, `b` the second (Dauphin et al. 2016, section 2).

    Args:
        dim (int): the dimension that is halved. Default: ``-1``.

    Shape:
        - input: any, with an even size at `dim`.
        - output: as the input, with half that size.

    Example:
        >>> nn.GLU()(torch.tensor([[2.0, 4.0, 0.0, 100.0]]))
        tensor([[1., 4.]])
    """

    __constants__ = ["dim"]
    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """Multiplies values by the normal distribution function: ``y = x * Phi(x)`` (Hendrycks and Gimpel 2016).

    Args:
        approximate (str): ``"none"`` is exact; ``"tanh"`` is
            ``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))``. Default: ``"none"``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.1587,  0.0000,  0.8413])
        >>> nn.GELU(approximate="tanh")(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.1588,  0.0000,  0.8412])
    """

    __constants__ = ["approximate"]
    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


@copies_methods("__init__")
class _WithLambda(Module):
    __constants__ = ["lambd"]
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self):
        return str(self.lambd)


class Hardshrink(_WithLambda):
    """Sets values near zero to zero: ``y = 0 if -lambd <= x <= lambd else x``.

    Args:
        lambd (float): half the width of the interval. Default: ``0.5``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Hardshrink()(torch.tensor([-2.0, 0.3, 0.5, 0.7]))
        tensor([-2.0000,  0.0000,  0.0000,  0.7000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.hardshrink(input, self.lambd)


class LeakyReLU(_MaybeInplace):
    """Multiplies negative values by a slope: ``y = x`` above zero, ``negative_slope * x`` below.

    Args:
        negative_slope (float): the slope. Default: ``0.01``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.LeakyReLU(0.1)(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-0.2000,  0.0000,  3.0000])
    """

    __constants__ = ["inplace", "negative_slope"]
    negative_slope: float

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{_inplace_note(self)}"


class LogSigmoid(Module):
    """Applies the logarithm of the sigmoid: ``y = -log(1 + exp(-x))``, without overflow.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.LogSigmoid()(torch.tensor([-100.0, 0.0]))
        tensor([-100.0000,   -0.6931])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.logsigmoid(input)


class Softplus(Module):
    """Applies a smooth version of ReLU: ``y = log(1 + exp(beta * x)) / beta``.

    Where ``beta * x > threshold`` the result is `x` itself, so that `exp` does not overflow.

    Args:
        beta (float): sharpness. Default: ``1.0``.
        threshold (float): where the linear part begins. Default: ``20.0``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Softplus()(torch.tensor([-2.0, 0.0, 100.0]))
        tensor([  0.1269,   0.6931, 100.0000])
    """

    __constants__ = ["beta", "threshold"]
    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(_WithLambda):
    """Moves values towards zero: ``y = sign(x) * max(|x| - lambd, 0)``.

    Args:
        lambd (float): the distance, not negative. Default: ``0.5``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Softshrink()(torch.tensor([-2.0, 0.3, 0.7]))
        tensor([-1.5000,  0.0000,  0.2000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.softshrink(input, self.lambd)


class PReLU(Module):
    """Multiplies negative values by a learned slope, one for all or one per channel (He et al. 2015, eq. 1).

    ``y = x`` above zero, ``weight * x`` below. Dimension 1 is the channels; with fewer than two
    dimensions there is one channel. Weight decay pulls the slope to zero and is best left out.

    Args:
        num_parameters (int): ``1``, or the number of channels. Default: ``1``.
        init (float): first value of the slopes. Default: ``0.25``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: any; the output has the same shape.

    Attributes:
        weight (Parameter): ``(num_parameters,)``, all `init`.

    Example:
        >>> nn.PReLU()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-0.5000,  0.0000,  3.0000], grad_fn=<PreluKernelBackward0>)
        >>> nn.PReLU(4)(torch.randn(2, 4, 5)).shape
        torch.Size([2, 4, 5])
    """

    __constants__ = ["num_parameters"]
    num_parameters: int

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None:
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        register_optional_parameter(self, "weight", num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets all slopes to `init`."""
        _init.constant_(self.weight, self.init)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """Maps values to the interval from -1 to 1: ``y = x / (1 + |x|)``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Softsign()(torch.tensor([-3.0, 0.0, 1.0]))
        tensor([-0.7500,  0.0000,  0.5000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.softsign(input)


class Tanhshrink(Module):
    """Subtracts the hyperbolic tangent: ``y = x - tanh(x)``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Tanhshrink()(torch.tensor([-20.0, 0.0, 20.0]))
        tensor([-19.,   0.,  19.])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.tanhshrink(input)


@copies_methods("__init__")
class _AlongDim(Module):
    """A normalisation along `dim`."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state):
        super().__setstate__({"dim": None, **state})  # old pickles lack it

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(_AlongDim):
    """Normalises ``exp(-x)`` to sum 1 along a dimension: the softmax of ``-x``.

    Args:
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Softmin(dim=0)(torch.tensor([0.0, 0.0, 1000.0]))
        tensor([0.5000, 0.5000, 0.0000])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """Normalises ``exp(x)`` to sum 1 along a dimension: ``y_i = exp(x_i) / sum_j exp(x_j)``.

    The largest value is subtracted first, so that `exp` does not overflow. A slice that is all
    minus infinity gives NaN. For a loss take `LogSoftmax`, or `CrossEntropyLoss` of the raw
    scores.

    Args:
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.Softmax(dim=1)(torch.tensor([[0.0, 0.0], [1000.0, 0.0]]))
        tensor([[0.5000, 0.5000],
                [1.0000, 0.0000]])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Applies the softmax over the channels of images, for each pixel by itself.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``; the output has the same shape.

    Raises:
        ValueError: for another number of dimensions.

    Example:
        >>> nn.Softmax2d()(torch.zeros(2, 4, 3, 3))[0, :, 0, 0]
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """Computes the logarithm of the softmax: ``y_i = x_i - log(sum_j exp(x_j))``.

    Faster and more precise than the two steps one after the other.

    Args:
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.

    Shape:
        - input: any; the output has the same shape.

    Example:
        >>> nn.LogSoftmax(dim=0)(torch.tensor([0.0, 0.0]))
        tensor([-0.6931, -0.6931])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.log_softmax(input, self.dim, _stacklevel=5)
