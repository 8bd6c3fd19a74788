// The caching allocator of device memory: blocks by size class and stream, split and merged, and reused after events of other streams.
// Sizes and the names of statistics are torch.cuda's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mt::npu {

struct PoolId {
  int64_t owner = 0, id = 0;
  bool operator==(const PoolId&) const = default;
  explicit operator bool() const { return owner || id; }
};

// Allocates device memory; nullptr for 0 bytes. Raises OutOfMemoryError with torch's message.
void* allocate(int device, int64_t nbytes, int64_t stream);
void release(void* pointer);  // raises for a pointer that allocate did not return
void record_stream(void* pointer, int64_t stream);
void empty_cache();

using FigureFn = std::function<void(const char* name, int64_t value)>;
void memory_statistics(int device, const FigureFn& visit);
void reset_peak_statistics(int device);
void reset_accumulated_statistics(int device);
double memory_fraction(int device);
void set_memory_fraction(int device, double fraction);
void set_allocator_settings(const std::string& text);

enum class BlockState : int8_t { inactive, allocated, awaiting_free };
struct BlockView {
  int64_t address, size, requested;
  BlockState state;
};
struct SegmentView {
  int device;
  int64_t stream;
  bool large;
  PoolId pool;
  std::vector<BlockView> blocks;  // by address
};
std::vector<SegmentView> memory_snapshot();  // by address

// During a capture, a stream's memory comes from the graph's pool, which keeps it for replays.
void begin_pool(int device, int64_t stream, PoolId pool);
void end_pool(int device, int64_t stream, PoolId pool);
void drop_pool(int device, PoolId pool);  // once per begin; the last one frees the memory

}  // namespace mt::npu
