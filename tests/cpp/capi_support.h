// Shared by the C ABI's tests: small tensors, calls by name, and statuses read and released.
#pragma once

#include <gtest/gtest.h>
#include <mindtorch/box.h>
#include <mindtorch/mindtorch.h>

#include <string>
#include <vector>

namespace capi_test {

inline constexpr mt_device cpu{MT_CPU, -1};

// Returns "" for success, otherwise "Kind: message"; releases the status.
inline std::string failure(mt_status* status) {
  if (!status) return "";
  std::string text = std::string(mt_status_kind(status)) + ": " + mt_status_message(status);
  mt_status_release(status);
  return text;
}
#define EXPECT_OK(call) EXPECT_EQ(::capi_test::failure(call), "")
#define ASSERT_OK(call) ASSERT_EQ(::capi_test::failure(call), "")

class Owned {
 public:
  Owned() = default;
  explicit Owned(mt_tensor* handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { mt_tensor_release(handle_); }
  operator mt_tensor*() const { return handle_; }
  mt_tensor** out() { return &handle_; }

 private:
  mt_tensor* handle_ = nullptr;
};

inline Owned floats(const std::vector<float>& elements, std::vector<int64_t> sizes = {-1}) {
  if (sizes == std::vector<int64_t>{-1}) sizes = {int64_t(elements.size())};
  Owned out;
  EXPECT_OK(mt_tensor_from_copy(elements.data(), sizes.data(), int64_t(sizes.size()), MT_FLOAT32, out.out()));
  return out;
}

inline mt_tensor_info info_of(mt_tensor* tensor) {
  mt_tensor_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(mt_tensor_get_info(tensor, &info));
  return info;
}

inline std::vector<float> elements_of(mt_tensor* tensor) {
  const mt_tensor_info info = info_of(tensor);
  EXPECT_EQ(info.dtype, MT_FLOAT32);
  EXPECT_TRUE(info.flags & MT_TENSOR_IS_CONTIGUOUS);
  void* data = nullptr;
  EXPECT_OK(mt_tensor_data(tensor, &data));
  const float* first = static_cast<const float*>(data);
  return {first, first + info.numel};
}

// The single result of an operator.
inline mt_value call(const char* name, const char* overload, const std::vector<mt_value>& args) {
  mt_value result = mt_none();
  int64_t n = 0;
  EXPECT_OK(mt_dispatch(name, overload, args.data(), int64_t(args.size()), &result, 1, &n));
  return result;
}
inline Owned call_tensor(const char* name, const char* overload, const std::vector<mt_value>& args) {
  const mt_value result = call(name, overload, args);
  EXPECT_EQ(result.tag, MT_TAG_TENSOR);
  return Owned(result.tag == MT_TAG_TENSOR ? result.as.tensor : nullptr);
}
inline mt_value box(mt_tensor* tensor) { return mt_box_tensor(tensor); }

// Counts how often a destroy function ran.
inline void count(void* counter) { ++*static_cast<int*>(counter); }

}  // namespace capi_test
