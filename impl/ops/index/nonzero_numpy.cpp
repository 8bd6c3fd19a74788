// nonzero_numpy: the positions of non-zero elements, one vector per dimension.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nonzero_numpy(Tensor self) -> Tensor[]"},
    .forms = internal,
    .doc = "The positions of non-zero elements, one vector per dimension.",
    .composite = [](const Tensor& self) -> std::vector<Tensor> {
      const Tensor t = self.dim() ? self : op<"unsqueeze">(self, 0);
      return op<"unbind", std::vector<Tensor>>(op<"nonzero">(t), 1);
    },
});

}  // namespace
}  // namespace mt
