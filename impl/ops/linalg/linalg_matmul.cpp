// linalg_matmul: matmul under another name.
#include "rules/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_matmul(Tensor self, Tensor other) -> Tensor"},
    .forms = function | out,
    .doc = "matmul.",
    .module = "linalg",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"matmul">(a, b); },
});

}  // namespace
}  // namespace mt
