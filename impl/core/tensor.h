// Storage, tensor, and the owning pointer `Tensor` that all code passes around.
#pragma once

#include <atomic>
#include <optional>

#include "core/dtype.h"
#include "core/error.h"
#include "core/keys.h"
#include "core/list.h"
#include "core/object.h"

namespace mt {

using Deleter = void (*)(void* context);

// A block of bytes that tensors share.
struct Storage : Object {
  Storage() : Object(Kind::storage) {}
  static void destroy(Storage* storage) noexcept;

  void* data = nullptr;
  int64_t nbytes = 0;
  int64_t former_nbytes = 0;  // the largest size before a resize: tensors may still span as many bytes
  Device device;
  bool resizable = true;
  Deleter deleter = nullptr;  // nullptr: nothing to free
  void* context = nullptr;
  Binding binding;

  void free_data();
};
Ref<Storage> make_storage(int64_t nbytes, Device device);
Ref<Storage> make_storage(void* data, int64_t nbytes, Device device, Deleter deleter, void* context);
void resize_storage(Storage& storage, int64_t nbytes);  // keeps the bytes that both sizes have
inline bool is_shrunk(const Storage& storage) { return storage.nbytes < storage.former_nbytes; }

// The count of in-place writes to a tensor's memory, which the tensor and its views share.
struct VersionCounter : Object {
  VersionCounter(uint32_t v) : Object(Kind::freed), value(v) {}
  static void destroy(VersionCounter* counter) { delete counter; }
  std::atomic<uint32_t> value;
};

// Base of what autograd stores on a tensor (autograd/meta.h).
struct AutogradMetaBase {
  virtual ~AutogradMetaBase() = default;
};

struct SparseComponents;  // core/sparse.h

struct TensorImpl : Object {
  TensorImpl() : Object(Kind::tensor) {}
  static void destroy(TensorImpl* tensor) noexcept;

  Dtype dtype = Dtype::float32;
  Device device;
  bool wrapped_number = false;
  bool conj = false;
  bool neg = false;
  bool inference = false;
  bool allow_tensor_metadata_change = true;
  KeySet keys = 0;
  Dims sizes, strides;
  int64_t numel = 1;
  int64_t storage_offset = 0;
  Ref<Storage> storage;               // none for a sparse tensor or one of a transform level
  SparseComponents* sparse = nullptr;      // owned; set for a sparse tensor, whose strides are zeros
  uint32_t own_version = 0;           // used while `shared_version` is empty
  Ref<VersionCounter> shared_version;
  AutogradMetaBase* autograd = nullptr;  // owned
  Binding binding;
  void* extra = nullptr;  // a transform level's data (vmap/); extra_destroy frees it
  void (*extra_destroy)(void*) = nullptr;

  void refresh_numel();
};
// RuntimeError if the storage is too small for the elements, because it was resized.
void check_within_storage(const TensorImpl& tensor);

class Tensor : public Ref<TensorImpl> {
 public:
  Tensor() = default;
  Tensor(Ref<TensorImpl> ref) : Ref<TensorImpl>(std::move(ref)) {}
  static Tensor adopt(TensorImpl* impl) { return Tensor(Ref<TensorImpl>::adopt(impl)); }
  static Tensor share(TensorImpl* impl) { return Tensor(Ref<TensorImpl>::share(impl)); }

  bool defined() const { return get() != nullptr; }
  int64_t dim() const { return get()->sizes.size(); }
  IntList sizes() const { return get()->sizes; }
  IntList strides() const { return get()->strides; }
  int64_t size(int64_t d) const { return get()->sizes[d < 0 ? d + dim() : d]; }  // unchecked
  int64_t stride(int64_t d) const { return get()->strides[d < 0 ? d + dim() : d]; }
  int64_t numel() const { return get()->numel; }
  int64_t storage_offset() const { return get()->storage_offset; }
  Dtype dtype() const { return get()->dtype; }
  Device device() const { return get()->device; }
  bool is_meta() const { return device().is_meta(); }
  int64_t itemsize() const { return element_size(dtype()); }
  Layout layout() const;
  bool is_wrapped_number() const { return get()->wrapped_number; }
  KeySet keys() const { return get()->keys; }
  bool is_conj() const { return get()->conj; }
  bool is_neg() const { return get()->neg; }
  // The first element. RuntimeError if the storage was resized and no longer holds all elements. Not inlined: thousands of callers use it.
  void* data() const;
  template <class T>
  T* data() const {
    return static_cast<T*>(data());
  }
  bool is_contiguous(MemoryFormat format = MemoryFormat::contiguous) const;
  bool is_non_overlapping_and_dense() const;
  // The memory format that these strides match; contiguous wins if several do.
  MemoryFormat suggested_memory_format() const;
  uint32_t version() const;
  void bump_version() const;
  // The counter as a separate object, which an alias or a saved tensor can share.
  Ref<VersionCounter> version_counter() const;
};

using TensorList = List<Tensor>;
// The return type of kernels and formulas with several results.
template <int N>
struct Tensors {
  Tensor items[N];
  Tensor& operator[](int i) { return items[i]; }
  const Tensor& operator[](int i) const { return items[i]; }
};

// ---- making tensors below the dispatcher: autograd does not see them ----

Tensor empty(IntList sizes, Dtype dtype, Device device = {}, MemoryFormat format = MemoryFormat::contiguous);
Tensor empty_strided(IntList sizes, IntList strides, Dtype dtype, Device device = {});
// Makes a contiguous tensor on the CPU without checks, for the sizes of an existing tensor with `numel` elements.
Tensor empty_of_known_size(IntList sizes, int64_t numel, Dtype dtype);
Tensor make_tensor(Ref<Storage> storage, Dtype dtype, IntList sizes, IntList strides, int64_t storage_offset);
// Makes a tensor over the same storage, with a new version counter (share_version false) or the source's. Keeps the conj and neg bits.
Tensor alias(const Tensor& source, bool share_version);
Tensor alias(const Tensor& source, IntList sizes, IntList strides, int64_t storage_offset, bool share_version = true);
// scalar_tensor makes a 0-dim tensor from a number; wrapped_number one that promotes as a Python number does.
class Scalar;
Tensor scalar_tensor(const Scalar& value, Dtype dtype, Device device = {});
Tensor wrapped_number(const Scalar& value);

// ---- shapes ----

Dims contiguous_strides(IntList sizes);
Dims strides_of_format(IntList sizes, MemoryFormat format);
int64_t product(IntList sizes);
// Bytes that a tensor with this geometry needs from the start of its storage. Checks for overflow.
int64_t needed_bytes(IntList sizes, IntList strides, int64_t storage_offset, int64_t itemsize);
// Requires dim in [-ndim, ndim), else IndexError with torch's message. A 0-dim tensor accepts -1 and 0.
int64_t wrap_dim(int64_t dim, int64_t ndim);
Dims broadcast_shapes(IntList a, IntList b);
// Replaces one -1 in the sizes so that the elements number `numel`; raises torch's "shape '[2, 3]' is invalid for input of size 5".
Dims infer_size(IntList shape, int64_t numel);
// The strides of a view with new sizes; nullopt if that needs a copy.
std::optional<Dims> view_strides(IntList sizes, IntList strides, IntList new_sizes);
bool is_contiguous(IntList sizes, IntList strides);
// Resizes a tensor, such as one for out=, to new sizes with the strides of `format`, and enlarges its storage if needed.
void resize_to(const Tensor& tensor, IntList sizes, MemoryFormat format = MemoryFormat::contiguous);
void set_geometry(TensorImpl& tensor, IntList sizes, IntList strides, int64_t storage_offset);

}  // namespace mt
