// is_signed: whether the dtype has negative numbers.
#include "rules/algebra.h"

namespace mt {
namespace {

bool has_no_negatives(Dtype d) {
  return d == Dtype::boolean || d == Dtype::uint8 || d == Dtype::uint16 || d == Dtype::uint32 || d == Dtype::uint64;
}

MT_OP(OpDef{
    .schema = {"is_signed(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype has negative numbers.",
    .composite = [](const Tensor& self) -> bool { return !has_no_negatives(self.dtype()); },
});

}  // namespace
}  // namespace mt
