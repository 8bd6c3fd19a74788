#include "cpu/fresh_pages.h"

#include <sys/mman.h>
#include <time.h>

namespace mt::cpu {

namespace {

constexpr size_t huge_page = size_t{2} << 20, small_page = 4096;

void advise(void* data, size_t bytes, int advice) { madvise(data, bytes & ~(small_page - 1), advice); }

}  // namespace

bool FreshPages::can_choose(const void* data, size_t bytes) {
  return bytes >= huge_page && reinterpret_cast<uintptr_t>(data) % huge_page == 0;
}

void FreshPages::allow_huge(void* data, size_t bytes) { advise(data, bytes, MADV_HUGEPAGE); }
void FreshPages::forbid_huge(void* data, size_t bytes) { advise(data, bytes, MADV_NOHUGEPAGE); }

bool FreshPages::choose_huge() {
  Huge state = huge_.load(std::memory_order_relaxed);
  if (state != Huge::untried) return state == Huge::cheap;
  return small_cost_.load(std::memory_order_relaxed) != 0 && huge_.compare_exchange_strong(state, Huge::on_trial);
}

void FreshPages::learn(bool huge, int64_t nanoseconds, size_t bytes) {
  const int64_t cost = nanoseconds / int64_t(bytes >> 20) + 1;
  if (!huge) {
    small_cost_.store(cost, std::memory_order_relaxed);
  } else if (cost > small_cost_.load(std::memory_order_relaxed)) {
    huge_.store(Huge::dear, std::memory_order_relaxed);
  } else {
    Huge trial = Huge::on_trial;
    huge_.compare_exchange_strong(trial, Huge::cheap);
  }
}

// CPU time of this thread alone: time spent in other programs must not count as the cost of pages.
int64_t FreshPages::processor_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace mt::cpu
