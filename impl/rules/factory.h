// The factory family: what the options of a new tensor mean.
#pragma once

#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// The dtype, layout and device of a factory call, defaults filled in and refusals made.
struct NewOptions {
  Dtype dtype;
  Device device;
};
NewOptions new_options(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool> pin_memory, Dtype default_dtype);
// The same, of tensors that lie in memory alone.
NewOptions dense_options(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                         std::optional<bool> pin_memory, Dtype default_dtype);
// Strides of a tensor "like" self: its own where they are dense, and the order of its dimensions otherwise.
Dims strides_like(const Tensor& self);
// A new tensor "like" self under a memory format; preserve has the above strides.
Tensor empty_as(const Tensor& self, Dtype dtype, Device device, std::optional<MemoryFormat> format);
// All elements set to a number (nothing on meta), below the dispatcher.
void fill_with(const Tensor& tensor, const Scalar& value);

// A new tensor of that size full of a number, of self's dtype and on its device unless given.
Tensor filled_as(const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin);

// The body of an overload that leaves out arguments of make(Given..., rest..., dtype, layout, device, pin_memory):
// Taking<int64_t>::body<make, true, 0.5> is make(n, true, 0.5, options...).
template <class... Given>
struct Taking {
  template <const auto& make, auto... rest>
  static constexpr auto body = [](Given... given, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                  std::optional<bool> pin) -> Tensor { return make(given..., rest..., dtype, layout, device, pin); };
};

}  // namespace mt
