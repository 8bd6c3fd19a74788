// to_dense: the elements of a tensor of any layout as a strided one; another dtype where one is asked for.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor"},
    .forms = method,
    .doc = "A strided tensor of the same elements, `self` itself if it is one already; `masked_grad=False` gives gradients for all elements of a "
           "sparse tensor instead of those that it stores.",
    .composite = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<bool> masked_grad) -> Tensor {
      if (self.layout() != Layout::strided) return op<"_to_dense">(self, dtype, masked_grad);
      return dtype && *dtype != self.dtype() ? op<"to.dtype">(self, *dtype) : self;
    },
});

}  // namespace
}  // namespace mt
