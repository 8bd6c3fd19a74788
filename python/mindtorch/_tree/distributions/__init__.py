"""torch.distributions: probability distributions, their constraints, transforms and divergences.

Each lives in a file of its own and is loaded when first asked for.
"""

from .._lazy import lazy_attributes

_HOMES = {
    "Bernoulli": "bernoulli",
    "Beta": "beta",
    "Binomial": "binomial",
    "Categorical": "categorical",
    "Cauchy": "cauchy",
    "Chi2": "chi2",
    "ContinuousBernoulli": "continuous_bernoulli",
    "Dirichlet": "dirichlet",
    "Distribution": "distribution",
    "Exponential": "exponential",
    "ExponentialFamily": "exp_family",
    "FisherSnedecor": "fishersnedecor",
    "Gamma": "gamma",
    "GeneralizedPareto": "generalized_pareto",
    "Geometric": "geometric",
    "Gumbel": "gumbel",
    "HalfCauchy": "half_cauchy",
    "HalfNormal": "half_normal",
    "Independent": "independent",
    "InverseGamma": "inverse_gamma",
    "Kumaraswamy": "kumaraswamy",
    "LKJCholesky": "lkj_cholesky",
    "Laplace": "laplace",
    "LogNormal": "log_normal",
    "LogisticNormal": "logistic_normal",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "MixtureSameFamily": "mixture_same_family",
    "Multinomial": "multinomial",
    "MultivariateNormal": "multivariate_normal",
    "NegativeBinomial": "negative_binomial",
    "Normal": "normal",
    "OneHotCategorical": "one_hot_categorical",
    "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "Pareto": "pareto",
    "Poisson": "poisson",
    "RelaxedBernoulli": "relaxed_bernoulli",
    "RelaxedOneHotCategorical": "relaxed_categorical",
    "StudentT": "studentT",
    "TransformedDistribution": "transformed_distribution",
    "Uniform": "uniform",
    "VonMises": "von_mises",
    "Weibull": "weibull",
    "Wishart": "wishart",
    "biject_to": "constraint_registry",
    "kl_divergence": "kl",
    "register_kl": "kl",
    "transform_to": "constraint_registry",
    "AbsTransform": "transforms",
    "AffineTransform": "transforms",
    "CatTransform": "transforms",
    "ComposeTransform": "transforms",
    "CorrCholeskyTransform": "transforms",
    "CumulativeDistributionTransform": "transforms",
    "ExpTransform": "transforms",
    "IndependentTransform": "transforms",
    "LowerCholeskyTransform": "transforms",
    "PositiveDefiniteTransform": "transforms",
    "PowerTransform": "transforms",
    "ReshapeTransform": "transforms",
    "SigmoidTransform": "transforms",
    "SoftplusTransform": "transforms",
    "TanhTransform": "transforms",
    "SoftmaxTransform": "transforms",
    "StackTransform": "transforms",
    "StickBreakingTransform": "transforms",
    "Transform": "transforms",
    "identity_transform": "transforms",
}
_MODULES = {*_HOMES.values(), "constraints", "utils"}

__all__ = list(_HOMES)


__getattr__ = lazy_attributes(__name__, modules=_MODULES, names=_HOMES)


def __dir__():
    return sorted({*globals(), *_HOMES, *_MODULES})
