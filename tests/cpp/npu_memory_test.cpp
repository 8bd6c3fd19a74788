// The NPU's allocators over the simulator: size classes, splitting and merging, streams, limits, statistics, pinned memory.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "npu_support.h"

using namespace npu_test;

namespace {

constexpr int64_t KiB = 1024, MiB = 1024 * KiB;

class NpuMemory : public Npu {
 protected:
  void SetUp() override {
    Npu::SetUp();
    ASSERT_OK(mt_npu_empty_cache());
    ASSERT_OK(mt_npu_memory_reset_peak(0));
    ASSERT_OK(mt_npu_memory_reset_accumulated(0));
  }
  static void* allocate(int64_t bytes, int64_t stream = 0) {
    void* out = nullptr;
    EXPECT_OK(mt_npu_allocate(0, bytes, stream, &out));
    return out;
  }
};

struct Segment {
  mt_npu_segment segment;
  std::vector<mt_npu_block> blocks;
};
std::vector<Segment> snapshot() {
  std::vector<Segment> all;
  EXPECT_OK(mt_npu_memory_snapshot(
      [](void* user, const mt_npu_segment* segment) -> mt_status* {
        static_cast<std::vector<Segment>*>(user)->push_back({*segment, {segment->blocks, segment->blocks + segment->n_blocks}});
        return nullptr;
      },
      &all));
  return all;
}

// torch's size classes: blocks are multiples of 512 bytes; segments have 2 MiB, 20 MiB, or above 10 MiB a multiple of 2 MiB. A large
// block is split if more than 1 MiB remains.
TEST_F(NpuMemory, SegmentsHaveTorchsSizeClasses) {
  struct Case {
    int64_t bytes, block, segment;
  };
  for (const Case& c : {Case{1, 512, 2 * MiB}, Case{513, 1024, 2 * MiB}, Case{MiB, MiB, 2 * MiB}, Case{MiB + 1, MiB + 512, 20 * MiB},
                        Case{10 * MiB, 10 * MiB, 10 * MiB}, Case{11 * MiB, 12 * MiB, 12 * MiB}}) {
    void* p = allocate(c.bytes);
    EXPECT_EQ(statistics()["allocated_bytes.all.current"], c.block) << c.bytes;
    EXPECT_EQ(statistics()["reserved_bytes.all.current"], c.segment) << c.bytes;
    EXPECT_EQ(statistics()["requested_bytes.all.current"], c.bytes);
    ASSERT_OK(mt_npu_free(p));
    expect_no_memory_in_use();
  }
}
TEST_F(NpuMemory, AFreedBlockIsReusedByItsStreamOnly) {
  int64_t side = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &side));
  void* first = allocate(4 * KiB);
  ASSERT_OK(mt_npu_free(first));
  void* elsewhere = allocate(4 * KiB, side);
  EXPECT_NE(first, elsewhere);
  void* again = allocate(4 * KiB);
  EXPECT_EQ(first, again);
  ASSERT_OK(mt_npu_free(again));
  ASSERT_OK(mt_npu_free(elsewhere));
}
TEST_F(NpuMemory, MemoryUsedOnAnotherStreamWaitsForItsEvent) {
  int64_t side = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &side));
  ASSERT_OK(mt_npu_simulator_faults("delay:30000"));
  Owned a = on_device(std::vector<float>(256, 1));
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(a, &data));
  ASSERT_OK(mt_npu_synchronize(0));
  ASSERT_OK(mt_npu_stream_set(0, side));
  const Owned b = add(a, a);
  ASSERT_OK(mt_npu_record_stream(a, side));
  a = Owned();
  ASSERT_OK(mt_npu_stream_set(0, 0));
  EXPECT_EQ(statistics()["active.all.current"] - statistics()["allocation.all.current"], 1);  // waits for the side stream
  void* other = allocate(1024);
  EXPECT_NE(other, data);
  ASSERT_OK(mt_npu_stream_synchronize(0, side));
  void* again = allocate(1024);
  EXPECT_EQ(again, data);
  ASSERT_OK(mt_npu_free(again));
  ASSERT_OK(mt_npu_free(other));
  EXPECT_EQ(counters()["races"], 0) << mt_npu_simulator_race();
}
TEST_F(NpuMemory, BlocksSplitAndMergeWithoutLoss) {
  std::vector<void*> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(allocate(512 * KiB));
  EXPECT_EQ(statistics()["segment.all.current"], 1);
  ASSERT_OK(mt_npu_free(parts[0]));
  ASSERT_OK(mt_npu_free(parts[2]));
  EXPECT_EQ(statistics()["inactive_split.all.current"], 2);
  EXPECT_EQ(statistics()["inactive_split_bytes.all.current"], MiB);
  ASSERT_OK(mt_npu_free(parts[1]));
  EXPECT_EQ(statistics()["inactive_split.all.current"], 1);
  ASSERT_OK(mt_npu_free(parts[3]));
  EXPECT_EQ(statistics()["inactive_split.all.current"], 0);
  expect_no_memory_in_use();
}

// After any sequence of allocations, the snapshot's blocks cover their segments without gaps, and the statistics are sums over them.
TEST_F(NpuMemory, TheSnapshotTilesItsSegmentsAndAgreesWithTheStatistics) {
  std::mt19937 random(7);
  std::vector<std::pair<void*, int64_t>> held;
  for (int step = 0; step < 3000; ++step) {
    if (held.empty() || random() % 5 < 3) {
      const int64_t bytes = 1 + int64_t(random() % (random() % 4 ? 64 * KiB : 6 * MiB));
      held.push_back({allocate(bytes), bytes});
    } else {
      const size_t i = random() % held.size();
      ASSERT_OK(mt_npu_free(held[i].first));
      held[i] = held.back();
      held.pop_back();
    }
    if (held.size() > 200) {
      for (int i = 0; i < 150; ++i) {
        ASSERT_OK(mt_npu_free(held.back().first));
        held.pop_back();
      }
    }
    if (step % 50) continue;
    int64_t reserved = 0, allocated = 0, requested = 0, asked = 0, count = 0;
    for (const Segment& s : snapshot()) {
      int64_t at = s.segment.address;
      bool free_before = false;
      for (const mt_npu_block& b : s.blocks) {
        ASSERT_EQ(b.address, at);
        at += b.size;
        const bool is_free = b.state == MT_NPU_BLOCK_INACTIVE;
        EXPECT_FALSE(is_free && free_before) << "two free neighbours were not merged";
        free_before = is_free;
        count += b.state == MT_NPU_BLOCK_ALLOCATED;
      }
      EXPECT_EQ(at, s.segment.address + s.segment.total_size);
      reserved += s.segment.total_size;
      allocated += s.segment.allocated_size;
      requested += s.segment.requested_size;
    }
    for (const auto& [pointer, bytes] : held) asked += bytes;
    Figures now = statistics();
    EXPECT_EQ(reserved, now["reserved_bytes.all.current"]);
    EXPECT_EQ(allocated, now["allocated_bytes.all.current"]);
    EXPECT_EQ(requested, now["requested_bytes.all.current"]);
    EXPECT_EQ(requested, asked);
    EXPECT_EQ(count, now["allocation.all.current"]);
    EXPECT_EQ(int64_t(held.size()), count);
    for (const char* figure : {"allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes", "active_bytes"})
      for (const char* part : {"current", "allocated", "freed"})
        EXPECT_EQ(now[std::string(figure) + ".all." + part],
                  now[std::string(figure) + ".small_pool." + part] + now[std::string(figure) + ".large_pool." + part]);
  }
  for (const auto& [pointer, bytes] : held) ASSERT_OK(mt_npu_free(pointer));
  expect_no_memory_in_use();
}
TEST_F(NpuMemory, PeaksAreResetToCurrentValues) {
  ASSERT_OK(mt_npu_free(allocate(3 * MiB)));
  EXPECT_EQ(statistics()["allocated_bytes.all.peak"], 3 * MiB);
  ASSERT_OK(mt_npu_memory_reset_peak(0));
  EXPECT_EQ(statistics()["allocated_bytes.all.peak"], 0);
  EXPECT_EQ(statistics()["allocation.all.allocated"], 1);
  ASSERT_OK(mt_npu_memory_reset_accumulated(0));
  EXPECT_EQ(statistics()["allocation.all.allocated"], 0);
}

// ---- limits and settings ----

TEST_F(NpuMemory, OutOfMemoryHasTorchsTextAfterEmptyingTheCache) {
  ASSERT_OK(mt_npu_simulator_faults(("memory:" + std::to_string(48 * MiB)).c_str()));
  void* kept = allocate(21 * MiB);
  ASSERT_OK(mt_npu_free(allocate(16 * MiB)));
  void* after = allocate(26 * MiB);  // fits once the cached segment is released
  void* none = nullptr;
  const std::string text = failure(mt_npu_allocate(0, 20 * MiB, 0, &none));
  EXPECT_EQ(text.rfind("OutOfMemoryError: NPU out of memory. Tried to allocate 20.00 MiB. NPU 0 has a total capacity of 16.00 GiB of which "
                       "0 bytes is free. "
                       "Of the allocated memory 48.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
                       0),
            0)
      << text;
  EXPECT_EQ(statistics()["num_ooms"], 1);
  EXPECT_EQ(statistics()["num_alloc_retries"], 2);
  ASSERT_OK(mt_npu_free(kept));
  ASSERT_OK(mt_npu_free(after));
}
TEST_F(NpuMemory, AFractionLimitsTheProcess) {
  ASSERT_OK(mt_npu_memory_fraction_set(0, 1.0 / 1024));  // 16 MiB of 16 GiB
  void* out = nullptr;
  EXPECT_NE(failure(mt_npu_allocate(0, 20 * MiB, 0, &out)).find("16.00 MiB allowed; Of the allocated memory"), std::string::npos);
  void* fits = allocate(8 * KiB);
  ASSERT_OK(mt_npu_free(fits));
  EXPECT_EQ(failure(mt_npu_memory_fraction_set(0, 1.5)), "ValueError: invalid fraction:1.5. Please set within [0, 1].");
}
TEST_F(NpuMemory, LargeBlocksAboveTheLimitAreNotSplit) {
  ASSERT_OK(mt_npu_allocator_settings("max_split_size_mb:20"));
  ASSERT_OK(mt_npu_free(allocate(40 * MiB)));
  void* p = allocate(12 * MiB);  // does not use the 40 MiB block
  EXPECT_EQ(statistics()["reserved_bytes.all.current"], 52 * MiB);
  EXPECT_EQ(statistics()["max_split_size"], 20 * MiB);
  ASSERT_OK(mt_npu_free(p));
}
TEST_F(NpuMemory, GarbageIsCollectedAboveTheThreshold) {
  ASSERT_OK(mt_npu_memory_fraction_set(0, 128.0 / 16384));  // 128 MiB
  ASSERT_OK(mt_npu_allocator_settings("garbage_collection_threshold:0.5"));
  std::vector<void*> large;
  for (int i = 0; i < 4; ++i) large.push_back(allocate(20 * MiB));
  for (void* p : large) ASSERT_OK(mt_npu_free(p));
  EXPECT_EQ(statistics()["reserved_bytes.all.current"], 80 * MiB);
  void* p = allocate(22 * MiB);  // 80 MiB exceed half of 128: one cached segment is released
  EXPECT_EQ(statistics()["reserved_bytes.all.current"], 82 * MiB);
  EXPECT_EQ(statistics()["num_ooms"], 0);
  ASSERT_OK(mt_npu_free(p));
}
TEST_F(NpuMemory, InvalidSettingsAreRefused) {
  EXPECT_EQ(failure(mt_npu_allocator_settings("max_split_size_mb:1")),
            "RuntimeError: CachingAllocator option max_split_size_mb too small, must be >= 20");
  EXPECT_EQ(failure(mt_npu_allocator_settings("nonsense:1")), "RuntimeError: Unrecognized CachingAllocator option: nonsense");
  EXPECT_EQ(failure(mt_npu_allocator_settings("garbage_collection_threshold:2")),
            "RuntimeError: garbage_collection_threshold is invalid, set it in (0.0, 1.0)");
}
TEST_F(NpuMemory, AForeignPointerIsRefused) {
  int here = 0;
  EXPECT_EQ(failure(mt_npu_free(&here)).rfind("RuntimeError: invalid device pointer: ", 0), 0u);
  EXPECT_OK(mt_npu_free(nullptr));
}

// ---- pinned memory ----

TEST_F(NpuMemory, PinnedCopiesAreAsynchronousAndReuseMemoryAfterwards) {
  ASSERT_OK(mt_npu_host_empty_cache());
  ASSERT_OK(mt_npu_host_memory_reset_accumulated());
  mt_storage* pinned = nullptr;
  ASSERT_OK(mt_npu_pinned_storage(3000, &pinned));
  int32_t is_pinned = 0;
  ASSERT_OK(mt_npu_is_pinned(pinned, &is_pinned));
  EXPECT_EQ(is_pinned, 1);
  const int64_t n = 750;
  Owned source;
  ASSERT_OK(mt_tensor_from_storage(pinned, &n, nullptr, 1, 0, MT_FLOAT32, source.out()));
  void* data = nullptr;
  ASSERT_OK(mt_storage_data(pinned, &data));
  std::fill_n(static_cast<float*>(data), n, 2.5f);
  const Owned target = on_device(std::vector<float>(size_t(n), 0));
  ASSERT_OK(mt_npu_simulator_faults("delay:20000"));
  const mt_value args[3] = {mt_box_tensor(target), mt_box_tensor(source), mt_bool(1)};
  mt_value ret{};
  int64_t count = 0;
  ASSERT_OK(mt_dispatch("copy_", "", args, 3, &ret, 1, &count));
  mt_value_clear(&ret);
  int32_t done = 1;
  ASSERT_OK(mt_npu_stream_query(0, 0, &done));
  EXPECT_EQ(done, 0);
  source = Owned();
  mt_storage_release(pinned);
  mt_storage* next = nullptr;
  ASSERT_OK(mt_npu_pinned_storage(3000, &next));  // the copy from the first block is still running
  void* other = nullptr;
  ASSERT_OK(mt_storage_data(next, &other));
  EXPECT_NE(other, data);
  EXPECT_EQ(fetched(target), std::vector<float>(size_t(n), 2.5f));
  mt_storage_release(next);
  Figures host;
  ASSERT_OK(mt_npu_host_memory_stats(collect, &host));
  EXPECT_EQ(host["num_host_alloc"], 2);
  EXPECT_EQ(host["allocated_bytes.current"], 2 * 4096);  // powers of two
  EXPECT_EQ(host["active_requests.current"], 0);
  ASSERT_OK(mt_npu_host_empty_cache());
  host.clear();
  ASSERT_OK(mt_npu_host_memory_stats(collect, &host));
  EXPECT_EQ(host["allocated_bytes.current"], 0);
}

}  // namespace
