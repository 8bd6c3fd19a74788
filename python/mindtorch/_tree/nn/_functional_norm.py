"""torch.nn.functional: dropout, embedding and normalisation."""

import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from .._override import override


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """Zeroes elements at random and scales the others by ``1 / (1 - p)`` (Hinton et al. 2012).

    Args:
        input (Tensor): the values.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``True``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> F.dropout(torch.ones(3), p=0.5, training=False)
        tensor([1., 1., 1.])
        >>> F.dropout(torch.ones(3), p=1.0)
        tensor([0., 0., 0.])
    """
    if has_torch_function_unary(input):
        return override(dropout, (input,), locals())
    if p < 0.0 or p > 1.0:
        _check_probability(p)
    return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)


def alpha_dropout(input: torch.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> torch.Tensor:
    """Drops elements such that mean 0 and variance 1 are kept, for SELU networks (Klambauer et al. 2017).

    Args:
        input (Tensor): the values.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``False``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> F.alpha_dropout(torch.ones(3), training=False)
        tensor([1., 1., 1.])
    """
    if has_torch_function_unary(input):
        return override(alpha_dropout, (input,), locals())
    _check_probability(p)
    return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)


def _feature_dropout(input, p, training, inplace, add_batch):
    """Drops whole channels; adds a temporary batch dimension if there is none."""
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


def dropout1d(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """Zeroes whole channels of signals at random and scales the others by ``1 / (1 - p)``.

    Tompson et al. 2014, section 3.2.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``True``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = F.dropout1d(torch.ones(8, 4, 3), 0.5).flatten(2)
        >>> bool((y == y[:, :, :1]).all())  # channels are dropped as a whole
        True
    """
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


def dropout2d(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """Zeroes whole channels of images at random and scales the others by ``1 / (1 - p)``.

    Tompson et al. 2014, section 3.2.

    Args:
        input (Tensor): ``(N, C, H, W)``; three dimensions are read as ``(N, C, L)``, with a
            warning.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``True``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = F.dropout2d(torch.ones(8, 4, 3, 3), 0.5).flatten(2)
        >>> bool((y == y[:, :, :1]).all())  # channels are dropped as a whole
        True
    """
    if has_torch_function_unary(input):
        return override(dropout2d, (input,), locals())
    _check_probability(p)
    rank = input.dim()
    if rank not in (3, 4):
        _warn_feature_dropout_dims("dropout2d", rank, 2)
    if rank == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change "
            "in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To "
            "maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _feature_dropout(input, p, training, inplace, add_batch=False)


def dropout3d(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """Zeroes whole channels of volumes at random and scales the others by ``1 / (1 - p)``.

    Tompson et al. 2014, section 3.2.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``True``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = F.dropout3d(torch.ones(8, 4, 3, 3, 3), 0.5).flatten(2)
        >>> bool((y == y[:, :, :1]).all())  # channels are dropped as a whole
        True
    """
    if has_torch_function_unary(input):
        return override(dropout3d, (input,), locals())
    _check_probability(p)
    rank = input.dim()
    if rank not in (4, 5):
        _warn_feature_dropout_dims("dropout3d", rank, 3)
    return _feature_dropout(input, p, training, inplace, add_batch=rank != 5)


def feature_alpha_dropout(
    input: torch.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> torch.Tensor:
    """Drops whole channels as `alpha_dropout` drops elements.

    Dimension 1 is the channels.

    Args:
        input (Tensor): the values.
        p (float): probability, from 0 to 1. Default: ``0.5``.
        training (bool): whether anything is dropped. Default: ``False``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = F.feature_alpha_dropout(torch.ones(8, 4, 6), training=True)
        >>> bool((y == y[:, :, :1]).all())
        True
    """
    if has_torch_function_unary(input):
        return override(feature_alpha_dropout, (input,), locals())
    _check_probability(p)
    if inplace:
        return torch.feature_alpha_dropout_(input, p, training)
    return torch.feature_alpha_dropout(input, p, training)


def _no_grad_embedding_renorm_(weight, input, max_norm, norm_type):
    torch.embedding_renorm_(weight.detach(), input, max_norm, norm_type)


def embedding(
    input: torch.Tensor,
    weight: torch.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> torch.Tensor:
    """Looks up rows of a table by index.

    Args:
        input (Tensor): indices of any shape ``(*)``, int64 or int32.
        weight (Tensor): the table, ``(num_embeddings, embedding_dim)``.
        padding_idx (int, optional): a row that gets no gradient; negative values count from the
            end. Default: ``None``.
        max_norm (float, optional): rows that are looked up and whose norm exceeds it are scaled
            down to it, in place. Default: ``None``.
        norm_type (float): exponent of that norm. Default: ``2.0``.
        scale_grad_by_freq (bool): whether gradients are divided by how often the index is in
            the input. Default: ``False``.
        sparse (bool): whether the gradient of `weight` is sparse. Default: ``False``.

    Returns:
        Tensor: ``(*, embedding_dim)``.

    Example:
        >>> table = torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]])
        >>> F.embedding(torch.tensor([2, 1]), table)
        tensor([[3., 4.],
                [1., 2.]])
    """
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
        input = input.contiguous()  # renorm reads the indices in memory order
        _no_grad_embedding_renorm_(weight, input, max_norm, norm_type)
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


_BAG_MODES = {"sum": 0, "mean": 1, "max": 2}


def _flatten_bags(input, offsets, weights, include_last_offset):
    """Returns 1-D indices, the starts of bags, factors, and whether the last offset is only the end of the last bag."""
    if input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        return input, offsets, weights, include_last_offset
    if input.dim() != 2:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if input.is_nested:
        if weights is not None and not weights.is_nested:
            raise ValueError("If input is nested, then per_sample_weights must be nested if specified")
        factors = None if weights is None else weights.values().reshape(-1)
        return input.values().reshape(-1), input.offsets(), factors, True
    if offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)}"
        )
    starts = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
    return input.reshape(-1), starts, None if weights is None else weights.reshape(-1), False


def embedding_bag(
    input: torch.Tensor,
    weight: torch.Tensor,
    offsets: torch.Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: torch.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> torch.Tensor:
    """Sums, averages or maximises embeddings over bags of indices, without storing them in between.

    Args:
        input (Tensor): indices, ``(B, N)`` for bags of one size, or ``(N)`` with `offsets`.
        weight (Tensor): the table, ``(num_embeddings, embedding_dim)``.
        offsets (Tensor, optional): where each bag of a one-dimensional input begins. Default:
            ``None``.
        max_norm (float, optional): rows that are looked up and whose norm exceeds it are scaled
            down to it, in place. Default: ``None``.
        norm_type (float): exponent of that norm. Default: ``2``.
        scale_grad_by_freq (bool): whether gradients are divided by how often the index is in
            the input; not for ``"max"``. Default: ``False``.
        mode (str): ``"sum"``, ``"mean"`` or ``"max"``. Default: ``"mean"``.
        sparse (bool): whether the gradient of `weight` is sparse; not for ``"max"``. Default:
            ``False``.
        per_sample_weights (Tensor, optional): factors of the embeddings, of the input's shape; with
            ``"sum"`` only. Default: ``None``.
        include_last_offset (bool): whether `offsets` ends with the number of indices. Default:
            ``False``.
        padding_idx (int, optional): a row that does not count in its bag and gets no gradient.
            Default: ``None``.

    Returns:
        Tensor: ``(B, embedding_dim)``; zeros for an empty bag.

    Raises:
        ValueError: when `input` has not one or two dimensions, or `offsets` does not fit it.

    Example:
        >>> table = torch.tensor([[1.0], [2.0], [4.0]])
        >>> F.embedding_bag(torch.tensor([0, 1, 2, 2]), table, torch.tensor([0, 2]), mode="sum")
        tensor([[3.],
                [8.]])
    """
    if has_torch_function_variadic(input, weight, offsets, per_sample_weights):
        return override(embedding_bag, (input, weight, offsets, per_sample_weights), locals())
    if input.is_floating_point() and weight.dtype == torch.long:
        text = "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` "
        text += "is deprecated, and should now be `embedding_bag(input, weight, ...)`."
        warnings.warn(text, stacklevel=2)
        input, weight = weight, input
    if per_sample_weights is not None:
        indices, factors = input.size(), per_sample_weights.size()
        if indices != factors:
            raise ValueError(
                f"embedding_bag: If per_sample_weights ({factors}) is not None, then it must have the same shape as "
                f"the input ({indices})"
            )
    if (rank := weight.dim()) != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {rank}")

    input, offsets, per_sample_weights, include_last_offset = _flatten_bags(
        input, offsets, per_sample_weights, include_last_offset
    )
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
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
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


def _multiply_sizes(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def _verify_batch_size(size):
    if size[0] * _multiply_sizes(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: torch.Tensor,
    running_mean: torch.Tensor | None,
    running_var: torch.Tensor | None,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalises each channel over a batch: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    In training, mean and biased variance are those of the batch and move the running
    statistics, in place; else the running statistics are used (Ioffe and Szegedy 2015).

    Args:
        input (Tensor): ``(N, C, *)``.
        running_mean, running_var (Tensor or None): ``(C,)``; may be ``None`` in training.
        weight, bias (Tensor, optional): ``(C,)``. Default: ``None``, one and zero.
        training (bool): whether the batch's own statistics are used. Default: ``False``.
        momentum (float): weight of this batch in the running statistics. Default: ``0.1``.
        eps (float): added to the variance, above zero in training. Default: ``1e-5``.

    Returns:
        Tensor: of the shape of `input`.

    Raises:
        ValueError: when training with one value per channel.

    Example:
        >>> x = torch.tensor([[1.0], [3.0]])
        >>> F.batch_norm(x, None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return override(batch_norm, (input, running_mean, running_var, weight, bias), locals())
    if training:
        _verify_batch_size(input.size())
    if (training and eps <= 0.0) or eps < 0.0:  # in this order, so that non-numbers fail as in torch
        bound = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {bound}, but got {eps}")
    return torch.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, torch.backends.cudnn.enabled
    )


def _verify_spatial_size(size):
    if _multiply_sizes(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def instance_norm(
    input: torch.Tensor,
    running_mean: torch.Tensor | None = None,
    running_var: torch.Tensor | None = None,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalises each channel of each sample by itself (Ulyanov et al. 2016).

    Args:
        input (Tensor): ``(N, C, *)`` of at least three dimensions.
        running_mean, running_var (Tensor, optional): ``(C,)``, moved in place by the means over
            the batch. Default: ``None``.
        weight, bias (Tensor, optional): ``(C,)``. Default: ``None``, one and zero.
        use_input_stats (bool): whether the input's own statistics are used, not the running
            ones. Default: ``True``.
        momentum (float): weight of this batch in the running statistics. Default: ``0.1``.
        eps (float): added to the variance. Default: ``1e-5``.

    Returns:
        Tensor: of the shape of `input`.

    Raises:
        ValueError: for one spatial element per channel with `use_input_stats`.

    Example:
        >>> F.instance_norm(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if has_torch_function_variadic(input, running_mean, running_var, weight, bias):
        return override(instance_norm, (input, running_mean, running_var, weight, bias), locals())
    if use_input_stats:
        _verify_spatial_size(input.size())
    return torch.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, torch.backends.cudnn.enabled
    )


def layer_norm(
    input: torch.Tensor,
    normalized_shape: list[int],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalises over the last dimensions: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    Ba et al. 2016, eq. 4; the variance is the biased one.

    Args:
        input (Tensor): ``(*, *normalized_shape)``.
        normalized_shape (list of int): sizes of the last dimensions.
        weight, bias (Tensor, optional): of shape `normalized_shape`. Default: ``None``, one and
            zero.
        eps (float): added to the variance. Default: ``1e-5``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.layer_norm(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    if has_torch_function_variadic(input, weight, bias):
        return override(layer_norm, (input, weight, bias), locals())
    return torch.layer_norm(input, normalized_shape, weight, bias, eps, torch.backends.cudnn.enabled)


def rms_norm(
    input: torch.Tensor, normalized_shape: list[int], weight: torch.Tensor | None = None, eps: float | None = None
) -> torch.Tensor:
    """Divides by the root mean square over the last dimensions: ``y = x / sqrt(mean(x^2) + eps) * weight``.

    Zhang and Sennrich 2019, eq. 4.

    Args:
        input (Tensor): ``(*, *normalized_shape)``.
        normalized_shape (list of int): sizes of the last dimensions.
        weight (Tensor, optional): of shape `normalized_shape`. Default: ``None``, one.
        eps (float, optional): added to the mean square. Default: ``None``, the machine epsilon.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.rms_norm(torch.tensor([[1.0, 7.0]]), (2,))  # root mean square 5
        tensor([[0.2000, 1.4000]])
    """
    if has_torch_function_variadic(input, weight):
        return override(rms_norm, (input, weight), locals())
    return torch.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: torch.Tensor,
    num_groups: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalises groups of channels of each sample (Wu and He 2018, eq. 1).

    Args:
        input (Tensor): ``(N, C, *)``.
        num_groups (int): number of groups, a divisor of `C`.
        weight, bias (Tensor, optional): ``(C,)``. Default: ``None``, one and zero.
        eps (float): added to the variance. Default: ``1e-5``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if has_torch_function_variadic(input, weight, bias):
        return override(group_norm, (input, weight, bias), locals())
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    samples, channels, *spatial = input.size()
    _verify_batch_size([samples * channels // num_groups, num_groups, *spatial])
    return torch.group_norm(input, num_groups, weight, bias, eps, torch.backends.cudnn.enabled)


def local_response_norm(
    input: torch.Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> torch.Tensor:
    """Divides each value by a power of the mean square of its neighbours across channels.

    ``b_c = a_c / (k + alpha / size * sum a_j^2) ^ beta``, the sum over `size` channels around
    `c` (Krizhevsky et al. 2012, section 3.3).

    Args:
        input (Tensor): ``(N, C, *)`` of at least three dimensions.
        size (int): number of channels in the sum.
        alpha (float): factor of the mean square. Default: ``1e-4``.
        beta (float): the exponent. Default: ``0.75``.
        k (float): added to the mean square. Default: ``1.0``.

    Returns:
        Tensor: of the shape of `input`.

    Raises:
        ValueError: for fewer than three dimensions.

    Example:
        >>> F.local_response_norm(torch.tensor([[[2.0], [4.0]]]), 1, alpha=1.0, beta=1.0, k=0.0)
        tensor([[[0.5000],
                 [0.2500]]])
    """
    if has_torch_function_unary(input):
        return override(local_response_norm, (input,), locals())
    rank = input.dim()
    if rank < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {rank} dimensions)")
    if input.numel() == 0:
        return input
    # Treats each sample as one image whose first dimension is the channels: pooling averages along it.
    squares = input * input
    if rank == 3:
        pool, image = _C._nn.avg_pool2d, squares.unsqueeze(1)
    else:
        samples, channels, lines = input.shape[:3]
        pool, image = _C._nn.avg_pool3d, squares.view(samples, 1, channels, lines, -1)
    others = image.dim() - 3
    padded = _C._nn.pad(image, [0, 0] * others + [size // 2, (size - 1) // 2])
    mean = pool(padded, [size] + [1] * others, stride=1).squeeze(1)
    if rank > 3:
        mean = mean.view(input.shape)
    return input / mean.mul(alpha).add(k).pow(beta)
