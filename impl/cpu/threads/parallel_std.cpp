// parallel_for on std::thread: for builds without oneTBB (thread sanitizer) and for forked children.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "cpu/threads/parallel_backend.h"

namespace mt::cpu::detail {
namespace {

struct Pool {
  std::mutex mutex;
  std::condition_variable work_ready;
  std::condition_variable work_done;
  const RangeFunction* task = nullptr;
  int next = 0;
  int count = 0;
  int unfinished = 0;
  int threads = 0;
  std::exception_ptr error;
  std::mutex one_caller;  // serialises top-level calls from several threads

  void run_available(std::unique_lock<std::mutex>& lock) {
    while (next < count) {
      const int index = next++;
      const RangeFunction function = *task;
      lock.unlock();
      std::exception_ptr caught;
      try {
        function(index, index + 1);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      if (caught && !error) error = caught;
      if (--unfinished == 0) work_done.notify_all();
    }
  }

  void work_for_ever() {
    std::unique_lock lock(mutex);
    for (;;) {
      work_ready.wait(lock, [&] { return next < count; });
      run_available(lock);
    }
  }

  void run(int tasks, RangeFunction function) {
    std::lock_guard guard(one_caller);
    std::unique_lock lock(mutex);
    while (threads < tasks - 1) {
      std::thread([this] { work_for_ever(); }).detach();
      ++threads;
    }
    task = &function;
    next = 0;
    count = tasks;
    unfinished = tasks;
    error = nullptr;
    work_ready.notify_all();
    run_available(lock);
    work_done.wait(lock, [&] { return unfinished == 0; });
    task = nullptr;
    count = next = 0;
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
};

// Never freed: its detached threads wait on it until the process ends, and a forked child abandons its parent's pool.
Pool* pool = nullptr;
constinit std::once_flag first_once;
std::once_flag* pool_once = &first_once;

}  // namespace

void run_tasks_std(int count, RangeFunction task) {
  std::call_once(*pool_once, [] { pool = new Pool; });
  pool->run(count, task);
}

void forget_threads_after_fork() {
  pool = nullptr;
  pool_once = new std::once_flag;
}

const char* std_backend_name() { return "std::thread"; }

}  // namespace mt::cpu::detail
