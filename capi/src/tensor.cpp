// Tensors: creation, properties, views and swaps.
#include <cstring>

#include "autograd/meta.h"
#include "autograd/swap.h"
#include "convert.h"
#include "core/backend.h"
#include "core/lazy_clone.h"
#include "core/messages.h"
#include "layers/tensor_access.h"
#include "rules/sparse/sparse.h"
#include "structs.h"
#include "vmap/batched.h"

using namespace mt;
using namespace mt::capi;

void mt_tensor_retain(mt_tensor* tensor) { retain(tensor); }
void mt_tensor_release(mt_tensor* tensor) { release<TensorImpl>(tensor); }
mt_status* mt_tensor_use_count(const mt_tensor* tensor, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = impl_even_if_pending(tensor).use_count();
  });
}

// ---- creation ----------------------------------------------------------------------------------------------------

namespace {

// Drops the index of CPU and meta devices, which tensors do not store.
Device tensor_device(mt_device device) {
  Device d = device_of(device);
  if (d.is_cpu() || d.is_meta()) d.index = -1;
  return d;
}

// The geometry of a tensor over given memory; it is contiguous if the caller's strides are NULL.
struct Geometry {
  IntList sizes;
  Dims strides;
  int64_t bytes;  // from the memory's start to the end of the last element
};
Geometry geometry_of(const int64_t* sizes, const int64_t* strides, int64_t ndim, int64_t offset, Dtype dtype) {
  Geometry g{dims_of(sizes, ndim, "sizes"), {}, 0};
  check_sizes(g.sizes);
  check(offset >= 0, messages::invalid_storage_offset, offset);
  product(g.sizes);
  if (strides) {
    g.strides = Dims(IntList(strides, ndim));
    for (int64_t stride : g.strides) check(stride >= 0, messages::negative_strides_unsupported, g.strides);
  } else {
    g.strides = contiguous_strides(g.sizes);
  }
  g.bytes = needed_bytes(g.sizes, g.strides, offset, element_size(dtype));
  return g;
}

void check_bounds(const Geometry& g, int64_t offset, Dtype dtype, const Storage& storage) {
  check(g.bytes <= storage.nbytes, messages::set_storage_out_of_bounds, g.sizes, g.strides, offset, element_size(dtype), g.bytes,
        storage.nbytes);
}

}  // namespace

mt_status* mt_tensor_empty(const int64_t* sizes, int64_t ndim, int32_t dtype, mt_device device, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const Geometry g = geometry_of(sizes, nullptr, ndim, 0, dtype_of(dtype));
    *out = return_handle(empty(g.sizes, Dtype(dtype), tensor_device(device)));
  });
}

mt_status* mt_tensor_from_data(void* data, const int64_t* sizes, const int64_t* strides, int64_t ndim, int32_t dtype, mt_device device,
                               void (*deleter)(void* context), void* context, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const Dtype type = dtype_of(dtype);
    const Geometry g = geometry_of(sizes, strides, ndim, 0, type);
    const Device where = tensor_device(device);
    if (g.bytes && !where.is_meta()) require_not_null(data, "data");
    Tensor tensor = make_tensor(make_storage(data, g.bytes, where, nullptr, nullptr), type, g.sizes, g.strides, 0);
    // Takes ownership of the memory only here, after the last step that can fail.
    if (deleter) {
      tensor->storage->deleter = deleter;
      tensor->storage->context = context;
    }
    *out = return_handle(std::move(tensor));
  });
}

mt_status* mt_tensor_from_copy(const void* data, const int64_t* sizes, int64_t ndim, int32_t dtype, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const Geometry g = geometry_of(sizes, nullptr, ndim, 0, dtype_of(dtype));
    if (g.bytes) require_not_null(data, "data");
    Tensor tensor = empty(g.sizes, Dtype(dtype));
    if (g.bytes) std::memcpy(tensor.data(), data, size_t(g.bytes));
    *out = return_handle(std::move(tensor));
  });
}

mt_status* mt_tensor_from_scalar(const mt_value* number, int32_t dtype, int32_t wrapped, mt_tensor** out) {
  return guard([&] {
    require_not_null(number, "number");
    require_not_null(out, "out");
    check(number->tag >= MT_TAG_BOOL && number->tag <= MT_TAG_COMPLEX, ErrorKind::type, "number has the tag {}", number->tag);
    const Scalar scalar = Scalar::of_value(*number);
    Tensor tensor;
    if (dtype == -1 && wrapped) {
      tensor = wrapped_number(scalar);
    } else {
      const Dtype type = dtype == -1 ? scalar.natural_dtype() : dtype_of(dtype);
      if (dtype != -1) scalar.check_fits(type);
      tensor = scalar_tensor(scalar, type);
      tensor->wrapped_number = wrapped != 0;
    }
    *out = return_handle(std::move(tensor));
  });
}

// ---- properties --------------------------------------------------------------------------------------------------

mt_status* mt_tensor_get_info(const mt_tensor* tensor, mt_tensor_info* out) {
  return guard([&] {
    const TensorImpl& t = impl_even_if_pending(tensor);
    mt_tensor_info found{};
    found.ndim = t.sizes.size();
    found.sizes = t.sizes.data();
    found.strides = t.strides.data();
    found.numel = t.numel;
    found.storage_offset = t.storage_offset;
    found.dtype = int32_t(t.dtype);
    found.device = to_c(t.device);
    found.layout = t.sparse ? int32_t(t.sparse->layout) : MT_STRIDED;
    uint32_t flags = t.autograd ? autograd_flags(t) : uint32_t(MT_TENSOR_IS_LEAF);
    if (t.conj) flags |= MT_TENSOR_IS_CONJ;
    if (t.neg) flags |= MT_TENSOR_IS_NEG;
    if (t.inference) flags |= MT_TENSOR_IS_INFERENCE;
    if (t.wrapped_number) flags |= MT_TENSOR_IS_WRAPPED_NUMBER;
    if (!t.sparse && is_contiguous(t.sizes, t.strides)) flags |= MT_TENSOR_IS_CONTIGUOUS;
    found.flags = flags;
    found.keys = t.keys;
    write_struct(out, "out", found);
  });
}

void* mt::capi::address_of_first(const TensorImpl& t) {
  check_has_memory(t);
  check(t.device.is_meta() || !(t.keys & key_bit(Key::meta)), "Cannot access data pointer of Tensor that doesn't have storage");
  char* base = t.storage ? static_cast<char*>(t.storage->data) : nullptr;
  return base && t.numel ? base + t.storage_offset * element_size(t.dtype) : nullptr;
}

mt_status* mt_tensor_data(const mt_tensor* tensor, void** out) {
  return guard([&] {
    const TensorImpl& t = impl_of(tensor);
    require_not_null(out, "out");
    if (t.storage) copy_shared_bytes(*t.storage);
    *out = address_of_first(t);
  });
}

mt_status* mt_tensor_const_data(const mt_tensor* tensor, const void** out) {
  return guard([&] {
    const TensorImpl& t = impl_of(tensor);
    require_not_null(out, "out");
    *out = address_of_first(t);
  });
}

mt_status* mt_tensor_is_contiguous(const mt_tensor* tensor, int32_t memory_format, int32_t* out) {
  return guard([&] {
    Tensor t = Tensor::share(&impl_even_if_pending(tensor));
    require_not_null(out, "out");
    check(memory_format >= MT_CONTIGUOUS_FORMAT && memory_format <= MT_CHANNELS_LAST_3D && memory_format != MT_PRESERVE_FORMAT,
          "is_contiguous does not support the memory format {}", memory_format);
    if (is_compressed(t.layout())) fail_for_contiguity(t);
    *out = !is_sparse(t) && t.is_contiguous(MemoryFormat(memory_format));
  });
}

mt_status* mt_tensor_item(const mt_tensor* tensor, mt_value* out) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    require_not_null(out, "out");
    *out = read_item(t).to_value();
  });
}

mt_status* mt_tensor_version(const mt_tensor* tensor, int64_t* out) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    require_not_null(out, "out");
    check(!t->inference, "Inference tensors do not track version counter.");
    *out = t.version();
  });
}

mt_status* mt_tensor_bump_version(mt_tensor* tensor) {
  return guard([&] { tensor_of(tensor).bump_version(); });
}

mt_status* mt_tensor_set_version(mt_tensor* tensor, int64_t version) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    check(version >= 0 && version <= int64_t(UINT32_MAX), ErrorKind::value, "a version must be between 0 and {}, got {}",
          int64_t(UINT32_MAX), version);
    t.version_counter()->value.store(uint32_t(version), std::memory_order_relaxed);
  });
}

// ---- views -------------------------------------------------------------------------------------------------------

mt_status* mt_tensor_view(const mt_tensor* tensor, const int64_t* sizes, const int64_t* strides, int64_t ndim, int64_t storage_offset,
                          mt_tensor** out) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    require_not_null(out, "out");
    check_has_memory(*t);
    const Geometry g = geometry_of(sizes, strides, ndim, storage_offset, t.dtype());
    check_bounds(g, storage_offset, t.dtype(), *t->storage);
    *out = return_handle(alias(t, g.sizes, g.strides, storage_offset));
  });
}

mt_status* mt_tensor_alias(const mt_tensor* tensor, int32_t share_version, mt_tensor** out) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    require_not_null(out, "out");
    const Batch* batch = as_batch(t);
    *out = return_handle(batch ? make_batched(alias(batch->value, share_version != 0), batch->dim, batch->level)
                               : alias(t, share_version != 0));
  });
}

mt_status* mt_tensor_set_data(mt_tensor* tensor, const mt_tensor* source) {
  return guard([&] { set_data(impl_of(tensor), impl_of(source, "source")); });
}

mt_status* mt_tensor_swap(mt_tensor* a, mt_tensor* b) {
  return guard([&] {
    TensorImpl &x = impl_of(a, "a"), &y = impl_of(b, "b");
    if (&x == &y) return;
    swap_contents(x, y);
  });
}

mt_status* mt_tensor_from_storage(mt_storage* storage, const int64_t* sizes, const int64_t* strides, int64_t ndim, int64_t storage_offset,
                                  int32_t dtype, mt_tensor** out) {
  return guard([&] {
    Storage& s = storage_of(storage);
    require_not_null(out, "out");
    const Dtype type = dtype_of(dtype);
    const Geometry g = geometry_of(sizes, strides, ndim, storage_offset, type);
    check_bounds(g, storage_offset, type, s);
    *out = return_handle(make_tensor(Ref<Storage>::share(&s), type, g.sizes, g.strides, storage_offset));
  });
}

mt_status* mt_tensor_keys_set(mt_tensor* tensor, uint64_t add, uint64_t remove) {
  return guard([&] {
    TensorImpl& t = impl_of(tensor);
    constexpr KeySet allowed = key_bit(Key::python) | key_bit(Key::transforms);
    check(!((add | remove) & ~allowed), ErrorKind::value, "only the keys Python and Transforms may be set on a tensor");
    t.keys = (t.keys | add) & ~remove;
  });
}
