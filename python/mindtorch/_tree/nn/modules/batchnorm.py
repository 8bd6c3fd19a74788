"""Batch normalisation."""

from typing import Any

from ... import _C
from ..._root import torch
from .. import functional as F
from .. import init
from ..parameter import UninitializedBuffer, UninitializedParameter
from ._optional import register_optional_parameter
from .lazy import LazyModuleMixin, materialize
from .module import Module

__all__ = [
    "BatchNorm1d",
    "LazyBatchNorm1d",
    "BatchNorm2d",
    "LazyBatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """Scale, shift and running statistics per channel."""

    _version = 2  # 2 added num_batches_tracked
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    num_features: int
    eps: float
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        register_optional_parameter(self, "weight", num_features, is_wanted=affine, **factory)
        register_optional_parameter(self, "bias", num_features, is_wanted=affine and bias, **factory)
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, **factory))
            self.register_buffer("running_var", torch.ones(num_features, **factory))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Sets the running mean to zero, the running variance to one and the count of batches to zero."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Sets the scale to one and the shift to zero, and resets the running statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            usable = own is not None and own.device != torch.device("meta")
            state_dict[key] = own if usable else torch.tensor(0, dtype=torch.long)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )

    def _averaging_factor(self):
        """Returns the weight of this batch in the running statistics; counts the batch in training."""
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a cumulative average
                factor = 1.0 / float(self.num_batches_tracked)
        return factor

    def _choose_statistics(self):
        """Returns (mean, variance, whether to use the batch's own): buffers that training does not track stay
        unchanged."""
        use_batch = self.training or (self.running_mean is None and self.running_var is None)
        if self.training and not self.track_running_stats:
            return None, None, use_batch
        return self.running_mean, self.running_var, use_batch

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        self._check_input_dim(input)
        factor = self._averaging_factor()
        mean, var, use_batch = self._choose_statistics()
        return F.batch_norm(input, mean, var, self.weight, self.bias, use_batch, factor, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        # Calls the base class's constructor without parameters and statistics, so that it creates none with a wrong
        # shape.
        super().__init__(0, eps, momentum, False, False, **factory, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            if wanted:
                setattr(self, name, UninitializedParameter(**factory))
        if track_running_stats:
            self.running_mean, self.running_var = UninitializedBuffer(**factory), UninitializedBuffer(**factory)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self) -> None:
        """Resets scale, shift and statistics; does nothing while they have no shape."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input) -> None:
        """Gives parameters and buffers their shapes and initial values, from dimension 1 of `input`."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        shape = (self.num_features,)
        if self.affine:
            materialize(self, weight=shape, bias=shape)
        if self.track_running_stats:
            self.running_mean.materialize(shape)
            self.running_var.materialize(shape)
        self.reset_parameters()


def _check_ranks(*ranks):
    """Makes a `_check_input_dim` method for the given ranks."""
    names = " or ".join(f"{rank}D" for rank in ranks)

    def _check_input_dim(self, input):
        if input.dim() not in ranks:
            raise ValueError(f"expected {names} input (got {input.dim()}D input)")

    return _check_input_dim


class BatchNorm1d(_BatchNorm):
    """Normalises each channel over a batch: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    Mean and biased variance are computed over `N` and `L` (Ioffe and Szegedy 2015, algorithm 1).
    In training they also move the running statistics,
    ``running = (1 - momentum) * running + momentum * batch``, there with the unbiased variance;
    in evaluation mode the running statistics replace them.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C)`` or ``(N, C, L)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones.
        num_batches_tracked (Tensor or None): buffer, an int64 scalar.

    Raises:
        ValueError: when the input has another number of dimensions, or in training only one value
            per channel.

    Example:
        >>> layer = nn.BatchNorm1d(2, affine=False)
        >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
        >>> layer(x).flatten()  # each channel has mean 0 and variance 1
        tensor([-1.0000, -1.0000,  1.0000,  1.0000])
        >>> layer.running_mean
        tensor([0.2000, 2.0000])
        >>> layer.eval()(x).shape
        torch.Size([2, 2])
    """

    _check_input_dim = _check_ranks(2, 3)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """Is a BatchNorm1d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `BatchNorm1d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C)`` or ``(N, C, L)``.
        - output: as the input.

    Attributes:
        weight, bias (UninitializedParameter or None): become ``(num_features,)``.
        running_mean, running_var (UninitializedBuffer or None): become ``(num_features,)``.

    Example:
        >>> layer = nn.LazyBatchNorm1d()
        >>> layer(torch.randn(2, 5, 3)).shape
        torch.Size([2, 5, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = _check_ranks(2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel over a batch: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    Mean and biased variance are computed over `N`, `H` and `W` (Ioffe and Szegedy 2015, algorithm
    1). In training they also move the running statistics,
    ``running = (1 - momentum) * running + momentum * batch``, there with the unbiased variance;
    in evaluation mode the running statistics replace them.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones.
        num_batches_tracked (Tensor or None): buffer, an int64 scalar.

    Raises:
        ValueError: when the input has another number of dimensions, or in training only one value
            per channel.

    Example:
        >>> layer = nn.BatchNorm2d(2, affine=False)
        >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]]).view(2, 2, 1, 1)
        >>> layer(x).flatten()  # each channel has mean 0 and variance 1
        tensor([-1.0000, -1.0000,  1.0000,  1.0000])
        >>> layer.running_mean
        tensor([0.2000, 2.0000])
        >>> layer.eval()(x).shape
        torch.Size([2, 2, 1, 1])
    """

    _check_input_dim = _check_ranks(4)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """Is a BatchNorm2d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `BatchNorm2d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (UninitializedParameter or None): become ``(num_features,)``.
        running_mean, running_var (UninitializedBuffer or None): become ``(num_features,)``.

    Example:
        >>> layer = nn.LazyBatchNorm2d()
        >>> layer(torch.randn(2, 5, 3, 3)).shape
        torch.Size([2, 5, 3, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = _check_ranks(4)


class BatchNorm3d(_BatchNorm):
    """Normalises each channel over a batch: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    Mean and biased variance are computed over `N`, `D`, `H` and `W` (Ioffe and Szegedy 2015,
    algorithm 1). In training they also move the running statistics,
    ``running = (1 - momentum) * running + momentum * batch``, there with the unbiased variance;
    in evaluation mode the running statistics replace them.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, D, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones.
        num_batches_tracked (Tensor or None): buffer, an int64 scalar.

    Raises:
        ValueError: when the input has another number of dimensions, or in training only one value
            per channel.

    Example:
        >>> layer = nn.BatchNorm3d(2, affine=False)
        >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]]).view(2, 2, 1, 1, 1)
        >>> layer(x).flatten()  # each channel has mean 0 and variance 1
        tensor([-1.0000, -1.0000,  1.0000,  1.0000])
        >>> layer.running_mean
        tensor([0.2000, 2.0000])
        >>> layer.eval()(x).shape
        torch.Size([2, 2, 1, 1, 1])
    """

    _check_input_dim = _check_ranks(5)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """Is a BatchNorm3d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `BatchNorm3d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept; without them evaluation too
            uses the batch's own. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, D, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (UninitializedParameter or None): become ``(num_features,)``.
        running_mean, running_var (UninitializedBuffer or None): become ``(num_features,)``.

    Example:
        >>> layer = nn.LazyBatchNorm3d()
        >>> layer(torch.randn(2, 5, 3, 3, 3)).shape
        torch.Size([2, 5, 3, 3, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = _check_ranks(5)


class SyncBatchNorm(_BatchNorm):
    """Normalises each channel over the batches of all processes of a group; without processes, of this one.

    The formula is that of `BatchNorm2d`. In training inside an initialised process group the input
    has to be on an accelerator; in evaluation mode and without a group it works on the CPU as well.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            gives each batch the same weight. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept. Default: ``True``.
        process_group (ProcessGroup, optional): the processes that share statistics. Default:
            ``None``, all of them.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, ...)``, of at least two dimensions.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones.

    Raises:
        ValueError: for fewer than two dimensions, no channels, or in a process group an input
            on the CPU while training.

    Example:
        >>> nn.SyncBatchNorm(3)(torch.randn(4, 3, 5)).shape
        torch.Size([4, 3, 5])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any | None = None,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def _check_non_zero_input_channels(self, input):
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        factor = self._averaging_factor()
        mean, var, use_batch = self._choose_statistics()
        if use_batch and self.training and torch.distributed.is_available() and torch.distributed.is_initialized():
            backend = _C._get_privateuse1_backend_name()
            if input.device.type not in ("cuda", "hpu", "xpu", backend):
                raise ValueError(f"SyncBatchNorm expected input tensor to be on GPU or XPU or {backend}")
        return F.batch_norm(input, mean, var, self.weight, self.bias, use_batch, factor, self.eps)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Returns `module` with every batch normalisation in it replaced by a SyncBatchNorm.

        Parameters and buffers are shared with the replaced layers. Convert before the optimizer is
        made.

        Args:
            module (Module): a batch normalisation or a module that contains some; changed in place.
            process_group (ProcessGroup, optional): the processes that share statistics. Default:
                ``None``, all of them.

        Returns:
            Module: `module`, or a new SyncBatchNorm if it was a batch normalisation itself.

        Example:
            >>> model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
            >>> nn.SyncBatchNorm.convert_sync_batchnorm(model)[1].__class__.__name__
            'SyncBatchNorm'
        """
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                with torch.no_grad():
                    converted.weight = module.weight
                    converted.bias = module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(converted, name, getattr(module, name))
            if hasattr(module, "qconfig"):
                converted.qconfig = module.qconfig
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
