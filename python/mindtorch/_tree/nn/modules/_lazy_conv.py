"""Convolutions that infer `in_channels` from their first input; `conv` re-exports them."""

from typing import Literal

from ..._root import torch
from ..._method_copies import copies_methods
from ..parameter import UninitializedParameter
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .lazy import LazyModuleMixin, materialize


class _LazyConvXdMixin(LazyModuleMixin):
    weight: UninitializedParameter
    bias: UninitializedParameter

    def _set_lazy_parameters(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Samples new weights and biases; does nothing while they have no shape."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: torch.Tensor, *args, **kwargs) -> None:
        """Gives the parameters their shapes and first values, from the channels of `input`.

        Args:
            input (Tensor): the first input, with or without a batch dimension.
            *args: further arguments of the call, ignored.
            **kwargs: ignored.

        Raises:
            ValueError: when the number of channels is no multiple of `groups`.
        """
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        materialize(self, weight=self._weight_shape(), bias=(self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        unbatched = self._get_num_spatial_dims() + 1
        if input.dim() not in (unbatched, unbatched + 1):
            raise RuntimeError(
                f"Expected {unbatched}D (unbatched) or {unbatched + 1}D (batched) input to {type(self).__name__}, but "
                f"got input of size: {input.shape}"
            )
        return input.shape[input.dim() - unbatched]

    def _get_num_spatial_dims(self):
        return len(self.kernel_size)


@copies_methods("__init__")
class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self,
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
        # Calls the base class's constructor with 0 channels and without bias, so that it creates no parameters with a
        # wrong shape.
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device=device, dtype=dtype
        )
        self._set_lazy_parameters(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """Is a Conv1d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `Conv1d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of one int): size of the filters.
        stride (int or tuple of one int): step between two positions. Default: ``1``.
        padding (int or tuple of one int, or str): elements added at both ends, ``"valid"`` or
            ``"same"``. Default: ``0``.
        dilation (int or tuple of one int): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
            ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, L)``, or without `N`.
        - output: ``(N, out_channels, L_out)``, sizes as in `Conv1d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `Conv1d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Raises:
        ValueError: at the first call, when the input's channels are no multiple of `groups`.

    Example:
        >>> layer = nn.LazyConv1d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 9)).shape
        torch.Size([1, 8, 7])
        >>> layer.in_channels
        4
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Is a Conv2d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `Conv2d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of two ints): size of the filters.
        stride (int or tuple of two ints): step between two positions. Default: ``1``.
        padding (int or tuple of two ints, or str): elements added at both ends, ``"valid"`` or
            ``"same"``. Default: ``0``.
        dilation (int or tuple of two ints): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
            ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, H, W)``, or without `N`.
        - output: ``(N, out_channels, H_out, W_out)``, sizes as in `Conv2d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `Conv2d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Raises:
        ValueError: at the first call, when the input's channels are no multiple of `groups`.

    Example:
        >>> layer = nn.LazyConv2d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 9, 9)).shape
        torch.Size([1, 8, 7, 7])
        >>> layer.in_channels
        4
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Is a Conv3d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `Conv3d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of three ints): size of the filters.
        stride (int or tuple of three ints): step between two positions. Default: ``1``.
        padding (int or tuple of three ints, or str): elements added at both ends, ``"valid"``
            or ``"same"``. Default: ``0``.
        dilation (int or tuple of three ints): distance between two filter taps. Default: ``1``.
        groups (int): number of groups of channels that do not mix. Default: ``1``.
        bias (bool): whether a bias per output channel is learned. Default: ``True``.
        padding_mode (str): ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
            ``"zeros"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_channels, D, H, W)``, or without `N`.
        - output: ``(N, out_channels, D_out, H_out, W_out)``, sizes as in `Conv3d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `Conv3d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Raises:
        ValueError: at the first call, when the input's channels are no multiple of `groups`.

    Example:
        >>> layer = nn.LazyConv3d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 9, 9, 9)).shape
        torch.Size([1, 8, 7, 7, 7])
        >>> layer.in_channels
        4
    """

    cls_to_become = Conv3d


@copies_methods("__init__")
class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
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
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
            device=device,
            dtype=dtype,
        )
        self._set_lazy_parameters(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """Is a ConvTranspose1d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `ConvTranspose1d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of one int): size of the filters.
        stride (int or tuple of one int): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of one int): elements removed at both ends of the output. Default:
            ``0``.
        output_padding (int or tuple of one int): elements added to one end of the output's size.
            Default: ``0``.
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
        - output: ``(N, out_channels, L_out)``, sizes as in `ConvTranspose1d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `ConvTranspose1d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Example:
        >>> layer = nn.LazyConvTranspose1d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 7)).shape
        torch.Size([1, 8, 9])
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """Is a ConvTranspose2d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `ConvTranspose2d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of two ints): size of the filters.
        stride (int or tuple of two ints): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of two ints): elements removed at both ends of the output.
            Default: ``0``.
        output_padding (int or tuple of two ints): elements added to one end of the output's size.
            Default: ``0``.
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
        - output: ``(N, out_channels, H_out, W_out)``, sizes as in `ConvTranspose2d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `ConvTranspose2d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Example:
        >>> layer = nn.LazyConvTranspose2d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 7, 7)).shape
        torch.Size([1, 8, 9, 9])
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """Is a ConvTranspose3d that takes `in_channels` from its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `ConvTranspose3d`. Move it to its device and dtype before that call.

    Args:
        out_channels (int): number of output channels, a multiple of `groups`.
        kernel_size (int or tuple of three ints): size of the filters.
        stride (int or tuple of three ints): step of the convolution that this one transposes.
            Default: ``1``.
        padding (int or tuple of three ints): elements removed at both ends of the output.
            Default: ``0``.
        output_padding (int or tuple of three ints): elements added to one end of the output's size.
            Default: ``0``.
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
        - output: ``(N, out_channels, D_out, H_out, W_out)``, sizes as in `ConvTranspose3d`.

    Attributes:
        weight (UninitializedParameter): gets shape and values of the weight of `ConvTranspose3d`.
        bias (UninitializedParameter or None): becomes ``(out_channels,)``.

    Example:
        >>> layer = nn.LazyConvTranspose3d(8, kernel_size=3)
        >>> layer(torch.randn(1, 4, 7, 7, 7)).shape
        torch.Size([1, 8, 9, 9, 9])
    """

    cls_to_become = ConvTranspose3d
