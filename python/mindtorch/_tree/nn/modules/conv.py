"""Convolution layers. The lazy ones are in `_lazy_conv`, which this module re-exports."""

import math

from ..._lending import lends
from ..._root import torch
from .. import functional as F
from .. import init
from ._optional import set_parameter
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
    """Padding for F.pad that keeps the size at stride 1; the odd one goes to the end."""
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
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            words = {"same", "valid"}
            if padding not in words:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {words}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        # What F.pad takes, for the padding modes that the kernels lack.
        if padding == "same":
            self._reversed_padding_repeated_twice = _same_padding(kernel_size, dilation)
        elif isinstance(padding, str):
            self._reversed_padding_repeated_twice = [0, 0] * len(kernel_size)
        else:
            self._reversed_padding_repeated_twice = _reverse_repeat_tuple(padding, 2)
        set_parameter(self, "weight", self._weight_shape(), device=device, dtype=dtype)
        set_parameter(self, "bias", out_channels, wanted=bias, device=device, dtype=dtype)
        self.reset_parameters()

    def _weight_shape(self):
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        return (outer, inner // self.groups, *self.kernel_size)

    def reset_parameters(self):
        """Weight and bias uniform in +-1 / sqrt(fan_in), fan_in = weight.size(1) * prod(kernel_size)."""
        with torch.no_grad():
            if self.weight.is_contiguous():
                init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            else:
                # Values are drawn in memory order: a channels_last weight takes those of a contiguous one.
                plain = torch.empty_like(self.weight, memory_format=torch.contiguous_format)
                self.weight.copy_(init.kaiming_uniform_(plain, a=math.sqrt(5)))
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
                init.uniform_(self.bias, -bound, bound)

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
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):
            self.padding_mode = "zeros"


@lends("__init__", "forward")
class _Conv(_ConvNd):
    """What Conv1d, Conv2d and Conv3d share; `_ntuple` and `_kernel` say for how many dimensions."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
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

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of signals."""

    _ntuple = staticmethod(_single)
    _kernel = "conv1d"


class Conv2d(_Conv):
    """Convolution of images."""

    _ntuple = staticmethod(_pair)
    _kernel = "conv2d"


class Conv3d(_Conv):
    """Convolution of volumes."""

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
    ):
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
        """What must be added at the end to reach `output_size`."""
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


@lends("__init__", "forward")
class _ConvTranspose(_ConvTransposeNd):
    """What ConvTranspose1d, 2d and 3d share."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
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

    def forward(self, input, output_size=None):
        """`output_size` chooses among the sizes that one input size may come from."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._spatial}d")
        if not isinstance(self.padding, tuple):
            raise AssertionError("self.padding must be a tuple")
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._spatial, self.dilation
        )
        convolve = getattr(F, f"conv_transpose{self._spatial}d")
        return convolve(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTranspose):
    """The adjoint of Conv1d."""

    _ntuple = staticmethod(_single)
    _spatial = 1


class ConvTranspose2d(_ConvTranspose):
    """The adjoint of Conv2d."""

    _ntuple = staticmethod(_pair)
    _spatial = 2


class ConvTranspose3d(_ConvTranspose):
    """The adjoint of Conv3d."""

    _ntuple = staticmethod(_triple)
    _spatial = 3


from . import _lazy_conv  # needs the classes above

for _name in __all__[6:]:
    globals()[_name] = getattr(_lazy_conv, _name)
    globals()[_name].__module__ = __name__
del _name
