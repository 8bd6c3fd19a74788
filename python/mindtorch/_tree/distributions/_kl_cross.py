"""KL divergences between families: infinite if p has mass where q has none, and closed forms."""

import math

from .._root import torch
from . import (
    Bernoulli,
    Beta,
    Binomial,
    ContinuousBernoulli,
    Exponential,
    Gamma,
    Gumbel,
    Laplace,
    Normal,
    Pareto,
    Poisson,
    Uniform,
)
from .kl import register_kl
from .utils import euler_constant

_LOG_2PI = math.log(2 * math.pi)

# Pairs of families whose divergence is always infinite: for each type of p, the parameter that has the result's shape,
# and the types of q that give no probability to a part of p's support.
_INFINITE = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}


def _register_infinite(type_p, name, types_q):
    def return_infinite_divergence(p, q):
        return torch.full_like(getattr(p, name), math.inf)

    for type_q in types_q:
        register_kl(type_p, type_q)(return_infinite_divergence)


for _type_p, (_name, _types_q) in _INFINITE.items():
    _register_infinite(_type_p, _name, _types_q)


def _infinite_where(value, mask):
    return value.masked_fill(mask, math.inf)


def _gamma_norm(q):
    """Returns the logarithm of a gamma density's normalizer."""
    return q.concentration.lgamma() - q.concentration * q.rate.log()


def _x_log_x(x):
    return torch.special.xlogy(x, x)


def _second_moment_to_normal(second, mean, q):
    """Returns (E[x^2] / 2 - loc E[x] + loc^2 / 2) / variance, the quadratic part of a normal's cross entropy."""
    return (second * 0.5 - q.loc * mean + q.loc.pow(2) * 0.5) / q.scale.pow(2)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _to_continuous_bernoulli(p, q):
    divergence = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()
    if not isinstance(p, Uniform):
        return divergence
    outside = (p.high >= q.support.upper_bound) | (p.low <= q.support.lower_bound)
    return _infinite_where(divergence, outside)


@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    total = p.concentration1 + p.concentration0
    expected_log = p.concentration1.digamma() - total.digamma()
    return -p.entropy() + _gamma_norm(q) - (q.concentration - 1) * expected_log + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_normal(p, q):
    total = p.concentration1 + p.concentration0
    mean = p.concentration1 / total
    second = mean * (1 - mean) / (total + 1) + mean.pow(2)
    constant = 0.5 * (q.scale.pow(2) * 2 * math.pi).log()
    return -p.entropy() + constant + _second_moment_to_normal(second, mean, q)


@register_kl(Beta, Uniform)
def _beta_uniform(p, q):
    divergence = -p.entropy() + (q.high - q.low).log()
    return _infinite_where(divergence, (q.low > p.support.lower_bound) | (q.high < p.support.upper_bound))


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p, q):
    constant = 0.5 * (_LOG_2PI + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    quadratic = p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + constant + quadratic / (2.0 * torch.square(q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p, q):
    divergence = -p.entropy() + (q.high - q.low).log()
    outside = (q.low >= p.support.lower_bound) | (q.high <= p.support.upper_bound)
    return _infinite_where(divergence, outside)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    return (
        -q.concentration * torch.log(ratio)
        + ratio
        + q.concentration.lgamma()
        + q.concentration * euler_constant
        - (1 + euler_constant)
    )


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, location = p.rate * q.scale, q.loc / q.scale
    tail = torch.exp(location) * product / (product + 1)
    return product.log() - 1 - location + tail + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    rate_squared = p.rate.pow(2)
    constant = 0.5 * torch.log(rate_squared * q.scale.pow(2) * 2 * math.pi)
    return constant - 1 + _second_moment_to_normal(2 * rate_squared.reciprocal(), p.rate.reciprocal(), q)


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


def _negative_gamma_entropy_terms(p):
    return (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    product, location = p.rate * q.scale, q.loc / q.scale
    tail = torch.exp(location) * (1 + product.reciprocal()).pow(-p.concentration) - location
    return _negative_gamma_entropy_terms(p) + (product.log() + p.concentration / product) + tail


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    rate_squared = p.rate.pow(2)
    constant = 0.5 * torch.log(rate_squared * q.scale.pow(2) * 2 * math.pi)
    second = (p.concentration.pow(2) + p.concentration) / rate_squared
    return constant + _negative_gamma_entropy_terms(p) + _second_moment_to_normal(second, p.concentration / p.rate, q)


@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    # Half of p's variance and of the squared distance of its mean, in q's units; p's entropy is log(scale) +
    # euler_constant + 1.
    scale = p.scale / q.scale
    variance = torch.square(scale * math.pi / 2) / 3
    distance = torch.square((p.mean - q.mean) / q.scale) / 2
    return variance - torch.log(scale / math.sqrt(2 * math.pi)) + distance - (1 + euler_constant)


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    ratio = p.scale.pow(2) / q.scale.pow(2)
    constant = 0.5 * torch.log(2 * ratio / math.pi)
    return -constant + ratio + _second_moment_to_normal(p.loc.pow(2), p.loc, q) - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    mean, variance, location = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = torch.exp(-mean + 0.5 * variance + location)
    return -variance.log() * 0.5 + mean - location + tail - 0.5 * (1 + _LOG_2PI)


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    distance = p.loc - q.loc
    scaled = distance / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * scaled.pow(2))
    shift = distance * torch.erf(math.sqrt(0.5) * scaled)
    return -torch.log(p.scale / q.scale) + (spread + shift) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    divergence = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return _infinite_where(divergence, p.alpha <= 1)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    expected_log = p.scale.log() + p.alpha.reciprocal()
    divergence = (
        p.alpha.log()
        - expected_log
        + _gamma_norm(q)
        + (1 - q.concentration) * expected_log
        + q.rate * p.alpha * p.scale / (p.alpha - 1)
        - 1
    )
    return _infinite_where(divergence, p.alpha <= 1)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    base = p.scale / (p.alpha - 1)
    spread = p.alpha * base.pow(2) / (p.alpha - 2)
    shift = (p.alpha * base - q.loc).pow(2)
    constant = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    return _infinite_where(constant + (spread + shift) / (2 * q.scale.pow(2)) - 1, p.alpha <= 2)


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    width = p.high - p.low
    log_part = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    log_rest = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    total = q.concentration1 + q.concentration0
    norm = q.concentration1.lgamma() + q.concentration0.lgamma() - total.lgamma()
    outside = (p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)
    return _infinite_where(log_rest + norm - torch.log(width) - log_part, outside)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    divergence = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _infinite_where(divergence, p.low < q.support.lower_bound)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    width = p.high - p.low
    log_part = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    divergence = -width.log() + _gamma_norm(q) + log_part + q.rate * (p.high + p.low) / 2
    return _infinite_where(divergence, p.low < q.support.lower_bound)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    density = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return density.log() + 0.5 * (high + low) - density * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    second = torch.square(width) / 12 + torch.square((p.high + p.low - 2 * q.loc) / 2)  # E[(x - q.loc)^2]
    return torch.log(math.sqrt(2 * math.pi) * q.scale / width) + second / 2 / torch.square(q.scale)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width = p.high - p.low
    constant = (q.alpha * q.scale.pow(q.alpha) * width).log()
    expected_log = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    return _infinite_where(expected_log * (q.alpha + 1) - constant, p.low < q.support.lower_bound)
