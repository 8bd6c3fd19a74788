"""Writes the checkpoint of real torch that the languages' tests read."""

import sys

import torch

assert "mindtorch" not in torch.__version__, torch.__file__
torch.save(
    {
        "model": {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.tensor([1.0, -1.0])},
        "epoch": 7,
        "rate": 0.5,
        "name": "network",
        "none": None,
        "big": -(2**100),
        "list": [True, torch.float64],
        "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    },
    sys.argv[1],
)
