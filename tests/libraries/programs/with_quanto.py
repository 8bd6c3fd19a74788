"""optimum-quanto: weights and activations of a model in 8 bits, calibrated, frozen and saved."""
# requires: optimum-quanto

import torch
from optimum.quanto import Calibration, freeze, qfloat8, qint8, quantize
from report import report

x = torch.randn(8, 32, generator=torch.Generator().manual_seed(0))
for name, options in (
    ("int8", {"weights": qint8}),
    ("float8", {"weights": qfloat8}),
    ("activations", {"weights": qint8, "activations": qint8}),
):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)).eval()
    quantize(model, **options)
    if "activations" in options:
        with Calibration():
            model(x)
    freeze(model)
    with torch.no_grad():
        report(name, model(x), rtol=1e-2, atol=1e-2)
report("state", sorted(model.state_dict()))
