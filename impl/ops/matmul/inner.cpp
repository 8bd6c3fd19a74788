// inner: sums of products over the last dimensions; with a number, its product with every element.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"inner(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "Sums of products over the last dimensions of both.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      if (a.dim() == 0 || b.dim() == 0) return a * b;
      check(a.size(-1) == b.size(-1),
            "inner() the last dimension must match on both input tensors but got shapes {} and {}", a.sizes(),
            b.sizes());
      return op<"tensordot">(a, b, IntList{-1}, IntList{-1});
    },
});

}  // namespace
}  // namespace mt
