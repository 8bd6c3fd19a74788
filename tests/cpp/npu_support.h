// Shared by the NPU's tests: loads the simulator once, reads counters by name, copies tensors to and from the device.
#pragma once

#include <map>

#include "capi_support.h"

namespace npu_test {

using capi_test::failure;
using capi_test::Owned;

inline constexpr mt_device npu0{MT_NPU, 0}, npu1{MT_NPU, 1}, host{MT_CPU, -1};

using Figures = std::map<std::string, int64_t>;
inline mt_status* collect(void* user, const char* name, int64_t value) {
  (*static_cast<Figures*>(user))[name] = value;
  return nullptr;
}
inline Figures counters() {
  Figures all;
  EXPECT_OK(mt_npu_simulator_counters(collect, &all));
  return all;
}
inline Figures statistics(int32_t device = 0) {
  Figures all;
  EXPECT_OK(mt_npu_memory_stats(device, collect, &all));
  return all;
}

// The result of an operator by name; omitted arguments get their defaults.
inline Owned call(const char* name, const char* overload, std::vector<mt_value> args) {
  mt_value rets[4] = {};
  int64_t n = 0;
  EXPECT_OK(mt_dispatch(name, overload, args.data(), int64_t(args.size()), rets, 4, &n));
  for (int64_t i = 1; i < n; ++i) mt_value_clear(&rets[i]);
  return Owned(n && rets[0].tag == MT_TAG_TENSOR ? rets[0].as.tensor : nullptr);
}
inline std::string failure_of(const char* name, const char* overload, std::vector<mt_value> args) {
  mt_value rets[4] = {};
  int64_t n = 0;
  const std::string text = failure(mt_dispatch(name, overload, args.data(), int64_t(args.size()), rets, 4, &n));
  for (int64_t i = 0; i < n; ++i) mt_value_clear(&rets[i]);
  return text;
}
inline Owned to(mt_tensor* tensor, mt_device device) {
  return call("_to_copy", "", {mt_box_tensor(tensor), mt_box_tag(MT_TAG_DEFAULT), mt_box_tag(MT_TAG_DEFAULT), mt_box_device(device)});
}
inline Owned on_device(const std::vector<float>& elements, mt_device device = npu0) { return to(capi_test::floats(elements), device); }
inline std::vector<float> fetched(mt_tensor* tensor) { return capi_test::elements_of(to(tensor, host)); }
inline Owned add(mt_tensor* a, mt_tensor* b) { return call("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)}); }

// Every test begins and ends with working devices, no race, and the default stream.
class Npu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!mt_npu_library()) {
      ASSERT_OK(mt_npu_load(MT_SIMULATOR_PATH));
    }
    ASSERT_OK(mt_npu_set_device(0));
  }
  void SetUp() override {
    EXPECT_OK(mt_npu_simulator_faults(""));
    EXPECT_OK(mt_npu_simulator_reset_counters());
  }
  void TearDown() override {
    EXPECT_OK(mt_npu_simulator_faults(""));
    EXPECT_OK(mt_npu_allocator_settings(""));
    EXPECT_OK(mt_npu_memory_fraction_set(0, 1.0));
    EXPECT_OK(mt_npu_set_device(0));
    EXPECT_OK(mt_npu_stream_set(0, 0));
    EXPECT_OK(mt_npu_synchronize(0));
  }
  // Releases the memory that earlier tests left in the cache.
  static void expect_no_memory_in_use() {
    EXPECT_OK(mt_npu_empty_cache());
    EXPECT_EQ(statistics()["allocated_bytes.all.current"], 0);
    EXPECT_EQ(statistics()["reserved_bytes.all.current"], 0);
    EXPECT_EQ(statistics()["active.all.current"], 0);
  }
};

}  // namespace npu_test
