"""vit-pytorch: ViT, CaiT and MAE classify and reconstruct images."""
# without requirements: torchvision==0.29.1
# requires: vit-pytorch

import torch
from report import report, report_training
from vit_pytorch import MAE, ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.simple_vit import SimpleViT

torch.manual_seed(0)
images = torch.randn(2, 3, 32, 32)
vit = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=4, mlp_dim=64)
report("vit", vit.eval()(images))
report_training(vit, lambda: torch.nn.functional.cross_entropy(vit(images), torch.tensor([0, 3])))
cait = CaiT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, cls_depth=1, heads=4, mlp_dim=64).eval()
report("cait", cait(images))
report("simple", SimpleViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=4, mlp_dim=64)(images))
torch.manual_seed(1)
encoder = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=4, mlp_dim=64, pool="mean")
report("mae", MAE(encoder=encoder, masking_ratio=0.5, decoder_dim=16, decoder_depth=1)(images))
