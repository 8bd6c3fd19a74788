"""kornia: filters, colours, geometry, augmentations and losses of images, with gradients."""
# requires: kornia

import kornia
import torch
from report import report

torch.manual_seed(0)
images = torch.rand(2, 3, 24, 24, requires_grad=True)
report("blur", kornia.filters.gaussian_blur2d(images, (5, 5), (1.5, 1.5)))
report("sobel", kornia.filters.sobel(images))
report("canny", kornia.filters.canny(images.detach())[0])
report("median", kornia.filters.median_blur(images, (3, 3)))
report("hsv", kornia.color.rgb_to_hsv(images))
report("lab", kornia.color.rgb_to_lab(images), atol=1e-3)
report("rotated", kornia.geometry.rotate(images, torch.tensor([30.0, -10.0])))
points = torch.tensor([[[0.0, 0], [23, 0], [23, 23], [0, 23]]])
matrix = kornia.geometry.get_perspective_transform(points, points + torch.tensor([2.0, 1.0]))
report("warped", kornia.geometry.warp_perspective(images[:1], matrix, (24, 24)))
report("harris", kornia.feature.harris_response(kornia.color.rgb_to_grayscale(images)))
report("ssim", kornia.losses.ssim_loss(images, images.flip(0), 5))
augment = kornia.augmentation.AugmentationSequential(
    kornia.augmentation.RandomHorizontalFlip(),
    kornia.augmentation.ColorJitter(0.2, 0.2, 0.2, 0.1),
    kornia.augmentation.RandomAffine(20.0),
)
torch.manual_seed(1)
report("augmented", augment(images.detach()), atol=1e-3)
report("quaternion", kornia.geometry.conversions.quaternion_to_rotation_matrix(torch.tensor([0.5, 0.5, 0.5, 0.5])))
kornia.filters.unsharp_mask(images, (3, 3), (1.0, 1.0)).square().mean().backward()
report("gradient", images.grad)
