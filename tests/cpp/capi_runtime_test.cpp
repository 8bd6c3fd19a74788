// Generators, options, threads and statistics through the C ABI.
#include <atomic>
#include <cstring>

#include "capi_support.h"

using namespace capi_test;

namespace {

class Generator {
 public:
  Generator() { EXPECT_OK(mt_generator_create(cpu, &handle)); }
  ~Generator() { mt_generator_release(handle); }
  uint64_t draw() {
    uint64_t out = 0;
    EXPECT_OK(mt_generator_random64(handle, &out));
    return out;
  }
  mt_generator* handle = nullptr;
};

TEST(CapiGenerator, BeginsWithTorchsSeed) {
  Generator generator;
  uint64_t seed = 0;
  ASSERT_OK(mt_generator_initial_seed(generator.handle, &seed));
  EXPECT_EQ(seed, 67280421310721u);  // torch.Generator().initial_seed()
}

TEST(CapiGenerator, RepeatsItselfFromASeedAndFromAState) {
  Generator generator;
  ASSERT_OK(mt_generator_seed(generator.handle, 7));
  const uint64_t first = generator.draw();
  std::vector<char> state(5056);
  int64_t size = 0;
  ASSERT_OK(mt_generator_get_state(generator.handle, state.data(), int64_t(state.size()), &size));
  EXPECT_EQ(size, 5056);
  const uint64_t second = generator.draw();
  ASSERT_OK(mt_generator_set_state(generator.handle, state.data(), size));
  EXPECT_EQ(generator.draw(), second);
  ASSERT_OK(mt_generator_seed(generator.handle, 7));
  EXPECT_EQ(generator.draw(), first);
  Generator copy;
  mt_generator_release(std::exchange(copy.handle, nullptr));
  ASSERT_OK(mt_generator_clone(generator.handle, &copy.handle));
  EXPECT_EQ(copy.draw(), generator.draw());
}

TEST(CapiGenerator, RefusesStatesOfAnotherSize) {
  Generator generator;
  // The expected error is that of torch.Generator().set_state(torch.zeros(5, dtype=torch.uint8)) in torch.
  EXPECT_EQ(failure(mt_generator_set_state(generator.handle, "12345", 5)),
            "RuntimeError: Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5");
  char small[8];
  EXPECT_NE(failure(mt_generator_get_state(generator.handle, small, 8, nullptr)), "");
}

TEST(CapiGenerator, IsMadeForTheCpuOnly) {
  mt_generator* out = nullptr;
  EXPECT_NE(failure(mt_generator_create({MT_META, -1}, &out)), "");
  EXPECT_EQ(out, nullptr);
}

TEST(CapiOptions, KeepTheirValues) {
  int32_t value = -1;
  ASSERT_OK(mt_option_get(MT_OPTION_SDPA_MATH, &value));
  EXPECT_EQ(value, 1);
  ASSERT_OK(mt_option_set(MT_OPTION_FLOAT32_MATMUL_PRECISION, 1));
  ASSERT_OK(mt_option_get(MT_OPTION_FLOAT32_MATMUL_PRECISION, &value));
  EXPECT_EQ(value, 1);
  ASSERT_OK(mt_option_set(MT_OPTION_FLOAT32_MATMUL_PRECISION, 0));
  EXPECT_NE(failure(mt_option_set(MT_OPTION_FLOAT32_MATMUL_PRECISION, 3)), "");
  EXPECT_NE(failure(mt_option_set(MT_OPTION_COUNT, 0)), "");
  EXPECT_NE(failure(mt_option_get(-1, &value)), "");
}

TEST(CapiDefaults, TheDefaultDtypeIsFloating) {
  EXPECT_EQ(mt_default_dtype_get(), MT_FLOAT32);
  // The expected error is that of torch.set_default_dtype(torch.int32) in torch.
  EXPECT_EQ(failure(mt_default_dtype_set(MT_INT32)), "TypeError: only floating-point types are supported as the default type");
}

TEST(CapiThreads, RunEveryChunkOnce) {
  std::atomic<int64_t> sum{0};
  ASSERT_OK(mt_parallel_for(
      1000, 10,
      [](void* user, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) *static_cast<std::atomic<int64_t>*>(user) += i;
        return static_cast<mt_status*>(nullptr);
      },
      &sum));
  EXPECT_EQ(sum, 499500);
  EXPECT_EQ(failure(mt_threads_set(0)), "RuntimeError: set_num_threads expects a positive integer");
  EXPECT_NE(failure(mt_parallel_for(1, 1, nullptr, nullptr)), "");
}

TEST(CapiAllocator, CountsAllocations) {
  mt_allocator_stats before{}, after{};
  before.struct_size = after.struct_size = sizeof before;
  ASSERT_OK(mt_allocator_get_stats(&before));
  const int64_t size[] = {1 << 22};
  Owned tensor;
  ASSERT_OK(mt_tensor_empty(size, 1, MT_UINT8, cpu, tensor.out()));
  ASSERT_OK(mt_allocator_get_stats(&after));
  EXPECT_GE(after.allocated_bytes, before.allocated_bytes + (1 << 22));
  EXPECT_GE(after.allocated_peak_bytes, after.allocated_bytes);
  ASSERT_OK(mt_allocator_reset_peak());
  ASSERT_OK(mt_allocator_empty_cache());
}

TEST(CapiDescriptions, DescribeTheBuild) {
  EXPECT_GT(std::strlen(mt_cpu_capability()), 0u);
  EXPECT_GT(std::strlen(mt_blas_description()), 0u);
  EXPECT_NE(std::string(mt_build_description()).find(mt_version()), std::string::npos);
  EXPECT_EQ(mt_abi_version(), MT_ABI_VERSION);
}

}  // namespace
