// Shapes and memory plans of reductions, and the traversal that all share.
#include "rules/reduction/reduction.h"
#include "core/messages.h"

#include <algorithm>

namespace mt {

uint64_t reduced_dims(std::optional<IntList> dims, int64_t ndim) {
  check(ndim <= 64, "only tensors with up to 64 dims are supported");
  if (!dims || dims->empty()) return ndim == 64 ? ~uint64_t(0) : (uint64_t(1) << ndim) - 1;
  uint64_t mask = 0;
  for (int64_t d : *dims) {
    const int64_t w = wrap_dim(d, ndim);
    check(!(mask >> w & 1), messages::dim_appears_multiple_times, w);
    mask |= uint64_t(1) << w;
  }
  return mask;
}

Dims reduced_sizes(IntList sizes, uint64_t mask, bool keepdim) {
  Dims out;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (!(mask >> d & 1))
      out.push_back(sizes[d]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

Tensor restore_dims(const Tensor& t, std::optional<IntList> dims, bool keepdim, int64_t ndim) {
  if (keepdim || ndim == 0 || !t.defined()) return t;
  const uint64_t mask = reduced_dims(dims, ndim);
  Tensor out = t;
  for (int64_t d = 0; d < ndim; ++d)
    if (mask >> d & 1) out = op<"unsqueeze">(out, d);
  return out;
}

Dtype sum_dtype(Dtype self, std::optional<Dtype> asked) {
  if (asked) return *asked;
  return is_integral(self, true) ? Dtype::int64 : self;
}

void check_none_empty(const char* name, const Tensor& self, IntList dims) {
  if (self.numel() != 0) return;
  for (int64_t d : dims) check(self.size(d) != 0, ErrorKind::index, messages::reduction_dim_is_empty, name, d);
}
void check_not_empty(const char* name, const Tensor& self, uint64_t mask) {
  if (self.numel() != 0) return;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (mask >> d & 1) check(self.size(d) != 0, ErrorKind::index, messages::reduction_dim_is_empty, name, d);
}

ReductionPlan plan_reduction(const Tensor& self, uint64_t mask, const Tensor& out) {
  Dims kept_sizes, in_strides, out_strides;
  struct Run {
    int64_t size, stride;
  };
  Small<Run, 6> reduced;
  const bool keepdim = out.dim() == self.dim();
  int64_t out_d = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (mask >> d & 1) {
      reduced.push_back({self.size(d), self.stride(d) * self.itemsize()});
      out_d += keepdim;
    } else {
      kept_sizes.push_back(self.size(d));
      in_strides.push_back(self.stride(d));
      out_strides.push_back(out.stride(out_d++));
    }
  }
  ReductionPlan plan(kept_sizes);
  plan.kept.add(out.data(), out.itemsize(), out_strides);
  plan.kept.add(self.data(), self.itemsize(), in_strides);
  plan.kept.finish();
  // Keeps the logical order, by which argmax counts indices; merges neighbours that are contiguous in memory.
  for (int64_t i = reduced.size() - 1; i >= 0; --i) {
    const Run& r = reduced[i];
    plan.count *= r.size;
    if (r.size == 1) continue;
    const int64_t last = plan.sizes.size() - 1;
    if (last >= 0 && r.stride == plan.strides[last] * plan.sizes[last]) {
      plan.sizes[last] *= r.size;
    } else {
      plan.sizes.push_back(r.size);
      plan.strides.push_back(r.stride);
    }
  }
  if (plan.sizes.empty()) {
    plan.sizes.push_back(1);
    plan.strides.push_back(self.itemsize());
  }
  if (plan.count == 0) {
    plan.sizes.clear();
    plan.strides.clear();
    plan.sizes.push_back(1);
    plan.strides.push_back(self.itemsize());
  }
  return plan;
}

int64_t ReductionPlan::outer_offset(int64_t run) const {
  int64_t offset = 0;
  for (int64_t d = 1; d < sizes.size(); ++d) {
    offset += run % sizes[d] * strides[d];
    run /= sizes[d];
  }
  return offset;
}

const cpu::Conversion& detail::to_float_from(Dtype dtype) {
  static const cpu::Conversion of_float16(Dtype::float32, Dtype::float16), of_bfloat16(Dtype::float32, Dtype::bfloat16);
  return dtype == Dtype::float16 ? of_float16 : of_bfloat16;
}

void detail::store_halves(char* out, int64_t stride, const float* values, int64_t n, Dtype dtype) {
  static const cpu::Conversion to_float16(Dtype::float16, Dtype::float32), to_bfloat16(Dtype::bfloat16, Dtype::float32);
  if (n != 1)
    (dtype == Dtype::float16 ? to_float16 : to_bfloat16)(out, stride, values, sizeof(float), n);
  else if (dtype == Dtype::float16)
    *reinterpret_cast<Half*>(out) = Half(values[0]);
  else
    *reinterpret_cast<BFloat16*>(out) = BFloat16(values[0]);
}

namespace {

// Folds the elements of many runs into one total. Collects the accumulators of several runs and merges them in one call.
class Runs {
 public:
  Runs(const ReductionLoops& loops, const void* reducer, void* total) : loops_(loops), reducer_(reducer), total_(total) {}
  // Folds elements [begin, end) of the run at `data`; its element 0 has index `index` in the reduction.
  void fold_run(const char* data, int64_t stride, int64_t begin, int64_t end, int64_t index) {
    for (int64_t i = begin; i < end; i += fold_block) {
      const int64_t n = std::min(fold_block, end - i);
      const char* dense = data + i * stride;
      if (stride != loops_.input_size) {
        cpu::gather_rows(gathered_, dense, {loops_.input_size, n, stride, 1, 0});
        dense = gathered_;
      }
      if (count_ == most) merge_accumulators();
      loops_.fold_rows(reducer_, dense, 0, 1, n, accumulators_ + count_ * loops_.accumulator_size);
      places_[count_++] = index + i;
    }
  }
  // Folds `rows` contiguous runs of n elements (at most fold_block), `pitch` bytes apart; the first element of the first has index `index`
  // in the reduction.
  void fold_row_runs(const char* data, int64_t pitch, int64_t rows, int64_t n, int64_t index) {
    while (rows > 0) {
      if (count_ == most) merge_accumulators();
      const int64_t some = std::min(rows, most - count_);
      loops_.fold_rows(reducer_, data, pitch, some, n, accumulators_ + count_ * loops_.accumulator_size);
      for (int64_t k = 0; k < some; ++k, index += n) places_[count_++] = index;
      data += some * pitch, rows -= some;
    }
  }
  void merge_accumulators() {
    loops_.merge_run(reducer_, total_, accumulators_, places_, count_);
    count_ = 0;
  }

 private:
  static constexpr int64_t most = 64;
  const ReductionLoops& loops_;
  const void* reducer_;
  void* total_;
  int64_t count_ = 0, places_[most];
  alignas(64) char accumulators_[most * detail::largest_total];
  alignas(64) char gathered_[fold_block * 16 + cpu::spare_bytes];
};

// A reduction's traversal: the memory layout and the typed steps.
struct Walk {
  const ReductionPlan& plan;
  const ReductionLoops& loops;
  const void* reducer;

  static constexpr int64_t width = detail::fold_width;

  // Whether to transpose, since there are many results of few elements each. Counts all results, not those of this thread: the split
  // between threads must not change the bits.
  bool has_short_rows() const { return plan.outer() == 1 && plan.sizes[0] <= short_row && plan.kept.numel() >= 16; }
  // Computes `length` results, each a fold of its own elements. data[0] and strides[0] belong to the result, data[1] and strides[1] to the
  // input.
  void compute_results(char* const* data, const int64_t* strides, int64_t length) const {
    const int64_t n = plan.sizes[0], stride = plan.strides[0], outer = plan.outer();
    alignas(64) char accumulators[width * detail::largest_total];
    if (loops.has_columns && has_short_rows()) {
      alignas(64) char transposed[short_row * width * 16 + cpu::spare_bytes];
      for (int64_t k = 0; k < length; k += width) {
        const int64_t count = std::min(width, length - k);
        cpu::gather_rows(transposed, data[1] + k * strides[1], {loops.input_size, count, strides[1], n, stride});
        loops.fold_columns(reducer, transposed, n, count * loops.input_size, count, 0, accumulators);
        loops.finish(reducer, accumulators, data[0] + k * strides[0], strides[0], count, plan.count);
      }
    } else if (outer == 1 && stride == loops.input_size && n <= fold_block) {  // many rows per call: one call each would cost more
      for (int64_t k = 0; k < length; k += width) {
        const int64_t count = std::min(width, length - k);
        loops.fold_rows(reducer, data[1] + k * strides[1], strides[1], count, n, accumulators);
        loops.finish(reducer, accumulators, data[0] + k * strides[0], strides[0], count, plan.count);
      }
    } else {
      for (int64_t k = 0; k < length; ++k) fold_runs(data[1] + k * strides[1], data[0] + k * strides[0]);
    }
  }
  // Computes a single result of many or long runs. Not inlined, since its buffers would occupy stack space of the caller.
  [[gnu::noinline]] void fold_runs(const char* data, char* result) const {
    const int64_t n = plan.sizes[0], stride = plan.strides[0], outer = plan.outer();
    alignas(16) char total[detail::largest_total];
    loops.begin(reducer, total, 1);
    Runs runs(loops, reducer, total);
    const bool in_rows = plan.sizes.size() > 1 && stride == loops.input_size && n <= fold_block;
    for (int64_t o = 0, step = 1; o < outer; o += step) {
      const char* const run = data + plan.outer_offset(o);
      if (in_rows)
        runs.fold_row_runs(run, plan.strides[1], step = plan.sizes[1], n, o * n);
      else
        runs.fold_run(run, stride, 0, n, o * n);
    }
    runs.merge_accumulators();
    loops.finish_totals(reducer, total, result, 0, 1, plan.count);
  }
  // Whether a row of `row_length` elements is so short, and the next one so close, that several rows can be folded as one wide row.
  bool has_narrow_rows(int64_t row_length) const {
    return loops.ignores_places && plan.outer() == 1 && row_length <= 16 && plan.sizes[0] >= 64 &&
           plan.strides[0] == row_length * loops.input_size;
  }
  // Folds at most `width` results whose elements are contiguous.
  void fold_columns_of(char* const* data, const int64_t* strides, int64_t length) const {
    const int64_t n = plan.sizes[0], stride = plan.strides[0], outer = plan.outer();
    alignas(64) char accumulators[width * detail::largest_total], totals[width * detail::largest_total];
    if (outer == 1 && n <= fold_block && !has_narrow_rows(length)) {
      loops.fold_columns(reducer, data[1], n, stride, length, 0, accumulators);
      return loops.finish(reducer, accumulators, data[0], strides[0], length, plan.count);
    }
    loops.begin(reducer, totals, length);
    if (has_narrow_rows(length)) {
      const int64_t groups = width / length, wide_rows = n / groups;
      for (int64_t i = 0; i < wide_rows; i += fold_block) {
        const int64_t count = std::min(fold_block, wide_rows - i);
        loops.fold_columns(reducer, data[1] + i * groups * stride, count, groups * stride, groups * length, 0, accumulators);
        for (int64_t g = 0; g < groups; ++g) loops.merge(reducer, totals, accumulators + g * length * loops.accumulator_size, length);
      }
      loops.fold_columns(reducer, data[1] + wide_rows * groups * stride, n - wide_rows * groups, stride, length, 0, accumulators);
      loops.merge(reducer, totals, accumulators, length);
      return loops.finish_totals(reducer, totals, data[0], strides[0], length, plan.count);
    }
    for (int64_t o = 0; o < outer; ++o) {
      const char* base = data[1] + plan.outer_offset(o);
      for (int64_t i = 0; i < n; i += fold_block) {
        loops.fold_columns(reducer, base + i * stride, std::min(fold_block, n - i), stride, length, o * n + i, accumulators);
        loops.merge(reducer, totals, accumulators, length);
      }
    }
    loops.finish_totals(reducer, totals, data[0], strides[0], length, plan.count);
  }
};

}  // namespace

void run_reduction(const Tensor& self, uint64_t mask, const Tensor& out, const ReductionLoops& loops, const void* reducer) {
  const int64_t outputs = out.numel();
  if (outputs == 0) return;
  const ReductionPlan plan = plan_reduction(self, mask, out);
  const cpu::Nest& kept = plan.kept;
  const Walk walk{plan, loops, reducer};
  const bool is_dense = plan.strides[0] == loops.input_size;
  constexpr int64_t grain = 32768;  // elements per piece of work
  if (!is_dense && plan.count > 0 && kept[1].strides[0] == loops.input_size &&
      (kept.sizes()[0] >= 4 || walk.has_narrow_rows(kept.sizes()[0]))) {
    constexpr int64_t width = detail::fold_width;
    const int64_t m = kept.sizes()[0], tiles = (m + width - 1) / width;
    const int64_t tiles_together = std::max<int64_t>(1, grain / std::max<int64_t>(1, plan.count * std::min(width, m)));
    cpu::parallel_for(0, outputs / m * tiles, tiles_together, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t row = t / tiles, first = t % tiles * width;
        kept.runs(row * m + first, row * m + std::min(m, first + width),
                  [&](char* const* data, const int64_t* strides, int64_t length) { walk.fold_columns_of(data, strides, length); });
      }
    });
    return;
  }
  if (outputs == 1 && plan.outer() == 1 && plan.sizes[0] > 2 * grain) {  // one long run: fold pieces of fixed size, then the pieces
    const cpu::Chunks chunks = cpu::chunks_of(plan.sizes[0], grain);
    alignas(16) char totals[64 * detail::largest_total];  // chunks_of makes no more
    cpu::parallel_for(0, plan.sizes[0], grain, [&](int64_t begin, int64_t end) {
      char* const total = totals + begin / chunks.size * loops.total_size;
      loops.begin(reducer, total, 1);
      Runs runs(loops, reducer, total);
      runs.fold_run(kept[1].data, plan.strides[0], begin, end, 0);
      runs.merge_accumulators();
    });
    alignas(16) char whole[detail::largest_total];
    loops.begin(reducer, whole, 1);
    loops.merge_totals(reducer, whole, totals, chunks.count);
    loops.finish_totals(reducer, whole, kept[0].data, 0, 1, plan.count);
    return;
  }
  cpu::parallel_for(0, outputs, std::max<int64_t>(1, grain / std::max<int64_t>(1, plan.count)), [&](int64_t begin, int64_t end) {
    kept.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t length) { walk.compute_results(data, strides, length); });
  });
}

}  // namespace mt
