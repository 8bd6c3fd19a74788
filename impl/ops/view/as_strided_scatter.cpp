// as_strided_scatter: a copy with the elements that sizes and strides show replaced.
#include "rules/view_scatter.h"

namespace mt {
namespace {

using Offset = std::optional<int64_t>;

constexpr auto replaced = [](const Tensor& self, const Tensor& src, IntList size, IntList stride, Offset offset) -> Tensor {
  return with_view_replaced(self, src, [&](const Tensor& t) { return op<"as_strided">(t, size, stride, offset); });
};

// The gradient in a storage laid out as the input's, so that the same sizes and strides show the same places.
Tensor laid_out_as(const Tensor& g, const TensorMeta& self) {
  const int64_t n = needed_bytes(self.sizes, self.strides, self.storage_offset, 1);
  Tensor flat = op<"zeros">(IntList{n}, g.dtype(), nullptr, g.device());
  return op<"as_strided_scatter">(flat, g, self.sizes, self.strides, self.storage_offset);
}

MT_OP(OpDef{
    .schema = {"as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor"},
    .forms = function | method,
    .doc = "A copy of `self` with `src` in the places that `size`, `stride` and `storage_offset` show.",
    .rule = on_meta_after(refuse_meta_source, nullptr),
    .cpu = replaced,
    .npu = {any_device},
    .meta = replaced,
    .grad =
        {wrt("self",
             [](Grad g, MetaOf<"self"> self, In<"size", IntList> size, In<"stride", IntList> stride, In<"storage_offset", Offset> offset) {
               // What torch gives: the window's part of the gradient, and zeros where `self` shows through.
               const int64_t start = offset.value.value_or(self.storage_offset);
               Tensor laid = laid_out_as(g, self);
               Tensor window =
                   op<"as_strided_scatter">(op<"zeros_like">(laid), op<"as_strided">(laid, *size, *stride, start), *size, *stride, start);
               return op<"as_strided">(window, self.sizes, self.strides, self.storage_offset);
             }),
         wrt("src",
             [](Grad g, MetaOf<"self"> self, In<"size", IntList> size, In<"stride", IntList> stride, In<"storage_offset", Offset> offset) {
               return op<"as_strided">(laid_out_as(g, self), *size, *stride, offset.value.value_or(self.storage_offset));
             })},
});

}  // namespace
}  // namespace mt
