// The factory family: resolves the options of a new tensor.
#pragma once

#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// The dtype, layout and device of a factory call, with defaults filled in and checked.
struct NewOptions {
  Dtype dtype;
  Device device;
};
NewOptions new_options(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory, Dtype default_dtype);
// As new_options, for strided tensors only.
NewOptions dense_options(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                         std::optional<bool> pin_memory, Dtype default_dtype);
// Strides of a tensor "like" self: its own if they are dense, otherwise dense strides in the same order of dimensions.
Dims strides_like(const Tensor& self);
// A new tensor "like" self in a memory format; without one, or with `preserve`, its strides are strides_like(self).
Tensor empty_as(const Tensor& self, Dtype dtype, Device device, std::optional<MemoryFormat> format);
// Sets all elements to a number (does nothing on meta), below the dispatcher.
void fill_with(const Tensor& tensor, const Scalar& value);

// A new tensor of the given size filled with a number, with self's dtype and device unless given.
Tensor filled_as(const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin);

// The body of an overload that omits arguments of make(Given..., rest..., dtype, layout, device, pin_memory) and passes constants instead:
// BodyWithDefaults<int64_t>::body<make, true, 0.5> calls make(n, true, 0.5, options...).
template <class... Given>
struct BodyWithDefaults {
  template <const auto& make, auto... rest>
  static constexpr auto body = [](Given... given, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                  std::optional<bool> pin) -> Tensor { return make(given..., rest..., dtype, layout, device, pin); };
};

}  // namespace mt
