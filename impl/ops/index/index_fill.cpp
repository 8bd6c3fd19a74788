// index_fill: fills slices at the positions in an index vector with a number.
#include <algorithm>

#include "core/backend.h"
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/overlap.h"
#include "rules/index/indexing.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Makes the checks that torch makes before it fills; returns the number as a 0-dim host tensor in the dtype of `self`.
Tensor check_value(const Tensor& self, const Tensor& index, const Value& value) {
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, ErrorKind::index, "index_fill_(): Expected dtype int64 for index.");
  check(index.dim() <= 1, "Index has to be a vector/scalar");
  check(is_complex(self.dtype()) || value.tag != MT_TAG_COMPLEX,
        "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  if (self.is_meta()) return Tensor();
  const Tensor v = on_host(detail::tensor_of(value));
  if (value.tag != MT_TAG_TENSOR) Scalar::of_value(value).check_fits(self.dtype());
  check(v.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", v.dim());
  const Tensor element = empty({}, self.dtype());
  copy_into(element, v);
  return element;
}

void fill_slices(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& element) {
  const int64_t size = out.dim() ? out.size(dim) : 1;
  const Tensor places = empty(index.sizes(), Dtype::int64);
  copy_into(places, index);
  const List<int64_t> at(places.data<int64_t>(), places.numel());
  for (int64_t i : at) check(i >= -size && i < size, ErrorKind::index, messages::index_out_of_bounds_for_dimension, i, dim, size);
  // Fills contiguous runs directly; a copy for each slice costs several times more.
  if (!out.is_contiguous() || out.dim() == 0) {
    for (int64_t i : at) copy_into(slice_at(out, dim, i < 0 ? i + size : i), element);
    return;
  }
  const int64_t width = product(IntList(out.sizes().data + dim + 1, out.dim() - dim - 1));
  const int64_t blocks = out.numel() ? out.numel() / (size * width) : 0;
  dispatch_by_size(out.itemsize(), [&]<class T>(Type<T>) {
    const T value = *static_cast<const T*>(element.data());
    T* block = static_cast<T*>(out.data());
    for (int64_t b = 0; b < blocks; ++b, block += size * width)
      for (int64_t i : at) std::fill_n(block + (i < 0 ? i + size : i) * width, width, value);
  });
}

constexpr auto compute_index_fill = [](const Tensor& self, int64_t dim, const Tensor& index, const Value& value) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor element = check_value(self, index, value);
  BelowAutograd guard;
  if (!self.is_meta() && !self.device().is_cpu())
    return op<"index_fill.int_Scalar">(self, d, index, Scalar::load(element.dtype(), element.data()));
  const Tensor out = op<"clone">(self);  // keeps the layout
  if (!out.is_meta()) fill_slices(out, d, index, element);
  return out;
};

void index_fill_in_place(const Call& call, const void*) {
  const Tensor &self = Unbox<Tensor>::from(call.args[0]), &index = Unbox<Tensor>::from(call.args[2]);
  const int64_t dim = wrap_dim(Unbox<int64_t>::from(call.args[1]), self.dim());
  const Tensor element = check_value(self, index, call.args[3]);
  put(call.rets[0], self);
  if (self.is_meta()) return;
  warn_of_expanded(self, "index_fill_", "tensor[mask] = scalar");
  check_no_overlap(self, index);
  fill_slices(self, dim, index, element);
}

MT_OP(OpDef{
    .schema = {"index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
               "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor"},
    .forms = function | method | inplace,
    .doc = R"(Sets the slices of `self` that `index` names to `value`.

Args:
    self (Tensor): tensor to write to.
    dim (int): dimension that `index` counts along; negative counts from the last.
    index (Tensor): vector of int64 or int32 indices in ``[-n, n)``; negative ones count from the
        end.
    value (number or Tensor): the new value; a tensor must have no dimensions.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    IndexError: when an index is out of range or has another dtype.
    RuntimeError: when `value` is a tensor with dimensions.

Example:
    >>> torch.zeros(2, 3).index_fill_(1, torch.tensor([0, 2]), 7)
    tensor([[7., 0., 7.],
            [7., 0., 7.]]))",
    .rule = rule_after_check(refuse_index_mixtures<"index_copy">, in_place_rule(index_fill_in_place)),
    .cpu = compute_index_fill,
    .meta = compute_index_fill,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("value", [](Grad g, In<"dim", int64_t> dim,
                             In<"index"> index) { return op<"sum">(g - op<"index_fill">(g, *dim, index, 0)); })},  // each slice once
    .grad_name = "IndexFillBackward1",
    .batch = batch_looped,
    .overloads = {overload("int_Tensor", {.rule = rule_after_check(refuse_index_mixtures<"index_copy">, in_place_rule(index_fill_in_place)),
                                          .cpu = compute_index_fill,
                                          .npu = {any_device},
                                          .meta = compute_index_fill}),
                  overload("int_Scalar", {.npu = {"IndexFill"},
                                          .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim,
                                                                  In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); })},
                                          .grad_name = "IndexFillBackward0"})},
});

}  // namespace
}  // namespace mt
