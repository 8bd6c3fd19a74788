// diag: a matrix with the vector on a diagonal, or a matrix's diagonal as a vector.
#include "dispatch/out_words.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"diag(Tensor self, int diagonal=0) -> Tensor"},
    .forms = function | method | out,
    .doc = "A matrix with the vector on a diagonal, or a matrix's diagonal as a vector.",
    .composite = [](const Tensor& self, int64_t k) -> Tensor {
      check(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D", self.dim());
      return self.dim() == 1 ? op<"diag_embed">(self, k) : op<"diagonal_copy">(self, k);
    },
});

MT_OUT("diag", .dtype = "diag: result type {} can't be cast to the desired out= type {}", .dtype_casts = true,
       .recorded_as = "aten::diag_embed");

}  // namespace
}  // namespace mt
