// as_strided: a view with any sizes, strides and offset.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto view_strided = [](const Tensor& self, IntList size, IntList stride, std::optional<int64_t> storage_offset) -> Tensor {
  check(size.size() == stride.size(), messages::strides_and_shape_lengths_differ);
  int64_t offset = storage_offset.value_or(self.storage_offset());
  check(offset >= 0, messages::invalid_storage_offset, offset);
  for (int64_t s : stride) check(s >= 0, messages::negative_strides_unsupported, stride);
  for (int64_t s : size) check(s >= 0, messages::storage_size_overflow_with_strides, size, stride);
  int64_t needed = needed_bytes(size, stride, offset, self.itemsize());
  check(needed <= self->storage->nbytes, messages::set_storage_out_of_bounds, size, stride, offset, self.itemsize(), needed,
        self->storage->nbytes);
  static_cast<void>(product(size));  // raises on overflow
  return alias(self, size, stride, offset);
};

void batch_as_strided(const BatchCall& c) {
  const Tensor value = c.front(0);
  Dims sizes{c.size}, strides{value.stride(0)};
  for (int64_t s : c.ints(1)) sizes.push_back(s);
  for (int64_t s : c.ints(2)) strides.push_back(s);
  c.set_result(0, op<"as_strided">(value, sizes, strides, c.args[3]));
}

MT_OP(OpDef{
    .schema = {"as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)"},
    .forms = function | method | inplace | inplace_function,
    .doc = R"(Returns a view of the storage of `self` with any sizes, strides and offset.

Element ``(i, j, ...)`` of the result is element
``storage_offset + i * stride[0] + j * stride[1] + ...`` of the storage, whatever the shape and
strides of `self` are. The view shares memory with `self`. Several of its elements may be the same
element of memory (a stride of 0, or windows that overlap): do not write into such a view. Prefer
``view``, ``expand``, ``unfold`` and slices where they can say the same.

Gradients of elements that the view shows several times are added up. The in-place form changes the
sizes, strides and offset of `self` itself.

Args:
    self (Tensor): tensor whose storage is viewed.
    size (tuple of int): shape of the view.
    stride (tuple of int): strides in elements, as many as sizes; not negative.
    storage_offset (int, optional): first element of the view in the storage. Default: ``None``, the
        offset of `self`.

Returns:
    Tensor: a view of shape `size`.

Raises:
    RuntimeError: when `size` and `stride` differ in length, a stride or the offset is negative, or
        the view would reach past the end of the storage.

Example:
    >>> x = torch.arange(5)
    >>> torch.as_strided(x, (3, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]]))",
    .view = view_strided,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"size", IntList> size, In<"stride", IntList> stride,
                    In<"storage_offset", std::optional<int64_t>> offset) {
                   return op<"_as_strided_backward">(g, self.sizes, self.strides, self.storage_offset, *size, *stride, *offset);
                 })},
    .batch = batch_as_strided,
});

// Adds the gradient of each viewed element to a buffer that has one element for each position in the storage, then reads the gradient of
// each input element from its position.
constexpr auto differentiate_as_strided = [](const Tensor& grad, IntList sizes, IntList strides, int64_t offset, IntList view_size,
                                             IntList view_stride, std::optional<int64_t> view_offset) -> Tensor {
  check(sizes.size() == strides.size() && view_size.size() == view_stride.size(), messages::strides_and_shape_lengths_differ);
  int64_t from = view_offset.value_or(offset);
  int64_t base = from < offset ? from : offset;
  int64_t n = needed_bytes(sizes, strides, offset - base, 1), m = needed_bytes(view_size, view_stride, from - base, 1);
  int64_t length = n > m ? n : m;
  Tensor flat = op<"zeros">(IntList{length}, grad.dtype(), nullptr, grad.device());
  Tensor positions = op<"arange">(length, Dtype::int64, nullptr, grad.device());
  Tensor index = op<"as_strided">(positions, view_size, view_stride, from - base);
  flat = op<"index_add">(flat, 0, op<"reshape">(index, IntList{-1}), op<"reshape">(grad, IntList{-1}));
  Tensor own = op<"as_strided">(positions, sizes, strides, offset - base);
  // Input elements that share a position each get an equal share of its gradient.
  const Dtype real = grad.dtype() == Dtype::complex64 ? Dtype::float32 : grad.dtype() == Dtype::complex128 ? Dtype::float64 : grad.dtype();
  Tensor counts = op<"index_add">(op<"zeros">(IntList{length}, real, nullptr, grad.device()), 0, op<"reshape">(own, IntList{-1}),
                                  op<"ones">(IntList{product(sizes)}, real, nullptr, grad.device()));
  flat = flat / op<"clamp_min">(counts, 1);
  return op<"reshape">(op<"index_select">(flat, 0, op<"reshape">(own, IntList{-1})), sizes);
};

MT_OP(OpDef{
    .schema =
        {"_as_strided_backward(Tensor grad, SymInt[] sizes, SymInt[] strides, SymInt offset, SymInt[] view_size, SymInt[] view_stride, "
         "SymInt? view_offset) -> Tensor"},
    .forms = internal,
    .doc = R"(Computes the gradient of ``as_strided``: adds each viewed element's gradient to the stored element.

Where the input itself overlaps, each of its elements takes an equal share.)",
    .composite = differentiate_as_strided,
});

}  // namespace
}  // namespace mt
