"""timm: a ResNet, a ViT and a ConvNeXt classify images; the ResNet trains three steps."""
# without requirements: torchvision==0.29.1
# requires: timm

import timm
import timm.data
import timm.loss
import torch
from report import report, report_training

torch.manual_seed(0)
images = torch.randn(2, 3, 64, 64)
for name, options in (("resnet18", {}), ("vit_tiny_patch16_224", {"img_size": 64}), ("convnext_atto", {})):
    model = timm.create_model(name, pretrained=False, num_classes=10, **options).eval()
    with torch.inference_mode():
        report(name, model(images))
        report(f"{name}, features", model.forward_features(images).mean())

model = timm.create_model("resnet18", num_classes=10)
labels = torch.tensor([1, 3])
report_training(model, lambda: timm.loss.LabelSmoothingCrossEntropy()(model(images), labels))
transform = timm.data.create_transform(32, is_training=False)
report("transform", str(transform))
