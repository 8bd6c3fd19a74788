"""botorch: a Gaussian process is fitted, and expected improvement proposes points."""
# requires: botorch

import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from report import report

torch.manual_seed(0)
x = torch.rand(8, 2, dtype=torch.double)
y = -((x - 0.4) ** 2).sum(1, keepdim=True)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
report("posterior", model.posterior(x[:3] + 0.05).mean, rtol=1e-3, atol=1e-3)
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double)
acquisition = LogExpectedImprovement(model, best_f=y.max())
report("acquisition", acquisition(torch.full((1, 1, 2), 0.5, dtype=torch.double)), rtol=1e-2, atol=1e-2)
candidate, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=2, raw_samples=16)
report("candidate", candidate, rtol=1e-2, atol=1e-2)
several = qLogExpectedImprovement(model, best_f=y.max(), sampler=SobolQMCNormalSampler(torch.Size([32]), seed=0))
report("batch", several(x[None, :2]), rtol=1e-2, atol=1e-2)
