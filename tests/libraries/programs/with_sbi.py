"""sbi: neural posterior estimation of a simulator's parameters."""
# requires: sbi

import torch
from report import report
from sbi.inference import NPE
from sbi.utils import BoxUniform

torch.manual_seed(0)
prior = BoxUniform(torch.zeros(2), torch.ones(2))
parameters = prior.sample((100,))
observations = parameters + 0.1 * torch.randn(100, 2)
inference = NPE(prior, density_estimator="maf", show_progress_bars=False)
inference.append_simulations(parameters, observations).train(max_num_epochs=3, training_batch_size=25)
report("losses", inference.summary["training_loss"], rtol=1e-2)
posterior = inference.build_posterior()
torch.manual_seed(1)
samples = posterior.sample((20,), x=torch.tensor([0.5, 0.5]), show_progress_bars=False)
report("samples", samples, rtol=5e-2, atol=5e-2)
