// atleast_2d: a tensor with at least two dimensions.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_2d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least two dimensions.",
    .composite = [](const Tensor& t) -> Tensor {
      return t.dim() == 0 ? op<"reshape">(t, IntList{1, 1}) : t.dim() == 1 ? op<"unsqueeze">(t, 0) : t;
    },
});

MT_OP(OpDef{
    .schema = {"atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = "Each tensor with at least 2 dimensions.",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_2d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
