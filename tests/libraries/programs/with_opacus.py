"""opacus: differentially private training: per-sample gradients, clipping, noise, the accountant."""
# requires: opacus

import torch
from opacus import GradSampleModule, PrivacyEngine
from opacus.accountants import RDPAccountant
from opacus.validators import ModuleValidator
from report import report

torch.manual_seed(0)
x, y = torch.randn(32, 1, 8, 8), torch.randint(3, (32,))


def make_network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3), torch.nn.GroupNorm(2, 4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3)
    )


wrapped = GradSampleModule(make_network())
torch.nn.functional.cross_entropy(wrapped(x), y).backward()
report("per sample", [parameter.grad_sample.square().sum() for parameter in wrapped.parameters()], rtol=1e-3)
report("valid", ModuleValidator.is_valid(torch.nn.Sequential(torch.nn.BatchNorm1d(3))))

model = make_network()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
engine = PrivacyEngine(accountant="rdp")
model, optimizer, loader = engine.make_private(
    module=model,
    optimizer=optimizer,
    data_loader=loader,
    noise_multiplier=1.0,
    max_grad_norm=1.0,
    poisson_sampling=False,
    noise_generator=torch.Generator().manual_seed(3),
)
losses = []
for inputs, labels in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report("losses", losses, rtol=1e-3)
report("epsilon", engine.get_epsilon(1e-5))
del RDPAccountant
