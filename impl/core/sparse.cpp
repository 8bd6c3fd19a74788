// Makes sparse tensors and replaces their components.
#include "core/sparse.h"

#include "core/warn_once.h"

namespace mt {

Tensor make_sparse(IntList sizes, SparseComponents parts) {
  if (is_compressed(parts.layout)) {
    static std::atomic<bool> given;
    static constexpr const char* words[] = {"CSR", "", "CSC", "BSR", "BSC"};
    warn_once(
        given,
        "Sparse {} tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit a feature "
        "request to https://github.com/pytorch/pytorch/issues.",
        words[int(parts.layout) - int(Layout::sparse_csr)]);
  }
  Tensor t = Tensor::adopt(new TensorImpl());
  t->dtype = parts.values.dtype();
  t->device = parts.values.device();
  t->keys = key_bit(is_compressed(parts.layout) ? Key::sparse_compressed : Key::sparse);
  t->inference = thread_state.inference_mode;
  set_sparse(t, sizes, std::move(parts));
  return t;
}

void set_sparse(const Tensor& target, IntList sizes, SparseComponents parts) {
  auto* made = new SparseComponents(std::move(parts));
  Dims no_strides;
  no_strides.resize(sizes.size());
  for (int64_t& stride : no_strides) stride = 0;
  set_geometry(*target, sizes, no_strides, 0);
  delete std::exchange(target->sparse, made);
}

}  // namespace mt
