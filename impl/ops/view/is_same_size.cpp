// is_same_size: whether two tensors have the same shape.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_same_size(Tensor self, Tensor other) -> bool"},
    .forms = function | method,
    .doc = "Whether two tensors have the same shape.",
    .composite = [](const Tensor& self, const Tensor& other) -> bool {
      return self.sizes() == other.sizes();
    },
});

}  // namespace
}  // namespace mt
