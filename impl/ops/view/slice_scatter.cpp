// slice_scatter: a copy with a slice of a dimension replaced.
#include "rules/view_scatter.h"

namespace mt {
namespace {

using Bound = std::optional<int64_t>;

constexpr auto replaced = [](const Tensor& self, const Tensor& src, int64_t dim, Bound start, Bound end, int64_t step) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"slice">(t, dim, start, end, step); });
};

MT_OP(OpDef{
    .schema = {"slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor"},
    .forms = function | method | out,
    .doc = "A copy of `self` with `src` in the slice start:end:step of dimension `dim`.",
    .rule = on_meta_after(refuse_meta_source, nullptr),
    .cpu = replaced,
    .npu = {any_device},
    .meta = replaced,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"src"> src, In<"dim", int64_t> dim, In<"start", Bound> start, In<"end", Bound> end,
                    In<"step", int64_t> step) {
                   return op<"slice_scatter">(g, op<"zeros">(src.sizes, g.dtype(), nullptr, g.device()), *dim, *start, *end, *step);
                 }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"start", Bound> start, In<"end", Bound> end,
                           In<"step", int64_t> step) { return op<"slice">(g, *dim, *start, *end, *step); })},
});

}  // namespace
}  // namespace mt
