// DLPack both ways: every dtype, versioned and legacy, ownership, refusals.
#include "capi_support.h"

using namespace capi_test;

namespace {

class CapiDlpack : public testing::TestWithParam<int32_t> {};

TEST_P(CapiDlpack, EveryDtypeRoundTripsOverTheSameMemory) {
  const int64_t sizes[] = {2, 3};
  Owned tensor;
  ASSERT_OK(mt_tensor_empty(sizes, 2, GetParam(), cpu, tensor.out()));
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(tensor, &data));
  for (int32_t versioned : {0, 1}) {
    void* managed = nullptr;
    ASSERT_OK(mt_tensor_to_dlpack(tensor, versioned, 0, &managed));
    Owned back;
    ASSERT_OK(mt_tensor_from_dlpack(managed, versioned, back.out()));
    const mt_tensor_info info = info_of(back);
    EXPECT_EQ(info.dtype, GetParam());
    EXPECT_EQ(info.sizes[1], 3);
    EXPECT_EQ(info.strides[0], 3);
    void* same = nullptr;
    ASSERT_OK(mt_tensor_data(back, &same));
    EXPECT_EQ(same, data);
  }
}
INSTANTIATE_TEST_SUITE_P(Dtypes, CapiDlpack,
                         testing::Values(MT_UINT8, MT_INT8, MT_INT16, MT_INT32, MT_INT64, MT_FLOAT16, MT_FLOAT32, MT_FLOAT64, MT_COMPLEX32,
                                         MT_COMPLEX64, MT_COMPLEX128, MT_BOOL, MT_BFLOAT16, MT_FLOAT8_E5M2, MT_FLOAT8_E4M3FN,
                                         MT_FLOAT8_E5M2FNUZ, MT_FLOAT8_E4M3FNUZ, MT_UINT16, MT_UINT32, MT_UINT64, MT_FLOAT8_E8M0FNU));

TEST(CapiDlpackExport, KeepsTheTensorUntilTheReceiverIsDone) {
  Owned tensor = floats({1, 2});
  void* managed = nullptr;
  ASSERT_OK(mt_tensor_to_dlpack(tensor, 1, 0, &managed));
  tensor = Owned();
  auto* lent = static_cast<DLManagedTensorVersioned*>(managed);
  EXPECT_EQ(lent->version.major, 1u);
  EXPECT_EQ(lent->flags, 0u);
  EXPECT_EQ(static_cast<float*>(lent->dl_tensor.data)[1], 2);
  lent->deleter(lent);
}

TEST(CapiDlpackExport, FlagsACopy) {
  Owned tensor = floats({1, 2});
  void *managed = nullptr, *data = nullptr;
  ASSERT_OK(mt_tensor_to_dlpack(tensor, 1, 1, &managed));
  ASSERT_OK(mt_tensor_data(tensor, &data));
  auto* lent = static_cast<DLManagedTensorVersioned*>(managed);
  EXPECT_EQ(lent->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
  EXPECT_NE(lent->dl_tensor.data, data);
  EXPECT_EQ(static_cast<float*>(lent->dl_tensor.data)[1], 2);
  lent->deleter(lent);
}

TEST(CapiDlpackExport, RefusesTensorsWithoutMemory) {
  const int64_t two[] = {2};
  Owned meta;
  ASSERT_OK(mt_tensor_empty(two, 1, MT_FLOAT32, {MT_META, -1}, meta.out()));
  void* managed = nullptr;
  // The expected error is that of torch.zeros(2, device="meta").__dlpack__() in torch.
  EXPECT_EQ(failure(mt_tensor_to_dlpack(meta, 1, 0, &managed)), "BufferError: Cannot pack tensors on meta");
  EXPECT_EQ(managed, nullptr);
}

// An exporter written for the test, as another library would be.
struct Lender {
  DLManagedTensor managed{};
  int64_t shape[2] = {2, 2}, strides[2] = {1, 2};
  float data[5] = {9, 1, 2, 3, 4};
  int deleted = 0;

  Lender() {
    managed.dl_tensor.data = data;
    managed.dl_tensor.byte_offset = 4;
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = 2;
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.shape = shape;
    managed.dl_tensor.strides = strides;
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Lender*>(self->manager_ctx)->deleted; };
  }
};

TEST(CapiDlpackImport, ReadsOffsetAndStridesAndDeletesOnce) {
  Lender lender;
  Owned tensor;
  ASSERT_OK(mt_tensor_from_dlpack(&lender.managed, 0, tensor.out()));
  const mt_tensor_info info = info_of(tensor);
  EXPECT_EQ(info.strides[0], 1);
  EXPECT_EQ(info.strides[1], 2);
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(tensor, &data));
  EXPECT_EQ(data, lender.data + 1);
  tensor = Owned();
  EXPECT_EQ(lender.deleted, 1);
}

TEST(CapiDlpackImport, TakesNothingOnFailure) {
  mt_tensor* out = nullptr;
  {
    Lender lender;
    lender.managed.dl_tensor.dtype.lanes = 4;
    EXPECT_EQ(failure(mt_tensor_from_dlpack(&lender.managed, 0, &out)), "BufferError: ATen does not support lanes != 1");
    EXPECT_EQ(lender.deleted, 0);
  }
  {
    Lender lender;
    lender.managed.dl_tensor.device.device_type = kDLCUDA;
    EXPECT_NE(failure(mt_tensor_from_dlpack(&lender.managed, 0, &out)), "");
    EXPECT_EQ(lender.deleted, 0);
  }
  {
    Lender lender;
    lender.strides[0] = -1;
    EXPECT_NE(failure(mt_tensor_from_dlpack(&lender.managed, 0, &out)), "");
    lender.strides[0] = 1, lender.shape[0] = int64_t(1) << 62;
    EXPECT_NE(failure(mt_tensor_from_dlpack(&lender.managed, 0, &out)), "");
    lender.managed.dl_tensor.ndim = -1;
    EXPECT_NE(failure(mt_tensor_from_dlpack(&lender.managed, 0, &out)), "");
    EXPECT_EQ(lender.deleted, 0);
  }
  EXPECT_NE(failure(mt_tensor_from_dlpack(nullptr, 0, &out)), "");
  EXPECT_EQ(out, nullptr);
}

TEST(CapiDlpackImport, RefusesAnUnknownMajorVersion) {
  DLManagedTensorVersioned managed{};
  managed.version = {2, 0};
  mt_tensor* out = nullptr;
  EXPECT_NE(failure(mt_tensor_from_dlpack(&managed, 1, &out)), "");
}

class ReadOnly : public testing::Test {
 protected:
  ReadOnly() {
    managed.version = {1, 0};
    managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    managed.dl_tensor = lender.managed.dl_tensor;
    managed.manager_ctx = &lender;
    managed.deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Lender*>(self->manager_ctx)->deleted; };
  }
  Lender lender;
  DLManagedTensorVersioned managed{};
};

// The elements row by row; the exporter's are stored by columns.
std::vector<float> rows_of(mt_tensor* tensor) {
  return elements_of(call_tensor("clone", "", {box(tensor), mt_box_enum(MT_TAG_MEMORY_FORMAT, MT_CONTIGUOUS_FORMAT)}));
}

TEST_F(ReadOnly, MemoryIsSharedUntilTheFirstWrite) {
  Owned tensor;
  ASSERT_OK(mt_tensor_from_dlpack(&managed, 1, tensor.out()));
  const void* data = nullptr;
  ASSERT_OK(mt_tensor_const_data(tensor, &data));
  EXPECT_EQ(data, lender.data + 1);
  EXPECT_EQ(rows_of(tensor), (std::vector<float>{1, 3, 2, 4}));
  ASSERT_OK(mt_tensor_const_data(tensor, &data));
  EXPECT_EQ(data, lender.data + 1);
  EXPECT_EQ(lender.deleted, 0);
  call_tensor("mul_", "Scalar", {box(tensor), mt_int(10)});
  EXPECT_EQ(lender.data[1], 1) << "a write reached memory that is read-only";
  EXPECT_EQ(lender.deleted, 1);
  EXPECT_EQ(rows_of(tensor), (std::vector<float>{10, 30, 20, 40}));
}

TEST_F(ReadOnly, AnAddressToWriteToIsThatOfACopy) {
  Owned tensor;
  ASSERT_OK(mt_tensor_from_dlpack(&managed, 1, tensor.out()));
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(tensor, &data));
  EXPECT_NE(data, lender.data + 1);
  EXPECT_EQ(static_cast<float*>(data)[3], 4);
}

TEST_F(ReadOnly, IsDeletedOnceWithTheLastTensor) {
  Owned tensor, clone;
  ASSERT_OK(mt_tensor_from_dlpack(&managed, 1, tensor.out()));
  clone = call_tensor("_lazy_clone", "", {box(tensor)});
  tensor = Owned();
  EXPECT_EQ(lender.deleted, 0);
  clone = Owned();
  EXPECT_EQ(lender.deleted, 1);
}

TEST_F(ReadOnly, IsLeftToTheCallerOnFailure) {
  managed.dl_tensor.dtype.lanes = 2;
  mt_tensor* out = nullptr;
  EXPECT_NE(failure(mt_tensor_from_dlpack(&managed, 1, &out)), "");
  EXPECT_EQ(lender.deleted, 0);
}

}  // namespace
