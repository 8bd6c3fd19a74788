"""segmentation-models-pytorch: Unet, FPN and DeepLabV3+ segment images; losses and metrics."""
# without requirements: torchvision==0.29.1
# requires: segmentation-models-pytorch

import segmentation_models_pytorch as smp
import torch
from report import report, report_training

images = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))
masks = (images.sum(1, keepdim=True) > 0).long()
for kind in (smp.Unet, smp.FPN, smp.DeepLabV3Plus):
    torch.manual_seed(0)
    model = kind("resnet18", encoder_weights=None, classes=1).eval()
    with torch.no_grad():
        report(kind.__name__, model(images))
dice = smp.losses.DiceLoss("binary")
report_training(model, lambda: dice(model(images), masks))
counts = smp.metrics.get_stats(model(images).sigmoid(), masks, mode="binary", threshold=0.5)
report("iou", smp.metrics.iou_score(*counts, reduction="micro"))
