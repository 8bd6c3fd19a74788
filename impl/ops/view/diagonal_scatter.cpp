// diagonal_scatter: a copy with a diagonal of two dimensions replaced.
#include "rules/view_scatter.h"

namespace mt {
namespace {

constexpr auto replaced = [](const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"diagonal">(t, offset, dim1, dim2); });
};

MT_OP(OpDef{
    .schema = {"diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor"},
    .forms = function | method,
    .doc = "A copy of `self` with `src` on a diagonal.",
    .rule = on_meta_after(refuse_meta_source, nullptr),
    .cpu = replaced,
    .npu = {any_device},
    .meta = replaced,
    .grad = {wrt("self", [](Grad g, MetaOf<"src"> src, In<"offset", int64_t> offset, In<"dim1", int64_t> a, In<"dim2", int64_t> b) {
               return op<"diagonal_scatter">(g, op<"zeros">(src.sizes, g.dtype(), nullptr, g.device()), *offset, *a, *b);
             }),
             wrt("src", [](Grad g, In<"offset", int64_t> offset, In<"dim1", int64_t> a, In<"dim2", int64_t> b) {
               return op<"diagonal">(g, *offset, *a, *b);
             })},
});

}  // namespace
}  // namespace mt
