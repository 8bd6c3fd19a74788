// Streaming copies: every byte, nothing outside, at any alignment.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "cpu/copy/copy.h"
#include "cpu/copy/stream.h"

namespace mt::cpu {
namespace {

TEST(Stream, CopiesEveryByteAndNothingElseAtAnyAlignment) {
  std::vector<uint8_t> from(600), to(600);
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (size_t at = 0; at < 65; ++at)
    for (size_t start : {size_t{0}, size_t{3}})
      for (size_t bytes : {0, 1, 5, 63, 64, 65, 127, 128, 191, 256, 320, 385}) {
        std::vector<uint8_t> want(to.size(), 0xee);
        to = want;
        std::copy_n(from.begin() + int64_t(start), bytes, want.begin() + int64_t(at));
        stream_copy(to.data() + at, from.data() + start, int64_t(bytes));
        finish_streams();
        ASSERT_EQ(to, want) << at << " " << start << " " << bytes;
      }
}

TEST(Stream, IsUsedForResultsLargerThanTheCaches) {
  EXPECT_FALSE(streams_past_caches(0));
  EXPECT_FALSE(streams_past_caches(1 << 16));
}

TEST(Stream, StreamingAndCachedGathersAgreeForAnyWidth) {
  const std::vector<int64_t> index = {3, 0, 0, 4, 2};
  for (int64_t width : {1, 7, 64, 100, 4099}) {
    std::vector<char> table(size_t(5 * width)), want(table.size()), got(table.size());
    std::iota(table.begin(), table.end(), char{0});
    for (size_t i = 0; i < index.size(); ++i) std::copy_n(table.begin() + index[i] * width, width, want.begin() + int64_t(i) * width);
    for (int64_t result_bytes : {int64_t{0}, INT64_MAX}) {
      got.assign(got.size(), 0);
      gather_rows(got.data(), table.data(), index.data(), int64_t(index.size()), width, result_bytes);
      ASSERT_EQ(got, want) << width;
    }
  }
}

}  // namespace
}  // namespace mt::cpu
