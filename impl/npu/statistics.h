// The statistics of an allocator: each with its current value, its peak, and the totals added and removed since the start.
#pragma once

#include <cstdint>
#include <string>

namespace mt::npu {

struct Figure {
  int64_t current = 0, peak = 0, added = 0, taken = 0;
  void add(int64_t amount) {
    current += amount;
    added += amount;
    if (current > peak) peak = current;
  }
  void subtract(int64_t amount) {
    current -= amount;
    taken += amount;
  }
  void reset_peak() { peak = current; }
  void reset_accumulated() { added = taken = 0; }
  template <class Visit>
  void visit_figures(const std::string& name, Visit&& visit) const {
    visit((name + ".current").c_str(), current);
    visit((name + ".peak").c_str(), peak);
    visit((name + ".allocated").c_str(), added);
    visit((name + ".freed").c_str(), taken);
  }
};

// A statistic of both pools together, and of the pools of small and of large blocks.
struct PoolFigure {
  Figure all, small, large;
  void add(bool is_large, int64_t amount) {
    all.add(amount);
    (is_large ? large : small).add(amount);
  }
  void subtract(bool is_large, int64_t amount) {
    all.subtract(amount);
    (is_large ? large : small).subtract(amount);
  }
  template <class F>
  void for_each_figure(F&& f) {
    f(all), f(small), f(large);
  }
  template <class Visit>
  void visit_figures(const std::string& name, Visit&& visit) const {
    all.visit_figures(name + ".all", visit);
    large.visit_figures(name + ".large_pool", visit);
    small.visit_figures(name + ".small_pool", visit);
  }
};

}  // namespace mt::npu
