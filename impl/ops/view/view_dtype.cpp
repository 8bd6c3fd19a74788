// view.dtype: the same bytes as another dtype.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto reinterpret = [](const Tensor& self, Dtype dtype) -> Tensor {
  check(!self.is_conj(), "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype.");
  check(!self.is_neg(), "torch.Tensor.view is not supported for tensors with negative bit set when converting to a different dtype.");
  if (dtype == self.dtype()) return alias(self, true);
  int64_t from = self.itemsize(), to = element_size(dtype);
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t offset = self.storage_offset();
  if (from > to) {
    int64_t ratio = from / to;
    check(self.dim() > 0, messages::view_dtype_of_scalar_tensor, self.dtype(), dtype);
    check(self.stride(-1) == 1, messages::view_dtype_needs_last_stride_1, self.dtype(), dtype, self.stride(-1));
    for (int64_t& s : strides) s *= ratio;
    strides.back() = 1;
    sizes.back() *= ratio;
    offset *= ratio;
  } else if (from < to) {
    int64_t ratio = to / from;
    check(self.dim() > 0, messages::view_dtype_of_scalar_tensor, self.dtype(), dtype);
    check(self.size(-1) % ratio == 0, "self.size(-1) must be divisible by {} to view {} as {} (different element sizes), but got {}", ratio,
          self.dtype(), dtype, self.size(-1));
    check(offset % ratio == 0, "self.storage_offset() must be divisible by {} to view {} as {} (different element sizes), but got {}",
          ratio, self.dtype(), dtype, offset);
    check(self.stride(-1) == 1, messages::view_dtype_needs_last_stride_1, self.dtype(), dtype, self.stride(-1));
    for (int64_t d = 0; d + 1 < strides.size(); ++d) {
      check(strides[d] % ratio == 0, "self.stride({}) must be divisible by {} to view {} as {} (different element sizes), but got {}", d,
            ratio, self.dtype(), dtype, strides[d]);
      strides[d] /= ratio;
    }
    sizes.back() /= ratio;
    offset /= ratio;
  }
  Tensor out = reshaped(self, sizes, strides, offset);
  out->dtype = dtype;
  // Any non-zero byte is true: operators get normalised copies of such bools, as for the negative bit.
  if (dtype == Dtype::boolean)
    out->keys |= key_bit(Key::negative);
  else if (self.dtype() == Dtype::boolean)
    out->keys &= ~key_bit(Key::negative);
  return out;
};

MT_OP(OpDef{
    .schema = {"view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns a view of the same bytes read as another dtype.

No value is converted. Elements of another size change the last dimension: ``n`` float32 elements
are ``2n`` int16 ones or ``n / 2`` float64 ones. No gradient passes.

Args:
    self (Tensor): tensor of any dtype. For elements of another size it needs a last dimension of
        stride 1, for larger ones also sizes, strides and an offset that divide.
    dtype (torch.dtype): dtype to read the bytes as.

Returns:
    Tensor: a view of dtype `dtype`.

Raises:
    RuntimeError: when the sizes or strides do not allow it.

Example:
    >>> torch.tensor([1.0, -2.0]).view(torch.int32)
    tensor([ 1065353216, -1073741824], dtype=torch.int32))",
    .view = reinterpret,
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
