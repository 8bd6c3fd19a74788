// parallel_for: split by size only, exceptions, nesting, and use after fork.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cpu/gemm/gemm.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

class Threads {
 public:
  explicit Threads(int n) : before_(get_num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

TEST(Parallel, EveryElementIsVisitedOnce) {
  for (int threads : {1, 2, 3, 7}) {
    Threads guard(threads);
    for (int64_t n : {0, 1, 5, 63, 64, 65, 1000, 12345}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
      parallel_for(0, n, 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)]++;
      });
      for (auto& count : seen) ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST(Parallel, ReductionsByChunkDoNotDependOnTheNumberOfThreads) {
  const int64_t n = 1000003;
  auto sum = [&](int threads) {
    Threads guard(threads);
    const Chunks chunks = chunks_of(n, 1000);
    std::vector<float> partial(static_cast<size_t>(chunks.count));
    parallel_for(0, n, 1000, [&](int64_t begin, int64_t end) {
      float total = 0;
      for (int64_t i = begin; i < end; ++i) total += 1.0f / static_cast<float>(i + 1);
      partial[static_cast<size_t>(begin / chunks.size)] = total;
    });
    float total = 0;
    for (float part : partial) total += part;
    return total;
  };
  const float one = sum(1);
  EXPECT_EQ(one, sum(2));
  EXPECT_EQ(one, sum(5));
}

// The first chunk waits until the other thread has run all others, including those of the first thread's share; the wait ends after a
// minute, so that a fault fails the test.
TEST(Parallel, AFinishedThreadHelpsTheOthers) {
  Threads guard(2);
  std::atomic<int> done{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  parallel_for(0, 64, 1, [&](int64_t begin, int64_t) {
    if (begin == 0)
      while (done < 63 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    ++done;
  });
  EXPECT_EQ(done, 64);
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

// A worker thread that wakes on its caller's CPU is moved to another one; chunks may still run on any CPU in the process's affinity mask.
TEST(Parallel, ThreadsKeepTheProcessorsTheyMayUse) {
  Threads guard(2);
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::atomic<int> narrowed{0};
  for (int i = 0; i < 40; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    parallel_for(0, 8, 1, [&](int64_t, int64_t) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
      while (std::chrono::steady_clock::now() < until) {
      }
      cpu_set_t mine;
      if (sched_getaffinity(0, sizeof(mine), &mine) != 0 || !CPU_EQUAL(&mine, &allowed)) narrowed++;
    });
  }
  EXPECT_EQ(narrowed.load(), 0);
}

TEST(Parallel, NestedCallsRunOnTheCallersThread) {
  Threads guard(4);
  std::atomic<int64_t> total{0};
  parallel_for(0, 64, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      EXPECT_TRUE(in_parallel_region());
      parallel_for(0, 100, 1, [&](int64_t first, int64_t last) { total += last - first; });
    }
  });
  EXPECT_EQ(total.load(), 6400);
  EXPECT_FALSE(in_parallel_region());
}

TEST(Parallel, AnExceptionOfAChunkReachesTheCaller) {
  for (int threads : {1, 4}) {
    Threads guard(threads);
    auto fail = [] {
      parallel_for(0, 1000, 1, [](int64_t begin, int64_t) {
        if (begin > 500) throw std::runtime_error("chunk");
      });
    };
    EXPECT_THROW(fail(), std::runtime_error);
    std::atomic<int> after{0};
    parallel_for(0, 10, 1, [&](int64_t begin, int64_t end) { after += static_cast<int>(end - begin); });
    EXPECT_EQ(after.load(), 10);
  }
}

#if !defined(__SANITIZE_THREAD__)
TEST(Parallel, AForkedChildComputesAfterParallelWork) {
  Threads guard(2);
  const int64_t n = 160;
  std::vector<float> a(n * n, 1.0f), b(n * n, 2.0f), c(n * n);
  auto product = [&] {
    gemm<float>(n, n, n, 1, {a.data(), n, 1}, {b.data(), n, 1}, 0, {c.data(), n, 1});
    return c[n + 1] == 2.0f * n;
  };
  ASSERT_TRUE(product());
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      bool ok = get_num_threads() == 1 && product();
      set_num_threads(2);
      ok = ok && product();
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "child " << i;
    ASSERT_TRUE(i % 10 != 0 || product());
  }
}
#endif

}  // namespace
}  // namespace mt::cpu
