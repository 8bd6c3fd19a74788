"""gpytorch: an exact Gaussian process learns its hyperparameters and predicts."""
# requires: gpytorch

import gpytorch
import torch
from report import report

torch.manual_seed(0)
x = torch.linspace(0, 1, 30)
y = torch.sin(6 * x) + 0.1 * torch.randn(30)


class Model(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, points):
        return gpytorch.distributions.MultivariateNormal(self.mean(points), self.kernel(points))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Model(likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
losses = []
for _ in range(10):
    optimizer.zero_grad()
    loss = -objective(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report("losses", losses, rtol=1e-3)
model.eval()
likelihood.eval()
with torch.no_grad():
    predicted = likelihood(model(torch.linspace(0, 1.2, 7)))
    report("mean", predicted.mean, rtol=1e-3, atol=1e-3)
    report("variance", predicted.variance, rtol=1e-3, atol=1e-3)
