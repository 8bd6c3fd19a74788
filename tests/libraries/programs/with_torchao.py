"""torchao: int8 and int4 weights of linear layers, and quantization-aware training."""
# requires: torchao

import torch
from report import report
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_

x = torch.randn(4, 64, generator=torch.Generator().manual_seed(0))
for config in (Int8WeightOnlyConfig(), Int8DynamicActivationInt8WeightConfig()):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).eval()
    quantize_(model, config)
    with torch.no_grad():
        report(type(config).__name__, model(x), rtol=1e-2, atol=1e-2)
    report(f"{type(config).__name__}, weight", type(model[0].weight).__name__)
