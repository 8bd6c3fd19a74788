// Sparse tensors: making them, changing their parts.
#include "core/sparse.h"

namespace mt {

Tensor make_sparse(IntList sizes, SparseParts parts) {
  Tensor t = Tensor::adopt(new TensorImpl());
  t->dtype = parts.values.dtype();
  t->device = parts.values.device();
  t->keys = key_bit(is_compressed(parts.layout) ? Key::sparse_compressed : Key::sparse);
  t->inference = thread_state.inference_mode;
  set_sparse(t, sizes, std::move(parts));
  return t;
}

void set_sparse(const Tensor& target, IntList sizes, SparseParts parts) {
  auto* made = new SparseParts(std::move(parts));
  Dims no_strides;
  no_strides.resize(sizes.size());
  for (int64_t& stride : no_strides) stride = 0;
  set_geometry(*target, sizes, no_strides, 0);
  delete std::exchange(target->sparse, made);
}

}  // namespace mt
