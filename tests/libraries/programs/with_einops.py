"""einops: rearrange, reduce, repeat, einsum, packing, and layers with gradients."""
# requires: einops

import einops
import torch
from einops.layers.torch import EinMix, Rearrange, Reduce
from report import report, report_training

torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8)
report("rearrange", einops.rearrange(x, "b c (h p) (w q) -> b (h w) (c p q)", p=4, q=4))
report("reduce", einops.reduce(x, "b c h w -> b c", "max"))
report("repeat", einops.repeat(x[:, :, 0, 0], "b c -> b c r", r=3))
report("einsum", einops.einsum(x, x, "b c h w, b d h w -> b c d"))
packed, shapes = einops.pack([x, x.sum(1)], "b * h")
report("pack", packed.shape)
report("unpack", einops.unpack(packed, shapes, "b * h")[1])
try:
    einops.rearrange(x, "b c h -> b h c")
except einops.EinopsError as error:
    report("error", str(error))
model = torch.nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (c p q)", p=4, q=4),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=48, d=5),
    Reduce("b t d -> b d", "mean"),
)
report_training(model, lambda: model(x).square().mean())
