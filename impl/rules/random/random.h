// The random family: filling tensors from a generator's stream.
#pragma once

#include <algorithm>
#include <mutex>

#include "core/dispatch_dtype.h"
#include "core/generator.h"
#include "cpu/copy/nest.h"
#include "cpu/random/random.h"
#include "rules/factory/factory.h"
#include "rules/form/algebra.h"

namespace mt {

// An NPU draws numbers itself: a tensor on it is passed to the operator of the same name.
inline bool samples_on_device(const Tensor& t) { return !t.device().is_cpu() && !t.is_meta(); }

// A tensor's dimensions in the order of torch's iteration, outermost first: for `self` alone, or with another operand that is read at the
// same time.
inline Dims torch_iteration_order(const Tensor& self, const Tensor* beside = nullptr) {
  const IntList views[] = {self.strides(), beside ? beside->strides() : IntList()};
  Small<int64_t, 6> inner_first;
  cpu::order_dimensions(self.sizes(), views, beside ? 2 : 1, inner_first);
  Dims order(inner_first);
  std::reverse(order.begin(), order.end());
  return order;
}

// Runs fill(engine, contiguous data) for a tensor with any strides; elements are drawn in memory order, or in `order`. Does nothing on
// meta.
template <class F>
void draw_into(const Tensor& self, Generator* generator, F&& fill, const Dims* order = nullptr) {
  if (self.is_meta()) return;
  check_no_internal_overlap(self);
  Generator& g = generator ? *generator : default_generator();
  check(g.device.is_cpu(), "Expected a 'cpu' device type for generator but found '{}'", name_of(g.device.type));
  const std::lock_guard lock(g.mutex);
  if (!order && self.is_contiguous()) {
    fill(g.engine, self);
    return;
  }
  BelowAutograd guard;
  const Tensor visited = op<"permute">(self, order ? *order : torch_iteration_order(self));
  if (visited.is_contiguous()) {
    fill(g.engine, visited);
    return;
  }
  const Tensor flat = empty(visited.sizes(), self.dtype());
  fill(g.engine, flat);
  copy_into(visited, flat);
}

// Fills shared by several operators; a complex number takes two draws.
void fill_with_uniform_numbers(const Tensor& self, double from, double to, Generator* generator);
void fill_with_normal_numbers(const Tensor& self, double mean, double std, Generator* generator);

// The body of an operator that returns a tensor like `self`, filled by fill(tensor, numbers..., generator).
template <const auto& fill, class... Numbers>
inline constexpr auto filled_like = [](const Tensor& self, Numbers... numbers, Generator* generator) -> Tensor {
  BelowAutograd guard;
  Tensor t = op<"empty_like">(self);
  fill(t, numbers..., generator);
  return t;
};

// The bodies of rand or randn, whose numbers fill(tensor, 0, 1, generator) samples: `made` for given sizes, `made_like` for the shape of a
// tensor.
template <const auto& fill>
struct StandardNumbers {
  static constexpr auto made = [](IntList size, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device, std::optional<bool> pin) -> Tensor {
    const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
    Tensor t = empty(size, o.dtype, o.device);
    fill(t, 0, 1, generator);
    return t;
  };
  static constexpr auto made_like = [](const Tensor& self, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin,
                                       std::optional<MemoryFormat> format) -> Tensor {
    BelowAutograd guard;
    Tensor t = op<"empty_like">(self, dtype, layout, device, pin, format);
    fill(t, 0, 1, generator);
    return t;
  };
  // The bodies of overloads that have no generator argument.
  static constexpr auto made_by_default = BodyWithDefaults<IntList>::body<made, nullptr>;
  static constexpr auto made_like_by_default = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                  std::optional<Device> device, std::optional<bool> pin,
                                                  std::optional<MemoryFormat> format) -> Tensor {
    return made_like(self, nullptr, dtype, layout, device, pin, format);
  };
};

}  // namespace mt
