// inner: sums of products over the last dimensions; with a number, its product with every element.
#include "dispatch/out_words.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"inner(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "Sums of products over the last dimensions of both.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      if (a.dim() == 0 || b.dim() == 0) return a * b;
      check(a.device() == b.device(),
            "Expected tensor to have {} DeviceType, but got tensor with {} DeviceType (while checking arguments for inner())", a.device(),
            b.device());
      check(a.size(-1) == b.size(-1),
            "inner() the last dimension must match on both input tensors but got shapes {} and {}", a.sizes(),
            b.sizes());
      return op<"tensordot">(a, b, IntList{-1}, IntList{-1});
    },
});

MT_OUT("inner", .dtype = "tensordot: Expected the output tensor to have dtype {}, but got an output tensor with dtype {}",
       .device = "Expected tensor to have {} DeviceType, but got tensor with {} DeviceType (while checking arguments for inner())",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
