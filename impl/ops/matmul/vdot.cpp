// vdot: the sum of products of two vectors, the first conjugated.
#include "rules/matmul.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"vdot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The sum of products of two vectors, the first conjugated.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"dot">(conj(a), b); },
});

}  // namespace
}  // namespace mt
