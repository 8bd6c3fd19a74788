// Loops for kernels in C, copies of values, and the entry point for plugins.
#include <atomic>
#include <cstring>

#include "capi_support.h"

using namespace capi_test;

namespace {

mt_status* add_floats(void* user, char* const* data, const int64_t* strides, int64_t count) {
  if (user) ++*static_cast<std::atomic<int>*>(user);
  for (int64_t i = 0; i < count; ++i)
    *reinterpret_cast<float*>(data[0] + i * strides[0]) = *reinterpret_cast<float*>(data[1] + i * strides[1]) +
                                                          *reinterpret_cast<float*>(data[2] + i * strides[2]);
  return nullptr;
}

TEST(CapiIter, BroadcastsToTheFirstTensor) {
  Owned out = floats({0, 0, 0, 0, 0, 0}, {2, 3}), row = floats({1, 2, 3}), column = floats({10, 20}, {2, 1});
  mt_tensor* tensors[] = {out, row, column};
  ASSERT_OK(mt_iter_run(tensors, 3, 1000, add_floats, nullptr));
  EXPECT_EQ(elements_of(out), (std::vector<float>{11, 12, 13, 21, 22, 23}));
}

TEST(CapiIter, FollowsStrides) {
  Owned out = floats({0, 0, 0, 0}, {2, 2}), x = floats({1, 2, 3, 4}, {2, 2}), zero = floats({0});
  Owned t = call_tensor("t", "", {box(x)});
  mt_tensor* tensors[] = {out, t, zero};
  ASSERT_OK(mt_iter_run(tensors, 3, 1000, add_floats, nullptr));
  EXPECT_EQ(elements_of(out), (std::vector<float>{1, 3, 2, 4}));
}

TEST(CapiIter, UsesThePoolForManyElements) {
  const std::vector<float> ones(100000, 1.f);
  Owned out = floats(ones), x = floats(ones);
  std::atomic<int> pieces{0};
  mt_tensor* tensors[] = {out, x, x};
  ASSERT_OK(mt_iter_run(tensors, 3, 1000, add_floats, &pieces));
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(elements_of(out), std::vector<float>(100000, 2.f));
}

TEST(CapiIter, RefusesUnsupportedTensors) {
  Owned out = floats({0, 0}), x = floats({1, 2, 3});
  mt_tensor* shapes[] = {out, x, x};
  EXPECT_NE(failure(mt_iter_run(shapes, 3, 1, add_floats, nullptr)), "");
  mt_tensor* absent[] = {out, nullptr};
  EXPECT_NE(failure(mt_iter_run(absent, 2, 1, add_floats, nullptr)), "");
  EXPECT_NE(failure(mt_iter_run(shapes, 0, 1, add_floats, nullptr)), "");
  EXPECT_NE(failure(mt_iter_run(shapes, 1, 1, nullptr, nullptr)), "");
  Owned one = floats({1});
  const int64_t three[] = {3}, none[] = {0};
  Owned repeated;
  ASSERT_OK(mt_tensor_view(one, three, none, 1, 0, repeated.out()));
  mt_tensor* overlapping[] = {repeated, x, x};
  EXPECT_NE(failure(mt_iter_run(overlapping, 3, 1, add_floats, nullptr)), "");
  mt_tensor* good[] = {out};
  EXPECT_EQ(failure(mt_iter_run(
                good, 1, 1, [](void*, char* const*, const int64_t*, int64_t) { return mt_status_create("ValueError", "stop"); }, nullptr)),
            "ValueError: stop");
}

TEST(CapiValueCopy, OwnsListsStringsAndTensors) {
  Owned x = floats({1, 2});
  mt_value copy = mt_none();
  {
    std::vector<int64_t> numbers = {4, 5, 6};
    const mt_value list = mt_box_list(MT_TAG_INTS, numbers.data(), 3);
    ASSERT_OK(mt_value_copy(&list, &copy));
    numbers = {0, 0, 0};
    EXPECT_EQ(static_cast<const int64_t*>(copy.as.list.data)[2], 6);
    mt_value_clear(&copy);
  }
  mt_tensor* handles[] = {x, x};
  const mt_value tensors = mt_box_list(MT_TAG_TENSORS, handles, 2);
  ASSERT_OK(mt_value_copy(&tensors, &copy));
  int64_t owners = 0;
  ASSERT_OK(mt_tensor_use_count(x, &owners));
  EXPECT_EQ(owners, 3);
  mt_value_clear(&copy);
  ASSERT_OK(mt_tensor_use_count(x, &owners));
  EXPECT_EQ(owners, 1);
  const mt_value text = mt_box_string("abc");
  ASSERT_OK(mt_value_copy(&text, &copy));
  EXPECT_EQ(std::memcmp(copy.as.string.data, "abc", 3), 0);
  mt_value_clear(&copy);
}

TEST(CapiValueCopy, RefusesDanglingValues) {
  mt_value broken = mt_box_tag(MT_TAG_TENSOR), copy = mt_int(5);
  EXPECT_NE(failure(mt_value_copy(&broken, &copy)), "");
  broken.tag = 999;
  EXPECT_NE(failure(mt_value_copy(&broken, &copy)), "");
  broken = mt_box_list(MT_TAG_INTS, nullptr, 3);
  EXPECT_NE(failure(mt_value_copy(&broken, &copy)), "");
  EXPECT_EQ(copy.as.i, 5);
}

TEST(CapiPlugins, GetTheRequestedVersion) {
  const mt_api* api = nullptr;
  int32_t got = 0;
  ASSERT_OK(mt_get_api(1, 9, &got, &api));
  EXPECT_EQ(got, MT_ABI_VERSION);
  EXPECT_EQ(api->abi_version, MT_ABI_VERSION);
  EXPECT_EQ(api->symbol("malloc"), nullptr);
  EXPECT_EQ(api->symbol("mt_no_such_function"), nullptr);
  const mt_api* none = nullptr;
  EXPECT_NE(failure(mt_get_api(1000, 1001, &got, &none)), "");
  EXPECT_EQ(none, nullptr);
}

}  // namespace
