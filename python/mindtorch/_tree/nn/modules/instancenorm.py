"""Instance normalisation."""

import warnings

from ..._root import torch
from .. import functional as F
from .batchnorm import _check_ranks, _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )

    def _get_no_batch_dim(self):
        raise NotImplementedError

    def _apply_instance_norm(self, input):
        statistics, affine = (self.running_mean, self.running_var), (self.weight, self.bias)
        uses_own = self.training or not self.track_running_stats
        return F.instance_norm(input, *statistics, *affine, uses_own, self.momentum or 0.0, self.eps)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            stale = [prefix + n for n in ("running_mean", "running_var") if prefix + n in state_dict]
            if stale:
                names = " and ".join(f'"{key}"' for key in stale)
                klass = self.__class__.__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If "
                    f"state_dict is a checkpoint saved before 0.4.0, this may be expected because {klass} does not "
                    "track running stats by default since 0.4.0. Please remove these keys from state_dict. If the "
                    f"running stats are actually needed, instead set track_running_stats=True in {klass} to enable "
                    f"them. See the documentation of {klass} for details."
                )
                for key in stale:
                    state_dict.pop(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        self._check_input_dim(input)
        unbatched = self._get_no_batch_dim()
        feature_dim = input.dim() - unbatched
        if input.size(feature_dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={feature_dim} to match num_features ({self.num_features}), but "
                    f"got: {input.size(feature_dim)}."
                )
            warnings.warn(
                f"input's size at dim={feature_dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if input.dim() == unbatched:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample by itself (Ulyanov et al. 2016, "Instance Normalization").

    ``y = (x - mean) / sqrt(var + eps) * weight + bias``, with mean and biased variance over
    ``L``. By default there is no scale, no shift and no running statistics, and training and
    evaluation are the same.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            leaves them as they are. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``False``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros; with `affine`.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones;
            with `track_running_stats`.

    Raises:
        ValueError: when the input has another number of dimensions, another number of channels with
            `affine`, or one spatial element per channel.

    Example:
        >>> layer = nn.InstanceNorm1d(3)
        >>> y = layer(torch.randn(2, 3, 4))
        >>> y.shape, bool(y.flatten(2).mean(2).abs().max() < 1e-5)
        (torch.Size([2, 3, 4]), True)
    """

    _check_input_dim = _check_ranks(2, 3)

    def _get_no_batch_dim(self):
        return 2


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """Is an InstanceNorm1d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `InstanceNorm1d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics. Default:
            ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, L)``.
        - output: as the input.

    Attributes:
        weight, bias (UninitializedParameter or None): become ``(num_features,)``.
        running_mean, running_var (UninitializedBuffer or None): become ``(num_features,)``.

    Example:
        >>> layer = nn.LazyInstanceNorm1d()
        >>> layer(torch.randn(2, 5, 3)).shape
        torch.Size([2, 5, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm1d
    _check_input_dim = _check_ranks(2, 3)

    def _get_no_batch_dim(self):
        return 2


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each sample by itself (Ulyanov et al. 2016, "Instance Normalization").

    ``y = (x - mean) / sqrt(var + eps) * weight + bias``, with mean and biased variance over
    ``H, W``. By default there is no scale, no shift and no running statistics, and training and
    evaluation are the same.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            leaves them as they are. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``False``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros; with `affine`.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones;
            with `track_running_stats`.

    Raises:
        ValueError: when the input has another number of dimensions, another number of channels with
            `affine`, or one spatial element per channel.

    Example:
        >>> layer = nn.InstanceNorm2d(3)
        >>> y = layer(torch.randn(2, 3, 4, 4))
        >>> y.shape, bool(y.flatten(2).mean(2).abs().max() < 1e-5)
        (torch.Size([2, 3, 4, 4]), True)
    """

    _check_input_dim = _check_ranks(3, 4)

    def _get_no_batch_dim(self):
        return 3


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """Is an InstanceNorm2d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `InstanceNorm2d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics. Default:
            ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``True``.
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
        >>> layer = nn.LazyInstanceNorm2d()
        >>> layer(torch.randn(2, 5, 3, 3)).shape
        torch.Size([2, 5, 3, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm2d
    _check_input_dim = _check_ranks(3, 4)

    def _get_no_batch_dim(self):
        return 3


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each sample by itself (Ulyanov et al. 2016, "Instance Normalization").

    ``y = (x - mean) / sqrt(var + eps) * weight + bias``, with mean and biased variance over
    ``D, H, W``. By default there is no scale, no shift and no running statistics, and training
    and evaluation are the same.

    Args:
        num_features (int): number of channels `C`.
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics; ``None``
            leaves them as they are. Default: ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``False``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: as the input.

    Attributes:
        weight, bias (Parameter or None): ``(num_features,)``, ones and zeros; with `affine`.
        running_mean, running_var (Tensor or None): buffers ``(num_features,)``, zeros and ones;
            with `track_running_stats`.

    Raises:
        ValueError: when the input has another number of dimensions, another number of channels with
            `affine`, or one spatial element per channel.

    Example:
        >>> layer = nn.InstanceNorm3d(3)
        >>> y = layer(torch.randn(2, 3, 4, 4, 4))
        >>> y.shape, bool(y.flatten(2).mean(2).abs().max() < 1e-5)
        (torch.Size([2, 3, 4, 4, 4]), True)
    """

    _check_input_dim = _check_ranks(4, 5)

    def _get_no_batch_dim(self):
        return 4


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """Is an InstanceNorm3d that takes `num_features` from dimension 1 of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `InstanceNorm3d`. Move it to its device and dtype before that call.

    Args:
        eps (float): added to the variance. Default: ``1e-5``.
        momentum (float, optional): weight of the newest batch in the running statistics. Default:
            ``0.1``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        track_running_stats (bool): whether running statistics are kept and used in evaluation mode.
            Default: ``True``.
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
        >>> layer = nn.LazyInstanceNorm3d()
        >>> layer(torch.randn(2, 5, 3, 3, 3)).shape
        torch.Size([2, 5, 3, 3, 3])
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm3d
    _check_input_dim = _check_ranks(4, 5)

    def _get_no_batch_dim(self):
        return 4
