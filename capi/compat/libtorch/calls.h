// Calls of the library's operators by name, and helpers for the functions that are generated from schemas.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tensors.h"

namespace mt::stable {

// A tensor that this object owns.
class Owned {
 public:
  Owned() = default;
  explicit Owned(mt_tensor* handle) : handle_(handle) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { mt_tensor_release(handle_); }
  mt_tensor* get() const { return handle_; }
  mt_tensor** place() { return &handle_; }

 private:
  mt_tensor* handle_ = nullptr;
};

// Calls an operator with a single tensor result, which the caller owns; raises the operator's error.
mt_tensor* call_tensor(const char* name, const char* overload, const mt_value* args, int64_t n);
// Calls an operator and stores its results in `places`, in order: tensors, integers or floats, as the schema states. Drops surplus results
// (an out= form also returns its arguments).
int32_t call_into(const char* name, const char* overload, const mt_value* args, int64_t n, void* const* places, int64_t n_places) noexcept;

// A call site, which caches the lookup of its operator for the call_into below.
struct Site {
  const char *name, *overload;
  std::atomic<const mt_op*> op{nullptr};
};
int32_t call_into(Site& site, const mt_value* args, int64_t n, void* const* places, int64_t n_places) noexcept;
// The same, but raises errors.
void call(Site& site, const mt_value* args, int64_t n, void* const* places, int64_t n_places);

// ---- arguments of generated functions -------------------------------------------------------------------------------------------

inline mt_value tensor_argument(mt_tensor* t) { return t && !is_undefined(t) ? mt_box_tensor(t) : mt_none(); }
inline mt_value optional_tensor(mt_tensor* const* t) { return t ? tensor_argument(*t) : mt_none(); }
inline mt_value optional_int(const int64_t* i) { return mt_box_int_or_none(i); }
inline mt_value optional_double(const double* d) { return mt_box_double_or_none(d); }
inline mt_value optional_bool(const int32_t* on) { return mt_box_bool_or_none(on); }
inline mt_value optional_enum(int32_t tag, const int32_t* number) { return number ? mt_box_enum(tag, *number) : mt_none(); }
inline mt_value optional_string(const char* const* text) { return text ? mt_box_string(*text) : mt_none(); }
inline mt_value device_argument(int32_t type, int32_t index) {
  return mt_box_device({type, type == MT_CPU || type == MT_META ? -1 : index});
}
inline mt_value optional_device(const int32_t* type, int32_t index) { return type ? device_argument(*type, index) : mt_none(); }
inline mt_value generator_argument(mt_generator* const* g) { return g ? mt_box_generator(*g) : mt_none(); }
inline mt_value list_argument(int32_t tag, const void* data, int64_t count) { return mt_box_list(tag, data, count); }
template <class T>
inline mt_value optional_list(int32_t tag, const T* const* data, int64_t count) {
  return data ? mt_box_list(tag, *data, count) : mt_none();
}

// Refuses lengths that no list of this ABI has, before the list is read.
inline size_t sound_length(const void* data, int64_t count) {
  if (count < 0 || count > int64_t{1} << 20) fail("a list of " + std::to_string(count) + " items");
  return data ? size_t(count) : 0;
}

// Lists that the two ABIs represent differently. A value that boxes one must not outlive it.
class Bools {
 public:
  Bools(const int32_t* data, int64_t count) {
    const size_t n = sound_length(data, count);
    for (size_t i = 0; i < n; ++i) bytes_.push_back(data[i] != 0);
  }
  operator mt_value() const& { return mt_box_list(MT_TAG_BOOLS, bytes_.data(), int64_t(bytes_.size())); }
  operator mt_value() const&& = delete;

 private:
  std::vector<uint8_t> bytes_;
};
class OptionalTensors {
 public:
  OptionalTensors(mt_tensor* const* const* data, int64_t count) {
    const size_t n = sound_length(data, count);
    for (size_t i = 0; i < n; ++i) handles_.push_back(data[i] && !is_undefined(*data[i]) ? *data[i] : nullptr);
  }
  operator mt_value() const& { return mt_box_list(MT_TAG_OPTIONAL_TENSORS, handles_.data(), int64_t(handles_.size())); }
  operator mt_value() const&& = delete;

 private:
  std::vector<mt_tensor*> handles_;
};

}  // namespace mt::stable
