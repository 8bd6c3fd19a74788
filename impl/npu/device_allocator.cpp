// The caching allocator of one device: finds, splits, merges and returns blocks.
#include "npu/device_allocator.h"

#include <algorithm>
#include <cstdio>

#include "core/exception.h"

namespace mt::npu {
namespace {

constexpr int64_t smallest_block = 512, small_limit = 1 << 20, small_segment = 2 << 20, large_segment = 20 << 20,
                  own_segment_limit = 10 << 20, large_multiple = 2 << 20;

std::string size_text(int64_t bytes) {
  constexpr int64_t kibi = 1024, mebi = kibi * kibi, gibi = mebi * kibi;
  char text[40];
  if (bytes <= kibi)
    std::snprintf(text, sizeof text, "%lld bytes", static_cast<long long>(bytes));
  else if (bytes <= mebi)
    std::snprintf(text, sizeof text, "%.2f KiB", double(bytes) / double(kibi));
  else if (bytes <= gibi)
    std::snprintf(text, sizeof text, "%.2f MiB", double(bytes) / double(mebi));
  else
    std::snprintf(text, sizeof text, "%.2f GiB", double(bytes) / double(gibi));
  return text;
}

int64_t round_up(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

int64_t block_size_of(int64_t size, const AllocatorSettings& s) {
  if (size < smallest_block) return smallest_block;
  if (s.roundup_divisions > 1 && size > smallest_block * s.roundup_divisions) {
    int64_t power = 1;
    while (power * 2 <= size) power *= 2;
    return round_up(size, std::max(power / s.roundup_divisions, int64_t(1)));
  }
  return round_up(size, smallest_block);
}
int64_t segment_size_of(int64_t size) {
  if (size <= small_limit) return small_segment;
  return size < own_segment_limit ? large_segment : round_up(size, large_multiple);
}

}  // namespace

void* DeviceAllocator::allocate(int64_t requested, int64_t stream) {
  const AllocatorSettings s = settings();
  std::lock_guard lock(mutex_);
  if (captures_.empty()) finish_events(/*wait=*/false);
  const int64_t size = block_size_of(requested, s);
  check_bounds(requested, size);
  PoolPair& pair = pair_for(stream);
  Pool& pool = size <= small_limit ? pair.small : pair.large;
  Block* block = find_free(pool, stream, size, s);
  if (!block) {
    if (s.garbage_collection_threshold > 0) collect_garbage(s);
    block = make_segment(pool, stream, segment_size_of(size), size, requested, s);
  } else if (block->is_split()) {
    stats_.inactive_split.subtract(pool.large, 1);
    stats_.inactive_split_bytes.subtract(pool.large, block->size);
  }
  const int64_t rest = block->size - size;
  if (pool.large ? size < s.max_split_size && rest > small_limit : rest >= smallest_block) split(block, size);
  block->allocated = true;
  block->requested = requested;
  by_address_[block->data] = block;
  stats_.allocation.add(pool.large, 1);
  stats_.allocated_bytes.add(pool.large, block->size);
  stats_.requested_bytes.add(pool.large, requested);
  stats_.active.add(pool.large, 1);
  stats_.active_bytes.add(pool.large, block->size);
  if (block->size >= s.max_split_size) stats_.oversize_allocations.add(1);
  return block->data;
}

bool DeviceAllocator::release(void* pointer) {
  const AllocatorSettings s = settings();
  std::lock_guard lock(mutex_);
  auto found = by_address_.find(static_cast<char*>(pointer));
  if (found == by_address_.end()) return false;
  Block* block = found->second;
  by_address_.erase(found);
  block->allocated = false;
  const bool large = block->pool->large;
  stats_.allocation.subtract(large, 1);
  stats_.allocated_bytes.subtract(large, block->size);
  stats_.requested_bytes.subtract(large, block->requested);
  if (block->size >= s.max_split_size) stats_.oversize_allocations.subtract(1);
  if (block->other_streams.empty())
    put_back(block);
  else if (captures_.empty())
    await_streams(block);
  else
    deferred_.push_back(block);  // the event must not be captured into the graph
  return true;
}

bool DeviceAllocator::record_stream(void* pointer, int64_t stream) {
  std::lock_guard lock(mutex_);
  auto found = by_address_.find(static_cast<char*>(pointer));
  if (found == by_address_.end()) return false;
  std::vector<int64_t>& others = found->second->other_streams;
  if (stream != found->second->stream && std::find(others.begin(), others.end(), stream) == others.end()) others.push_back(stream);
  return true;
}

void DeviceAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  if (initialized_) release_free_segments();
}

void DeviceAllocator::visit_statistics(const FigureFn& visit) {
  Statistics s;
  {
    std::lock_guard lock(mutex_);
    s = stats_;
  }
  s.visit_pool_figures([&](const char* name, PoolFigure& figure) { figure.visit_figures(name, visit); });
  s.oversize_allocations.visit_figures("oversize_allocations", visit);
  s.oversize_segments.visit_figures("oversize_segments", visit);
  const int64_t limit = settings().max_split_size;
  visit("max_split_size", limit == INT64_MAX ? -1 : limit);
  visit("num_alloc_retries", s.retries);
  visit("num_ooms", s.ooms);
  visit("num_sync_all_streams", s.syncs);
  visit("num_device_alloc", s.device_allocations);
  visit("num_device_free", s.device_frees);
}

void DeviceAllocator::reset_peak() {
  std::lock_guard lock(mutex_);
  stats_.visit_pool_figures([](const char*, PoolFigure& figure) { figure.for_each_figure([](Figure& f) { f.reset_peak(); }); });
  stats_.oversize_allocations.reset_peak();
  stats_.oversize_segments.reset_peak();
}

void DeviceAllocator::reset_accumulated() {
  std::lock_guard lock(mutex_);
  stats_.visit_pool_figures([](const char*, PoolFigure& figure) { figure.for_each_figure([](Figure& f) { f.reset_accumulated(); }); });
  stats_.oversize_allocations.reset_accumulated();
  stats_.oversize_segments.reset_accumulated();
  stats_.retries = stats_.ooms = stats_.syncs = stats_.device_allocations = stats_.device_frees = 0;
}

double DeviceAllocator::fraction() {
  std::lock_guard lock(mutex_);
  return fraction_;
}

void DeviceAllocator::set_fraction(double fraction) {
  std::lock_guard lock(mutex_);
  fraction_ = fraction;
}

void DeviceAllocator::snapshot(std::vector<SegmentView>& out) {
  std::lock_guard lock(mutex_);
  for (Block* first : segments_) {
    SegmentView view{device_, first->stream, first->pool->large, first->pool->id, {}};
    for (Block* block = first; block; block = block->after) {
      const BlockState state = block->allocated ? BlockState::allocated : is_free(block) ? BlockState::inactive : BlockState::awaiting_free;
      view.blocks.push_back({reinterpret_cast<int64_t>(block->data), block->size, block->allocated ? block->requested : 0, state});
    }
    out.push_back(std::move(view));
  }
}

void DeviceAllocator::begin_pool(int64_t stream, PoolId id) {
  std::lock_guard lock(mutex_);
  auto& pair = private_pools_[{id.owner, id.id}];
  if (!pair) pair = std::make_unique<PoolPair>(id);
  ++pair->users;
  captures_[stream] = pair.get();
}

void DeviceAllocator::end_pool(int64_t stream) {
  std::lock_guard lock(mutex_);
  captures_.erase(stream);
  if (!captures_.empty()) return;
  std::vector<Block*> blocks;
  blocks.swap(deferred_);
  for (Block* block : blocks) await_streams(block);
}

void DeviceAllocator::drop_pool(PoolId id) {
  std::lock_guard lock(mutex_);
  auto found = private_pools_.find({id.owner, id.id});
  if (found != private_pools_.end() && found->second->users > 0) --found->second->users;
}

PoolPair& DeviceAllocator::pair_for(int64_t stream) {
  auto found = captures_.find(stream);
  return found == captures_.end() ? pools_ : *found->second;
}

void DeviceAllocator::check_bounds(int64_t requested, int64_t size) {
  if (requested <= size && requested < (int64_t(1) << 56)) return;
  ++stats_.ooms;
  out_of_memory(requested);
}

Block* DeviceAllocator::find_free(Pool& pool, int64_t stream, int64_t size, const AllocatorSettings& s) {
  if (s.garbage_collection_threshold > 0)
    for (Block* block : pool.free) ++block->rounds;
  Block key{&pool, stream, nullptr, size};
  auto found = pool.free.lower_bound(&key);
  if (found == pool.free.end() || (*found)->stream != stream) return nullptr;
  Block* block = *found;
  if (size < s.max_split_size && block->size >= s.max_split_size) return nullptr;       // not split: reserved for large requests
  if (size >= s.max_split_size && block->size >= size + large_segment) return nullptr;  // too much would be wasted
  pool.free.erase(found);
  block->rounds = 0;
  return block;
}

Block* DeviceAllocator::make_segment(Pool& pool, int64_t stream, int64_t segment, int64_t size, int64_t requested,
                                     const AllocatorSettings& s) {
  void* data = device_allocate(segment);
  if (!data && release_large_enough(pool, stream, size, s)) data = device_allocate(segment);
  if (!data) {
    ++stats_.retries;
    release_free_segments();
    data = device_allocate(segment);
  }
  if (!data) {
    ++stats_.ooms;
    out_of_memory(requested);
  }
  auto* block = new Block{&pool, stream, static_cast<char*>(data), segment};
  segments_.insert(block);
  reserved_ += segment;
  stats_.segment.add(pool.large, 1);
  stats_.reserved_bytes.add(pool.large, segment);
  if (segment >= s.max_split_size) stats_.oversize_segments.add(1);
  return block;
}

int64_t DeviceAllocator::total_memory() {
  size_t free = 0, total = 0;
  MT_ACL(aclrtGetMemInfo, acl::hbm_memory, &free, &total);
  return int64_t(total);
}

void* DeviceAllocator::device_allocate(int64_t size) {
  use_device(device_);
  initialized_ = true;
  if (fraction_ < 1 && reserved_ + size > allowed_memory()) return nullptr;
  void* data = nullptr;
  const aclError code = acl().aclrtMalloc(&data, size_t(size), acl::malloc_huge_first);
  if (code == acl::error_rt_memory_allocation) return nullptr;
  check_call("aclrtMalloc", code);
  ++stats_.device_allocations;
  return data;
}

void DeviceAllocator::out_of_memory(int64_t requested) {
  size_t free = 0, total = 0;
  MT_ACL(aclrtGetMemInfo, acl::hbm_memory, &free, &total);
  const int64_t allocated = stats_.allocated_bytes.all.current;
  const std::string allowed = fraction_ < 1 ? size_text(allowed_memory()) + " allowed; " : "";
  fail(ErrorKind::out_of_memory,
       "NPU out of memory. Tried to allocate {}. NPU {} has a total capacity of {} of which {} is free. {}Of the allocated memory {} is "
       "allocated by PyTorch, and {} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
       "MINDTORCH_NPU_ALLOC_CONF=max_split_size_mb:128 to avoid fragmentation.",
       size_text(requested), device_, size_text(int64_t(total)), size_text(int64_t(free)), allowed, size_text(allocated),
       size_text(reserved_ - allocated));
}

void DeviceAllocator::split(Block* block, int64_t size) {
  auto* rest = new Block{block->pool, block->stream, block->data + size, block->size - size};
  rest->before = block;
  rest->after = block->after;
  if (rest->after) rest->after->before = rest;
  block->after = rest;
  block->size = size;
  block->pool->free.insert(rest);
  stats_.inactive_split.add(block->pool->large, 1);
  stats_.inactive_split_bytes.add(block->pool->large, rest->size);
}

void DeviceAllocator::merge(Block* block, Block* neighbour) {
  if (!neighbour || !is_free(neighbour)) return;
  Pool& pool = *block->pool;
  pool.free.erase(neighbour);
  stats_.inactive_split.subtract(pool.large, 1);
  stats_.inactive_split_bytes.subtract(pool.large, neighbour->size);
  if (neighbour == block->before) {
    if (segments_.erase(neighbour)) segments_.insert(block);
    block->data = neighbour->data;
    block->before = neighbour->before;
    if (block->before) block->before->after = block;
  } else {
    block->after = neighbour->after;
    if (block->after) block->after->before = block;
  }
  block->size += neighbour->size;
  delete neighbour;
}

void DeviceAllocator::put_back(Block* block) {
  Pool& pool = *block->pool;
  stats_.active.subtract(pool.large, 1);
  stats_.active_bytes.subtract(pool.large, block->size);
  block->requested = 0;
  merge(block, block->before);
  merge(block, block->after);
  pool.free.insert(block);
  if (!block->is_split()) return;
  stats_.inactive_split.add(pool.large, 1);
  stats_.inactive_split_bytes.add(pool.large, block->size);
}

void DeviceAllocator::await_streams(Block* block) {
  std::vector<int64_t> streams;
  streams.swap(block->other_streams);
  for (int64_t id : streams) {
    auto event = std::make_unique<Event>(/*timing=*/false);
    try {
      event->record(stream_of(device_, id));
    } catch (const Error&) {
      continue;  // a stream that failed no longer uses the memory
    }
    ++block->waits;
    events_[id].push_back({std::move(event), block});
  }
  if (block->waits == 0) put_back(block);
}

void DeviceAllocator::finish_events(bool wait) {
  for (auto& [stream, queue] : events_)
    while (!queue.empty()) {
      auto& [event, block] = queue.front();
      if (wait)
        event->synchronize();
      else if (!event->query())
        break;
      Block* done = block;
      queue.pop_front();
      if (--done->waits == 0) put_back(done);
    }
}

void DeviceAllocator::release_segment(Block* block) {
  use_device(device_);
  Pool& pool = *block->pool;
  pool.free.erase(block);
  const aclError code = acl().aclrtFree(block->data);
  ++stats_.device_frees;
  reserved_ -= block->size;
  stats_.segment.subtract(pool.large, 1);
  stats_.reserved_bytes.subtract(pool.large, block->size);
  if (block->size >= settings().max_split_size) stats_.oversize_segments.subtract(1);
  segments_.erase(block);
  delete block;
  check_call("aclrtFree", code);
}

void DeviceAllocator::release_free_of(Pool& pool) {
  std::vector<Block*> whole;
  for (Block* block : pool.free)
    if (!block->is_split()) whole.push_back(block);
  for (Block* block : whole) release_segment(block);
}

void DeviceAllocator::release_free_segments() {
  if (captures_.empty()) {
    ++stats_.syncs;
    finish_events(/*wait=*/true);
  }
  release_free_of(pools_.small);
  release_free_of(pools_.large);
  for (auto it = private_pools_.begin(); it != private_pools_.end();) {
    PoolPair& pair = *it->second;
    if (pair.users == 0) {
      release_free_of(pair.small);
      release_free_of(pair.large);
      if (pair.small.free.empty() && pair.large.free.empty() && !in_use(pair)) {
        it = private_pools_.erase(it);
        continue;
      }
    }
    ++it;
  }
}

bool DeviceAllocator::in_use(const PoolPair& pair) {
  for (Block* block : segments_)
    if (block->pool == &pair.small || block->pool == &pair.large) return true;
  return false;
}

bool DeviceAllocator::release_large_enough(Pool& pool, int64_t stream, int64_t size, const AllocatorSettings& s) {
  if (s.max_split_size == INT64_MAX) return false;
  Block key{&pool, stream, nullptr, std::max(size, s.max_split_size)};
  int64_t released = 0;
  while (released < size) {
    auto found = pool.free.lower_bound(&key);
    if (found == pool.free.end() || (*found)->stream != stream) {
      if (found == pool.free.begin()) return false;
      --found;
      if ((*found)->stream != stream || (*found)->size < s.max_split_size) return false;
    }
    if ((*found)->is_split()) return false;
    released += (*found)->size;
    release_segment(*found);
  }
  return true;
}

void DeviceAllocator::collect_garbage(const AllocatorSettings& s) {
  const int64_t allowed = fraction_ < 1 ? allowed_memory() : total_memory();
  const int64_t threshold = int64_t(s.garbage_collection_threshold * double(allowed));
  if (reserved_ <= threshold) return;
  int64_t target = reserved_ - threshold;
  std::vector<Block*> candidates;
  for (Block* block : pools_.large.free)
    if (!block->is_split()) candidates.push_back(block);
  std::stable_sort(candidates.begin(), candidates.end(), [](Block* a, Block* b) { return a->rounds > b->rounds; });
  for (Block* block : candidates) {
    if (target <= 0) break;
    target -= block->size;
    release_segment(block);
  }
}

}  // namespace mt::npu
