"""torch.nn.functional: dropout, embedding and normalisation."""

import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from ._override import override


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeroes elements with probability `p` and scales the rest by 1 / (1 - p), in training."""
    if has_torch_function_unary(input):
        return override(dropout, (input,), locals())
    if p < 0.0 or p > 1.0:
        _check_probability(p)
    return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of SELU networks."""
    if has_torch_function_unary(input):
        return override(alpha_dropout, (input,), locals())
    _check_probability(p)
    return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)


def _feature_dropout(input, p, training, inplace, add_batch):
    """Drops whole channels; an input without a batch dimension gets one meanwhile."""
    if add_batch:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = torch.feature_dropout_(input, p, training) if inplace else torch.feature_dropout(input, p, training)
    if add_batch:
        result = result.squeeze_(0) if inplace else result.squeeze(0)
    return result


def _warn_feature_dropout_dims(name, got, spatial):
    ranks = f"{spatial + 1}D or {spatial + 2}D"
    warnings.warn(
        f"{name}: Received a {got}-D input to {name}, which is deprecated "
        "and will result in an error in a future release. To retain the behavior "
        "and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {spatial} spatial "
        f"dimensions, a channel dimension, and an optional batch dimension (i.e. {ranks} inputs).",
        stacklevel=3,
    )


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, L) or (C, L)."""
    if has_torch_function_unary(input):
        return override(dropout1d, (input,), locals())
    _check_probability(p)
    rank = input.dim()
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    return _feature_dropout(input, p, training, inplace, add_batch=rank == 2)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, H, W)."""
    if has_torch_function_unary(input):
        return override(dropout2d, (input,), locals())
    _check_probability(p)
    rank = input.dim()
    if rank not in (3, 4):
        _warn_feature_dropout_dims("dropout2d", rank, 2)
    if rank == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
            "1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C "
            "is the channel dim. This behavior will change in a future release to interpret the "
            "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _feature_dropout(input, p, training, inplace, add_batch=False)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    if has_torch_function_unary(input):
        return override(dropout3d, (input,), locals())
    _check_probability(p)
    rank = input.dim()
    if rank not in (4, 5):
        _warn_feature_dropout_dims("dropout3d", rank, 3)
    return _feature_dropout(input, p, training, inplace, add_batch=rank != 5)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Alpha dropout of whole channels."""
    if has_torch_function_unary(input):
        return override(feature_alpha_dropout, (input,), locals())
    _check_probability(p)
    if inplace:
        return torch.feature_alpha_dropout_(input, p, training)
    return torch.feature_alpha_dropout(input, p, training)


def _no_grad_embedding_renorm_(weight, input, max_norm, norm_type):
    torch.embedding_renorm_(weight.detach(), input, max_norm, norm_type)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Rows of `weight` by the indices in `input`."""
    if has_torch_function_variadic(input, weight):
        return override(embedding, (input, weight), locals())
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows and padding_idx != 0:
            raise AssertionError("Padding_idx must be within num_embeddings")
        if padding_idx < 0:
            padding_idx += rows
    if max_norm is not None:
        input = input.contiguous()  # renorm walks the indices in memory order
        _no_grad_embedding_renorm_(weight, input, max_norm, norm_type)
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


_BAG_MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Sums, means or maxima of embeddings over bags of indices, without the embeddings in between."""
    if has_torch_function_variadic(input, weight, offsets, per_sample_weights):
        return override(embedding_bag, (input, weight, offsets, per_sample_weights), locals())
    if weight.dtype == torch.long and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. "
            "Usage `embedding_bag(weight, input, ...)` is deprecated, "
            "and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
            f"then it must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")

    if input.dim() == 2 and input.is_nested:
        include_last_offset = True
        offsets = input.offsets()
        input = input.values().reshape(-1)
        if per_sample_weights is not None:
            if not per_sample_weights.is_nested:
                raise ValueError("If input is nested, then per_sample_weights must be nested if specified")
            per_sample_weights = per_sample_weights.values().reshape(-1)
    elif input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of"
                f" fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")

    if mode not in tuple(_BAG_MODES):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max":
        if scale_grad_by_freq:
            raise ValueError("max mode does not support scaling the gradient by the frequency")
        if sparse:
            raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _no_grad_embedding_renorm_(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. "
            "per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    return torch.embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _BAG_MODES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )[0]


def _product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def _verify_batch_size(size):
    if size[0] * _product(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalises each channel over the batch, or by running statistics outside training."""
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return override(batch_norm, (input, running_mean, running_var, weight, bias), locals())
    if training:
        _verify_batch_size(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return torch.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, torch.backends.cudnn.enabled
    )


def _verify_spatial_size(size):
    if _product(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    """Normalises each channel of each sample."""
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return override(instance_norm, (input, running_mean, running_var, weight, bias), locals())
    if use_input_stats:
        _verify_spatial_size(input.size())
    return torch.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, torch.backends.cudnn.enabled
    )


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalises over the last dimensions."""
    if has_torch_function_variadic(input, weight, bias):
        return override(layer_norm, (input, weight, bias), locals())
    return torch.layer_norm(input, normalized_shape, weight, bias, eps, torch.backends.cudnn.enabled)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divides by the root mean square over the last dimensions."""
    if has_torch_function_variadic(input, weight):
        return override(rms_norm, (input, weight), locals())
    return torch.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalises groups of channels of each sample."""
    if has_torch_function_variadic(input, weight, bias):
        return override(group_norm, (input, weight, bias), locals())
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    samples, channels, *spatial = input.size()
    _verify_batch_size([samples * channels // num_groups, num_groups, *spatial])
    return torch.group_norm(input, num_groups, weight, bias, eps, torch.backends.cudnn.enabled)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Divides each value by a power of the mean square of `size` neighbouring channels."""
    if has_torch_function_unary(input):
        return override(local_response_norm, (input,), locals())
    rank = input.dim()
    if rank < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {rank} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    window = (size // 2, (size - 1) // 2)
    if rank == 3:
        padded = _C._nn.pad(squares.unsqueeze(1), (0, 0, *window))
        mean = _C._nn.avg_pool2d(padded, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.size()
        flat = squares.view(shape[0], 1, shape[1], shape[2], -1)
        padded = _C._nn.pad(flat, (0, 0, 0, 0, *window))
        mean = _C._nn.avg_pool3d(padded, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)
