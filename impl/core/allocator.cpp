// Size classes, per-thread caches of small blocks, and a shared cache with a byte limit, in front of the system allocator.
#include "core/allocator.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace mt::cpu {
namespace {

constexpr size_t alignment = 64;
constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t mapped_from = size_t{1} << 20;          // larger blocks are mappings of their own
constexpr size_t small_limit = size_t{32} << 10;         // blocks up to this size are cached per thread too
constexpr size_t thread_cache_bytes = size_t{64} << 10;  // per class; at least 2 blocks
// The cache grows freely up to this size. Beyond it, once the memory taken from the system exceeds the peak in use by more than a 64th, a
// new size replaces cached blocks of other sizes: a block of similar size is cut or extended, or the least recently used blocks are
// returned.
constexpr size_t free_growth = size_t{512} << 20;

// Classes: multiples of 64 up to 512 bytes, then 8 steps per power of two (at most 12.5 % wasted).
constexpr int size_class_of(size_t bytes) {
  if (bytes <= 512) return static_cast<int>((bytes + 63) / 64) - 1;
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power <= bytes - 1
  return 8 + (power - 9) * 8 + static_cast<int>(((bytes - 1) >> (power - 3)) & 7);
}
constexpr size_t size_of_class(int index) {
  if (index < 8) return static_cast<size_t>(index + 1) * 64;
  const int power = 9 + (index - 8) / 8;
  return (size_t{1} << power) + (static_cast<size_t>((index - 8) % 8 + 1) << (power - 3));
}
static_assert(size_class_of(1) == 0 && size_class_of(512) == 7 && size_class_of(513) == 8 && size_of_class(8) == 576);
static_assert(size_of_class(size_class_of(1000000)) >= 1000000 && size_class_of(1024) == 15 && size_of_class(15) == 1024);

constexpr int small_classes = size_class_of(small_limit) + 1;
constexpr int mapped_class = size_class_of(mapped_from);
constexpr int class_count = size_class_of(size_t{1} << 47) + 1;

struct FreeBlock {
  FreeBlock* next;  // within its class: last in, first out
  FreeBlock* previous;
  FreeBlock* newer;  // by time of freeing: the oldest are returned first when the cache is full
  FreeBlock* older;
  int class_index;
};

size_t physical_bytes(bool with_swap) {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return size_t{1} << 40;
  return static_cast<size_t>(info.totalram + (with_swap ? info.totalswap : 0)) * info.mem_unit;
}

size_t limit_from_environment() {
  if (const char* text = secure_getenv("MINDTORCH_ALLOCATOR_CACHE_MB")) {
    return static_cast<size_t>(std::max(0LL, std::atoll(text))) << 20;
  }
  return std::max(size_t{64} << 20, physical_bytes(false) / 4);
}

// Maps new pages; nullptr if there is no memory.
void* map_pages(size_t bytes) {
  const bool huge = bytes >= huge_page;
  const size_t reach = huge ? bytes + huge_page : bytes;
  void* mapping = mmap(nullptr, reach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  if (!huge) return mapping;
  // Only complete, aligned 2 MB can become huge pages: align the start and unmap the surplus.
  char* start = static_cast<char*>(mapping);
  char* aligned = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(start) + huge_page - 1) & ~(huge_page - 1));
  if (aligned > start) munmap(start, static_cast<size_t>(aligned - start));
  const size_t tail = static_cast<size_t>(start + reach - (aligned + bytes));
  if (tail > 0) munmap(aligned + bytes, tail);
  madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned;
}

void* system_allocate(size_t bytes) { return bytes < mapped_from ? std::aligned_alloc(alignment, bytes) : map_pages(bytes); }

// Resizes a mapped block and keeps its pages; nullptr if the system refuses, and the block is then unchanged.
void* system_resize(void* pointer, size_t bytes, size_t wanted) {
  if (wanted <= bytes) {
    munmap(static_cast<char*>(pointer) + wanted, bytes - wanted);
    return pointer;
  }
  void* place = map_pages(wanted);
  if (place == nullptr) return nullptr;
  if (mremap(pointer, bytes, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
    munmap(place, wanted);
    return nullptr;
  }
  if (wanted >= huge_page) madvise(place, wanted, MADV_HUGEPAGE);
  return place;
}

void system_free(void* pointer, size_t bytes) {
  if (bytes < mapped_from) {
    std::free(pointer);
  } else {
    munmap(pointer, bytes);
  }
}

class SharedCache {
 public:
  FreeBlock* take_block(int index) {
    std::lock_guard lock(mutex_);
    FreeBlock* block = heads_[index];
    if (block != nullptr) remove_from_lists(block);
    return block;
  }

  void put_block(void* pointer, int index) {
    FreeBlock* evicted = nullptr;
    {
      std::lock_guard lock(mutex_);
      FreeBlock* block = static_cast<FreeBlock*>(pointer);
      add_to_lists(block, index);
      while (cached_bytes_ > limit_ && move_oldest_block(true, &evicted)) {
      }
    }
    return_to_system(evicted);
  }

  void clear() {
    FreeBlock* evicted = nullptr;
    {
      std::lock_guard lock(mutex_);
      while (move_oldest_block(true, &evicted)) {
      }
    }
    return_to_system(evicted);
  }

  // Whether mapping `bytes` more would exceed the memory that this cache may hold, if at most `most_used` bytes were ever in use.
  bool is_full(size_t bytes, size_t most_used) const { return total_bytes_with(bytes) > allowed_total_bytes(most_used); }

  // Takes from the cache the mapped block nearest in size to a class, at most twice or half as large; nullptr if there is none.
  FreeBlock* take_block_of_similar_size(int index) {
    std::lock_guard lock(mutex_);
    for (int step = 1; step <= 8; ++step)
      for (const int other : {index + step, index - step}) {
        if (other < mapped_class || other >= class_count || heads_[other] == nullptr) continue;
        FreeBlock* block = heads_[other];
        remove_from_lists(block);
        return block;
      }
    return nullptr;
  }

  // Returns blocks to the system until `bytes` more may be mapped, or no mapped block is left.
  void make_room(size_t bytes, size_t most_used) {
    size_t given = total_bytes_with(bytes);
    FreeBlock* evicted = nullptr;
    {
      std::lock_guard lock(mutex_);
      while (given > allowed_total_bytes(most_used) && move_oldest_block(false, &evicted)) given -= size_of_class(evicted->class_index);
    }
    return_to_system(evicted);
  }

  size_t cached_bytes() {
    std::lock_guard lock(mutex_);
    return cached_bytes_;
  }
  size_t limit() const { return limit_; }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  std::atomic<int64_t> system_bytes{0};
  std::atomic<int64_t> peak_system_bytes{0};
  std::atomic<int64_t> system_allocations{0};

 private:
  static size_t allowed_total_bytes(size_t most_used) { return std::max(free_growth, most_used + most_used / 64); }
  size_t total_bytes_with(size_t bytes) const { return static_cast<size_t>(system_bytes.load(std::memory_order_relaxed)) + bytes; }

  // Lists of free blocks in order of freeing: one of mapped blocks, one of the others.
  struct Order {
    FreeBlock* newest = nullptr;
    FreeBlock* oldest = nullptr;
  };
  Order& freeing_order_of(int index) { return orders_[index >= mapped_class]; }

  // Moves the least recently used block to the chain, mapped blocks first.
  bool move_oldest_block(bool small_too, FreeBlock** chain) {
    FreeBlock* victim = orders_[1].oldest;
    if (victim == nullptr && small_too) victim = orders_[0].oldest;
    if (victim == nullptr) return false;
    remove_from_lists(victim);
    victim->next = *chain;
    *chain = victim;
    return true;
  }
  void add_to_lists(FreeBlock* block, int index) {
    Order& order = freeing_order_of(index);
    block->class_index = index;
    block->previous = nullptr;
    block->next = heads_[index];
    if (block->next != nullptr) block->next->previous = block;
    heads_[index] = block;
    block->newer = nullptr;
    block->older = order.newest;
    if (order.newest != nullptr) order.newest->newer = block;
    order.newest = block;
    if (order.oldest == nullptr) order.oldest = block;
    cached_bytes_ += size_of_class(index);
  }
  void remove_from_lists(FreeBlock* block) {
    Order& order = freeing_order_of(block->class_index);
    if (block->previous != nullptr) {
      block->previous->next = block->next;
    } else {
      heads_[block->class_index] = block->next;
    }
    if (block->next != nullptr) block->next->previous = block->previous;
    (block->newer != nullptr ? block->newer->older : order.newest) = block->older;
    (block->older != nullptr ? block->older->newer : order.oldest) = block->newer;
    cached_bytes_ -= size_of_class(block->class_index);
  }
  void return_to_system(FreeBlock* chain) {
    while (chain != nullptr) {
      FreeBlock* next = chain->next;
      const size_t bytes = size_of_class(chain->class_index);
      system_free(chain, bytes);
      system_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
      chain = next;
    }
  }

  std::mutex mutex_;
  FreeBlock* heads_[class_count] = {};
  Order orders_[2];
  size_t cached_bytes_ = 0;
  const size_t limit_ = limit_from_environment();
};

void raise_peak(std::atomic<int64_t>& peak, int64_t value) {
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (value > seen && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

struct ThreadCache;

// Statistics of all threads: sums the counters of live threads on demand, and keeps the totals of threads that have ended.
struct Registry {
  std::mutex mutex;
  ThreadCache* first = nullptr;
  std::atomic<int64_t> allocated{0};
  std::atomic<int64_t> peak_allocated{0};
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> deallocations{0};
};

// The shared cache and the registry are never destroyed: tensors may be freed after static destructors have run.
SharedCache& get_shared_cache() {
  static SharedCache* cache = [] {
    auto* made = new SharedCache;
    pthread_atfork([] { get_shared_cache().lock(); }, [] { get_shared_cache().unlock(); }, [] { get_shared_cache().unlock(); });
    return made;
  }();
  return *cache;
}
Registry& thread_registry() {
  static Registry* made = [] {
    auto* fresh = new Registry;
    pthread_atfork([] { thread_registry().mutex.lock(); }, [] { thread_registry().mutex.unlock(); },
                   [] { thread_registry().mutex.unlock(); });
    return fresh;
  }();
  return *made;
}

// For counters that only their own thread writes: a relaxed load and store suffice, without a locked instruction.
void add_to_thread_counter(std::atomic<int64_t>& counter, int64_t value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

struct ThreadCache {
  FreeBlock* heads[small_classes] = {};
  uint32_t counts[small_classes] = {};
  std::atomic<int64_t> bytes_not_reported{0};
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> deallocations{0};
  std::atomic<int64_t> cached{0};
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;

  ThreadCache() {
    Registry& all = thread_registry();
    std::lock_guard lock(all.mutex);
    next = all.first;
    if (next != nullptr) next->previous = this;
    all.first = this;
  }
  ~ThreadCache() {
    drop_blocks();
    Registry& all = thread_registry();
    std::lock_guard lock(all.mutex);
    all.allocated.fetch_add(bytes_not_reported.load(std::memory_order_relaxed), std::memory_order_relaxed);
    all.allocations.fetch_add(allocations.load(std::memory_order_relaxed), std::memory_order_relaxed);
    all.deallocations.fetch_add(deallocations.load(std::memory_order_relaxed), std::memory_order_relaxed);
    (previous != nullptr ? previous->next : all.first) = next;
    if (next != nullptr) next->previous = previous;
  }
  void drop_blocks() {
    for (int index = 0; index < small_classes; ++index) {
      while (heads[index] != nullptr) {
        FreeBlock* block = heads[index];
        heads[index] = block->next;
        get_shared_cache().put_block(block, index);
      }
      counts[index] = 0;
    }
    cached.store(0, std::memory_order_relaxed);
  }
  void count_bytes(int64_t bytes) {
    add_to_thread_counter(bytes_not_reported, bytes);
    const int64_t pending = bytes_not_reported.load(std::memory_order_relaxed);
    if (pending > 65536 || pending < -65536) flush_bytes_to_registry();
  }
  void flush_bytes_to_registry() {
    Registry& all = thread_registry();
    const int64_t pending = bytes_not_reported.load(std::memory_order_relaxed);
    bytes_not_reported.store(0, std::memory_order_relaxed);
    const int64_t now = all.allocated.fetch_add(pending, std::memory_order_relaxed) + pending;
    raise_peak(all.peak_allocated, now);
  }
};

// The pointer outlives the cache: destructors of other thread-local objects may still free tensors.
thread_local ThreadCache* thread_cache = nullptr;
thread_local bool has_thread_ended = false;
struct ThreadCacheOwner {
  ~ThreadCacheOwner() {
    delete thread_cache;
    thread_cache = nullptr;
    has_thread_ended = true;
  }
};

ThreadCache* make_thread_cache() {
  if (has_thread_ended) return nullptr;
  static thread_local ThreadCacheOwner owner;
  (void)&owner;
  thread_cache = new ThreadCache;
  return thread_cache;
}

inline ThreadCache* current_cache() { return thread_cache != nullptr ? thread_cache : make_thread_cache(); }

void count_in_registry(int64_t bytes, bool allocation) {
  Registry& all = thread_registry();
  const int64_t now = all.allocated.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  raise_peak(all.peak_allocated, now);
  (allocation ? all.allocations : all.deallocations).fetch_add(1, std::memory_order_relaxed);
}

// Resizes a cached block of similar size to the class; nullptr if there is none.
void* resize_cached(int index, size_t most_used) {
  SharedCache& cache = get_shared_cache();
  FreeBlock* near = cache.take_block_of_similar_size(index);
  if (near == nullptr) return nullptr;
  const size_t bytes = size_of_class(index), had = size_of_class(near->class_index);
  if (bytes > had) cache.make_room(bytes - had, most_used);
  void* pointer = system_resize(near, had, bytes);
  if (pointer == nullptr) system_free(near, had);
  cache.system_bytes.fetch_add((pointer == nullptr ? 0 : static_cast<int64_t>(bytes)) - static_cast<int64_t>(had),
                               std::memory_order_relaxed);
  return pointer;
}

void* allocate_uncached(int index, size_t asked) {
  SharedCache& cache = get_shared_cache();
  if (FreeBlock* block = cache.take_block(index)) return block;
  const size_t bytes = size_of_class(index);
  static const size_t most = physical_bytes(true);
  void* pointer = nullptr;
  const Registry& all = thread_registry();
  const int64_t now = all.allocated.load(std::memory_order_relaxed) + static_cast<int64_t>(bytes);
  const size_t most_used = static_cast<size_t>(std::max(now, all.peak_allocated.load(std::memory_order_relaxed)));
  if (index >= mapped_class && cache.is_full(bytes, most_used)) {
    pointer = resize_cached(index, most_used);
    if (pointer == nullptr) cache.make_room(bytes, most_used);
  }
  if (pointer == nullptr) {
    pointer = asked <= most ? system_allocate(bytes) : nullptr;
    if (pointer == nullptr && asked <= most) {
      cache.clear();
      pointer = system_allocate(bytes);
    }
    if (pointer == nullptr) throw OutOfMemory(asked);
    cache.system_bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }
  raise_peak(cache.peak_system_bytes, cache.system_bytes.load(std::memory_order_relaxed));
  cache.system_allocations.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

}  // namespace

OutOfMemory::OutOfMemory(size_t bytes) noexcept : bytes_(bytes) {
  std::snprintf(text_, sizeof(text_),
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
                "allocate %zu bytes. Error code 12 (Cannot allocate memory)",
                bytes);
}

void* allocate(size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > (size_t{1} << 47)) throw OutOfMemory(bytes);
  const int index = size_class_of(bytes);
  ThreadCache* mine = current_cache();
  void* pointer;
  if (index < small_classes && mine != nullptr && mine->heads[index] != nullptr) {
    FreeBlock* block = mine->heads[index];
    mine->heads[index] = block->next;
    --mine->counts[index];
    add_to_thread_counter(mine->cached, -static_cast<int64_t>(size_of_class(index)));
    pointer = block;
  } else {
    pointer = allocate_uncached(index, bytes);
  }
  const int64_t rounded = static_cast<int64_t>(size_of_class(index));
  if (mine != nullptr) {
    add_to_thread_counter(mine->allocations, 1);
    mine->count_bytes(rounded);
  } else {
    count_in_registry(rounded, true);
  }
  return pointer;
}

void deallocate(void* pointer, size_t bytes) noexcept {
  if (pointer == nullptr) return;
  const int index = size_class_of(bytes);
  const size_t rounded = size_of_class(index);
  ThreadCache* mine = current_cache();
  if (mine != nullptr) {
    add_to_thread_counter(mine->deallocations, 1);
    mine->count_bytes(-static_cast<int64_t>(rounded));
    if (index < small_classes && mine->counts[index] < std::max<size_t>(2, thread_cache_bytes / rounded)) {
      FreeBlock* block = static_cast<FreeBlock*>(pointer);
      block->next = mine->heads[index];
      mine->heads[index] = block;
      ++mine->counts[index];
      add_to_thread_counter(mine->cached, static_cast<int64_t>(rounded));
      return;
    }
  } else {
    count_in_registry(-static_cast<int64_t>(rounded), false);
  }
  get_shared_cache().put_block(pointer, index);
}

AllocatorStatistics allocator_statistics() {
  Registry& all = thread_registry();
  SharedCache& cache = get_shared_cache();
  AllocatorStatistics result = {};
  result.cached_bytes = static_cast<int64_t>(cache.cached_bytes());  // before taking the lock: fork() takes both locks in the other order
  std::lock_guard lock(all.mutex);
  result.allocated_bytes = all.allocated.load(std::memory_order_relaxed);
  result.allocation_count = all.allocations.load(std::memory_order_relaxed);
  result.deallocation_count = all.deallocations.load(std::memory_order_relaxed);
  for (ThreadCache* thread = all.first; thread != nullptr; thread = thread->next) {
    result.allocated_bytes += thread->bytes_not_reported.load(std::memory_order_relaxed);
    result.allocation_count += thread->allocations.load(std::memory_order_relaxed);
    result.deallocation_count += thread->deallocations.load(std::memory_order_relaxed);
    result.cached_bytes += thread->cached.load(std::memory_order_relaxed);
  }
  result.reserved_bytes = cache.system_bytes.load(std::memory_order_relaxed);
  raise_peak(all.peak_allocated, result.allocated_bytes);
  result.peak_allocated_bytes = all.peak_allocated.load(std::memory_order_relaxed);
  result.peak_reserved_bytes = cache.peak_system_bytes.load(std::memory_order_relaxed);
  result.system_allocation_count = cache.system_allocations.load(std::memory_order_relaxed);
  result.cache_limit_bytes = static_cast<int64_t>(cache.limit());
  return result;
}

void reset_peak_statistics() {
  const AllocatorStatistics now = allocator_statistics();
  thread_registry().peak_allocated.store(now.allocated_bytes, std::memory_order_relaxed);
  get_shared_cache().peak_system_bytes.store(now.reserved_bytes, std::memory_order_relaxed);
}

void empty_cache() {
  if (ThreadCache* mine = current_cache()) mine->drop_blocks();
  get_shared_cache().clear();
}

}  // namespace mt::cpu
