"""torchinfo: a table of layers, sizes and multiply-adds of a model."""
# requires: torchinfo

import torch
from report import report
from torchinfo import summary

model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3),
    torch.nn.BatchNorm2d(8),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(8 * 36, 5),
    torch.nn.LSTM(5, 7),
)
found = summary(model, (4, 3, 8, 8), verbose=0, depth=3)
report("numbers", [found.total_params, found.trainable_params, found.total_mult_adds, found.total_output_bytes])
report("text", str(found))
