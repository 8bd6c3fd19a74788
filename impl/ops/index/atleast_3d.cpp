// atleast_3d: a tensor with at least three dimensions.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_3d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least three dimensions.",
    .composite = [](const Tensor& t) -> Tensor {
      if (t.dim() == 0) return op<"reshape">(t, IntList{1, 1, 1});
      if (t.dim() == 1) return op<"unsqueeze">(op<"unsqueeze">(t, 0), -1);
      return t.dim() == 2 ? op<"unsqueeze">(t, -1) : t;
    },
});

MT_OP(OpDef{
    .schema = {"atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = "Each tensor with at least 3 dimensions.",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_3d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
