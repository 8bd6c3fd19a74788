// Tensors: lifetime, geometry, aliases, wrapped numbers.
#include "core/tensor.h"

#include "core/backend.h"
#include "core/foreign.h"
#include "core/messages.h"
#include "core/scalar.h"
#include "core/sizes.h"
#include "core/sparse.h"
#include "core/warn_once.h"

namespace mt {

void TensorImpl::destroy(TensorImpl* tensor) noexcept {
  if (tensor->binding.owned) count_foreign(-1);
  tensor->binding.release_object();
  delete std::exchange(tensor->autograd, nullptr);
  delete std::exchange(tensor->sparse, nullptr);
  if (tensor->extra && tensor->extra_destroy) tensor->extra_destroy(tensor->extra);
  tensor->kind = Kind::freed;
  delete tensor;
}

namespace {
void check_bounds(const Storage& storage, IntList sizes, IntList strides, int64_t offset, int64_t itemsize) {
  const int64_t needed = needed_bytes(sizes, strides, offset, itemsize);
  check(needed <= storage.nbytes, messages::set_storage_out_of_bounds, sizes, strides, offset, itemsize, needed, storage.nbytes);
}
}  // namespace

void check_within_storage(const TensorImpl& t) {
  if (t.numel == 0 || t.keys & key_bit(Key::meta)) return;
  check(
      t.storage->nbytes != 0,
      "The tensor has a non-zero number of elements, but its data is not allocated yet.\nIf you're using torch.compile/export/fx, it is "
      "likely that we are erroneously tracing into a custom kernel. To fix this, please wrap the custom kernel into an opaque custom op. "
      "Please see the following for details: https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\nIf you're using Caffe2, "
      "Caffe2 uses a lazy allocation, so you will need to call mutable_data() or raw_mutable_data() to actually allocate memory.");
  check_bounds(*t.storage, t.sizes, t.strides, t.storage_offset, element_size(t.dtype));
}

void* Tensor::data() const {
  const Storage& storage = *get()->storage;
  if (is_shrunk(storage)) [[unlikely]]
    check_within_storage(**this);
  char* base = static_cast<char*>(storage.data);
  return base ? base + get()->storage_offset * itemsize() : nullptr;
}

Layout Tensor::layout() const { return get()->sparse ? get()->sparse->layout : Layout::strided; }

void TensorImpl::refresh_numel() { numel = product(sizes); }

uint32_t Tensor::version() const {
  const TensorImpl& t = **this;
  return t.shared_version ? t.shared_version->value.load(std::memory_order_relaxed) : t.own_version;
}
void Tensor::bump_version() const {
  TensorImpl& t = **this;
  if (t.shared_version)
    t.shared_version->value.fetch_add(1, std::memory_order_relaxed);
  else
    ++t.own_version;
}
Ref<VersionCounter> Tensor::version_counter() const {
  TensorImpl& t = **this;
  if (!t.shared_version) t.shared_version = Ref<VersionCounter>::adopt(new VersionCounter(t.own_version));
  return t.shared_version;
}

bool Tensor::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::contiguous || format == MemoryFormat::preserve) return mt::is_contiguous(sizes(), strides());
  int64_t wanted = format == MemoryFormat::channels_last ? 4 : 5;
  if (dim() != wanted) return false;
  Dims dense = strides_of_format(sizes(), format);
  for (int64_t d = 0; d < dim(); ++d)
    if (size(d) != 1 && stride(d) != dense[d]) return false;
  return true;
}

bool Tensor::is_non_overlapping_and_dense() const {
  if (mt::is_contiguous(sizes(), strides())) return true;
  Small<int64_t, 8> order;
  for (int64_t d = 0; d < dim(); ++d)
    if (size(d) > 1) order.push_back(d);
  if (numel() < 2) return true;
  for (int64_t i = 1; i < order.size(); ++i)
    for (int64_t j = i; j > 0 && stride(order[j - 1]) > stride(order[j]); --j) std::swap(order[j - 1], order[j]);
  int64_t expected = 1;
  for (int64_t d : order) {
    if (stride(d) != expected) return false;
    expected *= size(d);
  }
  return true;
}

namespace {
// Whether strides decrease in the order C, W, H, (D), N, torch's test for channels-last; ambiguous shapes count as contiguous.
bool has_channels_last_strides(IntList sizes, IntList strides, IntList order) {
  int64_t smallest = 0;
  if (strides[1] == 0) return false;
  for (int64_t d : order) {
    if (sizes[d] == 0 || strides[d] < smallest) return false;
    if (d == 0 && smallest == strides[1]) return false;
    smallest = strides[d];
    if (sizes[d] > 1) smallest *= sizes[d];
  }
  return true;
}
}  // namespace

MemoryFormat Tensor::suggested_memory_format() const {
  if (dim() == 4 && has_channels_last_strides(sizes(), strides(), {1, 3, 2, 0})) return MemoryFormat::channels_last;
  if (dim() == 5 && has_channels_last_strides(sizes(), strides(), {1, 4, 3, 2, 0})) return MemoryFormat::channels_last_3d;
  return MemoryFormat::contiguous;
}

namespace {
KeySet backend_key(Device device) {
  switch (device.type) {
    case DeviceType::cpu: return key_bit(Key::cpu);
    case DeviceType::meta: return key_bit(Key::meta);
    case DeviceType::npu: return key_bit(Key::npu);
    default: fail(ErrorKind::not_implemented, messages::no_backend_for_device_type, name_of(device.type));
  }
}
Tensor new_tensor(Dtype dtype, Device device) {
  Tensor t = Tensor::adopt(new TensorImpl());
  t->dtype = dtype;
  t->device = device;
  t->keys = backend_key(device);
  t->inference = thread_state.inference_mode;
  return t;
}
void check_sizes(IntList sizes) {
  for (int64_t s : sizes) check(s >= 0, messages::negative_size_in, s, sizes);
}
// Warns once about complex32. torch warns when it allocates complex32, but not when existing memory is viewed as complex32.
void warn_of_experimental(Dtype dtype) {
  static std::atomic<bool> given;
  if (dtype == Dtype::complex32) [[unlikely]]
    warn_once(given, "ComplexHalf support is experimental and many operators don't support it yet.");
}
}  // namespace

void set_geometry(TensorImpl& t, IntList sizes, IntList strides, int64_t storage_offset) {
  Dims new_sizes(sizes), new_strides(strides);  // the arguments may point into `t`
  t.sizes = std::move(new_sizes);
  t.strides = std::move(new_strides);
  t.storage_offset = storage_offset;
  t.refresh_numel();
}

Tensor make_tensor(Ref<Storage> storage, Dtype dtype, IntList sizes, IntList strides, int64_t storage_offset) {
  Tensor t = new_tensor(dtype, storage->device);
  t->storage = std::move(storage);
  set_geometry(*t, sizes, strides, storage_offset);
  return t;
}

Tensor empty(IntList sizes, Dtype dtype, Device device, MemoryFormat format) {
  check_sizes(sizes);
  int64_t numel;
  check(multiply_sizes(sizes, numel), messages::storage_size_overflow, sizes);
  return empty_strided(sizes, strides_of_format(sizes, format), dtype, device);
}

Tensor empty_strided(IntList sizes, IntList strides, Dtype dtype, Device device) {
  check_sizes(sizes);
  warn_of_experimental(dtype);
  Tensor t = new_tensor(dtype, device);
  t->storage = make_storage(needed_bytes(sizes, strides, 0, element_size(dtype)), device);
  t->device = t->storage->device;
  set_geometry(*t, sizes, strides, 0);
  return t;
}

Tensor empty_of_known_size(IntList sizes, int64_t numel, Dtype dtype) {
  warn_of_experimental(dtype);
  Tensor t = new_tensor(dtype, Device());
  t->storage = make_storage(numel * element_size(dtype), Device());
  t->sizes = Dims(sizes);
  t->strides.resize(sizes.size());
  int64_t step = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    t->strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
  t->numel = numel;
  return t;
}

namespace {
Tensor unchecked_alias(const Tensor& source, IntList sizes, IntList strides, int64_t storage_offset, bool share_version) {
  Tensor t = new_tensor(source.dtype(), source.device());
  t->storage = source->storage;
  t->conj = source->conj;
  t->neg = source->neg;
  t->inference = source->inference;
  constexpr KeySet lazy = key_bit(Key::conjugate) | key_bit(Key::negative);
  t->keys |= source->keys & lazy;
  if (share_version) t->shared_version = source.version_counter();
  set_geometry(*t, sizes, strides, storage_offset);
  return t;
}
}  // namespace

Tensor alias(const Tensor& source, IntList sizes, IntList strides, int64_t storage_offset, bool share_version) {
  const Storage* storage = source->storage.get();
  if (storage && is_shrunk(*storage)) [[unlikely]]
    check_bounds(*storage, sizes, strides, storage_offset, source.itemsize());
  return unchecked_alias(source, sizes, strides, storage_offset, share_version);
}
Tensor alias(const Tensor& source, bool share_version) {
  if (is_sparse(source)) {
    Tensor t = make_sparse(source.sizes(), *source->sparse);
    t->dtype = source.dtype();
    t->inference = source->inference;
    if (share_version) t->shared_version = source.version_counter();
    return t;
  }
  Tensor t = unchecked_alias(source, source.sizes(), source.strides(), source.storage_offset(), share_version);
  t->wrapped_number = source->wrapped_number;
  return t;
}

Tensor scalar_tensor(const Scalar& value, Dtype dtype, Device device) {
  Tensor t = empty({}, dtype, device);
  if (t.device().is_cpu())
    value.store(dtype, t.data());
  else if (!t.is_meta())
    backend_of(t.device().type).fill(t, value);
  return t;
}
Tensor wrapped_number(const Scalar& value) {
  // Real numbers wrap as float64 whatever the default dtype: they must stay exact until the operator chooses its dtype.
  Dtype dtype = value.is_real() ? Dtype::float64 : value.is_complex() ? Dtype::complex128 : value.natural_dtype();
  Tensor t = scalar_tensor(value, dtype);
  t->wrapped_number = true;
  return t;
}

void resize_to(const Tensor& tensor, IntList sizes, MemoryFormat format) {
  check(!is_sparse(tensor), "a kernel of dense tensors was given a sparse one to resize");
  Dims target(sizes);
  check_sizes(target);
  Dims strides = strides_of_format(target, format == MemoryFormat::preserve ? tensor.suggested_memory_format() : format);
  int64_t bytes = needed_bytes(target, strides, tensor.storage_offset(), tensor.itemsize());
  if (bytes > tensor->storage->nbytes) resize_storage(*tensor->storage, bytes);
  set_geometry(*tensor, target, strides, tensor.storage_offset());
}

}  // namespace mt
