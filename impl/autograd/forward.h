// Forward mode: tangents of tensors, the levels that they belong to, and how operators carry them along.
#pragma once

#include <utility>
#include <vector>

#include "autograd/lock.h"
#include "core/tensor.h"

namespace mt {

struct Call;

// The tangents of one tensor, the innermost level last. A saved copy of a result shares them with the result.
struct Tangents {
  SpinLock lock;
  std::vector<std::pair<int64_t, Tensor>> by_level;
};

// Levels nest; those made later are further in. Leaving one drops its tangents from all tensors.
int64_t enter_dual_level();
void exit_dual_level(int64_t level);

Tensor tangent_of(const Tensor& t, int64_t level);  // undefined where it has none
// Brings the tangent into the tensor's layout first.
void set_tangent(const Tensor& t, int64_t level, Tensor tangent);
// Whether a level that this thread sees has a tangent of it.
bool has_tangent(const Tensor& t);
// Whether a result of `t` is to be differentiated in either mode.
bool needs_derivative(const Tensor& t);
// `copy` has what `t` has, now and later.
void share_tangents(const Tensor& t, const Tensor& copy);

// Tangents of this level and of all further in are not seen.
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

// Carries tangents through a call, whatever the operator: forward mode's part of Key::transforms (vmap/call.cpp).
void carry_tangents(const Call& call);

}  // namespace mt
