"""Transforms to simplexes and matrices: Cholesky factors, correlation and positive definite matrices."""

import math

from .._root import torch
from . import constraints
from ._elementwise_transforms import _clipped_sigmoid, _softplus
from ._transform import Transform, _split_shape, _Stateless
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _pad_matrix(x, amounts, value):
    return torch.nn.functional.pad(x, amounts, value=value)


class CorrCholeskyTransform(Transform):
    """Maps a vector of n * (n - 1) / 2 numbers to the Cholesky factor of an n x n correlation matrix.

    ``r = tanh(x)`` are canonical partial correlations (Lewandowski, Kurowicka and Joe 2009). Row i of
    the factor is ``L[i, j] = r[i, j] * sqrt(prod over k < j of (1 - r[i, k] ** 2))``, with the same
    product on the diagonal, so that rows have length 1.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Raises:
        ValueError: in the shape functions, when a length is no n * (n - 1) / 2.

    Example:
        >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(3))
        tensor([[1., 0., 0.],
                [0., 1., 0.],
                [0., 0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = torch.tanh(x)
        eps = torch.finfo(x.dtype).eps
        correlations = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        # The later entries of a row share the length that the earlier ones leave.
        left = (1 - correlations**2).sqrt().cumprod(-1)
        identity = torch.eye(correlations.shape[-1], dtype=correlations.dtype, device=correlations.device)
        return (correlations + identity) * _pad_matrix(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = _pad_matrix((1 - torch.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        scaled = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (scaled.log1p() - scaled.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        """Computes ``log |det dy/dx|``.

        Args:
            x (Tensor): input.
            y (Tensor): output for `x`.
            intermediates (optional): not used.

        Returns:
            Tensor: one number per matrix.
        """
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        tanh_part = -2 * (x + _softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return 0.5 * left.log().sum(-1) + tanh_part

    def forward_shape(self, shape):
        batch, (count,) = _split_shape(shape, 1)
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return batch + (size, size)

    def inverse_shape(self, shape):
        batch, (rows, columns) = _split_shape(shape, 2)
        if rows != columns:
            raise ValueError("Input is not square")
        return batch + (rows * (rows - 1) // 2,)


class SoftmaxTransform(_Stateless):
    """The softmax over the last dimension, onto the simplex of K shares.

    Not one to one, since a constant can be added to x: the inverse is ``log(y)``, and there is no
    log-determinant. Good coordinates for optimisation; `StickBreakingTransform` for densities.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.SoftmaxTransform()(torch.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        powers = (x - x.max(-1, True)[0]).exp()
        return powers / powers.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        _split_shape(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(_Stateless):
    """Maps K - 1 numbers one to one to K shares that sum to 1: each takes its part of what is left.

    ``z_i = sigmoid(x_i - log(K - i))`` for i = 1 .. K - 1, ``y_i = z_i * prod over j < i of (1 -
    z_j)``; the last share is the rest. The offset makes x = 0 the centre. Log-determinant: the sum of
    ``log(y_i) + log(1 - z_i)``.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> f = torch.distributions.StickBreakingTransform()
        >>> torch.allclose(f(torch.zeros(3)), torch.full((4,), 0.25))
        True
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _log_remaining_counts(x):
        # Zero maps to the uniform distribution.
        return (x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x):
        share = _clipped_sigmoid(x - self._log_remaining_counts(x))
        left = (1 - share).cumprod(-1)
        return _pad_matrix(share, [0, 1], value=1) * _pad_matrix(left, [1, 0], value=1)

    def _inverse(self, y):
        parts = y[..., :-1]
        left = torch.clamp(1 - parts.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return parts.log() - left.log() + self._log_remaining_counts(parts)

    def log_abs_det_jacobian(self, x, y):
        x = x - self._log_remaining_counts(x)
        return (-x + torch.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        batch, (count,) = _split_shape(shape, 1)
        return batch + (count + 1,)

    def inverse_shape(self, shape):
        batch, (count,) = _split_shape(shape, 1)
        return batch + (count - 1,)


class LowerCholeskyTransform(_Stateless):
    """Maps matrices to lower triangular ones with a positive diagonal, which goes through exp.

    What is above the diagonal is dropped. The inverse takes the logarithm of the diagonal.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.LowerCholeskyTransform()(torch.tensor([[0.0, 5.0], [2.0, 0.0]]))
        tensor([[1., 0.],
                [2., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Stateless):
    """Maps matrices to positive definite ones, ``L L'`` with L of `LowerCholeskyTransform`.

    The inverse goes through the Cholesky decomposition. There is no log-determinant.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.PositiveDefiniteTransform()(torch.tensor([[0.0, 5.0], [2.0, 0.0]]))
        tensor([[1., 2.],
                [2., 5.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))
