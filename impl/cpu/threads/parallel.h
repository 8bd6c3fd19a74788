// Data-parallel loops on one pool of threads. Only the size decides how work is split, so results do not depend on threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace mt::cpu {

// A borrowed callable `void(int64_t begin, int64_t end)`; it must outlive the call it is passed to.
class RangeFunction {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, RangeFunction>>>
  RangeFunction(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, int64_t begin, int64_t end) { (*static_cast<std::remove_reference_t<F>*>(object))(begin, end); }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int64_t);
};

// How parallel_for splits `n` items: `count` chunks of `size` items each, the last one shorter. A reduction keeps one
// partial result per chunk (index (begin - start) / size) and combines them in order: the same bits with any number of
// threads.
struct Chunks {
  int64_t size;
  int64_t count;
};

inline constexpr int64_t max_chunks = 64;

constexpr Chunks chunks_of(int64_t n, int64_t grain) {
  if (n <= 0) return {1, 0};
  if (grain < 1) grain = 1;
  const int64_t even = (n + max_chunks - 1) / max_chunks;
  const int64_t size = even > grain ? even : grain;
  return {size, (n + size - 1) / size};
}

// Calls f(begin, end) once per chunk, in parallel; nested calls run on the calling thread. The first exception that a
// chunk throws is rethrown here after all running chunks have ended.
void parallel_for(int64_t begin, int64_t end, int64_t grain, RangeFunction f);

// The number of threads of a top-level parallel_for, including the caller. The default is OMP_NUM_THREADS or MKL_NUM_THREADS, else what
// affinity and the cgroup's quota allow. In a forked child it is 1 until set again.
int get_num_threads();
void set_num_threads(int n);  // n >= 1

// The size of the inter-operator pool as torch reports it; this library has no such pool.
int get_num_interop_threads();
// Returns false if the number was set before; torch then raises an error.
bool set_num_interop_threads(int n);

bool in_parallel_region();

// Returns the name of the thread pool: "oneTBB 2021.8" or "std::thread".
const char* parallel_backend();

}  // namespace mt::cpu
