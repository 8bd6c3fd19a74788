"""fvcore: parameters of a model are counted, losses computed; counting operations needs the tracer of TorchScript."""
# requires: fvcore

import torch
from fvcore.nn import parameter_count, sigmoid_focal_loss, smooth_l1_loss
from report import report

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 5)
)
report("parameters", dict(parameter_count(model)))
x = torch.randn(4, 5)
report("focal", sigmoid_focal_loss(x, (x > 0).float(), reduction="mean"))
report("smooth", smooth_l1_loss(x, x * 0, beta=0.5, reduction="sum"))
