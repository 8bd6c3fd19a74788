// _sparse_broadcast_to: expand of a tensor of coordinates, each of whose elements is stored for all places that it comes to stand at.
#include "rules/sparse_shape.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)"},
    .forms = internal,
    .doc = "A tensor of coordinates with dimensions of size 1 (and new leading ones) repeated.",
    .sparse = [](const Tensor& self, IntList size) -> Tensor { return sparse_broadcast_to(self, size); },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) {
      const int64_t more = g.dim() - self.sizes.size();
      Dims dims;
      for (int64_t d = 0; d < g.dim(); ++d)
        if (d < more || (self.sizes[d - more] == 1 && g.size(d) != 1)) dims.push_back(d);
      Tensor sum = dims.empty() ? Tensor(g) : op<"_sparse_sum.dim">(g, dims);
      for (int64_t d = 0; d < self.sizes.size(); ++d)
        if (self.sizes[d] == 1 && g.size(d + more) != 1) sum = op<"unsqueeze">(sum, d);
      return sum;
    })},
});

}  // namespace
}  // namespace mt
