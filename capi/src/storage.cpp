// Storages: memory of the library, of callers, and of mapped files.
#include <algorithm>

#include "convert.h"
#include "core/lazy_clone.h"
#include "core/mapped_file.h"
#include "core/messages.h"
#include "core/sparse.h"
#include "vmap/batched.h"

using namespace mt;
using namespace mt::capi;

void mt_storage_retain(mt_storage* storage) { retain(storage); }
void mt_storage_release(mt_storage* storage) { release<Storage>(storage); }
mt_status* mt_storage_use_count(const mt_storage* storage, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = storage_of(storage).use_count();
  });
}

mt_status* mt_tensor_storage(const mt_tensor* tensor, mt_storage** out) {
  return guard([&] {
    TensorImpl& t = impl_of(tensor);
    require_not_null(out, "out");
    check(!as_batch(t), ErrorKind::not_implemented, "Cannot access storage of BatchedTensorImpl");
    if (t.sparse)
      fail(ErrorKind::not_implemented, messages::cannot_access_storage,
           is_compressed(t.sparse->layout) ? "SparseCsrTensorImpl" : "SparseTensorImpl");
    check(bool(t.storage), "Cannot access data pointer of Tensor that doesn't have storage");
    *out = return_handle(t.storage);
  });
}

namespace {

void check_bytes(int64_t nbytes) {
  check(nbytes >= 0,
        "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with negative number: {}",
        uint64_t(nbytes));
}

}  // namespace

mt_status* mt_storage_empty(int64_t nbytes, mt_device device, mt_storage** out) {
  return guard([&] {
    require_not_null(out, "out");
    check_bytes(nbytes);
    Device where = device_of(device);
    if (where.is_cpu() || where.is_meta()) where.index = -1;
    *out = return_handle(make_storage(nbytes, where));
  });
}

mt_status* mt_storage_from_data(void* data, int64_t nbytes, mt_device device, void (*deleter)(void* context), void* context,
                                mt_storage** out) {
  return guard([&] {
    require_not_null(out, "out");
    check_bytes(nbytes);
    if (nbytes && device.type != MT_META) require_not_null(data, "data");
    *out = return_handle(make_storage(data, nbytes, device_of(device), deleter, context));
  });
}

mt_status* mt_storage_data(const mt_storage* storage, void** out) {
  return guard([&] {
    require_not_null(out, "out");
    Storage& s = storage_of(storage);
    // A storage without memory but with a size belongs to a tensor subclass that has no elements of its own.
    check(s.data || !s.nbytes || s.device.is_meta(),
          "The tensor has a non-zero number of elements, but its data is not allocated yet.\n"
          "If you're using torch.compile/export/fx, it is likely that we are erroneously tracing into a custom kernel. To fix this, please "
          "wrap the custom kernel into an opaque custom op. Please see the following for details: "
          "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\n"
          "If you're using Caffe2, Caffe2 uses a lazy allocation, so you will need to call mutable_data() or raw_mutable_data() to "
          "actually allocate memory.");
    copy_shared_bytes(s);
    *out = s.data;
  });
}
mt_status* mt_storage_nbytes(const mt_storage* storage, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = storage_of(storage).nbytes;
  });
}
mt_status* mt_storage_device(const mt_storage* storage, mt_device* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = to_c(storage_of(storage).device);
  });
}
mt_status* mt_storage_is_resizable(const mt_storage* storage, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = storage_of(storage).resizable;
  });
}

mt_status* mt_storage_is_lazy_clone(const mt_storage* storage, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = is_lazy_clone(storage_of(storage));
  });
}

mt_status* mt_storage_fix_size(mt_storage* storage) {
  return guard([&] {
    Storage& s = storage_of(storage);
    copy_shared_bytes(s);
    s.resizable = false;
  });
}

mt_status* mt_storage_resize(mt_storage* storage, int64_t nbytes) {
  return guard([&] {
    Storage& s = storage_of(storage);
    check_bytes(nbytes);
    resize_storage(s, nbytes);
  });
}

mt_status* mt_storage_from_file(const char* path, int32_t shared, int64_t nbytes, mt_storage** out) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(out, "out");
    check_bytes(nbytes);
    *out = return_handle(map_file(path, shared != 0, nbytes));
  });
}

mt_status* mt_storage_mapped_file(const mt_storage* storage, int32_t* mapped, const char** shared_path) {
  return guard([&] {
    require_not_null(mapped, "mapped");
    require_not_null(shared_path, "shared_path");
    const FileMapping mapping = file_mapping_of(storage_of(storage));
    *mapped = mapping.is_mapped;
    *shared_path = mapping.shared_path;
  });
}

mt_status* mt_storage_from_descriptor(int32_t descriptor, int64_t offset, int64_t nbytes, int32_t shared, mt_storage** out) {
  return guard([&] {
    require_not_null(out, "out");
    check_bytes(nbytes);
    check(offset >= 0, ErrorKind::value, messages::offset_must_not_be_negative, offset);
    check(nbytes <= INT64_MAX - offset, ErrorKind::value, messages::offset_and_nbytes_too_large, offset, nbytes);
    *out = return_handle(map_descriptor(descriptor, offset, nbytes, shared != 0));
  });
}

mt_status* mt_storage_share_data(mt_storage* storage, const mt_storage* other) {
  return guard([&] {
    Storage &s = storage_of(storage), &o = storage_of(other, "other");
    if (&s == &o) return;
    check(s.device == o.device, "storages on {} and {} cannot share memory", s.device, o.device);
    copy_shared_bytes(o);
    o.retain();
    s.free_data();
    s.former_nbytes = std::max(s.former_nbytes, s.nbytes);
    s.data = o.data;
    s.nbytes = o.nbytes;
    s.resizable = o.resizable = false;  // neither may move the memory that the other points to
    s.context = &o;
    s.deleter = [](void* context) { Ref<Storage>::adopt(static_cast<Storage*>(context)); };
  });
}
