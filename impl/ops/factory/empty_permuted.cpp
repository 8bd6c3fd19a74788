// empty_permuted: an uninitialised tensor whose dimensions are stored in a given order.
#include "rules/factory/factory.h"
#include "rules/form/determinism.h"

namespace mt {
namespace {

constexpr auto make_empty_permuted = [](IntList size, IntList physical_layout, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                        std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  const int64_t n = size.size();
  check(n == physical_layout.size(),
        "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {} is not equal to "
        "len(physical_layout) = {}",
        n, physical_layout.size());
  Dims sizes(n), strides(n), seen(n, 0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t d = physical_layout[i];
    check(d >= 0 && d < n,
          "Dimension out of range (expected to be between 0 and {}, but got {} at index {}).  NB: negative dims not currently supported; "
          "file an issue if you want it.",
          n - 1, d, i);
    check(!seen[d], "Duplicate dim not allowed");
    seen[d] = 1;
    sizes[i] = size[d];
  }
  const Tensor physical = fill_new_memory(empty(sizes, o.dtype, o.device));
  for (int64_t i = 0; i < n; ++i) strides[physical_layout[i]] = physical.stride(i);
  return alias(physical, size, strides, 0, false);
};

MT_OP(OpDef{
    .schema = {"empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor whose dimensions have a given order in memory; its elements are not set.

Dimension ``physical_layout[0]`` has the largest stride, the last one named has stride 1.

Args:
    size (tuple of int): sizes.
    physical_layout (tuple of int): each dimension once, outermost first; not negative.

Returns:
    Tensor: a dense tensor of shape `size`.

Raises:
    RuntimeError: when `physical_layout` does not name each dimension once.

Example:
    >>> torch.empty_permuted((2, 3, 4), (2, 0, 1)).stride()
    (3, 1, 6))",
    .cpu = make_empty_permuted,
    .npu = {any_device},
    .meta = make_empty_permuted,
});

}  // namespace
}  // namespace mt
