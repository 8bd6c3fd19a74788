// Batched tensors, and the levels of vmap that they belong to.
#pragma once

#include "core/tensor.h"

namespace mt {

enum class Randomness : int8_t { error, same, different };

struct Layer {
  int64_t level;  // from 1; those further in are greater
  int64_t size;
  Randomness randomness;
};

// Opens a level inside of all open ones on this thread, and closes the last.
int64_t enter_vmap(int64_t size, Randomness randomness);
void exit_vmap(int64_t level);
int64_t vmap_depth();  // of the levels that calls see now
const Layer& vmap_layer(int64_t level);  // raises torch's text for a tensor that outlived its vmap

// Calls see the first `depth` levels only: what a level does with values is not of that level.
class VisibleLevels {
 public:
  explicit VisibleLevels(int64_t depth);
  ~VisibleLevels();
  VisibleLevels(const VisibleLevels&) = delete;
  VisibleLevels& operator=(const VisibleLevels&) = delete;

 private:
  int64_t old_;
};
// The same for callers outside; gives the former number.
int64_t set_visible_levels(int64_t depth);

// What TensorImpl::extra of a batched tensor points to.
struct Batch {
  Tensor value;
  int64_t dim;
  int64_t level;
};
inline const Batch* as_batch(const TensorImpl& t) { return static_cast<const Batch*>(t.extra); }
inline const Batch* as_batch(const Tensor& t) { return t.defined() ? as_batch(*t.get()) : nullptr; }

// A tensor that looks like `value` without dimension `dim`. It has no memory that could be read.
Tensor make_batched(const Tensor& value, int64_t dim, int64_t level);
// After a call that changed its value's geometry.
void refresh_batched(const Tensor& batched);
// Raises torch's text where `t` is batched.
void check_has_memory(const TensorImpl& t, const char* text = "Cannot access data pointer of Tensor that doesn't have storage");

}  // namespace mt
