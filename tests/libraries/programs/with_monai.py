"""monai: a 3-D UNet segments volumes; transforms, Dice loss, sliding windows, metrics."""
# requires: monai

import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, FocalLoss
from monai.metrics import DiceMetric, HausdorffDistanceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, GaussianSmooth, RandFlip, Resize, ScaleIntensity
from report import report, report_training

torch.manual_seed(0)
net = UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2), num_res_units=1)
volume, labels = torch.randn(1, 1, 16, 16, 16), torch.randint(2, (1, 1, 16, 16, 16))
report("forward", net.eval()(volume))
net.train()
report_training(net, lambda: DiceCELoss(to_onehot_y=True, softmax=True)(net(volume), labels))
with torch.no_grad():
    report("windows", sliding_window_inference(torch.randn(1, 1, 24, 24, 24), 16, 2, net.eval()))
transform = Compose([ScaleIntensity(), GaussianSmooth(1.0), Resize((8, 8, 8)), RandFlip(1.0, 0)])
report("transformed", torch.as_tensor(transform(volume[0])), rtol=1e-3)
one_hot = torch.nn.functional.one_hot(labels[:, 0]).movedim(-1, 1)
report("dice", DiceMetric()(one_hot, one_hot.flip(2)))
report("hausdorff", HausdorffDistanceMetric()(one_hot, one_hot.flip(2)))
report("focal", FocalLoss()(net(volume), one_hot.float()))
