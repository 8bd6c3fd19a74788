"""Distributions have the same samples, densities, moments and divergences as real torch."""

import pytest
from outcomes import close, result

CASES = {
    "normal": lambda d, t: d.Normal(t([0.0, 1.0]), t([1.0, 2.0])),
    "normal of numbers": lambda d, t: d.Normal(0.0, 1.0),
    "multivariate normal": lambda d, t: d.MultivariateNormal(t([0.0, 1.0]), t([[2.0, 0.5], [0.5, 1.0]])),
    "multivariate normal by factor": lambda d, t: d.MultivariateNormal(
        t([[0.0, 1.0], [2.0, 3.0]]), scale_tril=t([[1.0, 0.0], [0.5, 1.0]])
    ),
    "multivariate normal by precision": lambda d, t: d.MultivariateNormal(
        t([0.0, 1.0]), precision_matrix=t([[2.0, 0.5], [0.5, 1.0]])
    ),
    "categorical": lambda d, t: d.Categorical(t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])),
    "categorical by logits": lambda d, t: d.Categorical(logits=t([0.1, 0.2, 0.7])),
    "bernoulli": lambda d, t: d.Bernoulli(t([0.1, 0.5])),
    "bernoulli by logits": lambda d, t: d.Bernoulli(logits=t([0.1, 0.5])),
    "uniform": lambda d, t: d.Uniform(t([0.0, 1.0]), t([2.0, 3.0])),
    "gamma": lambda d, t: d.Gamma(t([1.0, 2.0]), t([2.0, 3.0])),
    "chi squared": lambda d, t: d.Chi2(t([2.0, 3.0])),
    "exponential": lambda d, t: d.Exponential(t([1.0, 2.0])),
    "laplace": lambda d, t: d.Laplace(t([0.0, 1.0]), t([1.0, 2.0])),
    "cauchy": lambda d, t: d.Cauchy(t([0.0, 1.0]), t([1.0, 2.0])),
    "poisson": lambda d, t: d.Poisson(t([1.0, 4.0])),
    "geometric": lambda d, t: d.Geometric(t([0.3, 0.6])),
    "binomial": lambda d, t: d.Binomial(5, t([0.3, 0.6])),
    "negative binomial": lambda d, t: d.NegativeBinomial(5.0, t([0.3, 0.6])),
    "dirichlet": lambda d, t: d.Dirichlet(t([[0.5, 1.5, 2.0]])),
    "beta": lambda d, t: d.Beta(t([0.5, 2.0]), t([1.0, 3.0])),
    "half normal": lambda d, t: d.HalfNormal(t([1.0, 2.0])),
    "half cauchy": lambda d, t: d.HalfCauchy(t([1.0, 2.0])),
    "log normal": lambda d, t: d.LogNormal(t([0.0, 1.0]), t([1.0, 2.0])),
    "logistic normal": lambda d, t: d.LogisticNormal(t([0.0, 0.0]), t([1.0, 1.0])),
    "gumbel": lambda d, t: d.Gumbel(t([0.0, 1.0]), t([1.0, 2.0])),
    "inverse gamma": lambda d, t: d.InverseGamma(t([3.0, 2.0]), t([2.0, 3.0])),
    "kumaraswamy": lambda d, t: d.Kumaraswamy(t([3.0, 2.0]), t([2.0, 3.0])),
    "pareto": lambda d, t: d.Pareto(t([1.0, 2.0]), t([3.0, 4.0])),
    "weibull": lambda d, t: d.Weibull(t([1.0, 2.0]), t([3.0, 4.0])),
    "one-hot categorical": lambda d, t: d.OneHotCategorical(t([[0.1, 0.2, 0.7]])),
    "multinomial": lambda d, t: d.Multinomial(4, t([0.1, 0.2, 0.7])),
    "relaxed bernoulli": lambda d, t: d.RelaxedBernoulli(t(0.5), t([0.3, 0.6])),
    "relaxed one-hot": lambda d, t: d.RelaxedOneHotCategorical(t(0.5), t([0.3, 0.3, 0.4])),
    "student t": lambda d, t: d.StudentT(t([3.0, 5.0])),
    "fisher snedecor": lambda d, t: d.FisherSnedecor(t([3.0, 5.0]), t([5.0, 6.0])),
    "mixture": lambda d, t: d.MixtureSameFamily(d.Categorical(t([1.0, 1.0])), d.Normal(t([0.0, 5.0]), t([1.0, 1.0]))),
    "independent": lambda d, t: d.Independent(d.Normal(t([[0.0, 1.0]]), t([[1.0, 1.0]])), 1),
    "transformed": lambda d, t: d.TransformedDistribution(
        d.Normal(t([0.0, 0.0]), t([1.0, 1.0])), [d.AffineTransform(1.0, 2.0), d.SigmoidTransform()]
    ),
    "continuous bernoulli": lambda d, t: d.ContinuousBernoulli(t([0.3, 0.9])),
    "generalized pareto": lambda d, t: d.GeneralizedPareto(t([0.0, 1.0]), t([1.0, 2.0]), t([0.1, 0.0])),
    "low-rank normal": lambda d, t: d.LowRankMultivariateNormal(t([0.0, 0.0]), t([[1.0], [1.0]]), t([1.0, 2.0])),
    "lkj": lambda d, t: d.LKJCholesky(3, 1.5),
    "von mises": lambda d, t: d.VonMises(t([0.0, 1.0]), t([1.0, 5.0])),
    "wishart": lambda d, t: d.Wishart(t(5.0), t([[1.0, 0.0], [0.0, 1.0]])),
    "negative scale": lambda d, t: d.Normal(t([0.0]), t([-1.0])),
    "neither probs nor logits": lambda d, t: d.Categorical(),
    "value that is no number": lambda d, t: d.Normal(0.0, 1.0).log_prob(t([float("nan")])),
}


def _collect_outcomes(call, mt, oracle):
    ours, theirs = result(call, mt), result(call, oracle)
    return ours, theirs


def _make_distribution(torch, name):
    torch.manual_seed(1)
    return CASES[name](torch.distributions, torch.tensor)


@pytest.mark.parametrize("name", CASES)
def test_construction_prints_and_refuses_as_torch(name, mt, oracle):
    ours, theirs = _collect_outcomes(lambda torch: str(_make_distribution(torch, name)), mt, oracle)
    assert ours == theirs


_VALID = [name for name in CASES if name not in ("negative scale", "neither probs nor logits",
                                                 "value that is no number")]  # fmt: skip


@pytest.mark.parametrize("name", _VALID)
def test_samples_are_torchs(name, mt, oracle):
    def draw_sample(torch):
        made = _make_distribution(torch, name)
        torch.manual_seed(2)
        return made.sample((3,))

    ours, theirs = _collect_outcomes(draw_sample, mt, oracle)
    assert close(ours, theirs, relative=1e-4), (ours, theirs)


@pytest.mark.parametrize("what", ["log_prob", "cdf"])
@pytest.mark.parametrize("name", _VALID)
def test_densities_are_torchs(name, what, mt, oracle):
    made = _make_distribution(oracle, name)
    oracle.manual_seed(2)
    values = made.sample((3,)).tolist()
    ours, theirs = _collect_outcomes(
        lambda torch: getattr(_make_distribution(torch, name), what)(torch.tensor(values)), mt, oracle
    )
    assert close(ours, theirs, relative=1e-3, absolute=1e-4), (ours, theirs)


@pytest.mark.parametrize("what", ["mean", "mode", "variance", "stddev", "batch_shape", "event_shape", "support"])
@pytest.mark.parametrize("name", _VALID)
def test_moments_and_shapes_are_torchs(name, what, mt, oracle):
    ours, theirs = _collect_outcomes(lambda torch: getattr(_make_distribution(torch, name), what), mt, oracle)
    assert close(ours, theirs, relative=1e-4), (ours, theirs)


@pytest.mark.parametrize("what", ["entropy", "enumerate_support", "perplexity"])
@pytest.mark.parametrize("name", _VALID)
def test_entropies_are_torchs(name, what, mt, oracle):
    ours, theirs = _collect_outcomes(lambda torch: getattr(_make_distribution(torch, name), what)(), mt, oracle)
    assert close(ours, theirs, relative=1e-4), (ours, theirs)


@pytest.mark.parametrize("name", _VALID)
def test_expanded_distributions_are_torchs(name, mt, oracle):
    def expand_and_sample(torch):
        made = _make_distribution(torch, name)
        larger = made.expand((2, *made.batch_shape))
        torch.manual_seed(2)
        return [str(larger), larger.batch_shape, larger.event_shape, larger.sample()]

    ours, theirs = _collect_outcomes(expand_and_sample, mt, oracle)
    assert close(ours, theirs, relative=1e-4), (ours, theirs)


@pytest.mark.parametrize("name", _VALID)
def test_subclasses_with_a_constructor_have_to_expand_themselves(name, mt, oracle):
    def expand_subclass(torch):
        made = _make_distribution(torch, name)

        class Own(type(made)):
            def __init__(self):
                vars(self).update(vars(made))

        return Own().expand((2, *made.batch_shape)).batch_shape

    ours, theirs = _collect_outcomes(expand_subclass, mt, oracle)
    assert ours == theirs


_KL = ["normal", "multivariate normal", "categorical", "bernoulli", "uniform", "gamma", "exponential", "laplace",
       "cauchy", "poisson", "geometric", "binomial", "dirichlet", "beta", "half normal", "gumbel", "pareto",
       "one-hot categorical", "independent", "continuous bernoulli", "low-rank normal"]  # fmt: skip


@pytest.mark.parametrize("name", _KL)
def test_divergences_from_every_other_are_torchs(name, mt, oracle):
    for other in _KL:

        def compute_divergence(torch, other=other):
            return torch.distributions.kl_divergence(_make_distribution(torch, name), _make_distribution(torch, other))

        ours, theirs = result(compute_divergence, mt), result(compute_divergence, oracle)
        assert close(ours, theirs, relative=1e-3, absolute=1e-4), (other, ours, theirs)


@pytest.mark.parametrize("which", ["biject_to", "transform_to"])
@pytest.mark.parametrize(
    "constraint",
    ["real", "positive", "unit_interval", "simplex", "lower_cholesky", "corr_cholesky", "positive_definite"],
)
def test_constraints_have_torchs_transforms(constraint, which, mt, oracle):
    def map_to_constraint(torch):
        distributions = torch.distributions
        return str(getattr(distributions, which)(getattr(distributions.constraints, constraint)))

    ours, theirs = result(map_to_constraint, mt), result(map_to_constraint, oracle)
    assert ours == theirs


TRANSFORMS = {
    "exp": lambda d, t: d.ExpTransform(),
    "sigmoid": lambda d, t: d.SigmoidTransform(),
    "tanh": lambda d, t: d.TanhTransform(),
    "softplus": lambda d, t: d.SoftplusTransform(),
    "affine": lambda d, t: d.AffineTransform(1.0, 2.0),
    "power": lambda d, t: d.PowerTransform(t(2.0)),
    "stick breaking": lambda d, t: d.StickBreakingTransform(),
    "softmax": lambda d, t: d.SoftmaxTransform(),
    "corr cholesky": lambda d, t: d.CorrCholeskyTransform(),
    "compose": lambda d, t: d.ComposeTransform([d.ExpTransform(), d.AffineTransform(0.0, 2.0)]),
    "cat": lambda d, t: d.CatTransform([d.ExpTransform(), d.SigmoidTransform()], dim=0, lengths=[1, 2]),
    "stack": lambda d, t: d.StackTransform([d.ExpTransform()] * 3, dim=0),
    "reshape": lambda d, t: d.ReshapeTransform((3,), (1, 3)),
    "independent": lambda d, t: d.IndependentTransform(d.ExpTransform(), 1),
    "cumulative": lambda d, t: d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)),
    "affine of vectors": lambda d, t: d.AffineTransform(t([0.0, 1.0, 2.0]), t([1.0, -1.0, 2.0]), event_dim=1),
    "compose of vectors and numbers": lambda d, t: d.ComposeTransform(
        [d.AffineTransform(0.0, 2.0), d.StickBreakingTransform(), d.IndependentTransform(d.SigmoidTransform(), 1)]
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_with_a_cache_are_torchs(name, mt, oracle):
    def use_cached_transform(torch):
        plain = TRANSFORMS[name](torch.distributions, torch.tensor)
        cached = plain.with_cache()
        x = torch.tensor([0.3, 0.2, 0.5])
        y = cached(x)
        same = [plain.with_cache(0) is plain, cached(x) is y, cached.inv(y) is x, cached.inv.inv is cached]
        return same + [str(cached), cached == plain, cached.inv.with_cache(0) == plain.inv]

    ours, theirs = _collect_outcomes(use_cached_transform, mt, oracle)
    assert ours == theirs


@pytest.mark.parametrize("what", ["domain", "codomain", "event_dim", "bijective", "sign"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_described_as_torchs(name, what, mt, oracle):
    def describe_transform(torch):
        transform = TRANSFORMS[name](torch.distributions, torch.tensor)
        return [result(lambda _, way=way: getattr(way, what), torch) for way in (transform, transform.inv)]

    ours, theirs = _collect_outcomes(describe_transform, mt, oracle)
    assert ours == theirs


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 1), (1, 5), (4, 4)], ids=str)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_map_shapes_as_torchs(name, shape, mt, oracle):
    def map_shape(torch):
        transform = TRANSFORMS[name](torch.distributions, torch.tensor)
        ways = (transform.forward_shape, transform.inverse_shape)
        return [result(lambda _, way=way: way(torch.Size(shape)), torch) for way in ways]

    ours, theirs = _collect_outcomes(map_shape, mt, oracle)
    assert ours == theirs


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_and_their_inverses_match_torch(name, mt, oracle):
    def map_and_invert(torch):
        transform = TRANSFORMS[name](torch.distributions, torch.tensor)
        x = torch.tensor([0.3, 0.2, 0.5])
        y = transform(x)
        return [y, transform.inv(y), result(lambda _: transform.log_abs_det_jacobian(x, y), torch), str(transform)]

    ours, theirs = _collect_outcomes(map_and_invert, mt, oracle)
    assert close(ours, theirs, relative=1e-4), (ours, theirs)


INVALID_ARGUMENTS = {
    "nothing": lambda f: f(),
    "too many": lambda f: f((2,), None, 3, 4),
    "an unknown one": lambda f: f((2,), nothing=1),
}


@pytest.mark.parametrize("how", INVALID_ARGUMENTS)
@pytest.mark.parametrize("name", CASES)
def test_calls_that_do_not_fit_name_the_class(name, how, mt, oracle):
    def list_refusals(torch):
        def get_error_of_method(method):
            return result(
                lambda t: INVALID_ARGUMENTS[how](getattr(CASES[name](t.distributions, t.tensor), method)), torch
            )

        return [get_error_of_method(method) for method in ("expand", "log_prob", "cdf", "icdf")] + (
            [get_error_of_method("sample"), get_error_of_method("entropy")] if how != "nothing" else []
        )

    assert list_refusals(mt) == list_refusals(oracle)


def test_every_distribution_is_in_the_modules_namespace(mt, oracle):
    # Programs iterate over `__all__` to wrap each class.
    assert mt.distributions.__all__ == oracle.distributions.__all__
    assert set(mt.distributions.__all__) <= vars(mt.distributions).keys()


def test_a_divergence_may_be_registered_for_any_class(mt):
    class Apples:
        pass

    class Pears:
        pass

    @mt.distributions.register_kl(Apples, Pears)
    def divergence_formula(p, q):
        return 3.0

    assert mt.distributions.kl_divergence(Apples(), Pears()) == 3.0
    with pytest.raises(NotImplementedError, match="p type Pears and q type Apples"):
        mt.distributions.kl_divergence(Pears(), Apples())


@pytest.mark.parametrize("pair", ["(3, d.Normal)", "(d.Normal, 'x')", "(None, None)"])
def test_register_kl_refuses_non_classes(mt, oracle, pair):
    def register_divergence(torch):
        return torch.distributions.register_kl(*eval(pair, {"d": torch.distributions}))

    assert result(register_divergence, mt) == result(register_divergence, oracle)
