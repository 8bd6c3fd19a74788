// Chooses the size of the pages that new memory gets while it is filled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mt::cpu {

// Huge pages make the first write to memory cheaper, except on virtual machines that give free memory back to their host: there the host
// has to provide each huge page again, which costs several times as much as small pages from memory that the machine kept. Measures both
// on two of the pieces, and uses the cheaper kind for the others. Several threads may fill pieces at a time.
class FreshPages {
 public:
  // Whether pages can be chosen: memory that begins at a huge page and contains at least one.
  static bool can_choose(const void* data, size_t bytes);
  // Runs `fill`, which writes memory whose pages can be chosen.
  template <class F>
  void fill(void* data, size_t bytes, F fill) {
    const bool huge = choose_huge();
    if (!huge) forbid_huge(data, bytes);
    const int64_t start = processor_time();
    fill();
    learn(huge, processor_time() - start, bytes);
  }
  // Permits huge pages in memory that was filled with small ones: the system may later merge them.
  static void allow_huge(void* data, size_t bytes);

  // Whether the next piece gets huge pages. While one piece tries them, others get small ones.
  bool choose_huge();
  void learn(bool huge, int64_t nanoseconds, size_t bytes);

 private:
  static void forbid_huge(void* data, size_t bytes);
  static int64_t processor_time();

  std::atomic<int64_t> small_cost_{0};  // in nanoseconds per MB; 0: not measured
  enum class Huge { untried, on_trial, cheap, dear };
  std::atomic<Huge> huge_{Huge::untried};
};

}  // namespace mt::cpu
