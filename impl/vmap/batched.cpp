// The stack of vmap levels, and batched tensors as objects.
#include "vmap/batched.h"

#include <vector>

namespace mt {
namespace {

struct Stack {
  std::vector<Layer> layers;
  int64_t visible = 0;
};
Stack& level_stack() {
  thread_local Stack s;
  return s;
}

// Includes Key::transforms while levels are open: they must also see calls without batched arguments, since random numbers depend on the
// level's randomness mode.
void set_visible_depth(int64_t depth) {
  level_stack().visible = depth;
  constexpr KeySet bit = key_bit(Key::transforms);
  thread_state.included = depth ? thread_state.included | bit : thread_state.included & ~bit;
}

const Ref<Storage>& empty_storage() {
  static const Ref<Storage>* storage = new Ref<Storage>(make_storage(nullptr, 0, Device(), nullptr, nullptr));
  return *storage;
}

void set_geometry_without_mapped_dim(TensorImpl& t, const Batch& batch) {
  Dims sizes, strides;
  for (int64_t d = 0; d < batch.value.dim(); ++d) {
    if (d == batch.dim) continue;
    sizes.push_back(batch.value.size(d));
    strides.push_back(batch.value.stride(d));
  }
  t.sizes = std::move(sizes);
  t.strides = std::move(strides);
  t.storage_offset = batch.value.storage_offset();
  t.refresh_numel();
}

}  // namespace

int64_t enter_vmap(int64_t size, Randomness randomness) {
  Stack& s = level_stack();
  const int64_t level = s.visible + 1;  // reuses the number of a level that is hidden now
  s.layers.insert(s.layers.begin() + s.visible, {level, size, randomness});
  set_visible_depth(level);
  return level;
}

void exit_vmap(int64_t level) {
  Stack& s = level_stack();
  check(level > 0 && level == s.visible, ErrorKind::value, "only the innermost vmap can end");
  s.layers.erase(s.layers.begin() + (level - 1));
  set_visible_depth(level - 1);
}

int64_t vmap_depth() { return level_stack().visible; }

const Layer& vmap_layer(int64_t level) {
  const Stack& s = level_stack();
  check(level > 0 && level <= s.visible,
        "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
        "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
        "`gen_vmap_plumbing` Please file an issue if it looks like the latter");
  return s.layers[size_t(level - 1)];
}

VisibleLevels::VisibleLevels(int64_t depth) : old_(level_stack().visible) { set_visible_depth(depth); }
VisibleLevels::~VisibleLevels() { set_visible_depth(old_); }

int64_t set_visible_levels(int64_t depth) {
  const int64_t former = level_stack().visible;
  check(depth >= 0 && depth <= int64_t(level_stack().layers.size()), ErrorKind::value, "there are {} levels of vmap, not {}",
        int64_t(level_stack().layers.size()), depth);
  set_visible_depth(depth);
  return former;
}

Tensor make_batched(const Tensor& value, int64_t dim, int64_t level) {
  check(level > 0, ErrorKind::value, "levels of vmap count from 1, got {}", level);
  auto* batch = new Batch{value, wrap_dim(dim, value.dim()), level};
  Tensor t;
  try {
    t = make_tensor(empty_storage(), value.dtype(), IntList(), IntList(), 0);
  } catch (...) {
    delete batch;
    throw;
  }
  t->extra = batch;
  t->extra_destroy = [](void* extra) { delete static_cast<Batch*>(extra); };
  set_geometry_without_mapped_dim(*t, *batch);
  t->device = value.device();
  t->conj = value.is_conj();
  t->neg = value.is_neg();
  t->inference = value->inference;
  constexpr KeySet of_value = backend_keys | key_bit(Key::conjugate) | key_bit(Key::negative);
  t->keys = (value.keys() & of_value) | key_bit(Key::transforms);
  t->shared_version = value.version_counter();
  return t;
}

void refresh_batched(const Tensor& batched) {
  if (const Batch* batch = as_batch(batched)) set_geometry_without_mapped_dim(*batched, *batch);
}

void check_has_memory(const TensorImpl& t, const char* text) { check(!as_batch(t) && !t.sparse, ErrorKind::runtime, "{}", text); }

}  // namespace mt
