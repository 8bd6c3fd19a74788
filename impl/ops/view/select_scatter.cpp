// select_scatter: a copy with the elements at `index` of a dimension replaced.
#include "rules/view_scatter.h"

namespace mt {
namespace {

constexpr auto replaced = [](const Tensor& self, const Tensor& src, int64_t dim, int64_t index) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"select">(t, dim, index); });
};

MT_OP(OpDef{
    .schema = {"select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor"},
    .forms = function | method,
    .doc = "A copy of `self` with `src` at `index` of dimension `dim`.",
    .rule = on_meta_after(refuse_meta_source, nullptr),
    .cpu = replaced,
    .npu = {any_device},
    .meta = replaced,
    .grad = {wrt("self", [](Grad g, MetaOf<"src"> src, In<"dim", int64_t> dim, In<"index", int64_t> index) {
               return op<"select_scatter">(g, op<"zeros">(src.sizes, g.dtype(), nullptr, g.device()), *dim, *index);
             }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index", int64_t> index) { return op<"select">(g, *dim, *index); })},
});

}  // namespace
}  // namespace mt
