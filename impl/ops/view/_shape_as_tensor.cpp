// _shape_as_tensor: a tensor's sizes as a tensor.
#include <algorithm>

#include "rules/factory/factory.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_shape_as_tensor(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "Returns the sizes of `self` as an int64 vector on the CPU.",
    .composite = [](const Tensor& self) -> Tensor {
      const Tensor out = empty(IntList{self.dim()}, Dtype::int64);
      std::copy(self.sizes().begin(), self.sizes().end(), out.data<int64_t>());
      return out;
    },
});

}  // namespace
}  // namespace mt
