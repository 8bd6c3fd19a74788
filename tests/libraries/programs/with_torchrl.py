"""torchrl: a stochastic actor, advantage estimates, the PPO loss with gradients, and a replay buffer."""
# requires: torchrl

import torch
from report import report
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from tensordict.nn.distributions import NormalParamExtractor
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

torch.manual_seed(0)
actor = ProbabilisticActor(
    TensorDictModule(
        torch.nn.Sequential(MLP(in_features=4, out_features=4, num_cells=[16]), NormalParamExtractor()),
        in_keys=["observation"],
        out_keys=["loc", "scale"],
    ),
    in_keys=["loc", "scale"],
    out_keys=["action"],
    distribution_class=TanhNormal,
    return_log_prob=True,
)
critic = ValueOperator(MLP(in_features=4, out_features=1, num_cells=[16]), in_keys=["observation"])
data = TensorDict({"observation": torch.randn(8, 4)}, [8])
data = actor(data).detach()
report("action", data["action"])
data["next"] = TensorDict(
    {
        "observation": torch.randn(8, 4),
        "reward": torch.randn(8, 1),
        "done": torch.zeros(8, 1, dtype=torch.bool),
        "terminated": torch.zeros(8, 1, dtype=torch.bool),
    },
    [8],
)
data = GAE(gamma=0.9, lmbda=0.95, value_network=critic)(data)
report("advantage", data["advantage"])
losses = ClipPPOLoss(actor, critic)(data)
total = sum(value for key, value in losses.items() if key.startswith("loss"))
total.backward()
report("losses", {key: losses[key] for key in ("loss_objective", "loss_critic", "loss_entropy")}, rtol=1e-3)
report("gradients", [parameter.grad.abs().sum() for parameter in critic.parameters()], rtol=1e-3)
buffer = ReplayBuffer(storage=LazyTensorStorage(20), batch_size=4)
buffer.extend(data)
torch.manual_seed(1)
report("sample", buffer.sample()["observation"].shape)
