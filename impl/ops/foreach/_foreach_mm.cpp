// _foreach_mm: the product of each matrix of a list with that of another.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]"},
    .forms = function,
    .doc = "Computes the matrix product of each matrix of `self` with that of `mat2`.",
    .composite = [](TensorList self, TensorList mat2) -> std::vector<Tensor> {
      check(self.count > 0 && mat2.count > 0, "_foreach_mm requires non-empty tensor lists");
      return foreach_list<"mm">(self, mat2);
    },
});

}  // namespace
}  // namespace mt
