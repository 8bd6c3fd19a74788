// Gathers rows, and adds rows by index.
#include "rules/index/rows_by_index.h"

#include <algorithm>
#include <vector>

#include "core/messages.h"
#include "cpu/copy/copy.h"
#include "rules/form/type_text.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

void check_is_index(const Tensor& indices, int position, const char* function) {
  check(indices.dtype() == Dtype::int64 || indices.dtype() == Dtype::int32,
        "Expected tensor for argument #{} 'indices' to have one of the following scalar types: Long, Int; but got {} instead (while "
        "checking arguments for {})",
        position, tensor_type_text(indices), function);
}

namespace {
struct OrSigns {
  // Sets the sign bit of *signs if a value is out of range.
  [[gnu::always_inline]] static void run(const int64_t* values, int64_t n, int64_t low, int64_t high, int64_t* or_of_outside_signs) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; ++i) found |= (values[i] - low) | (high - 1 - values[i]);
    *or_of_outside_signs = found;
  }
};
}  // namespace

bool are_all_within(const int64_t* values, int64_t n, int64_t low, int64_t high) {
  static const auto run = row_clone<OrSigns>(OrSigns::run);
  int64_t signs;
  run(values, n, low, high, &signs);
  return signs >= 0;
}

void gather_rows(const Tensor& table, const Tensor& indices, const Tensor& out) {
  const int64_t rows = table.size(0), bytes = table.size(1) * table.itemsize(), n = indices.numel();
  const int64_t* index = indices.data<int64_t>();
  check(are_all_within(index, n, 0, rows), ErrorKind::index, messages::index_out_of_range_in_self);
  const char* from = table.data<char>();
  char* to = out.data<char>();
  cpu::parallel_for(0, n, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, bytes)), [&](int64_t begin, int64_t end) {
    cpu::gather_rows(to + begin * bytes, from, index + begin, end - begin, bytes, n * bytes);
  });
}

namespace {

template <class T>
constexpr bool is_floating_type = std::is_floating_point_v<ComputeType<T>>;

constexpr auto plus = [](float a, float b) { return a + b; };
// The loop that adds rows of a half type directly, if there is one.
PointwiseLoop half_sum_loop(Dtype dtype) {
  static const PointwiseKernel kernel = with_halves<plus, 2>(PointwiseKernel{});
  return is_half(dtype) ? kernel.halves[dtype == Dtype::bfloat16][int(cpu::cpu_capability())] : nullptr;
}

struct AddRows {
  // For i = order[0], order[1], ... (or 0, 1, ... without `order`): adds rows[i] * scale to row at[i] of `to`; with `uses`, divided by how
  // often the index at[i] occurs. Does the same for further blocks of s.count target rows, with s.n source rows each.
  template <class T>
  [[gnu::always_inline]] static void run(T* to, const T* rows, int64_t blocks, const RowSums& s, const int64_t* order, int64_t n,
                                         const int64_t* uses, ComputeType<T> scale) {
    using C = ComputeType<T>;
    auto sum = [](T a, T b, C factor) {
      if constexpr (std::is_same_v<T, bool>)
        return a || (b && factor);
      else
        return T(C(a) + C(b) * factor);
    };
    const int64_t *const at = s.at, width = s.width, count = s.count, given = s.n;
    for (int64_t b = 0; b < blocks; ++b, to += count * width, rows += given * width) {
      if (width == 1 && !order && !uses) {
        for (int64_t i = 0; i < n; ++i) to[at[i]] = sum(to[at[i]], rows[i], scale);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        const int64_t i = order ? order[k] : k;
        T* const line = to + at[i] * width;
        const T* const add = rows + i * width;
        C factor = scale;
        if constexpr (is_floating_type<T>) factor = uses ? C(1) / C(uses[at[i]]) : scale;
        for (int64_t j = 0; j < width; ++j) line[j] = sum(line[j], add[j], factor);
      }
    }
  }
};

template <class... A>
auto add_rows_avx2(void (*)(A...)) {
  return row_avx2<AddRows, A...>;
}

// Splits a table's rows into pieces; each piece processes the source rows for its own table rows, in order.
struct RowPartition {
  int64_t count;
  bool in_order;  // otherwise there is one piece for all rows
  std::vector<int64_t> starts, order;

  explicit RowPartition(const RowSums& s) {
    // A single block is split between threads if its rows are long and many.
    const int64_t most = s.blocks == 1 && s.width >= 16 && s.n * s.width >= 32768 ? 8 : 1;
    count = std::max<int64_t>(1, std::min(most, s.count));
    in_order = count > 1 || s.skip >= 0;
    starts.assign(size_t(count + 1), 0);
    starts[1] = s.n;
    if (!in_order) return;
    order.resize(size_t(s.n));
    std::fill(starts.begin(), starts.end(), 0);
    const int64_t lines = (s.count + count - 1) / count;
    for (int64_t i = 0; i < s.n; ++i)
      if (s.at[i] != s.skip) ++starts[size_t(s.at[i] / lines + 1)];
    for (int64_t p = 0; p < count; ++p) starts[size_t(p + 1)] += starts[size_t(p)];
    std::vector<int64_t> next(starts);
    for (int64_t i = 0; i < s.n; ++i)
      if (s.at[i] != s.skip) order[size_t(next[size_t(s.at[i] / lines)]++)] = i;
  }
  // Calls f(row) for the source rows of a piece.
  template <class F>
  void for_each_source_row(int64_t piece, F&& f) const {
    for (int64_t k = starts[size_t(piece)]; k < starts[size_t(piece + 1)]; ++k) f(in_order ? order[size_t(k)] : k);
  }
};

}  // namespace

void fold_rows(const RowSums& s, const Tensor& table, const Tensor& rows, int64_t row_step, PointwiseLoop step) {
  const RowPartition pieces(s);
  char* const to = table.data<char>();
  const char* const from = rows.data<char>();
  const int64_t line_bytes = s.width * table.itemsize(), row_bytes = row_step * rows.itemsize();
  cpu::parallel_for(0, pieces.count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      pieces.for_each_source_row(piece, [&](int64_t row) {
        char* const line = to + s.at[row] * line_bytes;
        const void* const operands[] = {line, from + row * row_bytes};
        step(line, operands, s.width);
      });
  });
}

void add_rows(const RowSums& s, const Tensor& table, const Tensor& rows, const Scalar& scale, const char* kernel) {
  const int64_t *const at = s.at, work = s.n * s.width;
  std::vector<int64_t> uses;
  if (s.divide_by_count) {
    uses.assign(size_t(s.count), 0);
    for (int64_t i = 0; i < s.n; ++i) ++uses[size_t(at[i])];
  }
  const RowPartition shares(s);
  const int64_t pieces = shares.count;
  const std::vector<int64_t>& starts = shares.starts;
  dispatch_all(table.dtype(), kernel, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    C factor;
    if constexpr (is_complex_type<T>)
      factor = T(scale.to_complex());
    else if constexpr (std::is_integral_v<T>)
      factor = C(scale.to_int());
    else
      factor = C(scale.to_double());
    auto* run = &AddRows::run<T>;
    if constexpr (is_floating_type<T>)  // memory is the limit: wider vectors would gain nothing
      if (cpu::cpu_capability() >= cpu::Capability::avx2) run = add_rows_avx2(run);
    T* const to = table.data<T>();
    const T* const from = rows.data<T>();
    const int64_t grain = std::max<int64_t>(1, 32768 * pieces / std::max<int64_t>(1, work));
    const PointwiseLoop sum = s.width >= 16 && uses.empty() && scale.equals(1) ? half_sum_loop(table.dtype()) : nullptr;
    cpu::parallel_for(0, s.blocks * pieces, grain, [&](int64_t begin, int64_t end) {
      const int64_t together = pieces == 1 && !sum ? end - begin : 1;
      for (int64_t i = begin; i < end; i += together) {
        const int64_t block = i / pieces, first = starts[size_t(i % pieces)];
        if (sum) {
          shares.for_each_source_row(i % pieces, [&](int64_t row) {
            T* const line = to + (block * s.count + at[row]) * s.width;
            const void* const operands[] = {line, from + block * work + row * s.width};
            sum(line, operands, s.width);
          });
          continue;
        }
        run(to + block * s.count * s.width, from + block * work, together, s, shares.in_order ? shares.order.data() + first : nullptr,
            starts[size_t(i % pieces + 1)] - first, uses.empty() ? nullptr : uses.data(), factor);
      }
    });
  });
}

}  // namespace mt
