"""tensordict: nested dictionaries of tensors: indexing, stacking, modules, memory maps, tensorclass."""
# requires: tensordict

import torch
from report import report
from tensordict import LazyStackedTensorDict, TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
data = TensorDict({"a": torch.randn(4, 3), "nested": {"b": torch.arange(4)}}, batch_size=[4])
report("index", data[1:3].to_dict())
report("stacked", torch.stack([data, data + 1])["nested", "b"])
report("reshaped", data.reshape(2, 2)["a"])
report("apply", data.apply(lambda tensor: tensor * 2)["a"])
lazy = LazyStackedTensorDict(data[0], data[1], stack_dim=0)
report("lazy", lazy["a"])
net = TensorDictSequential(
    TensorDictModule(torch.nn.Linear(3, 5), in_keys=["a"], out_keys=["hidden"]),
    TensorDictModule(torch.nn.Linear(5, 2), in_keys=["hidden"], out_keys=["out"]),
)
report("module", net(data.clone())["out"])
parameters = TensorDict.from_module(net)
report("parameters", sorted(parameters.flatten_keys(".").keys()))
with (parameters.data * 0).to_module(net):
    report("functional", net(data.clone())["out"])
data.memmap("map")
report("memory map", TensorDict.load_memmap("map")["a"])


@tensorclass
class Point:
    x: torch.Tensor
    y: torch.Tensor


points = Point(torch.ones(3), torch.zeros(3), batch_size=[3])
report("tensorclass", [points[0].x, (points + 1).y])
report("text", repr(data)[:60])
