// FreshPages chooses between small and huge pages for memory that is being filled, by their measured costs.
#include "cpu/fresh_pages.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/allocator.h"

namespace mt::cpu {
namespace {

constexpr size_t mb = size_t{1} << 20;

TEST(FreshPages, TriesSmallPagesThenOnePieceOfHugeOnes) {
  FreshPages pages;
  EXPECT_FALSE(pages.choose_huge());
  pages.learn(false, 1000, mb);
  EXPECT_TRUE(pages.choose_huge());
  EXPECT_FALSE(pages.choose_huge()) << "while the first is on trial";
}
TEST(FreshPages, UsesHugePagesWhereTheyCostLess) {
  FreshPages pages;
  pages.learn(false, 1000, mb);
  EXPECT_TRUE(pages.choose_huge());
  pages.learn(true, 500, mb);
  EXPECT_TRUE(pages.choose_huge());
  EXPECT_TRUE(pages.choose_huge());
}
TEST(FreshPages, UsesSmallPagesOnceHugeOnesCostMore) {
  FreshPages pages;
  pages.learn(false, 1000, mb);
  EXPECT_TRUE(pages.choose_huge());
  pages.learn(true, 500, mb);
  EXPECT_TRUE(pages.choose_huge());
  pages.learn(true, 8000, 2 * mb);
  EXPECT_FALSE(pages.choose_huge());
  pages.learn(true, 500, mb);  // of another thread, which began before
  EXPECT_FALSE(pages.choose_huge());
}
TEST(FreshPages, FillsAllocatedMemory) {
  constexpr size_t bytes = 16 * mb, piece = 2 * mb;
  auto* data = static_cast<unsigned char*>(allocate(bytes));
  ASSERT_TRUE(FreshPages::can_choose(data, piece));
  EXPECT_FALSE(FreshPages::can_choose(data + 4096, piece));
  EXPECT_FALSE(FreshPages::can_choose(data, mb));
  FreshPages pages;
  for (size_t at = 0; at < bytes; at += piece) pages.fill(data + at, piece, [&] { std::memset(data + at, int(at / piece) + 1, piece); });
  FreshPages::allow_huge(data, bytes);
  for (size_t at = 0; at < bytes; at += piece) EXPECT_EQ(data[at + piece - 1], at / piece + 1);
  deallocate(data, bytes);
}

}  // namespace
}  // namespace mt::cpu
