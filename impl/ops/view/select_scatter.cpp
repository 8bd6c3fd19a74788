// select_scatter: a copy in which the elements at `index` of a dimension are replaced.
#include "rules/form/view_scatter.h"

namespace mt {
namespace {

constexpr auto compute_select_scatter = [](const Tensor& self, const Tensor& src, int64_t dim, int64_t index) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"select">(t, dim, index); });
};

MT_OP(OpDef{
    .schema = {"select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` with the elements at `index` of dimension `dim` replaced by `src`.

It is ``self.clone()`` followed by a write into ``select(dim, index)``. The gradient of `src` is
that part of the incoming one; that of `self` is zero there.

Args:
    self (Tensor): tensor with at least one dimension.
    src (Tensor): new elements; shape of `self` without dimension `dim`.
    dim (int): dimension; negative counts from the last.
    index (int): index in ``[-n, n)``; negative counts from the end.

Returns:
    Tensor: a new tensor with the shape and dtype of `self`.

Raises:
    RuntimeError: when `src` has another shape.
    IndexError: when `index` is out of range.

Example:
    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]]))",
    .rule = rule_after_meta_check(refuse_meta_source, nullptr),
    .cpu = compute_select_scatter,
    .npu = {any_device},
    .meta = compute_select_scatter,
    .grad = {wrt("self", [](Grad g, MetaOf<"src"> src, In<"dim", int64_t> dim,
                            In<"index", int64_t> index) { return op<"select_scatter">(g, op<"new_zeros">(g, src.sizes), *dim, *index); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index", int64_t> index) { return op<"select">(g, *dim, *index); })},
});

}  // namespace
}  // namespace mt
