// mindtorch.hpp: conversions, named arguments, numbers in expressions, DLPack.
#include <gtest/gtest.h>

#include <mindtorch/mindtorch.hpp>

#include <complex>
#include <cstdint>
#include <sstream>
#include <type_traits>

namespace {

using mindtorch::Sizes;
using mindtorch::Tensor;
using mindtorch::Value;

static_assert(!std::is_convertible<mt_tensor*, Value>::value, "a handle is no bool");
static_assert(std::is_convertible<size_t, Value>::value && std::is_convertible<unsigned, Value>::value &&
              std::is_convertible<long long, Value>::value && std::is_convertible<float, Value>::value);

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(Hpp, ItemReadsEveryKindOfNumber) {
  const Tensor z = Tensor::from<std::complex<double>>({{1.5, -2}}, {});
  EXPECT_EQ(z.item<std::complex<double>>(), std::complex<double>(1.5, -2));
  EXPECT_THROW(z.item(), std::invalid_argument);
  const uint64_t large = UINT64_MAX - 4;
  const Tensor u = mindtorch::call("full", {Sizes{}, large, Value::dtype(MT_UINT64)});
  EXPECT_EQ(u.item<uint64_t>(), large);
  EXPECT_EQ(u.item(), 18446744073709551611.0);
  EXPECT_THROW(u.item<int64_t>(), std::out_of_range);
  const Tensor minus = Tensor::from<int64_t>({-3}, {});
  EXPECT_EQ(minus.item<int>(), -3);
  EXPECT_THROW(minus.item<unsigned>(), std::out_of_range);
}

TEST(Hpp, ArgumentsByNameAndOfOtherIntegerTypes) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(printed(mindtorch::call_named("sum", "dim_IntList", {x}, {{"dim", std::vector<int>{1}}, {"keepdim", true}})), "[[6], [15]]");
  EXPECT_EQ(printed(mindtorch::call("select", "int", {x, size_t{0}, 1u})), "[4, 5, 6]");
  EXPECT_EQ(Value(MT_FLOAT64).to_int(), MT_FLOAT64);
  EXPECT_THROW(mindtorch::call_named("sum", "dim_IntList", {x}, {{"dimension", 1}}), mindtorch::Error);
}

// Python: t + 1, 1 - t, 2 * t, 1 / t, t / 2 with t = torch.tensor([1, 2, 4]).
TEST(Hpp, NumbersKeepTheirKindInExpressions) {
  const Tensor t = Tensor::from<int64_t>({1, 2, 4}, {3});
  EXPECT_EQ(printed(t + 1), "[2, 3, 5]");
  EXPECT_EQ((t + 1).dtype(), MT_INT64);
  EXPECT_EQ(printed(1 - t), "[0, -1, -3]");
  EXPECT_EQ(printed(2 * t), "[2, 4, 8]");
  EXPECT_EQ(printed(1 / t), "[1, 0.5, 0.25]");
  EXPECT_EQ(printed(t / 2), "[0.5, 1, 2]");
  EXPECT_EQ(printed(t * std::complex<double>(0, 1)), "[(0,1), (0,2), (0,4)]");
  EXPECT_EQ(printed(Tensor()), "undefined tensor");
  EXPECT_EQ(printed(Tensor::empty({40, 50})), "tensor of sizes (40, 50)");
}

TEST(Hpp, DlpackSharesMemory) {
  const Tensor x = Tensor::from<float>({1, 2}, {2});
  for (const bool versioned : {true, false}) {
    const Tensor y = Tensor::from_dlpack(x.to_dlpack(versioned), versioned);
    EXPECT_EQ(y.data<float>(), x.data<float>());
  }
  const Tensor copy = Tensor::from_dlpack(x.to_dlpack(true, true));
  EXPECT_NE(copy.data<float>(), x.data<float>());
}

TEST(Hpp, AnErrorHasItsKindAsTextAndAsNumber) {
  try {
    mindtorch::Op("no such operator");
    FAIL();
  } catch (const mindtorch::Error& error) {
    EXPECT_EQ(error.kind(), "RuntimeError");
    EXPECT_EQ(error.kind_code(), MT_KIND_RUNTIME_ERROR);
  }
}

}  // namespace
