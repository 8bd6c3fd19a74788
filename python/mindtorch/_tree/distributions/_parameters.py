"""Parameters of several distributions: a probability or its logit, those of a categorical, those of a base."""

from .._root import torch
from . import constraints
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def check_one_given(probs, logits) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class BinaryProbsOrLogits:
    """`probs` and `logits`: derives one from the other."""

    def _set_param(self, probs, logits):
        check_one_given(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            self._param = self.probs
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits

    def _finish_expand(self, new, batch_shape) -> None:
        new._param = new.probs if "probs" in self.__dict__ else new.logits

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> "torch.Size":
        return self._param.size()


class OverCategorical:
    """`probs` and `logits` of the underlying categorical distribution, `_categorical`."""

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def param_shape(self):
        return self._categorical.param_shape


class OverRelaxed:
    """`temperature`, `probs` and `logits` of a relaxed distribution before its transform, in `base_dist`."""

    @property
    def temperature(self):
        return self.base_dist.temperature

    @property
    def logits(self):
        return self.base_dist.logits

    @property
    def probs(self):
        return self.base_dist.probs


def align_with_batch(values, batch_shape, expand):
    """Returns values along the first dimension, for each distribution of a batch or (with sizes of 1) once for all of
    it."""
    count, *event_shape = values.shape
    values = values.view(count, *(1 for _ in batch_shape), *event_shape)
    return values.expand(count, *batch_shape, *event_shape) if expand else values


def enumerate_integers(count, param, batch_shape, expand):
    """Returns 0 .. count-1 along a new leading dimension."""
    return align_with_batch(torch.arange(count, dtype=param.dtype, device=param.device), batch_shape, expand)


# A program gives one of these three forms of the covariance; the other two are computed from the Cholesky factor.
MATRIX_FORMS = {
    "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}  # fmt: skip


def find_only_given(**matrices):
    """Returns the name and value of the one matrix that is not None; no name unless there is exactly one."""
    given = [(name, value) for name, value in matrices.items() if value is not None]
    return given[0] if len(given) == 1 else (None, None)


def factor_matrix(name, matrix):
    """Returns the lower Cholesky factor of a covariance in the given form."""
    if name == "scale_tril":
        return matrix
    return torch.linalg.cholesky(matrix) if name == "covariance_matrix" else precision_to_scale_tril(matrix)


def precision_to_scale_tril(precision):
    """Returns the lower Cholesky factor of a matrix's inverse, without computing the inverse.

    Reversing both dimensions makes a lower factor an upper one: P = U U' for an upper U, so inv(P) = inv(U)' inv(U).
    """
    upper = torch.linalg.cholesky(precision.flip(-2, -1)).flip(-2, -1)
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torch.linalg.solve_triangular(upper.mT, identity, upper=False)
