// Sparse tensors over the C ABI: made from components, described, split into components; functions that need memory refuse them.
#include "capi_support.h"

using namespace capi_test;

namespace {

Owned ints(const std::vector<int64_t>& elements, const std::vector<int64_t>& sizes) {
  Owned out;
  EXPECT_OK(mt_tensor_from_copy(elements.data(), sizes.data(), int64_t(sizes.size()), MT_INT64, out.out()));
  return out;
}

mt_value sizes_value(const std::vector<int64_t>& sizes) {
  mt_value value = mt_none();
  value.tag = MT_TAG_INTS;
  value.as.list = {sizes.data(), int64_t(sizes.size())};
  return value;
}

// {{0, 2}, {3, 0}, {0, 0}}
Owned coordinates() {
  const std::vector<int64_t> sizes{3, 2};
  Owned indices = ints({0, 1, 1, 0}, {2, 2}), values = floats({2, 3});
  const mt_value none = mt_none();
  return call_tensor("_sparse_coo_tensor_unsafe", "", {box(indices), box(values), sizes_value(sizes), none, none, none, none, none});
}

TEST(CapiSparse, DescribesSizesAndLayoutButNoMemory) {
  Owned sparse = coordinates();
  const mt_tensor_info info = info_of(sparse);
  EXPECT_EQ(info.layout, MT_SPARSE_COO);
  EXPECT_EQ(info.dtype, MT_FLOAT32);
  EXPECT_EQ(info.ndim, 2);
  EXPECT_EQ(info.sizes[0], 3);
  EXPECT_EQ(info.numel, 6);
  EXPECT_EQ(info.strides[0], 0);
  EXPECT_EQ(info.strides[1], 0);
  EXPECT_EQ(info.storage_offset, 0);
  EXPECT_TRUE(info.keys >> MT_KEY_SPARSE & 1);
  EXPECT_FALSE(info.flags & MT_TENSOR_IS_CONTIGUOUS);
  int32_t contiguous = 1;
  ASSERT_OK(mt_tensor_is_contiguous(sparse, MT_CONTIGUOUS_FORMAT, &contiguous));
  EXPECT_EQ(contiguous, 0);
}

TEST(CapiSparse, ReturnsItsComponentsByOperators) {
  Owned sparse = coordinates();
  EXPECT_EQ(call("_nnz", "", {box(sparse)}).as.i, 2);
  Owned values = call_tensor("_values", "", {box(sparse)}), indices = call_tensor("_indices", "", {box(sparse)});
  EXPECT_EQ(elements_of(values), (std::vector<float>{2, 3}));
  EXPECT_EQ(info_of(indices).dtype, MT_INT64);
  EXPECT_EQ(info_of(indices).sizes[0], 2);
  EXPECT_EQ(elements_of(call_tensor("_to_dense", "", {box(sparse), mt_none(), mt_none()})), (std::vector<float>{0, 2, 3, 0, 0, 0}));
}

TEST(CapiSparse, HasNeitherDataNorStorage) {
  Owned sparse = coordinates();
  void* data = nullptr;
  mt_storage* storage = nullptr;
  mt_tensor* made = nullptr;
  const std::string no_data = "RuntimeError: Cannot access data pointer of Tensor that doesn't have storage";
  EXPECT_EQ(failure(mt_tensor_data(sparse, &data)), no_data);
  EXPECT_EQ(failure(mt_tensor_storage(sparse, &storage)), "NotImplementedError: Cannot access storage of SparseTensorImpl");
  const int64_t size = 1;
  EXPECT_EQ(failure(mt_tensor_view(sparse, &size, nullptr, 1, 0, &made)), no_data);
  EXPECT_EQ(failure(mt_tensor_to_dlpack(sparse, 0, 0, &data)), no_data);
  mt_tensor* tensors[] = {sparse};
  const auto body = [](void*, char* const*, const int64_t*, int64_t) -> mt_status* { return nullptr; };
  EXPECT_EQ(failure(mt_iter_run(tensors, 1, 1, body, nullptr)), no_data);
}

TEST(CapiSparse, AnAliasSharesItsComponents) {
  Owned sparse = coordinates(), alias;
  ASSERT_OK(mt_tensor_alias(sparse, 1, alias.out()));
  EXPECT_EQ(info_of(alias).layout, MT_SPARSE_COO);
  void *first = nullptr, *second = nullptr;
  ASSERT_OK(mt_tensor_data(call_tensor("_values", "", {box(sparse)}), &first));
  ASSERT_OK(mt_tensor_data(call_tensor("_values", "", {box(alias)}), &second));
  EXPECT_EQ(first, second);
}

TEST(CapiSparse, ExchangesContentsWithADenseTensor) {
  Owned sparse = coordinates(), dense = floats({1, 2});
  ASSERT_OK(mt_tensor_swap(sparse, dense));
  EXPECT_EQ(info_of(dense).layout, MT_SPARSE_COO);
  EXPECT_EQ(call("_nnz", "", {box(dense)}).as.i, 2);
  EXPECT_EQ(info_of(sparse).layout, MT_STRIDED);
  EXPECT_EQ(elements_of(sparse), (std::vector<float>{1, 2}));
}

TEST(CapiSparse, SetDataCopiesComponentsOfTheSameLayoutOnly) {
  Owned sparse = coordinates(), other = coordinates(), dense = floats({1, 2});
  ASSERT_OK(mt_tensor_set_data(sparse, other));
  EXPECT_EQ(call("_nnz", "", {box(sparse)}).as.i, 2);
  const std::string refused =
      "RuntimeError: Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.";
  EXPECT_EQ(failure(mt_tensor_set_data(sparse, dense)), refused);
  EXPECT_EQ(failure(mt_tensor_set_data(dense, sparse)), refused);
  EXPECT_EQ(elements_of(dense), (std::vector<float>{1, 2}));
}

TEST(CapiSparse, IsANumberWhereItHasOneElement) {
  const std::vector<int64_t> sizes{1};
  Owned indices = ints({0, 0}, {1, 2}), values = floats({2, 3});
  const mt_value none = mt_none();
  Owned one = call_tensor("_sparse_coo_tensor_unsafe", "", {box(indices), box(values), sizes_value(sizes), none, none, none, none, none});
  mt_value number = mt_none();
  ASSERT_OK(mt_tensor_item(one, &number));
  EXPECT_EQ(number.as.d, 5);  // stored twice, so the values are added
}

TEST(CapiSparse, ChecksAllComponentsIfTheProcessEnablesIt) {
  int32_t before = -1;
  ASSERT_OK(mt_option_get(MT_OPTION_SPARSE_CHECKS, &before));
  EXPECT_EQ(before, 2);
  const std::vector<int64_t> sizes{3};
  Owned indices = ints({5}, {1, 1}), values = floats({1});
  const mt_value none = mt_none();
  const std::vector<mt_value> args{box(indices), box(values), sizes_value(sizes), none, none, none, none, none};
  Owned unchecked = call_tensor("sparse_coo_tensor", "indices_size", args);
  ASSERT_OK(mt_option_set(MT_OPTION_SPARSE_CHECKS, 1));
  mt_value result = mt_none();
  int64_t n = 0;
  EXPECT_EQ(failure(mt_dispatch("sparse_coo_tensor", "indices_size", args.data(), int64_t(args.size()), &result, 1, &n)),
            "RuntimeError: size is inconsistent with indices: for dim 0, size is 3 but found index 5");
  ASSERT_OK(mt_option_set(MT_OPTION_SPARSE_CHECKS, before));
  EXPECT_NE(failure(mt_option_set(MT_OPTION_SPARSE_CHECKS, 3)), "");
}

}  // namespace
