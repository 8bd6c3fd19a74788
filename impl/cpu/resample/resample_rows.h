// Which input rows, with which weights, make each output row of a plane.
#pragma once

#include "cpu/resample/resample_taps.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {

// The input rows, with weights, for output row `row` (an index over all dimensions but the last). `slots` numbers the rows of a cache that
// has one slot for each tap of a position: neighbouring input rows have different slots.
template <class C>
struct Rows {
  std::vector<int64_t> rows, slots;
  std::vector<C> weights;
  void find_input_rows(const std::vector<Taps<C>>& taps, int64_t row) {
    rows.assign(1, 0), slots.assign(1, 0), weights.assign(1, C(1));
    int64_t step = 1, slot_step = 1;
    for (size_t d = taps.size() - 1; d-- > 0;) {
      const Taps<C>& t = taps[d];
      const int64_t place = row % t.places, have = int64_t(rows.size()), n = t.taps_of(place);
      row /= t.places;
      rows.resize(size_t(have * n)), slots.resize(size_t(have * n)), weights.resize(size_t(have * n));
      for (int64_t k = n; k-- > 0;) {
        const int64_t from = t.index[size_t(k * t.places + place)];
        for (int64_t i = 0; i < have; ++i) {
          rows[size_t(k * have + i)] = rows[size_t(i)] + from * step;
          slots[size_t(k * have + i)] = slots[size_t(i)] + from % t.most * slot_step;
          weights[size_t(k * have + i)] = weights[size_t(i)] * t.weight[size_t(k * t.places + place)];
        }
      }
      step *= t.input, slot_step *= t.most;
    }
  }
};

// The input rows for all output rows of a plane, at most `most` for each. They are computed once for all planes, since this takes longer
// than resampling a short row.
template <class C>
class AllRows {
 public:
  AllRows(const std::vector<Taps<C>>& taps, int64_t rows, int64_t most) : most_(most), counts_(size_t(rows)), found_(size_t(rows * most)) {
    parallel_for(0, rows, 4096, [&](int64_t begin, int64_t end) {
      Rows<C> need;
      for (int64_t r = begin; r < end; ++r) {
        need.find_input_rows(taps, r);
        counts_[size_t(r)] = int64_t(need.rows.size());
        for (size_t i = 0; i < need.rows.size(); ++i) found_[size_t(r * most) + i] = {need.rows[i], need.slots[i], need.weights[i]};
      }
    });
  }
  struct Row {
    int64_t row, slot;
    C weight;
  };
  int64_t count(int64_t row) const { return counts_[size_t(row)]; }
  const Row* input_rows_of(int64_t row) const { return found_.data() + row * most_; }

 private:
  int64_t most_;
  std::vector<int64_t> counts_;
  std::vector<Row> found_;
};

}  // namespace mt::cpu
