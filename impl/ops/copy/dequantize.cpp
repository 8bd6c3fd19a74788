// dequantize: a dense tensor as float32; there are no quantized ones.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto dequantize_to_float = [](const Tensor& self) -> Tensor {
  BelowAutograd guard;
  return self.dtype() == Dtype::float32 ? op<"detach">(self) : op<"to.dtype">(self, Dtype::float32);
};

MT_OP(OpDef{
    .schema = {"dequantize.self(Tensor self) -> Tensor", "dequantize.tensors(Tensor[] tensors) -> Tensor[]"},
    .forms = function | method,
    .doc = R"(Returns the values as float32.

There are no quantized tensors here: a dense tensor is converted. A sequence gives a list.

Args:
    self (Tensor): tensor to convert.
    tensors (sequence of Tensor): instead, several tensors.

Returns:
    Tensor or list of Tensor: float32.

Example:
    >>> torch.dequantize(torch.tensor([1, 2]))
    tensor([1., 2.]))",
    .overloads = {overload("self", {.cpu = dequantize_to_float, .npu = {any_device}, .meta = dequantize_to_float}),
                  overload("tensors", {.forms = function})},
});

}  // namespace
}  // namespace mt
