// The C functions of vmap, and of meta tensors that stand for tensors of another device.
#include "convert.h"
#include "core/backend.h"
#include "vmap/batched.h"

using namespace mt;
using namespace mt::capi;

mt_status* mt_vmap_enter(int64_t batch_size, int32_t randomness, int64_t* level) {
  return guard([&] {
    require_not_null(level, "level");
    check(batch_size >= 0, ErrorKind::value, "batch_size must not be negative, got {}", batch_size);
    check(randomness >= MT_RANDOMNESS_ERROR && randomness <= MT_RANDOMNESS_DIFFERENT, ErrorKind::value, "{} names no randomness",
          randomness);
    *level = enter_vmap(batch_size, Randomness(randomness));
  });
}

mt_status* mt_vmap_exit(int64_t level) {
  return guard([&] { exit_vmap(level); });
}

mt_status* mt_vmap_depth(int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = vmap_depth();
  });
}

mt_status* mt_vmap_level(int64_t level, int64_t* batch_size, int32_t* randomness) {
  return guard([&] {
    const Layer& layer = vmap_layer(level);
    if (batch_size) *batch_size = layer.size;
    if (randomness) *randomness = int32_t(layer.randomness);
  });
}

mt_status* mt_vmap_set_visible(int64_t depth, int64_t* former) {
  return guard([&] {
    require_not_null(former, "former");
    *former = set_visible_levels(depth);
  });
}

mt_status* mt_batched_make(mt_tensor* value, int64_t dim, int64_t level, mt_tensor** out) {
  return guard([&] {
    Tensor t = tensor_of(value, "value");
    require_not_null(out, "out");
    *out = return_handle(make_batched(t, dim, level));
  });
}

mt_status* mt_batched_get(const mt_tensor* tensor, int64_t* level, int64_t* dim, mt_tensor** value) {
  return guard([&] {
    const Batch* batch = as_batch(impl_even_if_pending(tensor));
    if (level) *level = batch ? batch->level : 0;
    if (dim) *dim = batch ? batch->dim : 0;
    if (value) *value = batch ? return_handle(batch->value) : nullptr;
  });
}

mt_status* mt_tensor_pose(mt_tensor* tensor, mt_device device) {
  return guard([&] {
    TensorImpl& t = impl_of(tensor);
    const Device posed = complete_device(device_of(device));
    check(t.keys & key_bit(Key::meta), ErrorKind::value, "only a tensor of the meta device can stand for one of another device");
    t.device = posed;
    if (t.storage && !t.storage->data) t.storage->device = posed;
  });
}
