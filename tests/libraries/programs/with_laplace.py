"""laplace-torch: a Laplace approximation of a network's posterior, and its predictions."""
# without requirements: torchvision==0.29.1
# requires: laplace-torch

import torch
from laplace import Laplace
from report import report

torch.manual_seed(0)
x, y = torch.randn(40, 3), torch.randint(2, (40,))
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), 0.05)
for _ in range(10):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20)
for structure in ("kron", "diag", "full"):
    posterior = Laplace(
        net,
        "classification",
        subset_of_weights="last_layer" if structure == "full" else "all",
        hessian_structure=structure,
    )
    posterior.fit(loader)
    posterior.optimize_prior_precision(method="marglik")
    report(structure, posterior(x[:4], link_approx="probit"), rtol=1e-2, atol=1e-3)
