// The caching allocator: alignment, reuse, statistics, threads, and fast failure.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/allocator.h"

namespace mt::cpu {
namespace {

TEST(Allocator, BlocksAreAlignedAndWritable) {
  for (size_t bytes :
       {size_t{1}, size_t{64}, size_t{65}, size_t{513}, size_t{4097}, size_t{40000}, size_t{1} << 20, (size_t{3} << 20) + 5}) {
    void* p = allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
    std::memset(p, 0x5a, bytes);
    deallocate(p, bytes);
  }
  EXPECT_EQ(allocate(0), nullptr);
  deallocate(nullptr, 10);
}

TEST(Allocator, AFreedBlockIsReused) {
  for (size_t bytes : {size_t{100}, size_t{100000}, size_t{8} << 20}) {
    void* first = allocate(bytes);
    deallocate(first, bytes);
    void* second = allocate(bytes);
    EXPECT_EQ(first, second);
    deallocate(second, bytes);
  }
}

TEST(Allocator, StatisticsFollowAllocations) {
  const AllocatorStatistics before = allocator_statistics();
  void* p = allocate(size_t{10} << 20);
  const AllocatorStatistics during = allocator_statistics();
  EXPECT_EQ(during.allocated_bytes - before.allocated_bytes, int64_t{10} << 20);
  EXPECT_EQ(during.allocation_count - before.allocation_count, 1);
  EXPECT_GE(during.peak_allocated_bytes, during.allocated_bytes);
  deallocate(p, size_t{10} << 20);
  EXPECT_EQ(allocator_statistics().allocated_bytes, before.allocated_bytes);
  EXPECT_GE(allocator_statistics().cached_bytes, int64_t{10} << 20);
  empty_cache();
  EXPECT_EQ(allocator_statistics().reserved_bytes - allocator_statistics().cached_bytes,
            during.reserved_bytes - during.cached_bytes - (int64_t{10} << 20));
}

// The test writes nothing to the memory, so the system maps no pages for it.
TEST(Allocator, CachedLargeBlocksAreFreedWhenMuchIsInUse) {
  constexpr size_t mb = size_t{1} << 20;
  mt::cpu::empty_cache();
  mt::cpu::reset_peak_statistics();
  const int64_t before = mt::cpu::allocator_statistics().reserved_bytes;
  auto use = [](size_t bytes) { mt::cpu::deallocate(mt::cpu::allocate(bytes), bytes); };
  use(100 * mb);
  use(200 * mb);  // so small that both are cached
  EXPECT_GE(mt::cpu::allocator_statistics().reserved_bytes, before + int64_t(300 * mb));
  use(1024 * mb);
  EXPECT_LE(mt::cpu::allocator_statistics().reserved_bytes, before + int64_t(1024 * mb) * 65 / 64);
  use(896 * mb);  // the peak was 1024
  EXPECT_LE(mt::cpu::allocator_statistics().reserved_bytes, before + int64_t(1024 * mb) * 65 / 64);
  const int64_t calls = mt::cpu::allocator_statistics().system_allocation_count;
  use(896 * mb);
  EXPECT_EQ(mt::cpu::allocator_statistics().system_allocation_count, calls);
  mt::cpu::empty_cache();
}

TEST(Allocator, ABlockOfAboutTheSizeIsCutOrExtendedWithItsPages) {
  constexpr size_t mb = size_t{1} << 20;
  empty_cache();
  reset_peak_statistics();
  void* much = allocate(1024 * mb);  // never written; the cache must work beside it
  const int64_t before = allocator_statistics().reserved_bytes;
  size_t had = 40 * mb;
  char* block = static_cast<char*>(allocate(had));
  std::memset(block, 1, had);
  for (const size_t wanted : {size_t{24} * mb, size_t{48} * mb, size_t{44} * mb, size_t{28} * mb}) {
    deallocate(block, had);
    block = static_cast<char*>(allocate(wanted));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    EXPECT_LE(allocator_statistics().reserved_bytes, before + int64_t(wanted));
    EXPECT_EQ(block[4096], 1) << "the pages were given back";
    std::memset(block, 1, wanted);
    had = wanted;
  }
  deallocate(block, had);
  deallocate(much, 1024 * mb);
  empty_cache();
  EXPECT_LE(allocator_statistics().reserved_bytes, before);
}

TEST(Allocator, AbsurdSizesFailAtOnceWithTorchsText) {
  for (size_t bytes : {size_t{1} << 46, size_t{1} << 62, SIZE_MAX}) {
    try {
      allocate(bytes);
      FAIL() << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.bytes(), bytes);
      // The expected text is that of torch.empty(2**43) in torch 2.13.
      EXPECT_EQ(std::string(error.what()),
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
                "allocate " +
                    std::to_string(bytes) + " bytes. Error code 12 (Cannot allocate memory)");
    }
  }
}

TEST(Allocator, BlocksMayBeFreedByOtherThreads) {
  const int64_t before = allocator_statistics().allocated_bytes;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<std::pair<void*, size_t>> mine;
      for (size_t i = 0; i < 2000; ++i) {
        const size_t bytes = 1 + (i * 7919 + static_cast<size_t>(t)) % 100000;
        void* p = allocate(bytes);
        std::memset(p, t, std::min<size_t>(bytes, 64));
        mine.emplace_back(p, bytes);
      }
      std::thread other([&] {
        for (auto& [p, bytes] : mine) deallocate(p, bytes);
      });
      other.join();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allocator_statistics().allocated_bytes, before);
}

}  // namespace
}  // namespace mt::cpu
