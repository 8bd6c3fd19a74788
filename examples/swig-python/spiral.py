"""Trains a network of two layers on three spirals through mindtorch.capi, SWIG's wrapper of the C ABI."""

import math

from mindtorch import capi

ARMS, POINTS, HIDDEN, STEPS = 3, 100, 64, 400


def make_spirals():
    xy, labels = [], []
    for arm in range(ARMS):
        for i in range(POINTS):
            radius = (i + 1) / POINTS
            angle = arm * 2 * math.pi / ARMS + 4 * radius + 0.1 * math.sin(37.0 * i)
            xy += [radius * math.cos(angle), radius * math.sin(angle)]
            labels.append(float(arm))
    count = ARMS * POINTS
    return (
        capi.tensor_from_doubles(xy, [count, 2], capi.MT_FLOAT32),
        capi.tensor_from_doubles(labels, [count], capi.MT_INT64),
    )


def make_parameter(factory, sizes, scale=1.0):
    tensor = capi.call("mul", "Scalar", capi.call(factory, "", sizes), scale)
    capi.tensor_set_requires_grad(tensor, True)
    return tensor


def forward(x, weight1, bias1, weight2, bias2):
    hidden = capi.call("tanh", "", capi.call("linear", "", x, weight1, bias1))
    return capi.call("linear", "", hidden, weight2, bias2)


def descend(parameters, rate):
    capi.mode_set(capi.MT_MODE_GRAD, False)
    for parameter in parameters:
        capi.call("add_", "Tensor", parameter, capi.tensor_grad(parameter), -rate)
        capi.tensor_set_grad(parameter, None)
    capi.mode_set(capi.MT_MODE_GRAD, True)


def accuracy(logits, labels):
    hits = capi.call("eq", "Tensor", capi.call("argmax", "", logits, 1), labels)
    return capi.tensor_item(capi.call("sum", "", hits)) / (ARMS * POINTS)


def main():
    print(f"mindtorch {capi.version()}, ABI {capi.abi_version()}, {capi.threads_get()} threads")
    x, labels = make_spirals()
    capi.generator_seed(capi.generator_default(), 7)
    parameters = [
        make_parameter("randn", [HIDDEN, 2]),
        make_parameter("zeros", [HIDDEN]),
        make_parameter("randn", [ARMS, HIDDEN], 0.125),
        make_parameter("zeros", [ARMS]),
    ]
    for step in range(1, STEPS + 1):
        logits = forward(x, *parameters)
        loss = capi.call("cross_entropy_loss", "", logits, labels)
        capi.backward(loss)
        descend(parameters, 1.0)
        if step == 1 or step % 100 == 0:
            print(f"step {step}: loss {capi.tensor_item(loss):.6f}, accuracy {accuracy(logits, labels):.4f}")


if __name__ == "__main__":
    main()
