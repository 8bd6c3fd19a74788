// Calls every operator through the C ABI with nonsense arguments: each call must return, with a status or results.
#include <gtest/gtest.h>
#include <mindtorch/mindtorch.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int64_t absurd = int64_t(1) << 50;  // more than any address space holds, so no allocation can succeed
constexpr int64_t numbers[] = {
    0, 1, 2, 3, -1, -2, -7, absurd, -absurd, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
constexpr double reals[] = {0, 1, -1, 0.5, 1e300, -1e300, INFINITY, -INFINITY, NAN};

constexpr int32_t dtypes[] = {MT_FLOAT32, MT_FLOAT64, MT_BFLOAT16, MT_INT64, MT_UINT8, MT_BOOL, MT_COMPLEX64, MT_FLOAT8_E4M3FN};
const std::string words[] = {"", "none", "mean", "sum", "reduced", "linear", "floor", "trunc", "reflect", "ij", "amax", "U", "tanh"};

mt_value tagged(int32_t tag) {
  mt_value value{};
  value.tag = tag;
  return value;
}

// Handles and arrays to which the fuzzer's arguments point; they live for the whole run.
class Pool {
 public:
  Pool() {
    const mt_device cpu{MT_CPU, -1}, meta{MT_META, -1};
    const std::vector<std::vector<int64_t>> shapes = {{},     {0},       {1},       {3},          {257},          {2, 3},
                                                      {5, 3}, {2, 0, 3}, {7, 1, 5}, {1, 2, 3, 2}, {3, 2, 4, 5, 3}};
    for (const auto& sizes : shapes) {
      for (int32_t dtype : {MT_FLOAT32, MT_INT64, MT_BOOL, MT_BFLOAT16, MT_COMPLEX64, MT_FLOAT8_E5M2}) {
        add(sizes, dtype, cpu);
      }
      add(sizes, MT_FLOAT32, meta);
    }
    for (int32_t dtype : {MT_FLOAT32, MT_INT64, MT_COMPLEX64}) {
      for (int64_t nbytes : {0, 8}) {
        add({5, 3}, dtype, cpu);
        shrink(tensors.back(), nbytes);
      }
    }
    mt_status_release(mt_generator_create(cpu, &generator));
    mt_status_release(mt_storage_empty(16, cpu, &storage));
    for (mt_tensor* tensor : tensors) with_absent.push_back(tensor);
    with_absent.push_back(nullptr);
  }
  ~Pool() {
    for (mt_tensor* tensor : tensors) mt_tensor_release(tensor);
    mt_generator_release(generator);
    mt_storage_release(storage);
  }

  // Whether a call has enlarged a tensor of the pool: as its results become arguments again, calls would soon take minutes.
  bool has_grown() const {
    for (mt_tensor* tensor : tensors) {
      mt_tensor_info about{};
      about.struct_size = sizeof(about);
      mt_status_release(mt_tensor_get_info(tensor, &about));
      if (about.numel > most_elements) return true;
    }
    return false;
  }

  std::vector<mt_tensor*> tensors, with_absent;
  mt_generator* generator = nullptr;
  mt_storage* storage = nullptr;
  std::vector<int64_t> few = {2, 1, 0, -1}, wild = {absurd, 2, -absurd, std::numeric_limits<int64_t>::min(), 3};
  std::vector<double> fractions = {0.5, NAN, -INFINITY};
  std::vector<uint8_t> flags = {1, 0, 1, 1};
  std::vector<mt_value> boxed;

 private:
  static constexpr int64_t most_elements = 360;  // of those that it makes

  // Resizes the storage under a tensor, so that it no longer holds the elements.
  static void shrink(mt_tensor* tensor, int64_t nbytes) {
    mt_storage* under = nullptr;
    ASSERT_EQ(mt_tensor_storage(tensor, &under), nullptr);
    EXPECT_EQ(mt_storage_resize(under, nbytes), nullptr);
    mt_storage_release(under);
  }

  void add(const std::vector<int64_t>& sizes, int32_t dtype, mt_device device) {
    mt_tensor* tensor = nullptr;
    ASSERT_EQ(mt_tensor_empty(sizes.data(), int64_t(sizes.size()), dtype, device, &tensor), nullptr);
    void* data = nullptr;
    mt_tensor_info about{};
    about.struct_size = sizeof(about);
    mt_status_release(mt_tensor_get_info(tensor, &about));
    mt_status_release(mt_tensor_data(tensor, &data));
    if (data != nullptr) std::fill_n(static_cast<char*>(data), about.numel * mt_dtype_size(dtype), char(1));
    tensors.push_back(tensor);
  }
};

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : random_(seed) {}

  template <class List>
  auto& pick(List& list) {
    return list[random_() % std::size(list)];
  }

  mt_value list(int32_t tag, const void* data, size_t size) {
    mt_value value = tagged(tag);
    value.as.list.data = data;
    value.as.list.size = int64_t(random_() % (size + 1));
    return value;
  }

  // A value of any type, usually a wrong one.
  mt_value wild() {
    mt_value value{};
    switch (random_() % 18) {
      case 0: return tagged(MT_TAG_DEFAULT);
      case 1: return tagged(MT_TAG_NONE);
      case 2:
        value = tagged(MT_TAG_BOOL);
        value.as.i = random_() % 2;
        return value;
      case 3:
      case 4:
        value = tagged(MT_TAG_INT);
        value.as.i = pick(numbers);
        return value;
      case 5:
        value = tagged(MT_TAG_DOUBLE);
        value.as.d = pick(reals);
        return value;
      case 6:
        value = tagged(MT_TAG_COMPLEX);
        value.as.c[0] = pick(reals);
        value.as.c[1] = pick(reals);
        return value;
      case 7:
        value = tagged(MT_TAG_DTYPE);
        value.as.i = int64_t(random_() % 50) - 2;
        return value;
      case 8:
        value = tagged(MT_TAG_DEVICE);
        value.as.device = {int32_t(random_() % 30) - 2, int32_t(random_() % 4) - 2};
        return value;
      case 9:
        value = tagged(MT_TAG_STRING);
        value.as.string = {"mean\xff", int64_t(random_() % 6)};
        return value;
      case 10:
        value = tagged(MT_TAG_GENERATOR);
        value.as.generator = pool->generator;
        return value;
      case 11: return list(MT_TAG_INTS, pool->few.data(), pool->few.size());
      case 12: return list(MT_TAG_INTS, pool->wild.data(), pool->wild.size());
      case 13: return list(MT_TAG_DOUBLES, pool->fractions.data(), pool->fractions.size());
      case 14: return list(MT_TAG_TENSORS, pool->tensors.data(), 4);
      case 15: return list(MT_TAG_OPTIONAL_TENSORS, &pool->with_absent[pool->with_absent.size() - 3], 3);
      case 16: return list(MT_TAG_BOOLS, pool->flags.data(), pool->flags.size());
      default: return broken();
    }
  }

  // Values that no binding passes: unknown tags, handles of another kind, NULL handles, negative counts.
  mt_value broken() {
    mt_value value{};
    switch (random_() % 6) {
      case 0: return tagged(int32_t(random_() % 1000) + 100);
      case 1: return tagged(-int32_t(random_() % 1000) - 1);
      case 2: return tagged(MT_TAG_TENSOR);
      case 3:
        value = tagged(MT_TAG_TENSOR);
        value.as.tensor = reinterpret_cast<mt_tensor*>(pool->storage);
        return value;
      case 4:
        value = tagged(MT_TAG_GENERATOR);
        value.as.generator = reinterpret_cast<mt_generator*>(pick(pool->tensors));
        return value;
      default:
        value = tagged(MT_TAG_INTS);
        value.as.list = {nullptr, int64_t(random_() % 3) - 1};
        return value;
    }
  }

  // A value that the schema's type usually accepts.
  mt_value fitting(const std::string& type) {
    if (random_() % 5 == 0) return wild();
    mt_value value{};
    if (type.rfind("Tensor", 0) == 0 && type.find('[') == std::string::npos) {
      value = tagged(MT_TAG_TENSOR);
      value.as.tensor = pick(pool->tensors);
    } else if (type.rfind("Tensor?", 0) == 0) {
      value = list(MT_TAG_OPTIONAL_TENSORS, &pool->with_absent[random_() % (pool->with_absent.size() - 2)], 3);
    } else if (type.rfind("Tensor[", 0) == 0) {
      value = list(MT_TAG_TENSORS, &pool->tensors[random_() % (pool->tensors.size() - 2)], 3);
    } else if (type.find("int[") == 0 || type.find("SymInt[") == 0) {
      value = random_() % 3 != 0 ? list(MT_TAG_INTS, pool->few.data(), pool->few.size())
                                 : list(MT_TAG_INTS, pool->wild.data(), pool->wild.size());
    } else if (type.find("int") == 0 || type.find("SymInt") == 0) {
      value = tagged(MT_TAG_INT);
      value.as.i = pick(numbers);
    } else if (type.find("bool") == 0) {
      value = tagged(MT_TAG_BOOL);
      value.as.i = random_() % 2;
    } else if (type.find("float[") == 0) {
      value = list(MT_TAG_DOUBLES, pool->fractions.data(), pool->fractions.size());
    } else if (type.find("ScalarType") == 0) {
      value = tagged(MT_TAG_DTYPE);
      value.as.i = pick(dtypes);
    } else if (type.find("str") == 0) {
      const std::string& word = pick(words);
      value = tagged(MT_TAG_STRING);
      value.as.string = {word.data(), int64_t(word.size())};
    } else if (type.find("Scalar") == 0 && random_() % 2 == 0) {
      value = tagged(MT_TAG_INT);
      value.as.i = pick(numbers);
    } else if (type.find("Scalar") == 0 || type.find("float") == 0) {
      value = tagged(MT_TAG_DOUBLE);
      value.as.d = pick(reals);
    } else {
      value = tagged(MT_TAG_DEFAULT);
    }
    return value;
  }

  std::mt19937_64 random_;
  std::unique_ptr<Pool> pool = std::make_unique<Pool>();
};

void expect_a_real_status(mt_status* status) {
  EXPECT_NE(mt_status_code(status), MT_OK);
  ASSERT_NE(mt_status_kind(status), nullptr);
  ASSERT_NE(mt_status_message(status), nullptr);
  EXPECT_GT(std::string(mt_status_kind(status)).size(), 0u);
  mt_status_release(status);
}

int rounds() {
  const char* full = std::getenv("MINDTORCH_TESTS_FULL");
#if defined(__SANITIZE_ADDRESS__)
  constexpr int few = 80, many = 500;  // more than a million calls in all, each of which takes several times as long under a sanitizer
#else
  constexpr int few = 400, many = 5000;
#endif
  return full != nullptr && *full != 0 ? many : few;
}

// Calls one operator many times with nonsense.
void fuzz_operator(Fuzzer& fuzz, const mt_op* op, const mt_op_info& about) {
  std::vector<std::string> types;
  for (int32_t k = 0; k < about.n_args; ++k) {
    mt_arg_info arg{};
    arg.struct_size = sizeof(arg);
    ASSERT_EQ(mt_op_get_arg(op, k, &arg), nullptr);
    types.emplace_back(arg.type);
  }
  for (int round = 0; round < rounds(); ++round) {
    if (fuzz.pool->has_grown()) fuzz.pool = std::make_unique<Pool>();
    const size_t count = fuzz.random_() % 8 == 0 ? fuzz.random_() % (types.size() + 3) : types.size();
    std::vector<mt_value> args;
    for (size_t k = 0; k < count; ++k) args.push_back(k < types.size() && round % 2 == 0 ? fuzz.fitting(types[k]) : fuzz.wild());
    std::vector<mt_value> rets(size_t(about.n_returns) + 1, tagged(77));
    int64_t got = -5;
    mt_status* status = mt_op_call(op, args.data(), int64_t(args.size()), rets.data(), about.n_returns, &got);
    if (status != nullptr) {
      expect_a_real_status(status);
      EXPECT_EQ(got, -5) << "an output was written on failure";
      EXPECT_EQ(rets[0].tag, 77) << "a result was written on failure";
    } else {
      ASSERT_EQ(got, about.n_returns);
      for (int64_t k = 0; k < got; ++k) mt_value_clear(&rets[size_t(k)]);
    }
  }
}

int failures() { return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count(); }

// Each operator has its own process, so that a crash or a hang names the operator, and the others still run.
TEST(AbiFuzz, EveryOperatorReturnsAStatusOrResults) {
  constexpr unsigned seconds_at_most = 60;
  ASSERT_GT(mt_op_count(), 0);
  // from_file is left out: it would create files with nonsense names.
  std::string scratch = (std::filesystem::temp_directory_path() / "mindtorch-abi-fuzz-XXXXXX").string();
  ASSERT_NE(mkdtemp(scratch.data()), nullptr);
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    const mt_op* op = mt_op_at(i);
    mt_op_info about{};
    about.struct_size = sizeof(about);
    ASSERT_EQ(mt_op_get_info(op, &about), nullptr);
    SCOPED_TRACE(about.schema);
    std::fflush(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const int before = failures();  // of operators in earlier processes
      alarm(seconds_at_most);
      if (chdir(scratch.c_str()) != 0) _exit(2);
      Fuzzer fuzz(20240611 + std::hash<std::string>()(about.schema));  // the same calls, whatever else is registered
      fuzz_operator(fuzz, op, about);
      std::fflush(nullptr);
      _exit(failures() > before ? 1 : 0);
    }
    int ended = 0;
    ASSERT_EQ(waitpid(child, &ended, 0), child);
    EXPECT_FALSE(WIFSIGNALED(ended)) << "ended by signal " << WTERMSIG(ended) << (WTERMSIG(ended) == SIGALRM ? ", it hangs" : "");
    EXPECT_TRUE(WIFSIGNALED(ended) || WEXITSTATUS(ended) == 0) << "exit status " << WEXITSTATUS(ended);
  }
  std::filesystem::remove_all(scratch);
}

TEST(AbiFuzz, CallsWithoutArgumentsRoomOrOperatorAreRefused) {
  const mt_op* op = nullptr;
  ASSERT_EQ(mt_op_find("add", "Tensor", &op), nullptr);
  mt_value ret{};
  int64_t got = 0;
  const int64_t one = 1;
  mt_tensor* tensor = nullptr;
  ASSERT_EQ(mt_tensor_empty(&one, 1, MT_FLOAT32, {MT_CPU, -1}, &tensor), nullptr);
  mt_value args[2] = {tagged(MT_TAG_TENSOR), tagged(MT_TAG_TENSOR)};
  args[0].as.tensor = args[1].as.tensor = tensor;
  expect_a_real_status(mt_op_call(nullptr, args, 2, &ret, 1, &got));
  expect_a_real_status(mt_op_call(op, nullptr, 2, &ret, 1, &got));
  expect_a_real_status(mt_op_call(op, args, -1, &ret, 1, &got));
  expect_a_real_status(mt_op_call(op, args, 2, nullptr, 1, &got));
  expect_a_real_status(mt_op_call(op, args, 2, &ret, 0, &got));
  expect_a_real_status(mt_op_find("no such operator", "", &op));
  expect_a_real_status(mt_op_find(nullptr, nullptr, &op));
  expect_a_real_status(mt_op_call(op, args, 1, &ret, 1, &got));
  mt_tensor_release(tensor);
}

TEST(AbiFuzz, NullAndWronglyTypedHandlesAreRefused) {
  mt_storage* storage = nullptr;
  ASSERT_EQ(mt_storage_empty(16, {MT_CPU, -1}, &storage), nullptr);
  mt_tensor* wrong = reinterpret_cast<mt_tensor*>(storage);
  for (mt_tensor* handle : {static_cast<mt_tensor*>(nullptr), wrong}) {
    mt_tensor_info about{};
    about.struct_size = sizeof(about);
    int64_t number = 0;
    void* data = nullptr;
    mt_tensor* other = nullptr;
    mt_value value{};
    expect_a_real_status(mt_tensor_get_info(handle, &about));
    expect_a_real_status(mt_tensor_version(handle, &number));
    expect_a_real_status(mt_tensor_data(handle, &data));
    expect_a_real_status(mt_tensor_item(handle, &value));
    expect_a_real_status(mt_tensor_alias(handle, 0, &other));
    expect_a_real_status(mt_tensor_grad(handle, &other));
    expect_a_real_status(mt_tensor_set_requires_grad(handle, 1));
    expect_a_real_status(mt_autograd_backward(&handle, nullptr, 1, 0, 0, nullptr, 0));
    EXPECT_EQ(other, nullptr);
  }
  mt_tensor_retain(nullptr);
  mt_tensor_release(nullptr);
  mt_storage_release(storage);
}

TEST(AbiFuzz, TensorsOfAbsurdSizeAreRefused) {
  const int64_t huge[] = {absurd, absurd}, large[] = {absurd}, negative[] = {-1};
  mt_tensor* tensor = nullptr;
  expect_a_real_status(mt_tensor_empty(huge, 2, MT_FLOAT32, {MT_CPU, -1}, &tensor));
  expect_a_real_status(mt_tensor_empty(large, 1, MT_FLOAT64, {MT_CPU, -1}, &tensor));
  expect_a_real_status(mt_tensor_empty(negative, 1, MT_FLOAT32, {MT_CPU, -1}, &tensor));
  expect_a_real_status(mt_tensor_empty(large, -1, MT_FLOAT32, {MT_CPU, -1}, &tensor));
  expect_a_real_status(mt_tensor_empty(large, 1, 4711, {MT_CPU, -1}, &tensor));
  expect_a_real_status(mt_tensor_empty(large, 1, MT_FLOAT32, {4711, -1}, &tensor));
  EXPECT_EQ(tensor, nullptr);
}

}  // namespace
