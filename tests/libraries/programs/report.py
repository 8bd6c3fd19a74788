"""How a program hands its results to tests/libraries/run, which compares those of both libraries."""

import json
import os

MOST = 2048  # elements of a tensor that are compared; of larger ones, every n-th


def report(name, value, rtol=1e-4, atol=1e-5):
    """Records a result: a tensor, an array, a number, a string, or a list, tuple or dictionary of them.

    Floating-point numbers are compared with `rtol` and `atol`, everything else exactly.
    """
    line = {"name": name, "value": to_json_value(value), "rtol": rtol, "atol": atol}
    with open(os.environ["LIBRARY_RESULTS"], "a") as file:
        print(json.dumps(line), file=file)


def to_json_value(value):
    """Returns `value` as JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): to_json_value(one) for key, one in value.items()}
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": take_sample(value.flatten().tolist())}
    if hasattr(value, "tolist"):
        return to_json_value(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_json_value(one) for one in take_sample(value)]
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def take_sample(values):
    return list(values)[:: max(1, len(values) // MOST)]


def report_training(model, loss_of, steps=3, lr=0.01):
    """Trains with SGD, and records the losses and the parameters' sums of absolute values after the last step."""
    import torch

    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    report("losses", losses)
    report("parameters", [parameter.detach().abs().sum().item() for parameter in model.parameters()], rtol=1e-3)
