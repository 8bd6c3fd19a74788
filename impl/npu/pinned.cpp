// The caching allocator of pinned host memory.
#include "npu/pinned.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "core/messages.h"
#include "npu/statistics.h"

namespace mt::npu {
namespace {

struct Duration {  // microseconds
  int64_t total = 0, longest = 0, shortest = 0, count = 0;
  void add(int64_t time) {
    total += time;
    longest = std::max(longest, time);
    shortest = count ? std::min(shortest, time) : time;
    ++count;
  }
  void visit_figures(const std::string& name, const FigureFn& visit) const {
    visit((name + ".total").c_str(), total);
    visit((name + ".max").c_str(), longest);
    visit((name + ".min").c_str(), shortest);
    visit((name + ".count").c_str(), count);
    visit((name + ".avg").c_str(), count ? total / count : 0);
  }
};

struct Block {
  char* data;
  int64_t size;
  bool used = true;
  std::vector<std::unique_ptr<Event>> events;
};
struct Statistics {
  Figure blocks, bytes, active, active_bytes;
  Duration allocating, freeing;
  int64_t allocated = 0, freed = 0;
};

class Pinned {
 public:
  void* allocate(int64_t nbytes) {
    int64_t size = 1;
    while (size < nbytes) size *= 2;
    std::lock_guard lock(mutex_);
    for (auto& [data, block] : blocks_)
      if (!block.used && block.size == size && is_unused_by_streams(block)) {
        block.used = true;
        count_used_block(size);
        return data;
      }
    use_device(current_device());
    void* data = nullptr;
    const auto start = std::chrono::steady_clock::now();
    MT_ACL(aclrtMallocHost, &data, size_t(size));
    stats_.allocating.add(microseconds_since(start));
    ++stats_.allocated;
    stats_.blocks.add(1);
    stats_.bytes.add(size);
    blocks_[static_cast<char*>(data)] = {static_cast<char*>(data), size, true, {}};
    count_used_block(size);
    return data;
  }
  void release(void* pointer) {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(static_cast<char*>(pointer));
    if (found == blocks_.end()) return;
    found->second.used = false;
    stats_.active.subtract(1);
    stats_.active_bytes.subtract(found->second.size);
  }
  Block* find_block_of(const void* pointer) {
    auto found = blocks_.upper_bound(static_cast<char*>(const_cast<void*>(pointer)));
    if (found == blocks_.begin()) return nullptr;
    Block& block = std::prev(found)->second;
    return block.used && pointer < block.data + block.size ? &block : nullptr;
  }
  bool contains_pinned(const void* pointer) {
    std::lock_guard lock(mutex_);
    return find_block_of(pointer) != nullptr;
  }
  void record_use(const void* pointer, const Stream& stream) {
    std::lock_guard lock(mutex_);
    Block* block = find_block_of(pointer);
    if (!block) return;
    auto event = std::make_unique<Event>(/*timing=*/false);
    event->record(stream);
    block->events.push_back(std::move(event));
  }
  void empty_cache() {
    std::lock_guard lock(mutex_);
    for (auto it = blocks_.begin(); it != blocks_.end();) {
      Block& block = it->second;
      if (block.used || !is_unused_by_streams(block)) {
        ++it;
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      MT_ACL(aclrtFreeHost, block.data);
      stats_.freeing.add(microseconds_since(start));
      ++stats_.freed;
      stats_.blocks.subtract(1);
      stats_.bytes.subtract(block.size);
      it = blocks_.erase(it);
    }
  }
  Statistics statistics() {
    std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset_peak() {
    std::lock_guard lock(mutex_);
    for (Figure* f : {&stats_.blocks, &stats_.bytes, &stats_.active, &stats_.active_bytes}) f->reset_peak();
  }
  void reset_accumulated() {
    std::lock_guard lock(mutex_);
    for (Figure* f : {&stats_.blocks, &stats_.bytes, &stats_.active, &stats_.active_bytes}) f->reset_accumulated();
    stats_.allocated = stats_.freed = 0;
    stats_.allocating = stats_.freeing = {};
  }

 private:
  static int64_t microseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
  }
  void count_used_block(int64_t size) {
    stats_.active.add(1);
    stats_.active_bytes.add(size);
  }
  static bool is_unused_by_streams(Block& block) {
    std::erase_if(block.events, [](auto& event) { return event->query(); });
    return block.events.empty();
  }

  std::mutex mutex_;
  std::map<char*, Block> blocks_;
  Statistics stats_;
};
Pinned& get_pinned() {
  static auto* const all = new Pinned();  // never destroyed: storages may be freed during exit
  return *all;
}

}  // namespace

void* allocate_pinned(int64_t nbytes) {
  check(nbytes >= 0, ErrorKind::value, messages::nbytes_must_not_be_negative, nbytes);
  return nbytes ? get_pinned().allocate(nbytes) : nullptr;
}
void release_pinned(void* pointer) noexcept { get_pinned().release(pointer); }
bool is_pinned(const void* pointer) { return pointer && get_pinned().contains_pinned(pointer); }
void record_pinned_use(const void* pointer, const Stream& stream) { get_pinned().record_use(pointer, stream); }
void empty_pinned_cache() { get_pinned().empty_cache(); }
void pinned_statistics(const FigureFn& visit) {
  const Statistics s = get_pinned().statistics();
  s.blocks.visit_figures("allocations", visit);
  s.bytes.visit_figures("allocated_bytes", visit);
  s.active.visit_figures("active_requests", visit);
  s.active_bytes.visit_figures("active_bytes", visit);
  visit("num_host_alloc", s.allocated);
  visit("num_host_free", s.freed);
  s.allocating.visit_figures("host_alloc_time", visit);
  s.freeing.visit_figures("host_free_time", visit);
}
void reset_pinned_peak() { get_pinned().reset_peak(); }
void reset_pinned_accumulated() { get_pinned().reset_accumulated(); }

}  // namespace mt::npu
