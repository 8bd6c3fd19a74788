"""Batch normalisation."""

from ... import _C
from ..._root import torch
from .. import functional as F
from .. import init
from ..parameter import UninitializedBuffer, UninitializedParameter
from ._optional import set_parameter
from .lazy import LazyModuleMixin
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
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        set_parameter(self, "weight", num_features, wanted=affine, **factory)
        set_parameter(self, "bias", num_features, wanted=affine and bias, **factory)
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, **factory))
            self.register_buffer("running_var", torch.ones(num_features, **factory))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Scale 1, shift 0, and new running statistics."""
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
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )

    def _averaging_factor(self):
        """How much this batch counts in the running statistics; counts the batch in training."""
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a cumulative average
                factor = 1.0 / float(self.num_batches_tracked)
        return factor

    def _statistics(self):
        """(mean, variance, whether to use the batch's own): buffers that training does not track stay untouched."""
        use_batch = self.training or (self.running_mean is None and self.running_var is None)
        if self.training and not self.track_running_stats:
            return None, None, use_batch
        return self.running_mean, self.running_var, use_batch

    def forward(self, input):
        self._check_input_dim(input)
        factor = self._averaging_factor()
        mean, var, use_batch = self._statistics()
        return F.batch_norm(input, mean, var, self.weight, self.bias, use_batch, factor, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(
        self,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        factory = {"device": device, "dtype": dtype}
        # Built without parameters first: they would get a shape.
        super().__init__(0, eps, momentum, False, False, **factory, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**factory)
            if bias:
                self.bias = UninitializedParameter(**factory)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**factory)
            self.running_var = UninitializedBuffer(**factory)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        waiting = []
        if self.affine:
            for name in ("weight", "bias"):
                param = getattr(self, name)
                if name == "bias" and param is None:
                    continue
                if not isinstance(param, UninitializedParameter):
                    raise AssertionError(f"self.{name} must be an UninitializedParameter")
                waiting.append(param)
        if self.track_running_stats:
            waiting += [self.running_mean, self.running_var]
        for tensor in waiting:
            tensor.materialize((self.num_features,))
        self.reset_parameters()


def _check_ranks(*ranks):
    """A `_check_input_dim` method for the given ranks."""
    names = " or ".join(f"{rank}D" for rank in ranks)

    def _check_input_dim(self, input):
        if input.dim() not in ranks:
            raise ValueError(f"expected {names} input (got {input.dim()}D input)")

    return _check_input_dim


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L)."""

    _check_input_dim = _check_ranks(2, 3)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d that takes `num_features` from its first input."""

    cls_to_become = BatchNorm1d
    _check_input_dim = _check_ranks(2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    _check_input_dim = _check_ranks(4)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d that takes `num_features` from its first input."""

    cls_to_become = BatchNorm2d
    _check_input_dim = _check_ranks(4)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    _check_input_dim = _check_ranks(5)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d that takes `num_features` from its first input."""

    cls_to_become = BatchNorm3d
    _check_input_dim = _check_ranks(5)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with statistics shared by all processes; without processes, by this one."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
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

    def forward(self, input):
        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        factor = self._averaging_factor()
        mean, var, use_batch = self._statistics()
        if use_batch and self.training and torch.distributed.is_available() and torch.distributed.is_initialized():
            backend = _C._get_privateuse1_backend_name()
            if input.device.type not in ("cuda", "hpu", "xpu", backend):
                raise ValueError(f"SyncBatchNorm expected input tensor to be on GPU or XPU or {backend}")
        return F.batch_norm(input, mean, var, self.weight, self.bias, use_batch, factor, self.eps)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """`module` with every batch normalisation in it replaced by a SyncBatchNorm."""
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
