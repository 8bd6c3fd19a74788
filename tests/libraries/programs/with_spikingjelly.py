"""spikingjelly: leaky integrate-and-fire neurons train by surrogate gradients."""
# requires: spikingjelly

import torch
from report import report, report_training
from spikingjelly.activation_based import encoding, functional, layer, neuron, surrogate

torch.manual_seed(0)
net = torch.nn.Sequential(
    layer.Flatten(),
    layer.Linear(16, 12),
    neuron.LIFNode(tau=2.0, surrogate_function=surrogate.ATan()),
    layer.Linear(12, 3),
    neuron.IFNode(surrogate_function=surrogate.Sigmoid()),
)
functional.set_step_mode(net, "m")
spikes = torch.stack([encoding.PoissonEncoder()(torch.rand(4, 1, 4, 4)) for _ in range(6)])
report("spikes", net(spikes))


def compute_loss():
    functional.reset_net(net)
    return torch.nn.functional.cross_entropy(net(spikes).mean(0), torch.tensor([0, 1, 2, 0]))


report_training(net, compute_loss, lr=0.1)
functional.reset_net(net)
