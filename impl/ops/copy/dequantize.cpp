// dequantize: a dense tensor as float32; there are no quantized ones.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto as_float = [](const Tensor& self) -> Tensor {
  BelowAutograd guard;
  return self.dtype() == Dtype::float32 ? op<"detach">(self) : op<"to.dtype">(self, Dtype::float32);
};

MT_OP(OpDef{
    .schema = {"dequantize.self(Tensor self) -> Tensor", "dequantize.tensors(Tensor[] tensors) -> Tensor[]"},
    .forms = function | method,
    .doc = "The values as float32.",
    .overloads = {overload("self", {.cpu = as_float, .npu = {any_device}, .meta = as_float}), overload("tensors", {.forms = function})},
});

}  // namespace
}  // namespace mt
