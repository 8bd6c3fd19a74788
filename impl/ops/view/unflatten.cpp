// unflatten: dimension `dim` as several.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)"},
    .forms = function | method,
    .doc = "Dimension `dim` as several.",
    .composite = [](const Tensor& self, int64_t dim, IntList sizes) -> Tensor {
      check(sizes.size() > 0, "unflatten: sizes must be non-empty");
      int64_t d = wrap_dim(dim, self.dim());
      Dims parts = infer_size(sizes, self.size(d)), shape;
      for (int64_t i = 0; i < self.dim(); ++i)
        if (i != d) shape.push_back(self.size(i));
        else for (int64_t s : parts) shape.push_back(s);
      return op<"view">(self, shape);
    },
});

}  // namespace
}  // namespace mt
