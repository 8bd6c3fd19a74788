// Forward mode: tangents, the levels to which they belong, and how operators propagate them.
#pragma once

#include <utility>
#include <vector>

#include "autograd/lock.h"
#include "core/tensor.h"

namespace mt {

struct Call;

// The tangents of one tensor, the innermost level last. A saved copy of a result shares the result's tangents.
struct Tangents {
  SpinLock lock;
  std::vector<std::pair<int64_t, Tensor>> by_level;
};

// Levels nest; later ones are inner. Leaving a level drops its tangents from all tensors.
int64_t enter_dual_level();
void exit_dual_level(int64_t level);

Tensor tangent_of(const Tensor& t, int64_t level);  // undefined if it has none
// Sets the tangent of `t`, converted to the strides of `t`.
void set_tangent(const Tensor& t, int64_t level, Tensor tangent);
// Whether `t` has a tangent at a level that is visible to this thread.
bool has_tangent(const Tensor& t);
// Whether a result computed from `t` must be differentiated, in either mode.
bool needs_derivative(const Tensor& t);
// Makes `copy` share the tangents of `t`, also those set later.
void share_tangents(const Tensor& t, const Tensor& copy);

// The outermost hidden level of this thread: its tangents and those of all inner levels are ignored.
extern thread_local constinit int64_t hidden_from_level;
class HideLevelsFrom {
 public:
  explicit HideLevelsFrom(int64_t level) : old_(hidden_from_level) {
    if (level < old_) hidden_from_level = level;
  }
  ~HideLevelsFrom() { hidden_from_level = old_; }
  HideLevelsFrom(const HideLevelsFrom&) = delete;
  HideLevelsFrom& operator=(const HideLevelsFrom&) = delete;

 private:
  int64_t old_;
};

// Propagates tangents through a call of any operator: the forward-mode part of Key::transforms (vmap/call.cpp).
void carry_tangents(const Call& call);

}  // namespace mt
