"""torchvision: ResNet-50, MobileNetV3 and ViT trained in double precision; transforms v2 with boxes."""
# without requirements: torchvision==0.29.1
# requires: numpy; pillow

import torch
import torchvision
from report import report
from torchvision import tv_tensors
from torchvision.transforms import v2

# Not in single precision: a new ResNet-50 amplifies rounding errors of 1e-7 to 1e-2 of its first gradients, on either
# library.
for name, size in (("resnet50", 96), ("mobilenet_v3_small", 96), ("vit_b_32", 64)):
    torch.manual_seed(0)
    options = {"image_size": size} if name.startswith("vit") else {}
    model = torchvision.models.get_model(name, weights=None, num_classes=10, **options).double()
    images, labels = torch.randn(4, 3, size, size).double(), torch.randint(0, 10, (4,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0005, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    report(f"{name}: losses", losses, rtol=1e-9)
    norms = [parameter.grad.norm().item() for parameter in model.parameters()]
    report(f"{name}: gradients", norms, rtol=1e-7, atol=1e-10)
    with torch.no_grad():
        report(f"{name}: logits", model.eval()(images), rtol=1e-8, atol=1e-8)

torch.manual_seed(1)
image = tv_tensors.Image(torch.randint(0, 256, (3, 60, 80), dtype=torch.uint8))
boxes = tv_tensors.BoundingBoxes([[10, 10, 30, 40], [5, 20, 70, 50]], format="XYXY", canvas_size=(60, 80))
transform = v2.Compose(
    [
        v2.RandomResizedCrop(32, antialias=True),
        v2.RandomHorizontalFlip(p=1.0),
        v2.ColorJitter(brightness=0.2, hue=0.1),
        v2.RandomAffine(degrees=10, translate=(0.1, 0.1)),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ]
)
image, boxes = transform(image, boxes)
report("image", image.as_subclass(torch.Tensor))
report("boxes", boxes.as_subclass(torch.Tensor))
report("box format", [str(boxes.format), list(boxes.canvas_size)])
