// empty_strided: as empty, with the given strides (in elements).
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto strided = [](IntList size, IntList stride, std::optional<Dtype> dtype, std::optional<Layout> layout,
                            std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(size.size() == stride.size(), "dimensionality of sizes ({}) must match dimensionality of strides ({})", size.size(), stride.size());
  return empty_strided(size, stride, o.dtype, o.device);
};

MT_OP(OpDef{
    .schema = {"empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = "As empty, with the given strides (in elements).",
    .cpu = strided,
    .npu = {any_device},
    .meta = strided,
});

}  // namespace
}  // namespace mt
