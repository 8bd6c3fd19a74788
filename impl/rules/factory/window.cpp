// Windows for signal processing: their options.
#include "rules/factory/window.h"

#include <string>

#include "core/exception.h"
#include "core/options.h"

namespace mt {
namespace {

// The options as torch prints them in its error messages.
std::string options_text(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device) {
  const Dtype type = dtype ? *dtype : default_dtype();
  const bool sparse = layout && *layout != Layout::strided;
  return text(
      "TensorOptions(dtype={}{}, device={}, layout={}, requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))",
      ScalarName(type), dtype ? "" : " (default)", device ? *device : Device(), sparse ? "Sparse" : "Strided (default)");
}

}  // namespace

WindowOptions window_options(const char* name, int64_t length, std::optional<Dtype> dtype, std::optional<Layout> layout,
                             std::optional<Device> device, std::optional<bool> pin_memory) {
  check(!layout || *layout == Layout::strided, "{} is not implemented for sparse types, got: {}", name,
        options_text(dtype, layout, device));
  const Dtype type = dtype ? *dtype : default_dtype();
  check(is_differentiable(type), "{} expects floating point dtypes, got: {}", name, options_text(dtype, layout, device));
  check(length >= 0, "{} requires non-negative window_length, got window_length={}", name, length);
  const NewOptions o = dense_options(type, layout, device, pin_memory, type);
  return {name, o.dtype, o.device};
}

}  // namespace mt
