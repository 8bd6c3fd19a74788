"""Convolution layers. The lazy ones are in `_lazy_conv`, which this module re-exports."""

import math
from typing import Literal

from ..._method_copies import copies_methods
from ..._root import torch
from .. import functional as F
from .. import init
from ._optional import initialize_bias, register_optional_parameter
from .module import Module
from .utils import _pair, _reverse_repeat_tuple, _single, _triple

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


def _same_padding(kernel_size, dilation):
    """Returns padding for F.pad that keeps the size at stride 1; an odd one goes to the end."""
    sides = []
    for kernel, step in zip(reversed(kernel_size), reversed(dilation), strict=True):
        total = step * (kernel - 1)
        sides += [total // 2, total - total // 2]
    return sides


class _ConvNd(Module):
    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: torch.Tensor

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...],
        padding: str | tuple[int, ...], dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...],
        groups: int, bias: bool, padding_mode: Literal["zeros", "reflect", "replicate", "circular"], device=None,
        dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(padding, str):
            words = {"same", "valid"}
            if padding not in words:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {words}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        # Returns F.pad's argument, for the padding modes that the kernels lack.
        if padding == "same":
            self._reversed_padding_repeated_twice = _same_padding(kernel_size, dilation)
        elif isinstance(padding, str):
            self._reversed_padding_repeated_twice = [0, 0] * len(kernel_size)
        else:
            self._reversed_padding_repeated_twice = _reverse_repeat_tuple(padding, 2)
        register_optional_parameter(self, "weight", self._weight_shape(), device=device, dtype=dtype)
        register_optional_parameter(self, "bias", out_channels, is_wanted=bias, device=device, dtype=dtype)
        self.reset_parameters()

    def _weight_shape(self):
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        return (outer, inner // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Samples new weights and biases, uniformly in ``+-1 / sqrt(fan_in)``.

        ``fan_in`` is ``weight.size(1) * prod(kernel_size)``.
        """
        drawn = weight = self.weight
        if not weight.is_contiguous():
            # Samples values in memory order: a channels_last weight gets those of a contiguous one.
            drawn = torch.empty_like(weight, memory_format=torch.contiguous_format)
        init.kaiming_uniform_(drawn, math.sqrt(5))
        if drawn is not weight:
            with torch.no_grad():
                weight.copy_(drawn)
        initialize_bias(self)

    def extra_repr(self):
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)

    def __setstate__(self, state):
        super().__setstate__({"padding_mode": "zeros", **state})  # old pickles lack it


@copies_methods("__init__", "forward")
class _Conv(_ConvNd):
    """Shared by Conv1d, Conv2d and Conv3d; `_ntuple` and `_kernel` depend on the number of dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: Literal["zeros", "reflect", "replicate", "circular"] = "zeros",
        device=None,
        dtype=None,
    ) -> None:
        ntuple = self._ntuple
        super().__init__(
            in_channels,
            out_channels,
            ntuple(kernel_size),
            ntuple(stride),
            padding if isinstance(padding, str) else ntuple(padding),
            ntuple(dilation),
            False,
            ntuple(0),
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _conv_forward(self, input, weight, bias):
        convolve = getattr(F, self._kernel)
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = self._ntuple(0)
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Convolves `input` with the filters; the class documents shapes and formula."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Slides learned filters over signals of several channels: a 1-D cross-correlation plus a bias.

    ``out[n, o] = bias[o] + sum_c weight[o, c] * input[n, c]``, where ``*`` is the
    cross-correlation (the filter is not mirrored) and `c` runs over the
    ``in_channels / groups`` channels of the group of `o` (Dumoulin and Visin 2016, "A guide to
    convolution arithmetic for deep learning"). ``groups == in_channels`` is a depthwise
    convolution. Where `padding` is ``"same"`` and the total padding is odd, the larger half is
    at the end.

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of one int): size of the filters; one number holds for
            the one dimension. The same goes for the next three.
        stride (int or tuple of one int): step between two positions. Default: ``1``.
        padding (int or tuple of one int, or str): elements added at both ends; ``"valid"`` is none,
            ``"same"`` keeps the size and needs ``stride=1``. Default: ``0``.
        dilation (int or tuple of one int): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): what the padding holds: ``"zeros"``, ``"reflect"``, ``"replicate"`` or
            ``"circular"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, L)``, or without `N`.
        - output: ``(N, out_channels, L_out)``, or without `N`. Each size becomes
          ``floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``.

    Attributes:
        weight (Parameter): ``(out_channels, in_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = in_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: when the channels are no multiples of `groups`, `padding` or `padding_mode`
            is an unknown word, or ``padding="same"`` meets a stride above one.

    Example:
        >>> layer = nn.Conv1d(4, 8, kernel_size=5, stride=3)
        >>> layer(torch.randn(2, 4, 30)).shape  # floor((30 - 4 - 1) / 3) + 1 = 9
        torch.Size([2, 8, 9])
        >>> nn.Conv1d(6, 6, 5, padding="same", groups=6)(torch.randn(6, 40)).shape  # depthwise
        torch.Size([6, 40])
    """

    _ntuple = staticmethod(_single)
    _kernel = "conv1d"


class Conv2d(_Conv):
    """Slides learned filters over images of several channels: a 2-D cross-correlation plus a bias.

    ``out[n, o] = bias[o] + sum_c weight[o, c] * input[n, c]``, where ``*`` is the
    cross-correlation (the filter is not mirrored) and `c` runs over the
    ``in_channels / groups`` channels of the group of `o` (Dumoulin and Visin 2016, "A guide to
    convolution arithmetic for deep learning"). ``groups == in_channels`` is a depthwise
    convolution. Where `padding` is ``"same"`` and the total padding is odd, the larger half is
    at the end.

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of two ints): size of the filters; one number holds for
            all dimensions, ``(height, width)``. The same goes for the next three.
        stride (int or tuple of two ints): step between two positions. Default: ``1``.
        padding (int or tuple of two ints, or str): elements added at both ends; ``"valid"`` is
            none, ``"same"`` keeps the size and needs ``stride=1``. Default: ``0``.
        dilation (int or tuple of two ints): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): what the padding holds: ``"zeros"``, ``"reflect"``, ``"replicate"`` or
            ``"circular"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, H, W)``, or without `N`.
        - output: ``(N, out_channels, H_out, W_out)``, or without `N`. Each size becomes
          ``floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``.

    Attributes:
        weight (Parameter): ``(out_channels, in_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = in_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: when the channels are no multiples of `groups`, `padding` or `padding_mode`
            is an unknown word, or ``padding="same"`` meets a stride above one.

    Example:
        >>> layer = nn.Conv2d(3, 8, kernel_size=5, stride=2, padding=2)
        >>> layer(torch.randn(4, 3, 32, 48)).shape
        torch.Size([4, 8, 16, 24])
        >>> layer.weight.shape, layer.bias.shape
        (torch.Size([8, 3, 5, 5]), torch.Size([8]))
        >>> nn.Conv2d(3, 6, (1, 7), dilation=(1, 2))(torch.randn(3, 20, 30)).shape  # without a batch
        torch.Size([6, 20, 18])
    """

    _ntuple = staticmethod(_pair)
    _kernel = "conv2d"


class Conv3d(_Conv):
    """Slides learned filters over volumes of several channels: a 3-D cross-correlation plus a bias.

    ``out[n, o] = bias[o] + sum_c weight[o, c] * input[n, c]``, where ``*`` is the
    cross-correlation (the filter is not mirrored) and `c` runs over the
    ``in_channels / groups`` channels of the group of `o` (Dumoulin and Visin 2016, "A guide to
    convolution arithmetic for deep learning"). ``groups == in_channels`` is a depthwise
    convolution. Where `padding` is ``"same"`` and the total padding is odd, the larger half is
    at the end.

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of three ints): size of the filters; one number holds for
            all dimensions, ``(depth, height, width)``. The same goes for the next three.
        stride (int or tuple of three ints): step between two positions. Default: ``1``.
        padding (int or tuple of three ints, or str): elements added at both ends; ``"valid"``
            is none, ``"same"`` keeps the size and needs ``stride=1``. Default: ``0``.
        dilation (int or tuple of three ints): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): what the padding holds: ``"zeros"``, ``"reflect"``, ``"replicate"`` or
            ``"circular"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, D, H, W)``, or without `N`.
        - output: ``(N, out_channels, D_out, H_out, W_out)``, or without `N`. Each size becomes
          ``floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``.

    Attributes:
        weight (Parameter): ``(out_channels, in_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = in_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: when the channels are no multiples of `groups`, `padding` or `padding_mode`
            is an unknown word, or ``padding="same"`` meets a stride above one.

    Example:
        >>> layer = nn.Conv3d(2, 6, kernel_size=(1, 3, 3), padding=(0, 1, 1))
        >>> layer(torch.randn(2, 2, 5, 8, 9)).shape
        torch.Size([2, 6, 5, 8, 9])
    """

    _ntuple = staticmethod(_triple)
    _kernel = "conv3d"


class _ConvTransposeNd(_ConvNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {self.__class__.__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        """Returns the padding to add at the end to reach `output_size`."""
        if output_size is None:
            return _single(self.output_padding)
        leading = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == leading + num_spatial_dims:
            output_size = output_size[leading:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(
                f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have "
                f"{num_spatial_dims} or {leading + num_spatial_dims} elements (got {len(output_size)})"
            )
        smallest, largest = [], []
        for d in range(num_spatial_dims):
            reach = (1 if dilation is None else dilation[d]) * (kernel_size[d] - 1)
            size = (input.size(d + leading) - 1) * stride[d] - 2 * padding[d] + reach + 1
            smallest.append(size)
            largest.append(size + stride[d] - 1)
        for size, low, high in zip(output_size, smallest, largest, strict=True):
            if size < low or size > high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range "
                    f"from {smallest} to {largest} (for an input of {input.size()[2:]})"
                )
        return [size - low for size, low in zip(output_size, smallest, strict=True)]


@copies_methods("__init__", "forward")
class _ConvTranspose(_ConvTransposeNd):
    """Shared by ConvTranspose1d, 2d and 3d."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: Literal["zeros", "reflect", "replicate", "circular"] = "zeros",
        device=None,
        dtype=None,
    ) -> None:
        ntuple = self._ntuple
        super().__init__(
            in_channels,
            out_channels,
            ntuple(kernel_size),
            ntuple(stride),
            ntuple(padding),
            ntuple(dilation),
            True,
            ntuple(output_padding),
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def forward(self, input: torch.Tensor, output_size: list[int] | None = None) -> torch.Tensor:
        """Applies the transposed convolution.

        Args:
            input (Tensor): ``(N, in_channels, ...)``, or without `N`.
            output_size (list of int, optional): the size that the output shall have, with or
                without its leading dimensions, in place of `output_padding`. It may exceed the
                smallest possible size by up to ``stride - 1``. Default: ``None``.

        Returns:
            Tensor: ``(N, out_channels, ...)``.
        """
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._spatial}d")
        if not isinstance(self.padding, tuple):
            raise AssertionError("self.padding must be a tuple")
        steps = (self.stride, self.padding)
        extra = self._output_padding(input, output_size, *steps, self.kernel_size, self._spatial, self.dilation)
        convolve = getattr(F, f"conv_transpose{self._spatial}d")
        return convolve(input, self.weight, self.bias, *steps, extra, self.groups, self.dilation)


class ConvTranspose1d(_ConvTranspose):
    """Applies the transpose of a 1-D convolution: the map that `Conv1d` has as its gradient by the input.

    Each input element adds its value times the filter to the output, at positions `stride`
    apart. It is no inverse of `Conv1d`: it restores the size, not the values. Where
    ``stride > 1`` several input sizes of a convolution give one output size; `output_padding`,
    or `output_size` of the call, chooses among them (Dumoulin and Visin 2016, section 4).

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of one int): size of the filters; one number holds for
            the one dimension. The same goes for the next three and `dilation`.
        stride (int or tuple of one int): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of one int): padding of that convolution; removes as many elements
            at both ends of the output. Default: ``0``.
        output_padding (int or tuple of one int): elements added to one end of the output's
            size, less than `stride` or `dilation`. Default: ``0``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        dilation (int or tuple of one int): distance between two filter taps. Default: ``1``.
        padding_mode (str): only ``"zeros"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, L)``, or without `N`.
        - output: ``(N, out_channels, L_out)``, or without `N`. Each size becomes
          ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    Attributes:
        weight (Parameter): ``(in_channels, out_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = out_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: for another `padding_mode`, channels that are no multiples of `groups`, or an
            `output_size` that the convolution could not have come from.

    Example:
        >>> layer = nn.ConvTranspose1d(8, 4, kernel_size=4, stride=4)
        >>> layer(torch.randn(2, 8, 10)).shape  # (10 - 1) * 4 + 4 = 40
        torch.Size([2, 4, 40])
    """

    _ntuple = staticmethod(_single)
    _spatial = 1


class ConvTranspose2d(_ConvTranspose):
    """Applies the transpose of a 2-D convolution: the map that `Conv2d` has as its gradient by the input.

    Each input element adds its value times the filter to the output, at positions `stride`
    apart. It is no inverse of `Conv2d`: it restores the size, not the values. Where
    ``stride > 1`` several input sizes of a convolution give one output size; `output_padding`,
    or `output_size` of the call, chooses among them (Dumoulin and Visin 2016, section 4).

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of two ints): size of the filters; one number holds for
            all dimensions, ``(height, width)``. The same goes for the next three and `dilation`.
        stride (int or tuple of two ints): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of two ints): padding of that convolution; removes as many
            elements at both ends of the output. Default: ``0``.
        output_padding (int or tuple of two ints): elements added to one end of the output's
            size, less than `stride` or `dilation`. Default: ``0``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        dilation (int or tuple of two ints): distance between two filter taps. Default: ``1``.
        padding_mode (str): only ``"zeros"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, H, W)``, or without `N`.
        - output: ``(N, out_channels, H_out, W_out)``, or without `N`. Each size becomes
          ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    Attributes:
        weight (Parameter): ``(in_channels, out_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = out_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: for another `padding_mode`, channels that are no multiples of `groups`, or an
            `output_size` that the convolution could not have come from.

    Example:
        >>> encode = nn.Conv2d(3, 6, kernel_size=5, stride=3)
        >>> decode = nn.ConvTranspose2d(6, 3, kernel_size=5, stride=3)
        >>> image = torch.randn(1, 3, 22, 22)
        >>> code = encode(image)
        >>> code.shape, decode(code).shape
        (torch.Size([1, 6, 6, 6]), torch.Size([1, 3, 20, 20]))
        >>> decode(code, output_size=(22, 22)).shape
        torch.Size([1, 3, 22, 22])
    """

    _ntuple = staticmethod(_pair)
    _spatial = 2


class ConvTranspose3d(_ConvTranspose):
    """Applies the transpose of a 3-D convolution: the map that `Conv3d` has as its gradient by the input.

    Each input element adds its value times the filter to the output, at positions `stride`
    apart. It is no inverse of `Conv3d`: it restores the size, not the values. Where
    ``stride > 1`` several input sizes of a convolution give one output size; `output_padding`,
    or `output_size` of the call, chooses among them (Dumoulin and Visin 2016, section 4).

    Args:
        in_channels (int): number of input channels, a multiple of `groups`.
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of three ints): size of the filters; one number holds for all
            dimensions, ``(depth, height, width)``. The same goes for the next three and
            `dilation`.
        stride (int or tuple of three ints): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of three ints): padding of that convolution; removes as many
            elements at both ends of the output. Default: ``0``.
        output_padding (int or tuple of three ints): elements added to one end of the output's
            size, less than `stride` or `dilation`. Default: ``0``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        dilation (int or tuple of three ints): distance between two filter taps. Default: ``1``.
        padding_mode (str): only ``"zeros"``. Default: ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, D, H, W)``, or without `N`.
        - output: ``(N, out_channels, D_out, H_out, W_out)``, or without `N`. Each size becomes
          ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    Attributes:
        weight (Parameter): ``(in_channels, out_channels / groups, *kernel_size)``, uniform in
            ``+-1 / sqrt(k)`` with ``k = out_channels / groups * prod(kernel_size)``.
        bias (Parameter or None): ``(out_channels,)``, from the same distribution.

    Raises:
        ValueError: for another `padding_mode`, channels that are no multiples of `groups`, or an
            `output_size` that the convolution could not have come from.

    Example:
        >>> layer = nn.ConvTranspose3d(6, 2, kernel_size=(1, 3, 3), stride=(1, 2, 2))
        >>> layer(torch.randn(2, 6, 5, 4, 4)).shape
        torch.Size([2, 2, 5, 9, 9])
    """

    _ntuple = staticmethod(_triple)
    _spatial = 3


from . import _lazy_conv  # needs the classes above

for _name in __all__[6:]:
    globals()[_name] = getattr(_lazy_conv, _name)
    globals()[_name].__module__ = __name__
del _name
