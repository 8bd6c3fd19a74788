"""pyro: stochastic variational inference and Hamiltonian Monte Carlo of small models."""
# requires: pyro-ppl

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from report import report

pyro.set_rng_seed(0)
x = torch.linspace(-1, 1, 20)
y = 2 * x + 1 + 0.1 * torch.randn(20)


def model(x, y=None):
    slope = pyro.sample("slope", dist.Normal(0.0, 2.0))
    offset = pyro.sample("offset", dist.Normal(0.0, 2.0))
    noise = pyro.sample("noise", dist.HalfNormal(1.0))
    with pyro.plate("data", len(x)):
        return pyro.sample("y", dist.Normal(slope * x + offset, noise), obs=y)


guide = AutoNormal(model)
svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
report("losses", [svi.step(x, y) for _ in range(20)], rtol=1e-3)
report("median", guide.median(), rtol=1e-3, atol=1e-3)
report("predicted", Predictive(model, guide=guide, num_samples=4)(x[:3])["y"], rtol=1e-3, atol=1e-3)
pyro.set_rng_seed(1)
chain = MCMC(
    NUTS(lambda: pyro.sample("z", dist.Gamma(2.0, 1.0)), jit_compile=False),
    num_samples=5,
    warmup_steps=3,
    disable_progbar=True,
)
chain.run()
report("samples", chain.get_samples()["z"], rtol=1e-2, atol=1e-2)
