"""open-clip-torch: a small CLIP embeds images and texts and trains with its contrastive loss."""
# without requirements: torchvision==0.29.1
# requires: open-clip-torch

import open_clip
import torch
from open_clip.loss import ClipLoss
from report import report, report_training

torch.manual_seed(0)
model = open_clip.CLIP(
    embed_dim=32,
    vision_cfg={"image_size": 32, "patch_size": 8, "width": 64, "layers": 2, "head_width": 32},
    text_cfg={"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2},
)
images, texts = torch.randn(3, 3, 32, 32), open_clip.tokenize(["a cat", "two dogs", "nothing at all"])
report("tokens", texts[:, :8])
report("image", model.encode_image(images, normalize=True))
report("text", model.encode_text(texts, normalize=True))
loss = ClipLoss()
report_training(model, lambda: loss(*model(images, texts)), lr=0.001)
