// Shared by the conformance checks: tensors, calls by name, and the list of results.
#pragma once

#include <mindtorch/box.h>
#include <mindtorch/device.h>
#include <mindtorch/mindtorch.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

constexpr mt_device host{MT_CPU, -1};
constexpr mt_device device{MT_NPU, 0};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Returns "" for success, else "Kind: message"; releases the status.
inline std::string text_of(mt_status* status) {
  if (!status) return "";
  std::string text = std::string(mt_status_kind(status)) + ": " + mt_status_message(status);
  mt_status_release(status);
  return text;
}
inline void throw_on_error(mt_status* status) {
  const std::string text = text_of(status);
  if (!text.empty()) throw Failure(text);
}
inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Failure(what);
}
inline void expect_error_prefix(const std::string& text, const std::string& start) {
  expect(text.compare(0, start.size(), start) == 0, "expected an error that begins with \"" + start + "\", got \"" + text + "\"");
}

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(mt_tensor* handle) : handle_(handle) {}
  Tensor(const Tensor& other) : handle_(other.handle_) { mt_tensor_retain(handle_); }
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { mt_tensor_release(handle_); }
  operator mt_tensor*() const { return handle_; }

 private:
  mt_tensor* handle_ = nullptr;
};

inline std::string try_call(const char* name, const char* overload, const std::vector<mt_value>& args, Tensor* out = nullptr) {
  mt_value rets[8] = {};
  int64_t n = 0;
  const std::string text = text_of(mt_dispatch(name, overload, args.data(), int64_t(args.size()), rets, 8, &n));
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 && out && rets[0].tag == MT_TAG_TENSOR)
      *out = Tensor(rets[0].as.tensor);
    else
      mt_value_clear(&rets[i]);
  }
  return text;
}
inline Tensor call(const char* name, const char* overload, const std::vector<mt_value>& args) {
  Tensor out;
  const std::string text = try_call(name, overload, args, &out);
  if (!text.empty()) throw Failure(std::string(name) + ": " + text);
  return out;
}
inline mt_value omitted() { return mt_box_tag(MT_TAG_DEFAULT); }
inline Tensor copy_to(const Tensor& t, mt_device where) {
  return call("_to_copy", "", {mt_box_tensor(t), omitted(), omitted(), mt_box_device(where)});
}
inline Tensor convert_to_dtype(const Tensor& t, int32_t dtype) {
  return call("_to_copy", "", {mt_box_tensor(t), mt_box_enum(MT_TAG_DTYPE, dtype)});
}
inline Tensor make_float_tensor(const std::vector<float>& elements, std::vector<int64_t> sizes) {
  mt_tensor* out = nullptr;
  throw_on_error(mt_tensor_from_copy(elements.data(), sizes.data(), int64_t(sizes.size()), MT_FLOAT32, &out));
  return Tensor(out);
}
// Makes a tensor of first, first + step, first + 2 * step, ...
inline Tensor make_ramp(std::vector<int64_t> sizes, float first = -1.0f, float step = 0.125f) {
  int64_t count = 1;
  for (const int64_t n : sizes) count *= n;
  std::vector<float> elements;
  for (int64_t i = 0; i < count; ++i) elements.push_back(first + step * float(i % 61));
  return make_float_tensor(elements, std::move(sizes));
}
inline mt_tensor_info info_of(const Tensor& t) {
  mt_tensor_info info{};
  info.struct_size = sizeof info;
  throw_on_error(mt_tensor_get_info(t, &info));
  return info;
}
inline bool on_device(const Tensor& t) { return info_of(t).device.type == MT_NPU; }
// Whether two host tensors have the same elements; NaN equals NaN.
inline bool have_equal_elements(const Tensor& a, const Tensor& b, double tolerance = 0) {
  mt_value args[] = {mt_box_tensor(a), mt_box_tensor(b), mt_double(tolerance), mt_double(tolerance), mt_bool(1)};
  mt_value ret = mt_none();
  int64_t n = 0;
  const mt_tensor_info x = info_of(a), y = info_of(b);
  if (x.ndim != y.ndim || x.dtype != y.dtype || !std::equal(x.sizes, x.sizes + x.ndim, y.sizes)) return false;
  throw_on_error(mt_dispatch("allclose", "", args, 5, &ret, 1, &n));
  return ret.as.i != 0;
}

// A check is named for the behaviour that it verifies. It throws Failure if the behaviour differs, and Skipped if the device lacks what it
// needs.
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Check {
  std::string name;
  std::function<void()> run;
};
std::vector<Check> memory_checks();
std::vector<Check> operator_checks();

}  // namespace conformance
