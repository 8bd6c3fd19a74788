// The random family: filling tensors from a generator's stream.
#pragma once

#include <algorithm>
#include <mutex>

#include "core/dispatch_dtype.h"
#include "core/generator.h"
#include "cpu/nest.h"
#include "rules/algebra.h"
#include "rules/factory.h"

namespace mt {

// An NPU draws its numbers itself: a fill hands such a tensor to the operator of its name.
inline bool draws_itself(const Tensor& t) { return !t.device().is_cpu() && !t.is_meta(); }

// The dimensions of a tensor in the order in which torch's iteration visits them, outermost first: `self` alone, or beside another
// operand that is read along.
inline Dims drawing_order(const Tensor& self, const Tensor* beside = nullptr) {
  const IntList views[] = {self.strides(), beside ? beside->strides() : IntList()};
  Small<int64_t, 6> inner_first;
  cpu::order_dimensions(self.sizes(), views, beside ? 2 : 1, inner_first);
  Dims order(inner_first);
  std::reverse(order.begin(), order.end());
  return order;
}

// Runs fill(engine, contiguous data) for a tensor in any layout; elements are drawn in the order of its memory, or in `order`.
// Nothing on meta.
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
  const Tensor visited = op<"permute">(self, order ? *order : drawing_order(self));
  if (visited.is_contiguous()) {
    fill(g.engine, visited);
    return;
  }
  const Tensor flat = empty(visited.sizes(), self.dtype());
  fill(g.engine, flat);
  copy_into(visited, flat);
}

}  // namespace mt
