// Bags of table rows: checks embedding_bag's arguments and computes its results.
#include "rules/index/embedding_bag.h"

#include <algorithm>

#include "cpu/copy/convert.h"
#include "rules/form/tensor_text.h"
#include "rules/form/type_text.h"

namespace mt {
namespace {

// The weighted sum of one bag's rows, divided by `share`; computed for blocks of columns that stay in registers over all rows of the bag.
struct SumRows {
  static constexpr int64_t block = 64, ahead = 8;
  template <class T>
  [[gnu::always_inline]] static void run(T* out, const T* table, const int64_t* index, int64_t n, int64_t width, int64_t padding,
                                         const T* scales, ComputeType<T> share) {
    int64_t d = 0;
    for (; d + block <= width; d += block) part(out + d, table + d, index, n, width, block, padding, scales, share);
    if (d < width) part(out + d, table + d, index, n, width, width - d, padding, scales, share);
  }

 private:
  // Sums `count` columns. Inlined with a constant count, whose sums stay in registers, and with a variable one for the remaining columns,
  // whose sums are in memory.
  template <class T>
  [[gnu::always_inline]] static void part(T* out, const T* table, const int64_t* index, int64_t n, int64_t width, int64_t count,
                                          int64_t padding, const T* scales, ComputeType<T> share) {
    using C = ComputeType<T>;
    C sum[block] = {};
    for (int64_t i = 0; i < n; ++i) {
      // Prefetches a row that is read later: the rows of a bag are scattered, and the hardware cannot predict them.
      if (i + ahead < n)
        for (int64_t j = 0; j < count; j += 64 / int64_t(sizeof(T))) __builtin_prefetch(table + index[i + ahead] * width + j);
      if (index[i] == padding) continue;
      const T* row = table + index[i] * width;
      const C scale = scales ? C(scales[i]) : C(1);
      for (int64_t j = 0; j < count; ++j) sum[j] += C(row[j]) * scale;
    }
    for (int64_t j = 0; j < count; ++j) out[j] = T(sum[j] / share);
  }
};

// Compares a row with the maxima so far and records the row indices; without branches, which would often be mispredicted.
struct TakeLarger {
  template <class C>
  [[gnu::always_inline]] static void run(const C* __restrict row, int64_t at, int64_t width, bool any, C* __restrict largest,
                                         int64_t* __restrict won) {
    for (int64_t d = 0; d < width; ++d) {
      const C x = row[d], before = largest[d];
      const int64_t winner = won[d];
      const bool is_larger = !any | (x > before);
      largest[d] = is_larger ? x : before;
      won[d] = is_larger ? at : winner;
    }
  }
};

// Whether torch uses its batched kernel, which returns sums without the bag of each index and without bag sizes.
bool is_batched(const Tensor& weight, int64_t mode, int64_t padding_idx) {
  return mode != bag_max && weight.dtype() != Dtype::float64 && weight.stride(1) == 1 && padding_idx < 0;
}

void check_index(int64_t index, int64_t position, int64_t rows, bool batched) {
  if (index >= 0 && index < rows) return;
  check(batched, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {}", index);
  fail("Index {} of input takes value {} which is not in the valid range [0, {})", position, index, rows);
}

Tensor make_integers(const std::vector<int64_t>& values, IntList sizes, Dtype dtype) {
  Tensor t = empty(sizes, Dtype::int64);
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return dense_as(t, dtype);
}

}  // namespace

Bags bags_of(const Tensor& weight, const Tensor& given, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights,
             bool include_last_offset) {
  // Indices and offsets are converted to their promoted dtype, which must be an index dtype.
  const Dtype index_dtype = promote(offsets.dtype(), given.dtype());
  const Tensor indices = given.is_meta() ? given : dense_as(given, index_dtype);
  check_is_index(indices, 1, "embedding_bag");
  check(is_floating(weight.dtype()),
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got {} "
        "instead (while checking arguments for embedding_bag)",
        tensor_type_text(weight));
  check(mode >= bag_sum && mode <= bag_max, "`mode` must be sum, mean, or max.");
  check(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension {}", weight.dim());
  check(indices.dim() == 1 || indices.dim() == 2, "input has to be a 1D or 2D Tensor, but got Tensor of dimension {}", indices.dim());
  check(offsets.dim() == 1, "offsets has to be a 1D Tensor, but got Tensor of dimension {}", offsets.dim());
  check(!include_last_offset || offsets.size(0) >= 1, "include_last_offset: number of offset should be at least 1");
  if (per_sample_weights.defined()) {
    check(mode == bag_sum, "embedding_bag: per_sample_weights only supported with mode='sum'");
    check(per_sample_weights.dtype() == weight.dtype(),
          "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {} does "
          "not equal {} (while checking arguments for embedding_bag)",
          tensor_type_text(weight), tensor_type_text(per_sample_weights));
    constexpr const char* hint = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)";
    check(per_sample_weights.dim() == 1, "Expected per_sample_weights.value().dim() == 1 to be true, but got false.  {}", hint);
    check(per_sample_weights.numel() == indices.numel(),
          "Expected per_sample_weights.value().numel() == indices.numel() to be true, but got false.  {}", hint);
  }
  Bags b;
  b.index_dtype = index_dtype;
  b.count = offsets.size(0) - (include_last_offset ? 1 : 0);
  if (indices.is_meta()) return b;
  const int64_t n = indices.numel();
  const Tensor at = dense_as(offsets, Dtype::int64);
  const int64_t count = at.numel();
  const int64_t* start = at.data<int64_t>();
  if (count > 0) {
    if (start[0] != 0)
      fail("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {}",
           elements_text(op<"select">(offsets, 0, 0)));
    check(start[count - 1] <= n, "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {}", n, start[count - 1]);
  }
  b.starts.assign(start, start + count);
  if (!include_last_offset) b.starts.push_back(n);
  for (size_t i = 0; i + 1 < b.starts.size(); ++i)
    check(b.starts[i] <= b.starts[i + 1],
          "Expected i < index_size to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
          "request to PyTorch.)");
  b.indices = dense_as(indices, Dtype::int64);
  return b;
}

std::vector<int64_t> bag_of_each_position(const Tensor& offset2bag, const Tensor& offsets, int64_t positions) {
  if (offset2bag.defined() && offset2bag.numel() == positions) {
    const Tensor wide = dense_as(offset2bag, Dtype::int64);
    return {wide.data<int64_t>(), wide.data<int64_t>() + positions};
  }
  const Tensor at = dense_as(offsets, Dtype::int64);
  std::vector<int64_t> bags(size_t(positions), 0);
  for (int64_t b = 0; b < at.numel(); ++b) {
    const int64_t start = at.data<int64_t>()[b];
    check(start >= 0 && start <= positions, "offsets have to be within input's length {} but got {}", positions, start);
    const int64_t end = b + 1 < at.numel() ? std::min(at.data<int64_t>()[b + 1], positions) : positions;
    for (int64_t i = start; i < end; ++i) bags[size_t(i)] = b;
  }
  return bags;
}

namespace {

// The number of indices in each bag that are not padding. As torch counts: the last bag extends to the end.
void count_bag_sizes(const Bags& bags, int64_t n, int64_t padding_idx, std::vector<int64_t>& sizes) {
  for (int64_t b = 0; b < bags.count; ++b) {
    const int64_t end = b + 1 < bags.count ? bags.starts[size_t(b + 1)] : n;
    for (int64_t i = bags.starts[size_t(b)]; i < end; ++i) sizes[size_t(b)] += bags.indices.data<int64_t>()[i] != padding_idx;
  }
}

// The results of a meta call: their shapes without memory.
Tensors<4> make_meta_bags(const Tensor& out, const Bags& bags, int64_t mode, int64_t positions, int64_t sized) {
  auto made = [&](IntList sizes) { return empty(sizes, bags.index_dtype, out.device()); };
  return {{out, made({positions}), made({sized}), mode == bag_max ? made({bags.count, out.size(1)}) : made({sized})}};
}

}  // namespace

Tensors<4> embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights,
                         bool include_last_offset, int64_t padding_idx, int64_t sizes_of_sums) {
  const Bags bags = bags_of(weight, indices, offsets, mode, per_sample_weights, include_last_offset);
  const int64_t rows = weight.size(0), width = weight.size(1), n = indices.numel();
  const bool batched = is_batched(weight, mode, padding_idx), has_positions = !batched || mode != bag_sum;
  const int64_t sized = mode == bag_sum ? sizes_of_sums : bags.count;
  Tensor out = empty({bags.count, width}, weight.dtype(), weight.device());
  if (out.is_meta()) return make_meta_bags(out, bags, mode, has_positions ? n : 0, sized);
  for (int64_t i = 0; i < n; ++i) check_index(bags.indices.data<int64_t>()[i], i, rows, batched);
  const Tensor table = dense(weight), scales = dense(per_sample_weights);
  std::vector<int64_t> sizes(size_t(sized), 0), positions, winners(mode == bag_max ? size_t(bags.count * width) : 0, 0);
  if (mode != bag_sum) count_bag_sizes(bags, n, padding_idx, sizes);
  dispatch_floating(weight.dtype(), "embedding_bag", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const auto sum_rows = row_clone<SumRows>(
        static_cast<void (*)(T*, const T*, const int64_t*, int64_t, int64_t, int64_t, const T*, C)>(&SumRows::run<T>));
    const auto take_larger = row_clone<TakeLarger>(
        static_cast<void (*)(const C*, int64_t, int64_t, bool, C*, int64_t*)>(&TakeLarger::run<C>));
    const cpu::Conversion widen(dtype_of<C>, weight.dtype());
    for_rows(bags.count, width * (n / std::max<int64_t>(1, bags.count) + 1), [&](int64_t b) {
      const int64_t begin = bags.starts[size_t(b)], end = b + 1 == bags.count && !batched ? n : bags.starts[size_t(b + 1)];
      const int64_t* index = bags.indices.data<int64_t>();
      if (mode != bag_max) {
        const C share = mode == bag_mean && sizes[size_t(b)] > 0 ? C(sizes[size_t(b)]) : C(1);
        return sum_rows(out.data<T>() + b * width, table.data<T>(), index + begin, end - begin, width, padding_idx,
                        scales.defined() ? scales.data<T>() + begin : nullptr, share);
      }
      std::vector<C> best(size_t(width), C(0)), wide(std::is_same_v<T, C> ? 0 : size_t(width));
      bool any = false;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = index[i];
        if (at == padding_idx) continue;
        const T* const row = table.data<T>() + at * width;
        if constexpr (!std::is_same_v<T, C>) widen(wide.data(), sizeof(C), row, sizeof(T), width);
        take_larger(std::is_same_v<T, C> ? reinterpret_cast<const C*>(row) : wide.data(), at, width, any, best.data(),
                    winners.data() + b * width);
        any = true;
      }
      for (int64_t d = 0; d < width; ++d) out.data<T>()[b * width + d] = T(best[size_t(d)]);
    });
  });
  if (has_positions) positions = bag_of_each_position(Tensor(), offsets, n);
  if (has_positions && include_last_offset)  // positions beyond the last offset belong to the last bag
    for (int64_t& p : positions) p = std::min(p, std::max<int64_t>(0, bags.count - 1));
  const Tensor bag_sizes = make_integers(sizes, {sized}, bags.index_dtype);
  return {
      {out, make_integers(positions, {int64_t(positions.size())}, bags.index_dtype), bag_sizes,
       mode == bag_max ? make_integers(winners, {bags.count, width}, bags.index_dtype) : make_integers(sizes, {sized}, bags.index_dtype)}};
}

}  // namespace mt
