// diagflat: a matrix with all elements on a diagonal.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"diagflat(Tensor self, int offset=0) -> Tensor"},
    .forms = function | method,
    .doc = "A matrix with all elements on a diagonal.",
    .composite = [](const Tensor& self, int64_t k) -> Tensor { return op<"diag">(op<"view">(op<"contiguous">(self), IntList{-1}), k); },
});

}  // namespace
}  // namespace mt
