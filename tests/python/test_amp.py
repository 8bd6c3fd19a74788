"""Autocast and gradient scaling on the CPU match torch."""

import pytest
from outcomes import result


def _run_scaled_steps(torch):
    """Trains three steps with a scaler, the second with an infinite gradient: returns scales, trackers and weights."""
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    seen = []
    for factor in (1.0, float("inf"), 2.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append([scaler.get_scale(), scaler._get_growth_tracker(), weight.detach().clone()])
    return seen


CALLS = {
    "scaled steps": _run_scaled_steps,
    "scaler state": lambda t: t.amp.GradScaler("cpu", init_scale=4.0).state_dict(),
    "step without scale": lambda t: t.amp.GradScaler("cpu").step(t.optim.SGD([t.nn.Parameter(t.ones(1))], lr=1.0)),
    "bad growth": lambda t: t.amp.GradScaler("cpu", growth_factor=1.0),
    "unscale twice": lambda t: _unscale_twice(t),
    "unknown device": lambda t: t.autocast("toaster"),
    "device that is no text": lambda t: t.autocast(3),
    "not callable": lambda t: t.autocast("cpu")(3),
    "available": lambda t: [t.amp.is_autocast_available(name) for name in ("cpu", "cuda", "meta")],
    "dtype of a product": lambda t: _dtype_of_product_in_autocast(t),
}


def _unscale_twice(torch):
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.unscale_(optimizer)


def _dtype_of_product_in_autocast(torch):
    a = torch.ones(2, 2)
    with torch.autocast("cpu"):
        inside = (a @ a).dtype
        with torch.autocast("cpu", enabled=False):
            within = (a @ a).dtype
    return [str(inside), str(within), str((a @ a).dtype)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_values_and_errors_are_torchs(name, mt, oracle):
    ours, theirs = result(CALLS[name], mt), result(CALLS[name], oracle)
    assert ours == theirs
