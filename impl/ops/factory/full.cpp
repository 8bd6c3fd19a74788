// full: a tensor of the given size with every element `fill_value`; the dtype follows from the number.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

// A complex number is never stored in half precision here, whatever the default dtype is.
Dtype dtype_of_number(const Scalar& value) {
  if (!value.is_complex()) return value.natural_dtype();
  return default_dtype() == Dtype::float64 ? Dtype::complex128 : Dtype::complex64;
}

constexpr auto make_full = [](IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                              std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check(layout.value_or(Layout::strided) == Layout::strided, messages::full_of_sparse_layout);
  NewOptions o = new_options(dtype, layout, device, pin, dtype_of_number(value));
  Tensor t = empty(size, o.dtype, o.device);
  value.check_fits(o.dtype);
  fill_with(t, value);
  return t;
};

MT_OP(OpDef{
    .schema = {"full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns a tensor of the given size with every element set to `fill_value`.

Args:
    size (tuple of int): sizes.
    fill_value (number): the value; it must fit the dtype.
    dtype (torch.dtype, optional): Default: bool for a bool, int64 for an integer, otherwise the
        default dtype (complex for complex numbers).

Returns:
    Tensor: a tensor of shape `size`.

Raises:
    RuntimeError: when a size is negative or the value does not fit.

Example:
    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]]))",
    .cpu = make_full,
    .npu = {any_device},
    .meta = make_full,
});

}  // namespace
}  // namespace mt
