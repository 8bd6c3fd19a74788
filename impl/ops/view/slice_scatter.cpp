// slice_scatter: a copy in which a slice of a dimension is replaced.
#include "rules/form/view_scatter.h"

namespace mt {
namespace {

using Bound = std::optional<int64_t>;

constexpr auto compute_slice_scatter = [](const Tensor& self, const Tensor& src, int64_t dim, Bound start, Bound end,
                                          int64_t step) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"slice">(t, dim, start, end, step); });
};

MT_OP(OpDef{
    .schema = {"slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns a copy of `self` with the slice ``start:end:step`` of dimension `dim` replaced by `src`.

It is ``self.clone()`` followed by a write into the slice. The gradient of `src` is that part of the
incoming one; that of `self` is zero there.

Args:
    self (Tensor): tensor with at least one dimension.
    src (Tensor): new elements, in the shape of the slice.
    dim (int): dimension; negative counts from the last. Default: ``0``.
    start (int, optional): first index; negative counts from the end. Default: ``None``, 0.
    end (int, optional): index after the last; cut to the size. Default: ``None``, the size.
    step (int): distance of the indices; positive. Default: ``1``.

Returns:
    Tensor: a new tensor with the shape and dtype of `self`.

Raises:
    RuntimeError: when `src` does not have the shape of the slice or `step` is not positive.

Example:
    >>> torch.slice_scatter(torch.zeros(5), torch.tensor([1.0, 2.0]), 0, 1, 5, 2)
    tensor([0., 1., 0., 2., 0.]))",
    .rule = rule_after_meta_check(refuse_meta_source, nullptr),
    .cpu = compute_slice_scatter,
    .npu = {any_device},
    .meta = compute_slice_scatter,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"src"> src, In<"dim", int64_t> dim, In<"start", Bound> start, In<"end", Bound> end,
                    In<"step", int64_t> step) { return op<"slice_scatter">(g, op<"new_zeros">(g, src.sizes), *dim, *start, *end, *step); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"start", Bound> start, In<"end", Bound> end,
                           In<"step", int64_t> step) { return op<"slice">(g, *dim, *start, *end, *step); })},
});

}  // namespace
}  // namespace mt
