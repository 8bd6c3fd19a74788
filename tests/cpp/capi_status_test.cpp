// Statuses through the C ABI: texts, payloads, lack of memory, warnings.
#include "capi_support.h"

using namespace capi_test;

namespace {

TEST(CapiStatus, NullIsSuccess) {
  EXPECT_EQ(mt_status_code(nullptr), MT_OK);
  EXPECT_STREQ(mt_status_message(nullptr), "");
  mt_status_release(nullptr);
}

TEST(CapiStatus, CarriesKindMessageAndPayload) {
  int destroyed = 0;
  mt_status* status = mt_status_create_with_payload("KeyError", "'x'", &destroyed, count);
  EXPECT_EQ(mt_status_code(status), MT_ERROR);
  EXPECT_STREQ(mt_status_kind(status), "KeyError");
  EXPECT_STREQ(mt_status_message(status), "'x'");
  EXPECT_EQ(mt_status_payload_borrow(status), &destroyed);
  mt_status_release(status);
  EXPECT_EQ(destroyed, 1);
}

TEST(CapiStatus, OwnsItsCause) {
  int destroyed = 0;
  mt_status* cause = mt_status_create_with_payload("ValueError", "first", &destroyed, count);
  mt_status* status = mt_status_set_cause(mt_status_create("RuntimeError", "second"), cause);
  EXPECT_EQ(mt_status_cause_borrow(status), cause);
  EXPECT_EQ(destroyed, 0);
  mt_status_release(status);
  EXPECT_EQ(destroyed, 1);
}

TEST(CapiStatus, NotImplementedHasItsOwnCode) {
  mt_status* status = mt_status_create("NotImplementedError", "no");
  EXPECT_EQ(mt_status_code(status), MT_NOT_IMPLEMENTED);
  mt_status_release(status);
}

mt_status* refuse(void* user, int64_t, int64_t) { return mt_status_create_with_payload("StopIteration", "enough", user, count); }

TEST(CapiStatus, AStatusOfACallbackIsReturnedAsTheSameObject) {
  int destroyed = 0;
  mt_status* status = mt_parallel_for(1, 1, refuse, &destroyed);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(mt_status_kind(status), "StopIteration");
  EXPECT_EQ(mt_status_payload_borrow(status), &destroyed);
  EXPECT_EQ(destroyed, 0);
  mt_status_release(status);
  EXPECT_EQ(destroyed, 1);
}

TEST(CapiStatus, LackOfMemoryHasACodeAndTorchsText) {
  const int64_t size = int64_t(1) << 50;
  mt_tensor* out = nullptr;
  mt_status* status = mt_tensor_empty(&size, 1, MT_UINT8, cpu, &out);
  EXPECT_EQ(mt_status_code(status), MT_OUT_OF_MEMORY);
  // The expected error is that of torch.empty(2**50, dtype=torch.uint8) in torch.
  EXPECT_NE(std::string(mt_status_message(status)).find("can't allocate memory: you tried to allocate 1125899906842624 bytes"),
            std::string::npos);
  EXPECT_EQ(out, nullptr);
  mt_status_release(status);
}

struct Heard {
  std::string category, message;
  bool refuse = false;
};
mt_status* record_warning(void* user, const char* category, const char* message) {
  Heard& heard = *static_cast<Heard*>(user);
  heard.category = category;
  heard.message = message;
  return heard.refuse ? mt_status_create("UserWarning", message) : nullptr;
}

TEST(CapiWarning, GoesToTheThreadsHandler) {
  Heard heard;
  mt_warning_fn old = nullptr;
  void* old_user = nullptr;
  ASSERT_OK(mt_warning_handler_set(record_warning, &heard, &old, &old_user));
  EXPECT_OK(mt_warn("FutureWarning", "soon"));
  EXPECT_EQ(heard.category, "FutureWarning");
  EXPECT_EQ(heard.message, "soon");
  heard.refuse = true;
  EXPECT_EQ(failure(mt_warn(nullptr, "now")), "UserWarning: now");
  ASSERT_OK(mt_warning_handler_set(old, old_user, nullptr, nullptr));
}

// Each text is that of torch.device(...) in torch 2.13.
TEST(CapiDevice, ParsesAsTorchDoes) {
  mt_device device{};
  ASSERT_OK(mt_device_parse("cpu", &device));
  EXPECT_EQ(device.type, MT_CPU);
  EXPECT_EQ(device.index, -1);
  ASSERT_OK(mt_device_parse("cuda:3", &device));
  EXPECT_EQ(device.type, MT_CUDA);
  EXPECT_EQ(device.index, 3);
  EXPECT_EQ(failure(mt_device_parse("", &device)), "RuntimeError: Device string must not be empty");
  for (const char* text : {"cpu:", "cpu:-1", "cpu:01", "cpu:1x", "cpu:0:1", "cpu: 1"})
    EXPECT_EQ(failure(mt_device_parse(text, &device)), std::string("RuntimeError: Invalid device string: '") + text + "'");
  EXPECT_EQ(failure(mt_device_parse("cpu:99999999999", &device)),
            "RuntimeError: Could not parse device index '99999999999' in device string 'cpu:99999999999'");
  EXPECT_EQ(failure(mt_device_parse("foo:1", &device)),
            "RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
            "mps, meta, hpu, mtia, privateuseone device type at start of device string: foo");
}

TEST(CapiDtype, HasNamesSizesAndPromotion) {
  EXPECT_STREQ(mt_dtype_name(MT_BFLOAT16), "bfloat16");
  EXPECT_EQ(mt_dtype_name(1000), nullptr);
  EXPECT_EQ(mt_dtype_size(MT_COMPLEX128), 16);
  int32_t out = -1;
  ASSERT_OK(mt_dtype_promote(MT_INT8, MT_UINT8, &out));  // torch.promote_types(torch.int8, torch.uint8)
  EXPECT_EQ(out, MT_INT16);
  EXPECT_NE(failure(mt_dtype_promote(MT_INT8, 1000, &out)), "");
}

// The numbers are frozen: a program compiled today switches over them in ten years.
TEST(CapiStatus, EveryKindOfTheLibraryHasItsNumber) {
  const std::pair<const char*, int32_t> expected[] = {
      {"RuntimeError", 2},        {"TypeError", 3},         {"IndexError", 4},      {"ValueError", 5},
      {"NotImplementedError", 6}, {"OutOfMemoryError", 7},  {"MemoryError", 8},     {"AttributeError", 9},
      {"LinAlgError", 10},        {"_LinAlgError", 10},     {"OverflowError", 11},  {"ZeroDivisionError", 12},
      {"ImportError", 13},        {"AssertionError", 14},   {"KeyError", 15},       {"BufferError", 16},
      {"UnpicklingError", 17},    {"DistBackendError", 18}, {"DistStoreError", 18}, {"StopIteration", MT_KIND_OTHER},
  };
  EXPECT_EQ(mt_status_kind_code(nullptr), MT_KIND_NONE);
  for (const auto& [kind, number] : expected) {
    mt_status* status = mt_status_create(kind, "text");
    EXPECT_EQ(mt_status_kind_code(status), number) << kind;
    mt_status_release(status);
  }
}

TEST(CapiStatus, AFailedCallHasTheNumberOfItsKind) {
  mt_device device{};
  mt_status* status = mt_tensor_from_data(nullptr, nullptr, nullptr, 1, MT_FLOAT32, cpu, nullptr, nullptr, nullptr);
  EXPECT_EQ(mt_status_kind_code(status), MT_KIND_TYPE_ERROR);
  mt_status_release(status);
  status = mt_device_parse("nonsense", &device);
  EXPECT_EQ(mt_status_kind_code(status), MT_KIND_RUNTIME_ERROR);
  mt_status_release(status);
}

}  // namespace
