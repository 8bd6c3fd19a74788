// Conversions of the narrow float types, against exact arithmetic on every code.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "core/half.h"

namespace mt {
namespace {

template <class T>
class Narrow : public ::testing::Test {};
using NarrowTypes = ::testing::Types<Half, BFloat16, Float8_e5m2, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, Float8_e8m0fnu>;
TYPED_TEST_SUITE(Narrow, NarrowTypes);

TYPED_TEST(Narrow, EveryCodeRoundTripsThroughFloat) {
  using Bits = decltype(TypeParam::bits);
  for (uint32_t code = 0; code < (1u << (8 * sizeof(Bits))); ++code) {
    const TypeParam value = TypeParam::from_bits(static_cast<Bits>(code));
    const float wide = value;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(wide))));
    } else {
      EXPECT_EQ(TypeParam(wide).bits, value.bits) << code;
    }
  }
}

TYPED_TEST(Narrow, FloatsRoundToTheNearestAndTiesToEven) {
  if (std::is_same_v<TypeParam, Float8_e8m0fnu>) return;  // has no significand
  using Bits = decltype(TypeParam::bits);
  const uint32_t last = std::numeric_limits<TypeParam>::max().bits;
  for (uint32_t code = 0; code < last; ++code) {
    const float low = TypeParam::from_bits(static_cast<Bits>(code));
    const float high = TypeParam::from_bits(static_cast<Bits>(code + 1));
    const float middle = low + (high - low) / 2;
    const uint32_t even = code % 2 == 0 ? code : code + 1;
    ASSERT_EQ(TypeParam(middle).bits, even) << code;
    ASSERT_EQ(TypeParam(std::nextafter(middle, low)).bits, code);
    ASSERT_EQ(TypeParam(std::nextafter(middle, high)).bits, code + 1);
  }
}

// Each expected number is what torch.tensor(x).to(dtype).view(torch.uint8 or uint16) of torch 2.13 shows.
TEST(Narrow, OverflowIsTorchs) {
  const float inf = INFINITY;
  EXPECT_EQ(Half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(BFloat16(3.4e38f).bits, 0x7f80);
  EXPECT_EQ(Float8_e4m3fn(inf).bits, 0x7e);
  EXPECT_EQ(Float8_e4m3fn(480.0f).bits, 0x7e);
  EXPECT_EQ(Float8_e4m3fnuz(248.0f).bits, 0x80);
  EXPECT_EQ(Float8_e4m3fnuz(-inf).bits, 0x80);
  EXPECT_EQ(Float8_e5m2(61440.0f).bits, 0x7c);
  EXPECT_EQ(Float8_e5m2(-inf).bits, 0xfc);
  EXPECT_EQ(Float8_e5m2fnuz(-0.0f).bits, 0x00);
  EXPECT_EQ(Half(NAN).bits & 0x7fff, 0x7e00);
  EXPECT_EQ(BFloat16(NAN).bits & 0x7fff, 0x7fc0);
}

TEST(Narrow, LimitsAreTorchsFinfo) {
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Half>::max()), 65504.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Half>::epsilon()), 0x1p-10f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<BFloat16>::epsilon()), 0x1p-7f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e4m3fn>::max()), 448.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e5m2>::lowest()), -57344.0f);
}

}  // namespace
}  // namespace mt
