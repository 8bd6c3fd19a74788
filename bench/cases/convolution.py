"""Convolutions, forward and backward."""

from . import Group

group = Group("convolution", 1.0, tolerance=1e-3)
# Convolutions by name: (input shape, weight shape, options)
SHAPES = {
    "3x3, 8 x 64 x 56 x 56": ((8, 64, 56, 56), (64, 64, 3, 3), {"padding": 1}),
    "1x1, 8 x 256 x 56 x 56": ((8, 256, 56, 56), (64, 256, 1, 1), {}),
    "depthwise 3x3, 8 x 128 x 56 x 56": ((8, 128, 56, 56), (128, 1, 3, 3), {"padding": 1, "groups": 128}),
    "7x7 stride 2, 8 x 3 x 224 x 224": ((8, 3, 224, 224), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
    "1d kernel 3, 8 x 256 x 1024": ((8, 256, 1024), (256, 256, 3), {"padding": 1}),
}


def make_input_and_weight(torch, input_shape, weight_shape):
    return torch.randn(*input_shape), torch.randn(*weight_shape)


def make_forward_case(input_shape, weight_shape, options):
    def prepare(torch):
        x, w = make_input_and_weight(torch, input_shape, weight_shape)
        call = torch.conv1d if len(input_shape) == 3 else torch.conv2d
        return lambda: call(x, w, **options)

    return prepare


def make_backward_case(input_shape, weight_shape, options):
    def prepare(torch):
        x, w = (t.requires_grad_() for t in make_input_and_weight(torch, input_shape, weight_shape))
        y = (torch.conv1d if len(input_shape) == 3 else torch.conv2d)(x, w, **options)
        g = torch.ones(y.shape)
        return lambda: torch.autograd.grad(y, (x, w), g, retain_graph=True)

    return prepare


for name, arguments in SHAPES.items():
    group.add_case(name, make_forward_case(*arguments))
    group.add_case(f"{name}, backward", make_backward_case(*arguments))
