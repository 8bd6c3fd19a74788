// median: the lower of both middle elements in order; NaN if there is one.
#include "rules/medians.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"median(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "Of all elements, the lower of both middle elements in order; NaN if there is one.",
    .rule = structured([](Specs& out, const Tensor& self) { out.add({}, self.dtype()); }),
    .cpu = [](const Tensor& self, Tensor& out) { median_of_all<false>(self, out); },
    .npu = {"Median"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return median_gradient(g, x, y); })},
});
MT_OP(OpDef{
    .schema = {"median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = "Of each line along `dim`, the lower of both middle elements in order; NaN if there is one; and its index.",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      median_shape(out, "median", self, dim, keepdim);
    }),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& values,
              Tensor& indices) { median_along<false>(self, wrap_dim(dim, self.dim()), values, indices, "median_out"); },
    .npu = {"MedianDim"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim,
                            Out<"indices"> i) { return one_picked_gradient(g, self, *dim, *keepdim, i); })},
    .grad_name = "MedianBackward1",
});

}  // namespace
}  // namespace mt
