// Tensors through the C ABI: callers' memory, views, swaps, numbers.
#include <cstring>

#include "capi_support.h"

using namespace capi_test;

namespace {

const int64_t three[] = {3};

TEST(CapiTensor, OwnsMemoryAndCallsTheDeleterOnce) {
  float data[] = {1, 2, 3};
  int freed = 0;
  Owned tensor, view;
  ASSERT_OK(mt_tensor_from_data(data, three, nullptr, 1, MT_FLOAT32, cpu, count, &freed, tensor.out()));
  void* first = nullptr;
  ASSERT_OK(mt_tensor_data(tensor, &first));
  EXPECT_EQ(first, data);
  const int64_t two[] = {2}, one[] = {1};
  ASSERT_OK(mt_tensor_view(tensor, two, one, 1, 1, view.out()));
  tensor = Owned();
  EXPECT_EQ(freed, 0);
  EXPECT_EQ(elements_of(view), (std::vector<float>{2, 3}));
  view = Owned();
  EXPECT_EQ(freed, 1);
}

TEST(CapiTensor, LeavesMemoryToTheCallerOnFailure) {
  float data[] = {1, 2, 3};
  int freed = 0;
  mt_tensor* out = nullptr;
  const int64_t negative[] = {-3}, huge[] = {int64_t(1) << 61, 8};
  EXPECT_NE(failure(mt_tensor_from_data(data, negative, nullptr, 1, MT_FLOAT32, cpu, count, &freed, &out)), "");
  EXPECT_NE(failure(mt_tensor_from_data(data, huge, nullptr, 2, MT_FLOAT32, cpu, count, &freed, &out)), "");
  EXPECT_NE(failure(mt_tensor_from_data(data, three, nullptr, 1, 12345, cpu, count, &freed, &out)), "");
  EXPECT_NE(failure(mt_tensor_from_data(nullptr, three, nullptr, 1, MT_FLOAT32, cpu, count, &freed, &out)), "");
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(freed, 0);
}

TEST(CapiTensor, RefusesViewsOutOfBounds) {
  Owned tensor = floats({1, 2, 3});
  mt_tensor* out = nullptr;
  const int64_t four[] = {4}, one[] = {1};
  // The expected error is that of torch.ones(3).as_strided((4,), (1,)) in torch.
  EXPECT_EQ(failure(mt_tensor_view(tensor, four, one, 1, 0, &out)),
            "RuntimeError: setStorage: sizes [4], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 16 are out of "
            "bounds for storage of size 12");
  EXPECT_EQ(failure(mt_tensor_view(tensor, three, one, 1, -1, &out)), "RuntimeError: Tensor: invalid storage offset -1");
  const int64_t back[] = {-1};
  EXPECT_EQ(failure(mt_tensor_view(tensor, three, back, 1, 0, &out)),
            "RuntimeError: as_strided: Negative strides are not supported at the moment, got strides: [-1]");
}

TEST(CapiTensor, DescribesItself) {
  Owned tensor = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const mt_tensor_info info = info_of(tensor);
  EXPECT_EQ(info.ndim, 2);
  EXPECT_EQ(info.sizes[1], 3);
  EXPECT_EQ(info.strides[0], 3);
  EXPECT_EQ(info.numel, 6);
  EXPECT_EQ(info.dtype, MT_FLOAT32);
  EXPECT_EQ(info.flags, uint32_t(MT_TENSOR_IS_LEAF | MT_TENSOR_IS_CONTIGUOUS));
  EXPECT_TRUE(info.keys & (1u << MT_KEY_CPU));
  mt_tensor_info small{};
  EXPECT_EQ(failure(mt_tensor_get_info(tensor, &small)),
            "ValueError: out: struct_size must be the size of the struct, " + std::to_string(sizeof small) + " in this version, got 0");
}

TEST(CapiTensor, ReturnsItsSingleElement) {
  Owned one = floats({2.5f}), three_of_them = floats({1, 2, 3});
  mt_value number = mt_none();
  ASSERT_OK(mt_tensor_item(one, &number));
  EXPECT_EQ(number.tag, MT_TAG_DOUBLE);
  EXPECT_EQ(number.as.d, 2.5);
  // torch.ones(3).item()
  EXPECT_EQ(failure(mt_tensor_item(three_of_them, &number)), "RuntimeError: a Tensor with 3 elements cannot be converted to Scalar");
}

TEST(CapiTensor, IsMadeFromANumber) {
  const mt_value number = mt_int(300);
  Owned tensor, wrapped;
  ASSERT_OK(mt_tensor_from_scalar(&number, -1, 0, tensor.out()));
  EXPECT_EQ(info_of(tensor).dtype, MT_INT64);
  ASSERT_OK(mt_tensor_from_scalar(&number, -1, 1, wrapped.out()));
  EXPECT_TRUE(info_of(wrapped).flags & MT_TENSOR_IS_WRAPPED_NUMBER);
  mt_tensor* out = nullptr;
  EXPECT_NE(failure(mt_tensor_from_scalar(&number, MT_UINT8, 0, &out)), "");  // does not fit
  EXPECT_EQ(out, nullptr);
}

TEST(CapiTensor, SharesAVersionWithItsAliasOnlyWhenAsked) {
  Owned tensor = floats({1}), same, own;
  ASSERT_OK(mt_tensor_alias(tensor, 1, same.out()));
  ASSERT_OK(mt_tensor_alias(tensor, 0, own.out()));
  ASSERT_OK(mt_tensor_bump_version(same));
  int64_t version = -1;
  ASSERT_OK(mt_tensor_version(tensor, &version));
  EXPECT_EQ(version, 1);
  ASSERT_OK(mt_tensor_version(own, &version));
  EXPECT_EQ(version, 0);
}

TEST(CapiTensor, ExchangesContentsAndKeepsHandles) {
  Owned a = floats({1, 2}), b = floats({3, 4, 5});
  ASSERT_OK(mt_tensor_swap(a, b));
  EXPECT_EQ(elements_of(a), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(elements_of(b), (std::vector<float>{1, 2}));
}

TEST(CapiTensor, TakesAnothersData) {
  Owned a = floats({1, 2}), b = floats({3, 4, 5});
  ASSERT_OK(mt_tensor_set_data(a, b));
  EXPECT_EQ(elements_of(a), (std::vector<float>{3, 4, 5}));
  ASSERT_OK(mt_tensor_set_data(a, a));
  EXPECT_EQ(elements_of(a), (std::vector<float>{3, 4, 5}));
}

TEST(CapiValue, ClearingIsSafeTwiceAndOnNull) {
  Owned a = floats({1});
  mt_value sum = call("add", "Tensor", {box(a), box(a)});
  EXPECT_TRUE(sum.flags & MT_FLAG_OWNED);
  mt_value_clear(&sum);
  EXPECT_EQ(sum.tag, MT_TAG_NONE);
  mt_value_clear(&sum);
  mt_value_clear(nullptr);
}

// ---- bound objects of other languages ----

const mt_binding_vtable vtable{sizeof(mt_binding_vtable), count};

TEST(CapiBinding, IsFoundUnderItsIdOnly) {
  Owned tensor = floats({1});
  const int64_t id = mt_binding_id_new();
  int object = 0;
  void* found = &object;
  ASSERT_OK(mt_tensor_binding_get(tensor, id, &found, nullptr));
  EXPECT_EQ(found, nullptr);
  ASSERT_OK(mt_tensor_binding_set(tensor, id, &object, &vtable));
  int32_t owned = 1;
  ASSERT_OK(mt_tensor_binding_get(tensor, id, &found, &owned));
  EXPECT_EQ(found, &object);
  EXPECT_EQ(owned, 0);
  ASSERT_OK(mt_tensor_binding_get(tensor, mt_binding_id_new(), &found, nullptr));
  EXPECT_EQ(found, nullptr);
  int other = 0;
  EXPECT_EQ(failure(mt_tensor_binding_set(tensor, id, &other, &vtable)), "RuntimeError: another object is bound to this handle already");
  tensor = Owned();
  EXPECT_EQ(object, 0) << "a handle that does not own the object must not release it";
}

TEST(CapiBinding, IsReleasedByAHandleThatOwnsIt) {
  Owned tensor = floats({1});
  const int64_t id = mt_binding_id_new();
  int released = 0;
  ASSERT_OK(mt_tensor_binding_set(tensor, id, &released, &vtable));
  ASSERT_OK(mt_tensor_binding_own(tensor, id, 1));
  tensor = Owned();
  EXPECT_EQ(released, 1);
}

TEST(CapiBinding, CanBeUnbound) {
  Owned tensor = floats({1});
  const int64_t id = mt_binding_id_new();
  int released = 0;
  ASSERT_OK(mt_tensor_binding_set(tensor, id, &released, &vtable));
  ASSERT_OK(mt_tensor_binding_set(tensor, id, nullptr, nullptr));
  EXPECT_NE(failure(mt_tensor_binding_own(tensor, id, 1)), "");
  tensor = Owned();
  EXPECT_EQ(released, 0);
}

// Kernels with vectors, products, sorts and reductions return for misaligned floats what they return for an aligned copy. The processors
// that the library supports load misaligned floats, but C++ leaves that undefined, so UndefinedBehaviorSanitizer reports it.
TEST(CapiTensor, MemoryMayHaveAnyAlignment) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer refuses misaligned numbers";
#endif
  const int64_t sizes[] = {64, 64};
  std::vector<char> room(64 * 64 * sizeof(float) + 64);
  for (size_t offset : {1, 2, 3, 5, 62}) {
    for (size_t i = 0; i < 64 * 64; ++i) {
      const float number = float((i * 37) % 101) - 50;
      std::memcpy(room.data() + offset + i * sizeof number, &number, sizeof number);
    }
    Owned odd, even;
    ASSERT_OK(mt_tensor_from_data(room.data() + offset, sizes, nullptr, 2, MT_FLOAT32, cpu, nullptr, nullptr, odd.out()));
    ASSERT_OK(mt_tensor_from_copy(room.data() + offset, sizes, 2, MT_FLOAT32, even.out()));
    for (const char* name : {"exp", "sum", "t", "msort", "cos", "relu"}) {
      Owned a = call_tensor(name, "", {box(odd)}), b = call_tensor(name, "", {box(even)});
      EXPECT_EQ(call("equal", "", {box(a), box(b)}).as.i, 1) << name << " at offset " << offset;
    }
    for (const auto& [name, overload] : {std::pair{"add", "Tensor"}, {"mm", ""}, {"matmul", ""}, {"maximum", ""}}) {
      Owned a = call_tensor(name, overload, {box(odd), box(odd)}), b = call_tensor(name, overload, {box(even), box(even)});
      EXPECT_EQ(call("equal", "", {box(a), box(b)}).as.i, 1) << name << " at offset " << offset;
    }
    call_tensor("mul_", "Tensor", {box(odd), box(odd)});
    call_tensor("mul_", "Tensor", {box(even), box(even)});
    EXPECT_EQ(call("equal", "", {box(odd), box(even)}).as.i, 1) << "at offset " << offset;
  }
}

}  // namespace
