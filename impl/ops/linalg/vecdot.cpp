// linalg_vecdot: the inner products of vectors along a dimension, the first ones conjugated.
#include "dispatch/out_words.h"
#include "rules/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = "The sums of conj(x) y over a dimension.",
    .module = "linalg",
    .composite = [](const Tensor& x, const Tensor& y, int64_t dim) -> Tensor {
      check_floating("linalg.vecdot", x);
      check(x.dtype() == y.dtype(),
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead",
            x.dtype(), y.dtype());
      if (x.dim() == 1 && y.dim() == 1) return op<"vdot">(x, y);
      return op<"sum.dim_IntList">(conj(x) * y, IntList{dim});
    },
});

MT_OUT("linalg_vecdot", .dtype = "linalg.vecdot: Expected out of dtype{} but found {}",
       .device = "linalg.vecdot: Expected result and input tensors to be on the same device, but got result on {0} and input on {1}",
       .recorded_as = "vdot");

}  // namespace
}  // namespace mt
