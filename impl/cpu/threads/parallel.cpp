// The number of threads, nesting and fork; the two back ends only run a numbered set of tasks.
#include "cpu/threads/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "cpu/threads/parallel_backend.h"

namespace mt::cpu {
namespace {

thread_local bool is_inside_region = false;
std::atomic<int> requested_thread_count{0};
std::atomic<int> interop_thread_count{0};
std::atomic<bool> was_forked{false};

struct InsideGuard {
  bool before = is_inside_region;
  InsideGuard() { is_inside_region = true; }
  ~InsideGuard() { is_inside_region = before; }
};

int cgroup_quota() {
  long long quota = -1;
  long long period = 0;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    if (std::fscanf(file, "%lld %lld", &quota, &period) != 2) quota = -1;  // "max" means no limit
    std::fclose(file);
  } else if (std::FILE* first = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r")) {
    if (std::fscanf(first, "%lld", &quota) != 1) quota = -1;
    std::fclose(first);
    if (std::FILE* second = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r")) {
      if (std::fscanf(second, "%lld", &period) != 1) period = 0;
      std::fclose(second);
    }
  }
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::max<long long>(1, (quota + period - 1) / period));
}

int threads_from_environment() {
  for (const char* name : {"MINDTORCH_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (const char* text = secure_getenv(name)) {
      const int n = std::atoi(text);
      if (n >= 1) return std::min(n, 1024);
    }
  }
  return 0;
}

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = 0;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) count = CPU_COUNT(&set);
  if (count < 1) count = static_cast<int>(std::thread::hardware_concurrency());
  const int quota = cgroup_quota();
  if (quota > 0) count = std::min(count, quota);
  return std::max(count, 1);
}

int default_threads() {
  const int asked = threads_from_environment();
  return asked > 0 ? asked : usable_processors();
}

// Migrates the calling thread, one of `threads`, off `processor`, where the thread that woke it runs. Linux may wake a thread on its
// waker's processor although others are idle (a guest's kernel takes a halted virtual processor for busy); the two threads would then share
// one processor.
void migrate_off_cpu(int processor, int64_t threads) {
  if (sched_getcpu() != processor) return;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < threads) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (sched_setaffinity(0, sizeof(others), &others) == 0) sched_setaffinity(0, sizeof(allowed), &allowed);
}

// Yields to a thread that waits for the caller's processor, so that migrate_off_cpu can migrate it. If another process gets the processor
// instead, for a whole time slice, yielding costs more than it gains: then stop yielding for a while.
void yield_to_helpers() {
  using Clock = std::chrono::steady_clock;
  static std::atomic<Clock::rep> not_before{0};
  const Clock::rep before = Clock::now().time_since_epoch().count();
  if (before < not_before.load(std::memory_order_relaxed)) return;
  sched_yield();
  const Clock::rep after = Clock::now().time_since_epoch().count();
  if (Clock::duration(after - before) > std::chrono::microseconds(500)) {
    not_before.store(after + Clock::duration(std::chrono::milliseconds(200)).count(), std::memory_order_relaxed);
  }
}

void after_fork_in_child() {
  // The pool's threads do not exist in the child, and their locks may be held for ever: the child never uses them again.
  was_forked.store(true, std::memory_order_relaxed);
  requested_thread_count.store(1, std::memory_order_relaxed);
  is_inside_region = false;
  detail::forget_threads_after_fork();
}

struct ForkHandler {
  ForkHandler() { pthread_atfork(nullptr, nullptr, after_fork_in_child); }
};

}  // namespace

int get_num_threads() {
  int n = requested_thread_count.load(std::memory_order_relaxed);
  if (n == 0) {
    static const ForkHandler handler;
    static const int found = default_threads();
    int expected = 0;
    requested_thread_count.compare_exchange_strong(expected, found, std::memory_order_relaxed);
    n = requested_thread_count.load(std::memory_order_relaxed);
  }
  return n;
}

void set_num_threads(int n) {
  get_num_threads();  // installs the fork handler
  requested_thread_count.store(std::clamp(n, 1, 1024), std::memory_order_relaxed);
}

int get_num_interop_threads() {
  const int n = interop_thread_count.load(std::memory_order_relaxed);
  return n > 0 ? n : usable_processors();
}

bool set_num_interop_threads(int n) {
  int expected = 0;
  return interop_thread_count.compare_exchange_strong(expected, n);
}

bool in_parallel_region() { return is_inside_region; }

const char* parallel_backend() {
#if defined(MT_PARALLEL_STD)
  return detail::std_backend_name();
#else
  return was_forked.load(std::memory_order_relaxed) ? detail::std_backend_name() : detail::tbb_backend_name();
#endif
}

void parallel_for(int64_t begin, int64_t end, int64_t grain, RangeFunction f) {
  if (end <= begin) return;
  const Chunks chunks = chunks_of(end - begin, grain);
  if (chunks.count == 1) return f(begin, end);
  auto run_one = [&](int64_t chunk) {
    const int64_t first = begin + chunk * chunks.size;
    f(first, std::min(end, first + chunks.size));
  };
  const int64_t threads = is_inside_region ? 1 : std::min<int64_t>(get_num_threads(), chunks.count);
  if (threads == 1) {
    for (int64_t chunk = 0; chunk < chunks.count; ++chunk) run_one(chunk);
    return;
  }
  // Each thread starts with the chunks of its own share, which its caches may hold, and then takes chunks that others have left: a thread
  // that wakes late or is interrupted delays nobody.
  struct alignas(64) ThreadShare {
    std::atomic<int64_t> next;
    int64_t end;
  };
  ThreadShare shares[max_chunks];
  for (int64_t i = 0; i < threads; ++i) {
    shares[i].next.store(chunks.count * i / threads, std::memory_order_relaxed);
    shares[i].end = chunks.count * (i + 1) / threads;
  }
  std::atomic<int64_t> helpers{0};
  const pthread_t caller = pthread_self();
  const int home = sched_getcpu();
  auto run_share = [&](int64_t thread, int64_t) {
    InsideGuard guard;
    const bool calling = pthread_equal(pthread_self(), caller) != 0;
    if (!calling) {
      migrate_off_cpu(home, threads);
      helpers.fetch_add(1, std::memory_order_relaxed);
    }
    for (int64_t i = 0; i < threads; ++i) {
      ThreadShare& share = shares[(thread + i) % threads];
      for (int64_t chunk; (chunk = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
        run_one(chunk);
        if (calling && helpers.load(std::memory_order_relaxed) < threads - 1) yield_to_helpers();
      }
    }
  };
#if defined(MT_PARALLEL_STD)
  detail::run_tasks_std(static_cast<int>(threads), RangeFunction(run_share));
#else
  // oneTBB cannot start again in a forked child; our own small pool can.
  if (was_forked.load(std::memory_order_relaxed)) {
    detail::run_tasks_std(static_cast<int>(threads), RangeFunction(run_share));
  } else {
    detail::run_tasks_tbb(static_cast<int>(threads), RangeFunction(run_share));
  }
#endif
}

}  // namespace mt::cpu
