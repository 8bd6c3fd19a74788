// Exchanges two tensors field by field.
#include "autograd/swap.h"

#include <mutex>

#include "autograd/meta.h"

namespace mt {

void swap_contents(TensorImpl& x, TensorImpl& y) {
  std::swap(x.dtype, y.dtype);
  std::swap(x.device, y.device);
  std::swap(x.wrapped_number, y.wrapped_number);
  std::swap(x.conj, y.conj);
  std::swap(x.neg, y.neg);
  std::swap(x.inference, y.inference);
  std::swap(x.allow_tensor_metadata_change, y.allow_tensor_metadata_change);
  std::swap(x.keys, y.keys);
  std::swap(x.sizes, y.sizes);
  std::swap(x.strides, y.strides);
  std::swap(x.numel, y.numel);
  std::swap(x.storage_offset, y.storage_offset);
  std::swap(x.storage, y.storage);
  std::swap(x.sparse, y.sparse);
  std::swap(x.own_version, y.own_version);
  std::swap(x.shared_version, y.shared_version);
  std::swap(x.extra, y.extra);
  std::swap(x.extra_destroy, y.extra_destroy);
  std::swap(x.autograd, y.autograd);
  for (TensorImpl* t : {&x, &y})
    if (t->autograd && meta_of(*t)->self) {
      WeakTensor& self = *meta_of(*t)->self;
      std::lock_guard lock(self.lock);
      self.impl = t;
    }
}

}  // namespace mt
