// broadcast_tensors: views of several tensors in the shape that they broadcast to.
#include <vector>

#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"broadcast_tensors(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = "Views of the tensors, all in the shape that they broadcast to; a tensor that has it is given back itself.",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      Dims sizes;
      for (const Tensor& t : tensors) sizes = broadcast_shapes(sizes, t.sizes());
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(sizes == t.sizes() ? t : op<"expand">(t, sizes));
      return out;
    },
});

}  // namespace
}  // namespace mt
