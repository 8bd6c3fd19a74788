"""Parameters that several distributions have: a probability or its logit, a categorical, those of a base."""

from .._root import torch
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def check_one_given(probs, logits) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class BinaryProbsOrLogits:
    """`probs` and `logits`: one is given, the other derived."""

    def _set_param(self, probs, logits):
        check_one_given(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            self._param = self.probs
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits

    def _finish_expand(self, new) -> None:
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
    """`probs` and `logits` of the categorical distribution that this one is made of, in `_categorical`."""

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


def enumerate_integers(count, param, batch_shape, expand):
    """0 .. count-1 along a new leading dimension."""
    values = torch.arange(count, dtype=param.dtype, device=param.device)
    values = values.view((-1,) + (1,) * len(batch_shape))
    return values.expand((-1,) + batch_shape) if expand else values
