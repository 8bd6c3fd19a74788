// diagonal_scatter: a copy with a diagonal of two dimensions replaced.
#include "rules/form/view_scatter.h"

namespace mt {
namespace {

constexpr auto compute_diagonal_scatter = [](const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"diagonal">(t, offset, dim1, dim2); });
};

MT_OP(OpDef{
    .schema = {"diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` with a diagonal of two dimensions replaced by `src`.

It is ``self.clone()`` followed by a write into ``diagonal(offset, dim1, dim2)``. The gradient of
`src` is the diagonal of the incoming one; that of `self` is zero there.

Args:
    self (Tensor): tensor with at least two dimensions.
    src (Tensor): new elements, in the shape of that diagonal.
    offset (int): which diagonal: above the main one where positive, below where negative. Default:
        ``0``.
    dim1 (int): first dimension; negative counts from the last. Default: ``0``.
    dim2 (int): second dimension. Default: ``1``.

Returns:
    Tensor: a new tensor with the shape and dtype of `self`.

Raises:
    RuntimeError: when `src` does not have the shape of the diagonal.

Example:
    >>> torch.diagonal_scatter(torch.zeros(3, 3), torch.tensor([1.0, 2.0]), 1)
    tensor([[0., 1., 0.],
            [0., 0., 2.],
            [0., 0., 0.]]))",
    .rule = rule_after_meta_check(refuse_meta_source, nullptr),
    .cpu = compute_diagonal_scatter,
    .npu = {any_device},
    .meta = compute_diagonal_scatter,
    .grad = {wrt("self", [](Grad g, MetaOf<"src"> src, In<"offset", int64_t> offset, In<"dim1", int64_t> a,
                            In<"dim2", int64_t> b) { return op<"diagonal_scatter">(g, op<"new_zeros">(g, src.sizes), *offset, *a, *b); }),
             wrt("src", [](Grad g, In<"offset", int64_t> offset, In<"dim1", int64_t> a,
                           In<"dim2", int64_t> b) { return op<"diagonal">(g, *offset, *a, *b); })},
});

}  // namespace
}  // namespace mt
