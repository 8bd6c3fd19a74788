"""captum: integrated gradients, saliency, DeepLift, occlusion, layer attribution of a network."""
# requires: captum

import numpy
import torch
from captum.attr import (
    DeepLift,
    FeatureAblation,
    GradientShap,
    IntegratedGradients,
    LayerConductance,
    Occlusion,
    Saliency,
    ShapleyValueSampling,
)
from report import report

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
x = torch.randn(4, 6)
attributions, delta = IntegratedGradients(net).attribute(x, target=1, return_convergence_delta=True)
report("integrated gradients", attributions)
report("delta", delta, atol=1e-4)
report("saliency", Saliency(net).attribute(x, target=0))
report("deeplift", DeepLift(net).attribute(x, target=1))
report("layer", LayerConductance(net, net[0]).attribute(x, target=2))
report("occlusion", Occlusion(net).attribute(x, sliding_window_shapes=(2,), target=1))
report("ablation", FeatureAblation(net).attribute(x, target=1))
torch.manual_seed(1)
numpy.random.seed(1)
report("shap", GradientShap(net).attribute(x, baselines=torch.zeros(2, 6), target=1), rtol=1e-3)
torch.manual_seed(1)
report("shapley", ShapleyValueSampling(net).attribute(x, target=1, n_samples=5))
