// The caching allocator of one device.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "npu/allocator.h"
#include "npu/runtime.h"
#include "npu/settings.h"
#include "npu/statistics.h"

namespace mt::npu {

AllocatorSettings settings();  // the current settings

struct Pool;
struct Block {
  Pool* pool;
  int64_t stream;
  char* data;
  int64_t size;
  int64_t requested = 0;
  bool allocated = false;
  std::vector<int64_t> other_streams;  // streams that use it too
  int waits = 0;                       // number of events to wait for before it is free
  Block* before = nullptr;             // its neighbours in the segment
  Block* after = nullptr;
  int64_t rounds = 0;  // garbage collections since it was freed
  bool is_split() const { return before || after; }
};
struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    if (a->stream != b->stream) return a->stream < b->stream;
    if (a->size != b->size) return a->size < b->size;
    return a->data < b->data;
  }
};
struct Pool {
  bool large;
  PoolId id;
  std::set<Block*, BySize> free;
};
struct PoolPair {
  explicit PoolPair(PoolId id = {}) : small{false, id, {}}, large{true, id, {}} {}
  Pool small, large;
  int users = 0;  // graphs that may be replayed
};

struct Statistics {
  PoolFigure allocation, segment, active, inactive_split, allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes,
      requested_bytes;
  Figure oversize_allocations, oversize_segments;
  int64_t retries = 0, ooms = 0, syncs = 0, device_allocations = 0, device_frees = 0;
  template <class F>
  void visit_pool_figures(F&& f) {
    f("allocation", allocation), f("segment", segment), f("active", active), f("inactive_split", inactive_split);
    f("allocated_bytes", allocated_bytes), f("reserved_bytes", reserved_bytes), f("active_bytes", active_bytes);
    f("inactive_split_bytes", inactive_split_bytes), f("requested_bytes", requested_bytes);
  }
};

class DeviceAllocator {
 public:
  explicit DeviceAllocator(int device) : device_(device) {}

  void* allocate(int64_t requested, int64_t stream);
  // Frees a pointer; returns false if it is not from this allocator.
  bool release(void* pointer);
  bool record_stream(void* pointer, int64_t stream);
  void empty_cache();

  void visit_statistics(const FigureFn& visit);
  void reset_peak();
  void reset_accumulated();

  double fraction();
  void set_fraction(double fraction);

  void snapshot(std::vector<SegmentView>& out);

  void begin_pool(int64_t stream, PoolId id);
  void end_pool(int64_t stream);
  void drop_pool(PoolId id);

 private:
  PoolPair& pair_for(int64_t stream);
  static bool is_free(Block* block) { return block->pool->free.count(block) != 0; }

  void check_bounds(int64_t requested, int64_t size);
  Block* find_free(Pool& pool, int64_t stream, int64_t size, const AllocatorSettings& s);
  Block* make_segment(Pool& pool, int64_t stream, int64_t segment, int64_t size, int64_t requested, const AllocatorSettings& s);

  int64_t total_memory();
  int64_t allowed_memory() { return fraction_ >= 1 ? INT64_MAX : int64_t(fraction_ * double(total_memory())); }

  // Allocates a segment from the device: nullptr if it has no memory left; raises for any other failure.
  void* device_allocate(int64_t size);
  [[noreturn]] void out_of_memory(int64_t requested);

  // Shortens a block to `size` bytes, and makes a free block of the rest.
  void split(Block* block, int64_t size);

  // Merges a free neighbour into `block`.
  void merge(Block* block, Block* neighbour);
  void put_back(Block* block);
  void await_streams(Block* block);

  // Makes blocks whose events are complete free again. Events of one stream complete in order.
  void finish_events(bool wait);

  // Returns a segment to the device; `block` is free and covers all of it.
  void release_segment(Block* block);
  void release_free_of(Pool& pool);
  void release_free_segments();
  bool in_use(const PoolPair& pair);

  // Returns cached blocks larger than the split limit to the device, if they could hold the request; returns whether that was enough.
  bool release_large_enough(Pool& pool, int64_t stream, int64_t size, const AllocatorSettings& s);

  // Returns the least recently used segments to the device if memory in use exceeds garbage_collection_threshold.
  void collect_garbage(const AllocatorSettings& s);

  const int device_;
  std::mutex mutex_;
  bool initialized_ = false;
  double fraction_ = 1;
  int64_t reserved_ = 0;
  Statistics stats_;
  PoolPair pools_;
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<PoolPair>> private_pools_;
  std::map<int64_t, PoolPair*> captures_;  // by stream
  std::vector<Block*> deferred_;           // freed during a capture
  std::unordered_map<char*, Block*> by_address_;
  std::set<Block*> segments_;  // by first block
  std::map<int64_t, std::deque<std::pair<std::unique_ptr<Event>, Block*>>> events_;
};

}  // namespace mt::npu
