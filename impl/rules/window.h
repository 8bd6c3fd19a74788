// Windows of signal processing: what their operators share.
#pragma once

#include "rules/factory.h"

namespace mt {

// The options that a call gave, refused where no window can have them.
struct WindowOptions {
  const char* name;
  Dtype dtype;
  Device device;
};
WindowOptions window_options(const char* name, int64_t length, std::optional<Dtype> dtype, std::optional<Layout> layout,
                             std::optional<Device> device, std::optional<bool> pin_memory);
// A periodic window is a symmetric one of one more element, without the last. make(0, 1, 2, ...) makes a symmetric one of two or more.
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
