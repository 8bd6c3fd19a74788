// The random family: filling tensors from a generator's stream.
#pragma once

#include <mutex>

#include "core/dispatch_dtype.h"
#include "core/generator.h"
#include "rules/factory.h"

namespace mt {

// An NPU draws its numbers itself: a fill hands such a tensor to the operator of its name.
inline bool draws_itself(const Tensor& t) { return !t.device().is_cpu() && !t.is_meta(); }

// Runs fill(engine, contiguous data, n) for a tensor in any layout: elements are drawn in logical order. Nothing on meta.
template <class F>
void draw_into(const Tensor& self, Generator* generator, F&& fill) {
  if (self.is_meta()) return;
  check_no_internal_overlap(self);
  Generator& g = generator ? *generator : default_generator();
  check(g.device.is_cpu(), "Expected a 'cpu' device type for generator but found '{}'", name_of(g.device.type));
  const std::lock_guard lock(g.mutex);
  if (self.is_contiguous()) {
    fill(g.engine, self);
    return;
  }
  // Dense layouts are filled in the order of memory, as torch does; others in logical order.
  const Tensor flat = empty(self.sizes(), self.dtype());
  fill(g.engine, flat);
  copy_into(self, flat);
}

}  // namespace mt
