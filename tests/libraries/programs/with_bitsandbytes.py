"""bitsandbytes: 8-bit and 4-bit layers and blockwise quantization on the CPU."""
# requires: bitsandbytes

import bitsandbytes
import torch
from bitsandbytes import functional
from report import report

torch.manual_seed(0)
weights = torch.randn(64, 64)
codes, state = functional.quantize_blockwise(weights)
report("codes", codes)
report("blockwise", functional.dequantize_blockwise(codes, state))
packed, state = functional.quantize_4bit(weights, quant_type="nf4")
report("nf4", functional.dequantize_4bit(packed, state))
layer = bitsandbytes.nn.Linear4bit(64, 16, quant_type="nf4", compute_dtype=torch.float32)
layer.load_state_dict({"weight": weights[:16], "bias": torch.zeros(16)})
report("linear", layer.to("cpu")(torch.ones(2, 64)), rtol=1e-2, atol=1e-2)
