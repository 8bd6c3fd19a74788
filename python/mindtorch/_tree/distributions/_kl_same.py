"""KL divergences within one family."""

import math

from .._root import torch
from . import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Cauchy,
    ContinuousBernoulli,
    Dirichlet,
    Exponential,
    ExponentialFamily,
    Gamma,
    Geometric,
    Gumbel,
    HalfNormal,
    Independent,
    Laplace,
    LowRankMultivariateNormal,
    MultivariateNormal,
    Normal,
    OneHotCategorical,
    Pareto,
    Poisson,
    TransformedDistribution,
    Uniform,
)
from .kl import kl_divergence, register_kl
from .lowrank_multivariate_normal import _batch_lowrank_logdet, _batch_lowrank_mahalanobis
from .multivariate_normal import _batch_mahalanobis
from .utils import _sum_rightmost, euler_constant


def _infinite_where(value, mask):
    return value.masked_fill(mask, math.inf)


def _trace_of_square(matrix):
    """Returns the trace of M M'."""
    return matrix.reshape(-1, matrix.size(-1) * matrix.size(-2)).pow(2).sum(-1).reshape(matrix.shape[:-2])


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    softplus = torch.nn.functional.softplus
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one = _infinite_where(one, q.probs == 0).masked_fill(p.probs == 0, 0)
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return one + _infinite_where(zero, q.probs == 1).masked_fill(p.probs == 1, 0)


@register_kl(Beta, Beta)
def _beta(p, q):
    p_total = p.concentration1 + p.concentration0
    q_total = q.concentration1 + q.concentration0
    q_norm = q.concentration1.lgamma() + q.concentration0.lgamma() + p_total.lgamma()
    p_norm = p.concentration1.lgamma() + p.concentration0.lgamma() + q_total.lgamma()
    return (
        q_norm
        - p_norm
        + (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
        + (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
        + (q_total - p_total) * torch.digamma(p_total)
    )


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    divergence = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return _infinite_where(divergence, p.total_count > q.total_count)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms = _infinite_where(terms, (q.probs == 0).expand_as(terms))
    return terms.masked_fill((p.probs == 0).expand_as(terms), 0).sum(-1)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    own = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    return p.mean * (p.logits - q.logits) + own + (-q._cont_bern_log_norm() - torch.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    norm = p_total.lgamma() - q_total.lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    expected = p.concentration.digamma() - p_total.digamma().unsqueeze(-1)
    return norm + ((p.concentration - q.concentration) * expected).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    """Computes a Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be "
            "computed using Bregman divergences"
        )
    p_params = [param.detach().requires_grad_() for param in p._natural_params]
    normalizer = p._log_normalizer(*p_params)
    gradients = torch.autograd.grad(normalizer.sum(), p_params, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    for mine, theirs, gradient in zip(p_params, q._natural_params, gradients):
        result = result - _sum_rightmost((theirs - mine) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    return (
        q.concentration * (p.rate / q.rate).log()
        + (torch.lgamma(q.concentration) - torch.lgamma(p.concentration))
        + (p.concentration - q.concentration) * torch.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    location = -ratio.log() - q_loc + p_loc
    tail = torch.exp(q_loc + (1 + ratio).lgamma() - p_loc)
    return location + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


def _same_events(p, q, kinds):
    if p.event_shape != q.event_shape:
        gap = " " * 26
        raise ValueError(f"KL-divergence between two {kinds} with{gap}different event shapes cannot be computed")


def _log_det(distribution):
    """Returns half the logarithm of the covariance's determinant."""
    return distribution._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _expand_matrix(matrix, batch_shape, size):
    return matrix.expand(batch_shape + (size, matrix.size(-1)))


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p, q):
    _same_events(p, q, "Multivariate Normals")
    p_factor, q_factor = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    batch_shape = torch.broadcast_shapes(q_factor.shape[:-2], p_factor.shape[:-2])
    size = p.event_shape[0]
    whitened = torch.linalg.solve_triangular(
        _expand_matrix(q_factor, batch_shape, size), _expand_matrix(p_factor, batch_shape, size), upper=False
    )
    distance = _batch_mahalanobis(q_factor, q.loc - p.loc)
    return (_log_det(q) - _log_det(p)) + 0.5 * (_trace_of_square(whitened) + distance - size)


def _lowrank_log_det(distribution):
    return _batch_lowrank_logdet(
        distribution._unbroadcasted_cov_factor,
        distribution._unbroadcasted_cov_diag,
        distribution._capacitance_tril,
    )


def _lowrank_terms(q):
    """Returns the terms of the trace against a low-rank covariance."""
    weighted = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    inner = torch.linalg.solve_triangular(q._capacitance_tril, weighted, upper=False)
    return inner, q._unbroadcasted_cov_diag


def _lowrank_distance(p, q):
    return _batch_lowrank_mahalanobis(
        q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q.loc - p.loc, q._capacitance_tril
    )


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _lowrank(p, q):
    _same_events(p, q, "Low Rank Multivariate Normals")
    inner, q_diag = _lowrank_terms(q)
    trace = (
        (p._unbroadcasted_cov_diag / q_diag).sum(-1)
        + _trace_of_square(p._unbroadcasted_cov_factor * q_diag.rsqrt().unsqueeze(-1))
        - _trace_of_square(inner * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2))
        - _trace_of_square(inner.matmul(p._unbroadcasted_cov_factor))
    )
    log_dets = _lowrank_log_det(q) - _lowrank_log_det(p)
    return 0.5 * (log_dets + trace + _lowrank_distance(p, q) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_to_lowrank(p, q):
    _same_events(p, q, "(Low Rank) Multivariate Normals")
    inner, q_diag = _lowrank_terms(q)
    factor = p._unbroadcasted_scale_tril
    trace = _trace_of_square(factor * q_diag.rsqrt().unsqueeze(-1)) - _trace_of_square(inner.matmul(factor))
    log_dets = _lowrank_log_det(q) - 2 * _log_det(p)
    return 0.5 * (log_dets + trace + _lowrank_distance(p, q) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _lowrank_to_full(p, q):
    _same_events(p, q, "(Low Rank) Multivariate Normals")
    size = p.event_shape[0]
    q_factor = q._unbroadcasted_scale_tril
    batch_shape = torch.broadcast_shapes(q_factor.shape[:-2], p._unbroadcasted_cov_factor.shape[:-2])
    q_expanded = _expand_matrix(q_factor, batch_shape, size)
    trace = 0
    for part in (p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())):
        whitened = torch.linalg.solve_triangular(q_expanded, _expand_matrix(part, batch_shape, size), upper=False)
        trace = trace + _trace_of_square(whitened)
    log_dets = 2 * _log_det(q) - _lowrank_log_det(p)
    return 0.5 * (log_dets + trace + _batch_mahalanobis(q_factor, q.loc - p.loc) - size)


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    divergence = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite_where(divergence, p.support.lower_bound < q.support.lower_bound)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    divergence = ((q.high - q.low) / (p.high - p.low)).log()
    return _infinite_where(divergence, (q.low > p.low) | (q.high < p.high))


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
