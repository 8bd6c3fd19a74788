// parallel_for on oneTBB: one arena per thread count in use, static partition.
#if !defined(MT_PARALLEL_STD)

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <mutex>

#include "cpu/threads/parallel_backend.h"

#if !defined(TBB_VERSION_STRING)
#define TBB_VERSION_STRING "?"
#endif

namespace mt::cpu::detail {
namespace {

// Never destroyed: an arena's destructor at process exit would wait for workers that may no longer exist. Each new size makes a new
// arena, since a caller on another thread may still use the old one; programs change the size a few times at most.
tbb::task_arena& arena_for(int threads) {
  static std::mutex* mutex = new std::mutex;
  static tbb::task_arena* arenas[1025] = {};
  std::lock_guard lock(*mutex);
  tbb::task_arena*& arena = arenas[threads];
  if (arena == nullptr) {
    // Without this, oneTBB warns on stderr and refuses more workers than it counts processors.
    using Control = tbb::global_control;
    static Control* control = nullptr;
    const auto wanted = static_cast<std::size_t>(threads);
    if (Control::active_value(Control::max_allowed_parallelism) < wanted) {
      delete control;  // the smallest of all live controls counts
      control = new Control(Control::max_allowed_parallelism, wanted);
    }
    arena = new tbb::task_arena(threads);
  }
  return *arena;
}

}  // namespace

void run_tasks_tbb(int count, RangeFunction task) {
  arena_for(count).execute([&] { tbb::parallel_for(0, count, 1, [&](int i) { task(i, i + 1); }, tbb::static_partitioner()); });
}

const char* tbb_backend_name() { return "oneTBB " TBB_VERSION_STRING; }

}  // namespace mt::cpu::detail

#endif
