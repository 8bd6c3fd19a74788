"""Pooling layers."""

from ..._root import torch
from ..._method_copies import copies_methods
from .. import functional as F
from .module import Module
from .utils import _pair, _single, _triple

__all__ = [
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
]


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _call_pooling(self, function, input):
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Takes the largest value of each window of a signal, channel by channel.

    The padding counts as minus infinity and never wins; a NaN in a window does. Windows that would
    begin in the padding at the end are left out, also with `ceil_mode`.

    Args:
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of one int): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of one int): distance between the elements of a window. Default:
            ``1``.
        return_indices (bool): whether the position of each maximum is returned too, as
            `MaxUnpool1d` takes it: an index into the flattened spatial dimensions. Default:
            ``False``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: ``(N, C, L_out)`` or ``(C, L_out)``, or a pair of output and indices. Each
          size becomes ``floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride)
          + 1``, with `ceil` in place of `floor` for `ceil_mode`.

    Example:
        >>> nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 5.0, 4.0]]))
        tensor([[3., 5.]])
        >>> nn.MaxPool1d(5, stride=3)(torch.randn(2, 4, 30)).shape
        torch.Size([2, 4, 9])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """Takes the largest value of each window of an image, channel by channel.

    The padding counts as minus infinity and never wins; a NaN in a window does. Windows that would
    begin in the padding at the end are left out, also with `ceil_mode`.

    Args:
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of two ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of two ints): distance between the elements of a window. Default:
            ``1``.
        return_indices (bool): whether the position of each maximum is returned too, as
            `MaxUnpool2d` takes it: an index into the flattened spatial dimensions. Default:
            ``False``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, H_out, W_out)`` or ``(C, H_out, W_out)``, or a pair of output and
          indices. Each size becomes ``floor((size + 2 * padding - dilation * (kernel_size - 1)
          - 1) / stride) + 1``, with `ceil` in place of `floor` for `ceil_mode`.

    Example:
        >>> nn.MaxPool2d(2, stride=3)(torch.randn(2, 4, 13, 10)).shape
        torch.Size([2, 4, 4, 3])
        >>> values, indices = nn.MaxPool2d(2, return_indices=True)(torch.arange(16.0).view(1, 4, 4))
        >>> indices
        tensor([[[ 5,  7],
                 [13, 15]]])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """Takes the largest value of each window of a volume, channel by channel.

    The padding counts as minus infinity and never wins; a NaN in a window does. Windows that would
    begin in the padding at the end are left out, also with `ceil_mode`.

    Args:
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of three ints): distance between the elements of a window.
            Default: ``1``.
        return_indices (bool): whether the position of each maximum is returned too, as
            `MaxUnpool3d` takes it: an index into the flattened spatial dimensions. Default:
            ``False``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, D_out, H_out, W_out)`` or ``(C, D_out, H_out, W_out)``, or a pair of
          output and indices. Each size becomes ``floor((size + 2 * padding - dilation *
          (kernel_size - 1) - 1) / stride) + 1``, with `ceil` in place of `floor` for
          `ceil_mode`.

    Example:
        >>> nn.MaxPool3d((1, 2, 2))(torch.randn(2, 4, 5, 8, 6)).shape
        torch.Size([2, 4, 5, 4, 3])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.max_pool3d, input)


@copies_methods("__init__")
class _MaxUnpoolNd(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size = self._ntuple(kernel_size)
        self.stride = self._ntuple(kernel_size if stride is None else stride)
        self.padding = self._ntuple(padding)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool1d` found them; all other elements are zero.

    Where windows overlap and two maxima have one index, either value may remain.

    Args:
        kernel_size (int or tuple of one int): window of the pooling.
        stride (int or tuple of one int, optional): its step. Default: ``None``, as `kernel_size`.
        padding (int or tuple of one int): its padding. Default: ``0``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``, and indices of that shape.
        - output: ``(N, C, L_out)`` or ``(C, L_out)``. Each size becomes
          ``(size - 1) * stride - 2 * padding + kernel_size``, or what `output_size` of the call
          says.

    Example:
        >>> pool = nn.MaxPool1d(2, stride=2, return_indices=True)
        >>> values, indices = pool(torch.tensor([[[1.0, 2.0, 4.0, 3.0]]]))
        >>> nn.MaxUnpool1d(2, stride=2)(values, indices)
        tensor([[[0., 2., 4., 0.]]])
    """

    _ntuple = staticmethod(_single)

    def forward(self, input: torch.Tensor, indices: torch.Tensor, output_size: list[int] | None = None) -> torch.Tensor:
        """Puts the values back.

        Args:
            input (Tensor): maxima, as pooling gave them.
            indices (Tensor): their indices, int64, of the same shape.
            output_size (list of int, optional): size that the pooling had as input, for sizes that it
                rounded down; less than one stride from the default. Default: ``None``.

        Returns:
            Tensor: zero but for the maxima.
        """
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool2d` found them; all other elements are zero.

    Where windows overlap and two maxima have one index, either value may remain.

    Args:
        kernel_size (int or tuple of two ints): window of the pooling.
        stride (int or tuple of two ints, optional): its step. Default: ``None``, as `kernel_size`.
        padding (int or tuple of two ints): its padding. Default: ``0``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``, and indices of that shape.
        - output: ``(N, C, H_out, W_out)`` or ``(C, H_out, W_out)``. Each size becomes
          ``(size - 1) * stride - 2 * padding + kernel_size``, or what `output_size` of the call
          says.

    Example:
        >>> pool = nn.MaxPool2d(2, return_indices=True)
        >>> values, indices = pool(torch.tensor([[[1.0, 5.0, 0.0, 7.0], [2.0, 3.0, 8.0, 4.0]]]))
        >>> nn.MaxUnpool2d(2)(values, indices)
        tensor([[[0., 5., 0., 0.],
                 [0., 0., 8., 0.]]])
    """

    _ntuple = staticmethod(_pair)

    def forward(self, input: torch.Tensor, indices: torch.Tensor, output_size: list[int] | None = None) -> torch.Tensor:
        """Puts the values back.

        Args:
            input (Tensor): maxima, as pooling gave them.
            indices (Tensor): their indices, int64, of the same shape.
            output_size (list of int, optional): size that the pooling had as input, for sizes that it
                rounded down; less than one stride from the default. Default: ``None``.

        Returns:
            Tensor: zero but for the maxima.
        """
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts maxima back where `MaxPool3d` found them; all other elements are zero.

    Where windows overlap and two maxima have one index, either value may remain.

    Args:
        kernel_size (int or tuple of three ints): window of the pooling.
        stride (int or tuple of three ints, optional): its step. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): its padding. Default: ``0``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``, and indices of that shape.
        - output: ``(N, C, D_out, H_out, W_out)`` or ``(C, D_out, H_out, W_out)``. Each size
          becomes ``(size - 1) * stride - 2 * padding + kernel_size``, or what `output_size` of
          the call says.

    Example:
        >>> pool = nn.MaxPool3d(2, return_indices=True)
        >>> values, indices = pool(torch.randn(2, 4, 6, 6, 6))
        >>> nn.MaxUnpool3d(2)(values, indices).shape
        torch.Size([2, 4, 6, 6, 6])
    """

    _ntuple = staticmethod(_triple)

    def forward(self, input: torch.Tensor, indices: torch.Tensor, output_size: list[int] | None = None) -> torch.Tensor:
        """Puts the values back.

        Args:
            input (Tensor): maxima, as pooling gave them.
            indices (Tensor): their indices, int64, of the same shape.
            output_size (list of int, optional): size that the pooling had as input, for sizes that it
                rounded down; less than one stride from the default. Default: ``None``.

        Returns:
            Tensor: zero but for the maxima.
        """
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _AvgPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    ceil_mode: bool
    count_include_pad: bool

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """Takes the mean of each window of a signal, channel by channel.

    Args:
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of one int): zeros added at both ends, at most half of `kernel_size`.
            Default: ``0``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        count_include_pad (bool): whether the zeros of the padding count in the means. Default:
            ``True``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: ``(N, C, L_out)`` or ``(C, L_out)``. Each size becomes
          ``floor((size + 2 * padding - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 5.0, 9.0]]))
        tensor([[2., 7.]])
    """

    def __init__(
        self,
        kernel_size: int | tuple[int],
        stride: int | tuple[int] = None,
        padding: int | tuple[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


@copies_methods("__init__")
class _AvgPoolWithDivisor(_AvgPoolNd):
    __constants__ = [*_AvgPoolNd.__constants__, "divisor_override"]

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _call_pooling(self, function, input):
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolWithDivisor):
    """Takes the mean of each window of an image, channel by channel.

    Args:
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of two ints): zeros added at both ends, at most half of `kernel_size`.
            Default: ``0``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        count_include_pad (bool): whether the zeros of the padding count in the means. Default:
            ``True``.
        divisor_override (int, optional): what the sum of a window is divided by, in place of the
            number of its elements. Default: ``None``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, H_out, W_out)`` or ``(C, H_out, W_out)``. Each size becomes
          ``floor((size + 2 * padding - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.AvgPool2d((1, 3))(torch.randn(2, 4, 5, 9)).shape
        torch.Size([2, 4, 5, 3])
        >>> nn.AvgPool2d(2)(torch.arange(16.0).view(1, 4, 4))
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.avg_pool2d, input)


class AvgPool3d(_AvgPoolWithDivisor):
    """Takes the mean of each window of a volume, channel by channel.

    Args:
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): zeros added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        count_include_pad (bool): whether the zeros of the padding count in the means. Default:
            ``True``.
        divisor_override (int, optional): what the sum of a window is divided by, in place of the
            number of its elements. Default: ``None``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, D_out, H_out, W_out)`` or ``(C, D_out, H_out, W_out)``. Each size becomes
          ``floor((size + 2 * padding - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.AvgPool3d((1, 2, 2))(torch.randn(2, 4, 5, 8, 6)).shape
        torch.Size([2, 4, 5, 4, 3])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.avg_pool3d, input)

    def __setstate__(self, d):
        super().__setstate__(d)
        for name, default in (("padding", 0), ("ceil_mode", False), ("count_include_pad", True)):
            self.__dict__.setdefault(name, default)


@copies_methods("__init__")
class _FractionalMaxPoolNd(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    return_indices: bool

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        output_size: int | tuple[int, ...] | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples=None,
    ) -> None:
        super().__init__()
        ntuple = self._ntuple
        self.kernel_size = ntuple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else ntuple(output_size)
        self.output_ratio = None if output_ratio is None else ntuple(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{self._public_name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _call_pooling(self, function, input):
        return function(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Takes the maximum over windows of an image whose positions are drawn at random (Graham 2014).

    The pseudo-random, overlapping sequences of "Fractional Max-Pooling", section 2: the distance
    between windows varies so that exactly the requested number of them fits. Pass one of
    `output_size` and `output_ratio`.

    Args:
        kernel_size (int or tuple of two ints): size of the window.
        output_size (int or tuple of two ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (float or tuple of two floats, optional): output size over input size,
            between 0 and 1. Default: ``None``.
        return_indices (bool): whether the position of each maximum is returned too, an index into
            the flattened spatial dimensions. Default: ``False``.
        _random_samples (Tensor, optional): ``(N, C, 2)`` numbers in ``[0, 1)`` that fix the
            positions; drawn at each call where ``None``. Default: ``None``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``, or a pair of output and
          indices.

    Raises:
        ValueError: when none or both of `output_size` and `output_ratio` are given, or a ratio is
            not between 0 and 1.

    Example:
        >>> nn.FractionalMaxPool2d(2, output_size=(9, 7))(torch.randn(2, 4, 20, 16)).shape
        torch.Size([2, 4, 9, 7])
        >>> nn.FractionalMaxPool2d(2, output_ratio=0.5)(torch.randn(2, 4, 8, 8)).shape
        torch.Size([2, 4, 4, 4])
    """

    _ntuple = staticmethod(_pair)
    _public_name = "FractionalMaxPool2d"

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Takes the maximum over windows of a volume whose positions are drawn at random (Graham 2014).

    The pseudo-random, overlapping sequences of "Fractional Max-Pooling", section 2: the distance
    between windows varies so that exactly the requested number of them fits. Pass one of
    `output_size` and `output_ratio`.

    Args:
        kernel_size (int or tuple of three ints): size of the window.
        output_size (int or tuple of three ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (float or tuple of three floats, optional): output size over input size,
            between 0 and 1. Default: ``None``.
        return_indices (bool): whether the position of each maximum is returned too, an index into
            the flattened spatial dimensions. Default: ``False``.
        _random_samples (Tensor, optional): ``(N, C, 3)`` numbers in ``[0, 1)`` that fix the
            positions; drawn at each call where ``None``. Default: ``None``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``, or a pair of output and
          indices.

    Raises:
        ValueError: when none or both of `output_size` and `output_ratio` are given, or a ratio is
            not between 0 and 1.

    Example:
        >>> nn.FractionalMaxPool3d(2, output_size=(4, 5, 6))(torch.randn(2, 4, 20, 20, 16)).shape
        torch.Size([2, 4, 4, 5, 6])
        >>> nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.randn(2, 4, 8, 8, 8)).shape
        torch.Size([2, 4, 4, 4, 4])
    """

    _ntuple = staticmethod(_triple)
    _public_name = "FractionalMaxPool3d"

    def __init__(
        self,
        kernel_size: int | tuple[int, int, int],
        output_size: int | tuple[int, int, int] | None = None,
        output_ratio: float | tuple[float, float, float] | None = None,
        return_indices: bool = False,
        _random_samples=None,
    ) -> None:
        if isinstance(kernel_size, (int, tuple, list)) and not all(k > 0 for k in _triple(kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return self._call_pooling(F.fractional_max_pool3d, input)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    norm_type: float
    ceil_mode: bool

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """Takes the p-norm of each window of a signal: ``(sum x^p)^(1/p)``.

    ``p = 1`` gives sums, an infinite `p` gives maxima of the absolute values. Powers are of the
    values, not of their magnitudes: a negative sum gives NaN unless `p` is 1. Where a
    sum is zero the gradient is set to zero.

    Args:
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: ``(N, C, L_out)`` or ``(C, L_out)``. Each size becomes
          ``floor((size - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.LPPool1d(2, kernel_size=2)(torch.tensor([[3.0, 4.0, 6.0, 8.0]]))
        tensor([[ 5., 10.]])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """Takes the p-norm of each window of an image: ``(sum x^p)^(1/p)``.

    ``p = 1`` gives sums, an infinite `p` gives maxima of the absolute values. Powers are of the
    values, not of their magnitudes: a negative sum gives NaN unless `p` is 1. Where a
    sum is zero the gradient is set to zero.

    Args:
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, H_out, W_out)`` or ``(C, H_out, W_out)``. Each size becomes
          ``floor((size - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.LPPool2d(3, kernel_size=2)(torch.rand(2, 4, 8, 8)).shape
        torch.Size([2, 4, 4, 4])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """Takes the p-norm of each window of a volume: ``(sum x^p)^(1/p)``.

    ``p = 1`` gives sums, an infinite `p` gives maxima of the absolute values. Powers are of the
    values, not of their magnitudes: a negative sum gives NaN unless `p` is 1. Where a
    sum is zero the gradient is set to zero.

    Args:
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, D_out, H_out, W_out)`` or ``(C, D_out, H_out, W_out)``. Each size becomes
          ``floor((size - kernel_size) / stride) + 1``, with `ceil` for `ceil_mode`.

    Example:
        >>> nn.LPPool3d(3, kernel_size=2)(torch.rand(2, 4, 8, 8, 8)).shape
        torch.Size([2, 4, 4, 4, 4])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]
    return_indices: bool

    def __init__(self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Takes the maximum over windows of a signal whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int or tuple of one int): the output's spatial size; one number holds
            for all dimensions.
        return_indices (bool): whether the position of each maximum is returned too, an index into
            the flattened spatial dimensions. Default: ``False``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``, or a pair of output and
          indices.

    Example:
        >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 2.0, 3.0, 5.0, 4.0]]))
        tensor([[3., 5.]])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Takes the maximum over windows of an image whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int, None or tuple of two): the output's spatial size; one number holds
            for all dimensions. ``None`` keeps the size of the input.
        return_indices (bool): whether the position of each maximum is returned too, an index into
            the flattened spatial dimensions. Default: ``False``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``, or a pair of output and
          indices.

    Example:
        >>> nn.AdaptiveMaxPool2d((3, None))(torch.randn(2, 4, 10, 9)).shape
        torch.Size([2, 4, 3, 9])
        >>> nn.AdaptiveMaxPool2d(1)(torch.randn(2, 4, 6, 6)).shape  # one value per channel
        torch.Size([2, 4, 1, 1])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Takes the maximum over windows of a volume whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int, None or tuple of three): the output's spatial size; one number holds
            for all dimensions. ``None`` keeps the size of the input.
        return_indices (bool): whether the position of each maximum is returned too, an index into
            the flattened spatial dimensions. Default: ``False``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``, or a pair of output and
          indices.

    Example:
        >>> nn.AdaptiveMaxPool3d((2, 4, 3))(torch.randn(2, 4, 8, 10, 9)).shape
        torch.Size([2, 4, 2, 4, 3])
        >>> nn.AdaptiveMaxPool3d(1)(torch.randn(2, 4, 6, 6, 6)).shape  # one value per channel
        torch.Size([2, 4, 1, 1, 1])
    """

    def forward(self, input: torch.Tensor):
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Takes the mean over windows of a signal whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int or tuple of one int): the output's spatial size; one number holds
            for all dimensions.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``.

    Example:
        >>> nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 2.0, 3.0, 5.0, 4.0]]))
        tensor([[2., 4.]])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Takes the mean over windows of an image whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int, None or tuple of two): the output's spatial size; one number holds
            for all dimensions. ``None`` keeps the size of the input.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``.

    Example:
        >>> nn.AdaptiveAvgPool2d((3, None))(torch.randn(2, 4, 10, 9)).shape
        torch.Size([2, 4, 3, 9])
        >>> nn.AdaptiveAvgPool2d(1)(torch.randn(2, 4, 6, 6)).shape  # one value per channel
        torch.Size([2, 4, 1, 1])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Takes the mean over windows of a volume whose number, not size, is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        output_size (int, None or tuple of three): the output's spatial size; one number holds
            for all dimensions. ``None`` keeps the size of the input.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: ``(N, C, *output_size)`` or ``(C, *output_size)``.

    Example:
        >>> nn.AdaptiveAvgPool3d((2, 4, 3))(torch.randn(2, 4, 8, 10, 9)).shape
        torch.Size([2, 4, 2, 4, 3])
        >>> nn.AdaptiveAvgPool3d(1)(torch.randn(2, 4, 6, 6, 6)).shape  # one value per channel
        torch.Size([2, 4, 1, 1, 1])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.adaptive_avg_pool3d(input, self.output_size)
