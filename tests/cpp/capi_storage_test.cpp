// Storages through the C ABI: mapped files, callers' memory, sharing, resizing.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "capi_support.h"

using namespace capi_test;

namespace {

class Storage {
 public:
  ~Storage() { mt_storage_release(handle); }
  char* data() const {
    void* out = nullptr;
    EXPECT_OK(mt_storage_data(handle, &out));
    return static_cast<char*>(out);
  }
  int64_t nbytes() const {
    int64_t out = -1;
    EXPECT_OK(mt_storage_nbytes(handle, &out));
    return out;
  }
  mt_storage* handle = nullptr;
};

class CapiStorageFile : public testing::Test {
 protected:
  void SetUp() override {
    path = testing::TempDir() + "mindtorch_storage_XXXXXX";
    const int descriptor = mkstemp(path.data());
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(write(descriptor, "abcdef", 6), 6);
    close(descriptor);
  }
  void TearDown() override { unlink(path.c_str()); }
  std::string content() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path;
};

TEST_F(CapiStorageFile, SharedWritesReachTheFileWhichGrows) {
  Storage storage;
  ASSERT_OK(mt_storage_from_file(path.c_str(), 1, 8, &storage.handle));
  EXPECT_EQ(std::memcmp(storage.data(), "abcdef\0", 8), 0);
  storage.data()[0] = 'X';
  EXPECT_EQ(content(), std::string("Xbcdef\0\0", 8));
}

TEST_F(CapiStorageFile, PrivateWritesDoNot) {
  Storage storage;
  ASSERT_OK(mt_storage_from_file(path.c_str(), 0, 4, &storage.handle));
  storage.data()[0] = 'X';
  EXPECT_EQ(content(), "abcdef");
}

TEST_F(CapiStorageFile, RefusesAPrivateMapLargerThanTheFile) {
  Storage storage;
  // The expected error is that of torch.UntypedStorage.from_file(path, False, 10) in torch.
  EXPECT_EQ(failure(mt_storage_from_file(path.c_str(), 0, 10, &storage.handle)),
            "RuntimeError: file <" + path + "> size <6> is smaller than the required mapping size <10>");
  EXPECT_EQ(storage.handle, nullptr);
}

TEST_F(CapiStorageFile, NamesAMissingFile) {
  Storage storage;
  // The expected error is that of torch.UntypedStorage.from_file("/nonexist/x", True, 10) in torch.
  EXPECT_EQ(failure(mt_storage_from_file("/nonexist/x", 1, 10, &storage.handle)),
            "RuntimeError: unable to open file </nonexist/x> in read-write mode: No such file or directory (2)");
}

TEST_F(CapiStorageFile, MapsADescriptorFromAnyOffset) {
  Storage storage;
  const int descriptor = open(path.c_str(), O_RDWR);
  ASSERT_OK(mt_storage_from_descriptor(descriptor, 2, 3, 1, &storage.handle));
  close(descriptor);
  EXPECT_EQ(std::string(storage.data(), 3), "cde");
  storage.data()[2] = 'Z';
  EXPECT_EQ(content(), "abcdZf");
}

TEST(CapiStorage, ResizesItsOwnMemoryOnly) {
  Storage own, foreign;
  ASSERT_OK(mt_storage_empty(4, cpu, &own.handle));
  std::memcpy(own.data(), "abcd", 4);
  ASSERT_OK(mt_storage_resize(own.handle, 1000));
  EXPECT_EQ(own.nbytes(), 1000);
  EXPECT_EQ(std::string(own.data(), 4), "abcd");
  char memory[4];
  ASSERT_OK(mt_storage_from_data(memory, 4, cpu, nullptr, nullptr, &foreign.handle));
  EXPECT_EQ(failure(mt_storage_resize(foreign.handle, 10)), "RuntimeError: Trying to resize storage that is not resizable");
  ASSERT_OK(mt_storage_fix_size(own.handle));
  EXPECT_EQ(failure(mt_storage_resize(own.handle, 2000)), "RuntimeError: Trying to resize storage that is not resizable");
  EXPECT_NE(failure(mt_storage_resize(own.handle, -1)), "");
}

TEST(CapiStorage, SharesAnothersMemory) {
  Storage a, b;
  ASSERT_OK(mt_storage_empty(4, cpu, &a.handle));
  int freed = 0;
  char memory[] = "wxyz";
  ASSERT_OK(mt_storage_from_data(memory, 4, cpu, count, &freed, &b.handle));
  ASSERT_OK(mt_storage_share_data(a.handle, b.handle));
  EXPECT_EQ(a.data(), memory);
  mt_storage_release(std::exchange(b.handle, nullptr));
  EXPECT_EQ(freed, 0);
  mt_storage_release(std::exchange(a.handle, nullptr));
  EXPECT_EQ(freed, 1);
}

TEST(CapiStorage, IsReadAsATensorWithinItsBounds) {
  Storage storage;
  ASSERT_OK(mt_storage_empty(12, cpu, &storage.handle));
  Owned tensor;
  const int64_t two[] = {2}, three[] = {3};
  ASSERT_OK(mt_tensor_from_storage(storage.handle, two, nullptr, 1, 1, MT_FLOAT32, tensor.out()));
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(tensor, &data));
  EXPECT_EQ(data, storage.data() + 4);
  mt_tensor* out = nullptr;
  EXPECT_NE(failure(mt_tensor_from_storage(storage.handle, three, nullptr, 1, 1, MT_FLOAT32, &out)), "");
  int64_t count = 0;
  ASSERT_OK(mt_storage_use_count(storage.handle, &count));
  EXPECT_EQ(count, 2);
}

// Once torch.ones(2, 3).untyped_storage().resize_(0) has run, an operator on the tensor raises this text in torch, or crashes.
constexpr char not_allocated[] = "RuntimeError: The tensor has a non-zero number of elements, but its data is not allocated yet.";

class ShrunkStorage : public testing::Test {
 protected:
  void SetUp() override {
    tensor = floats({1, 2, 3, 4, 5, 6}, {2, 3});
    ASSERT_OK(mt_tensor_storage(tensor, &storage.handle));
  }
  std::string sum() {
    mt_value result = mt_none();
    int64_t n = 0;
    const mt_value self = box(tensor);
    const std::string text = failure(mt_dispatch("sum", "", &self, 1, &result, 1, &n));
    mt_value_clear(&result);
    return text;
  }
  Owned tensor;
  Storage storage;
};

TEST_F(ShrunkStorage, WithoutBytesIsRefusedByOperators) {
  ASSERT_OK(mt_storage_resize(storage.handle, 0));
  EXPECT_EQ(sum().substr(0, sizeof not_allocated - 1), not_allocated);
  void* data = this;
  ASSERT_OK(mt_tensor_data(tensor, &data));
  EXPECT_EQ(data, nullptr);
  mt_value item = mt_none();
  EXPECT_NE(failure(mt_tensor_item(tensor, &item)), "");
}

TEST_F(ShrunkStorage, WithTooFewBytesIsRefusedByOperators) {
  ASSERT_OK(mt_storage_resize(storage.handle, 20));
  EXPECT_EQ(
      sum(),
      "RuntimeError: setStorage: sizes [2, 3], strides [3, 1], storage offset 0, and itemsize 4 requiring a storage size of 24 are out "
      "of bounds for storage of size 20");
}

TEST_F(ShrunkStorage, IsUsableAgainAfterItHasGrown) {
  ASSERT_OK(mt_storage_resize(storage.handle, 4));
  ASSERT_OK(mt_storage_resize(storage.handle, 20));
  EXPECT_NE(sum(), "");
  ASSERT_OK(mt_storage_resize(storage.handle, 24));
  EXPECT_EQ(sum(), "");
}

TEST_F(ShrunkStorage, StillServesTensorsThatFit) {
  const int64_t two[] = {2}, one[] = {1};
  Owned view;
  ASSERT_OK(mt_tensor_view(tensor, two, one, 1, 0, view.out()));
  ASSERT_OK(mt_storage_resize(storage.handle, 8));
  EXPECT_EQ(elements_of(call_tensor("add", "Tensor", {box(view), box(view)})), (std::vector<float>{2, 4}));
  EXPECT_NE(sum(), "");
}

TEST_F(ShrunkStorage, IsExportedWithItsAddress) {
  ASSERT_OK(mt_storage_resize(storage.handle, 0));
  void* managed = nullptr;
  ASSERT_OK(mt_tensor_to_dlpack(tensor, 1, 0, &managed));
  auto* lent = static_cast<DLManagedTensorVersioned*>(managed);
  EXPECT_EQ(lent->dl_tensor.data, nullptr);
  lent->deleter(lent);
}

}  // namespace
