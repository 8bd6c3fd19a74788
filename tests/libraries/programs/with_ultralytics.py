"""ultralytics: a YOLO network with random weights detects objects in an image and trains on generated images."""
# without requirements: torchvision==0.29.1
# requires: ultralytics

import torch
from report import report
from ultralytics.nn.tasks import DetectionModel

torch.manual_seed(0)
model = DetectionModel("yolo11n.yaml", nc=3, verbose=False).eval()
image = torch.rand(1, 3, 64, 64)
with torch.no_grad():
    report("detections", model(image)[0], rtol=1e-3, atol=1e-3)
model.train()
model.args = __import__("types").SimpleNamespace(box=7.5, cls=0.5, dfl=1.5)
batch = {
    "img": image,
    "cls": torch.tensor([[1.0]]),
    "bboxes": torch.tensor([[0.5, 0.5, 0.4, 0.4]]),
    "batch_idx": torch.tensor([0.0]),
}
loss, items = model(batch)
loss.sum().backward()
report("loss", items, rtol=1e-3)
report("gradients", [parameter.grad.abs().sum() for parameter in list(model.parameters())[:6]], rtol=1e-2, atol=1e-3)
