// to_dense: the strided layout, which every tensor here has; another dtype where one is asked for.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor"},
    .forms = method,
    .doc = "The tensor itself, which is dense, or its conversion to `dtype`.",
    .composite = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<bool>) -> Tensor {
      return dtype && *dtype != self.dtype() ? op<"to.dtype">(self, *dtype) : self;
    },
});

}  // namespace
}  // namespace mt
