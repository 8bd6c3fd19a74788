// Batched tensors, and the levels of vmap that they belong to.
#pragma once

#include "core/tensor.h"

namespace mt {

enum class Randomness : int8_t { error, same, different };

struct Layer {
  int64_t level;  // from 1; inner levels have greater numbers
  int64_t size;
  Randomness randomness;
};

// Opens an innermost level on this thread, or closes it.
int64_t enter_vmap(int64_t size, Randomness randomness);
void exit_vmap(int64_t level);
int64_t vmap_depth();  // number of levels that calls see now
const Layer& vmap_layer(int64_t level);  // raises torch's error for a tensor that outlived its vmap

// Hides all levels but the outer `depth` ones within a scope: operators that a level calls on values must not reach that level again.
class VisibleLevels {
 public:
  explicit VisibleLevels(int64_t depth);
  ~VisibleLevels();
  VisibleLevels(const VisibleLevels&) = delete;
  VisibleLevels& operator=(const VisibleLevels&) = delete;

 private:
  int64_t old_;
};
// As VisibleLevels, without a scope, for the C ABI; returns the previous number of visible levels.
int64_t set_visible_levels(int64_t depth);

// The data behind TensorImpl::extra of a batched tensor.
struct Batch {
  Tensor value;
  int64_t dim;
  int64_t level;
};
inline const Batch* as_batch(const TensorImpl& t) { return static_cast<const Batch*>(t.extra); }
inline const Batch* as_batch(const Tensor& t) { return t.defined() ? as_batch(*t.get()) : nullptr; }

// Wraps `value`, whose dimension `dim` is mapped at this level: the batched tensor has the other dimensions, and no memory that can be
// read.
Tensor make_batched(const Tensor& value, int64_t dim, int64_t level);
// Updates the wrapper's sizes and strides after those of its value have changed.
void refresh_batched(const Tensor& batched);
// Raises torch's error if `t` is batched, since it has no memory of its own.
void check_has_memory(const TensorImpl& t, const char* text = "Cannot access data pointer of Tensor that doesn't have storage");

}  // namespace mt
