// as_strided_scatter: a copy in which the elements of a strided view are replaced.
#include "rules/form/view_scatter.h"

namespace mt {
namespace {

using Offset = std::optional<int64_t>;

constexpr auto compute_as_strided_scatter = [](const Tensor& self, const Tensor& src, IntList size, IntList stride,
                                               Offset offset) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"as_strided">(t, size, stride, offset); });
};

// The gradient in a storage with the input's geometry, so that the same sizes and strides view the same elements.
Tensor copy_gradient_to_layout(const Tensor& g, const TensorMeta& self) {
  const int64_t n = needed_bytes(self.sizes, self.strides, self.storage_offset, 1);
  Tensor flat = op<"new_zeros">(g, IntList{n});
  return op<"as_strided_scatter">(flat, g, self.sizes, self.strides, self.storage_offset);
}

MT_OP(OpDef{
    .schema = {"as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` in which the elements that ``as_strided`` would show are those of `src`.

It is ``as_strided(...).copy_(src)`` without a write into `self`. The copy is as large as the
storage that `self` needs. `size` and `stride` must not show an element twice, or which value stays
is not defined.

Args:
    self (Tensor): tensor to copy.
    src (Tensor): the new elements; shape `size`.
    size (tuple of int): shape of the part that is replaced.
    stride (tuple of int): its strides in elements.
    storage_offset (int, optional): its first element in the storage. Default: ``None``, the offset
        of `self`.

Returns:
    Tensor: a new tensor with the shape, strides and dtype of `self`.

Raises:
    RuntimeError: when `src` does not have the shape `size`, or the part does not fit the storage.

Example:
    >>> torch.as_strided_scatter(torch.zeros(3, 3), torch.ones(3), (3,), (4,))
    tensor([[1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.]]))",
    .rule = rule_after_meta_check(refuse_meta_source, nullptr),
    .cpu = compute_as_strided_scatter,
    .npu = {any_device},
    .meta = compute_as_strided_scatter,
    .grad =
        {wrt("self",
             [](Grad g, MetaOf<"self"> self, In<"size", IntList> size, In<"stride", IntList> stride, In<"storage_offset", Offset> offset) {
               // As in torch, keeps the gradient of the viewed elements and returns zeros for all others.
               const int64_t start = offset.value.value_or(self.storage_offset);
               Tensor laid = copy_gradient_to_layout(g, self);
               Tensor window = op<"as_strided_scatter">(op<"zeros_like">(laid), op<"as_strided">(laid, *size, *stride, start), *size,
                                                        *stride, start);
               return op<"as_strided">(window, self.sizes, self.strides, self.storage_offset);
             }),
         wrt("src",
             [](Grad g, MetaOf<"self"> self, In<"size", IntList> size, In<"stride", IntList> stride, In<"storage_offset", Offset> offset) {
               return op<"as_strided">(copy_gradient_to_layout(g, self), *size, *stride, offset.value.value_or(self.storage_offset));
             })},
});

}  // namespace
}  // namespace mt
