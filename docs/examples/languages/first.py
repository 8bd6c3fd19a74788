"""An operator, a gradient and an error through mindtorch.capi."""

from mindtorch import capi


def show(name, tensor):
    print(name, *(f"{number:g}" for number in capi.tensor_to_doubles(tensor)))


x = capi.tensor_from_doubles([1, 2, 3], [3], capi.MT_FLOAT32)
y = capi.tensor_from_doubles([4, 5, 6], [3], capi.MT_FLOAT32)
show("sum", capi.call("add", "Tensor", x, y, alpha=1))

capi.tensor_set_requires_grad(x, True)
capi.backward(capi.call("sum", "", capi.call("mul", "Tensor", x, x)))
show("gradient", capi.tensor_grad(x))

try:
    capi.call("add", "Tensor", x, capi.call("ones", "", [2]))
except RuntimeError as error:
    print(f"RuntimeError: {error}")
