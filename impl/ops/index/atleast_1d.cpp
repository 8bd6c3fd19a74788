// atleast_1d: a tensor with at least one dimension.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_1d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least one dimension.",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() ? t : op<"reshape">(t, IntList{1}); },
});

MT_OP(OpDef{
    .schema = {"atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = "Each tensor with at least 1 dimension.",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_1d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
