"""Transforms onto simplexes and onto matrices: Cholesky factors, correlations, positive definite ones."""

import math

from .._root import torch
from . import constraints
from ._elementwise_transforms import _clipped_sigmoid, _softplus
from ._transform import Transform, _Stateless
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _pad(x, amounts, value):
    return torch.nn.functional.pad(x, amounts, value=value)


class CorrCholeskyTransform(Transform):
    """From a vector to the Cholesky factor of a correlation matrix, by canonical partial correlations."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = torch.tanh(x)
        eps = torch.finfo(x.dtype).eps
        correlations = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        # Each row's later entries share the length that the earlier ones leave.
        left = (1 - correlations**2).sqrt().cumprod(-1)
        identity = torch.eye(correlations.shape[-1], dtype=correlations.dtype, device=correlations.device)
        return (correlations + identity) * _pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = _pad((1 - torch.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        scaled = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (scaled.log1p() - scaled.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        tanh_part = -2 * (x + _softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return 0.5 * left.log().sum(-1) + tanh_part

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape):
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class SoftmaxTransform(_Stateless):
    """From a vector to a simplex, not one to one."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        powers = (x - x.max(-1, True)[0]).exp()
        return powers / powers.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(_Stateless):
    """From a vector to a simplex with one more entry: each takes its share of what is left."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _offset(x):
        # Zero maps to equal parts.
        return (x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x):
        share = _clipped_sigmoid(x - self._offset(x))
        left = (1 - share).cumprod(-1)
        return _pad(share, [0, 1], value=1) * _pad(left, [1, 0], value=1)

    def _inverse(self, y):
        parts = y[..., :-1]
        left = torch.clamp(1 - parts.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return parts.log() - left.log() + self._offset(parts)

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offset(x)
        return (-x + torch.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(_Stateless):
    """From a matrix to a Cholesky factor: the diagonal through exp, above it zero."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Stateless):
    """From a matrix to a positive definite one."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))
