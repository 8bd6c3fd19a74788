// Sorting and selection: stable, NaN last, the same for every stride and number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/half.h"
#include "cpu/sort.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

template <class T>
bool before(T a, T b) {  // torch's ascending order
  if constexpr (!std::is_integral_v<T>) {
    if (std::isnan(static_cast<double>(a))) return false;
    if (std::isnan(static_cast<double>(b))) return true;
  }
  return a < b;
}

template <class T>
std::vector<T> numbers(int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<size_t>(n));
  for (auto&& value : x) {
    const int kind = static_cast<int>(random() % 20);
    const float drawn = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(drawn);
    else
      value = kind == 0 ? T(NAN) : kind == 1 ? T(-0.0f) : kind == 2 ? T(0.0f) : kind == 3 ? T(INFINITY) : T(drawn);
  }
  return x;
}

template <class T>
std::vector<int64_t> sort_as_expected(const std::vector<T>& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const T a = x[static_cast<size_t>(i)], b = x[static_cast<size_t>(j)];
    return descending ? before(b, a) : before(a, b);
  });
  return order;
}

template <class T>
class Sort : public ::testing::Test {};
using SortTypes = ::testing::Types<float, double, Half, BFloat16, int8_t, uint8_t, int32_t, int64_t>;
TYPED_TEST_SUITE(Sort, SortTypes);

TYPED_TEST(Sort, IsStableWithNanLast) {
  using T = TypeParam;
  for (int64_t n : {1, 2, 50, 300, 5000, 70000}) {
    for (bool descending : {false, true}) {
      const std::vector<T> x = numbers<T>(n, static_cast<uint32_t>(n));
      std::vector<T> values(x.size());
      std::vector<int64_t> indices(x.size());
      sort_rows<T>(1, n, {x.data(), n, 1}, descending, {values.data(), n, 1}, {indices.data(), n, 1});
      ASSERT_EQ(indices, sort_as_expected(x, descending)) << n;
      for (size_t i = 0; i < x.size(); ++i) {
        const T want = x[static_cast<size_t>(indices[i])];
        ASSERT_TRUE(values[i] == want || (values[i] != values[i] && want != want));
      }
    }
  }
}

TYPED_TEST(Sort, TheFirstFewAreTheHeadOfTheSortedRow) {
  using T = TypeParam;
  for (int64_t n : {1, 40, 1000, 20000}) {
    for (int64_t k : {int64_t{1}, std::min<int64_t>(7, n), n}) {
      const std::vector<T> x = numbers<T>(n, 5);
      std::vector<T> values(static_cast<size_t>(k));
      std::vector<int64_t> indices(static_cast<size_t>(k));
      select_top_of_rows<T>(1, n, k, {x.data(), n, 1}, true, {values.data(), k, 1}, {indices.data(), k, 1});
      // The algorithm may return any of several equal elements, but the values are fixed and no element occurs twice.
      const std::vector<int64_t> order = sort_as_expected(x, true);
      for (size_t i = 0; i < values.size(); ++i) {
        const T want = x[static_cast<size_t>(order[i])];
        ASSERT_TRUE(values[i] == want || (values[i] != values[i] && want != want)) << n << " " << k << " " << i;
        const T there = x[static_cast<size_t>(indices[i])];
        ASSERT_TRUE(values[i] == there || (values[i] != values[i] && there != there));
      }
      std::sort(indices.begin(), indices.end());
      ASSERT_TRUE(std::adjacent_find(indices.begin(), indices.end()) == indices.end());
      select_kth_of_rows<T>(1, n, k - 1, {x.data(), n, 1}, {values.data(), 1, 1}, {indices.data(), 1, 1});
      const T kth = x[static_cast<size_t>(sort_as_expected(x, false)[static_cast<size_t>(k - 1)])];
      ASSERT_TRUE(values[0] == kth || (kth != kth && values[0] != values[0]));
    }
  }
}

TEST(SortRows, ColumnsSortInPlace) {
  std::vector<int32_t> x = {3, 1, 2, 9, 8, 7, 1, 5, 3};  // 3 x 3, sorted down its columns
  sort_rows<int32_t>(3, 3, {x.data(), 1, 3}, false, {x.data(), 1, 3}, {nullptr, 0, 0});
  EXPECT_EQ(x, (std::vector<int32_t>{1, 1, 2, 3, 5, 3, 9, 8, 7}));
}

}  // namespace
}  // namespace mt::cpu
