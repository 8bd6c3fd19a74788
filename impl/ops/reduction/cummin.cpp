// cummin: the smallest element so far along a dimension, and its index.
#include "rules/exact_out.h"
#include "rules/extremes.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "The smallest element so far along `dim`, and the last index where it is.",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim) {
      wrap_dim(dim, self.dim());
      out.add(self.sizes(), self.dtype());
      out.add(self.sizes(), Dtype::int64);
    }),
    .cpu = [](const Tensor& self, int64_t dim, Tensor& values,
              Tensor& indices) { running_extreme<false>(self, wrap_dim(dim, self.dim()), values, indices, "cummin_cpu"); },
    .npu = {"Cummin"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, Out<"indices"> i) { return running_gradient(g, self, *dim, i); })},
});

}  // namespace
}  // namespace mt
