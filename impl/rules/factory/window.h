// Windows for signal processing: shared by their operators.
#pragma once

#include "rules/factory/factory.h"

namespace mt {

// The options of a call; refuses those that no window supports.
struct WindowOptions {
  const char* name;
  Dtype dtype;
  Device device;
};
WindowOptions window_options(const char* name, int64_t length, std::optional<Dtype> dtype, std::optional<Layout> layout,
                             std::optional<Device> device, std::optional<bool> pin_memory);
// A periodic window is a symmetric one with one more element, without the last. make(0, 1, 2, ...) makes a symmetric window of at least two
// elements.
template <class F>
Tensor make_window(const WindowOptions& o, int64_t length, bool periodic, F make) {
  if (length == 0) return empty({0}, o.dtype, o.device);
  BelowAutograd guard;
  if (length == 1) return op<"ones">(IntList{1}, o.dtype, nullptr, o.device);
  const int64_t points = length + (periodic ? 1 : 0);
  const Tensor window = make(op<"arange">(points, o.dtype, nullptr, o.device));
  return periodic ? op<"narrow">(window, 0, 0, length) : window;
}

}  // namespace mt
