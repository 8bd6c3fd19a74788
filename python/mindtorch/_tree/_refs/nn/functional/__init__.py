"""torch._refs.nn.functional: references of torch.nn.functional."""

from ...._root import torch
from ..._operators import collect


def mish_(a):
    return torch.nn.functional.mish(a, inplace=True)


__all__ = collect(
    globals(),
    """alpha_dropout celu celu_ channel_shuffle dropout elu elu_ gelu glu group_norm hardshrink hardtanh
    hinge_embedding_loss huber_loss l1_loss layer_norm leaky_relu log_softmax margin_ranking_loss mish mish_ mse_loss
    nll_loss pairwise_distance pdist poisson_nll_loss prelu relu relu6 selu selu_ smooth_l1_loss softmax softmin
    softplus softshrink tanhshrink threshold threshold_ triplet_margin_loss""",
    torch.nn.functional,
)

collect(globals(), "hardsigmoid pixel_shuffle pixel_unshuffle", torch.nn.functional)
