// empty_strided: as empty, with the given strides (in elements).
#include "rules/factory/factory.h"
#include "rules/form/determinism.h"

namespace mt {
namespace {

constexpr auto make_strided = [](IntList size, IntList stride, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                 std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(size.size() == stride.size(), "dimensionality of sizes ({}) must match dimensionality of strides ({})", size.size(), stride.size());
  return fill_new_memory(empty_strided(size, stride, o.dtype, o.device));
};

MT_OP(OpDef{
    .schema = {"empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor with the given sizes and strides whose elements are not set.

The storage is as large as the sizes and strides need.

Args:
    size (tuple of int): sizes.
    stride (tuple of int): strides in elements, as many as sizes; not negative.

Returns:
    Tensor: a tensor of shape `size`.

Raises:
    RuntimeError: when `size` and `stride` differ in length or a number is negative.

Example:
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2))",
    .cpu = make_strided,
    .npu = {any_device},
    .meta = make_strided,
});

}  // namespace
}  // namespace mt
