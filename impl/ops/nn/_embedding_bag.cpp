// _embedding_bag: sums, means or maxima of table rows by bag, and what the gradient needs to know.
#include <algorithm>

#include "rules/embedding_bag.h"

namespace mt {
namespace {

// One bag's weighted sum, in blocks that stay in registers while the bag's rows go by; divided by `share`.
struct SumRows {
  static constexpr int64_t block = 64;
  template <class T>
  [[gnu::always_inline]] static void run(T* out, const T* table, const int64_t* index, int64_t n, int64_t width, int64_t padding, const T* scales,
                                         ComputeType<T> share) {
    using C = ComputeType<T>;
    for (int64_t d = 0; d < width; d += block) {
      C sum[block] = {};
      const int64_t part = width - d < block ? width - d : block;
      for (int64_t i = 0; i < n; ++i) {
        if (index[i] == padding) continue;
        const T* row = table + index[i] * width + d;
        const C scale = scales ? C(scales[i]) : C(1);
        if (part == block)
          for (int64_t j = 0; j < block; ++j) sum[j] += C(row[j]) * scale;
        else
          for (int64_t j = 0; j < part; ++j) sum[j] += C(row[j]) * scale;
      }
      for (int64_t j = 0; j < part; ++j) out[d + j] = T(sum[j] / share);
    }
  }
};

// The rows that torch's batched kernel handles: it returns no table of positions, and no sizes.
bool is_batched(const Tensor& weight, int64_t mode, int64_t padding_idx) {
  return mode == bag_sum && weight.dtype() != Dtype::float64 && weight.stride(1) == 1 && padding_idx < 0;
}

void check_index(int64_t index, int64_t position, int64_t rows, int64_t mode) {
  if (index >= 0 && index < rows) return;
  check(mode != bag_max, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {}", index);
  fail("Index {} of input takes value {} which is not in the valid range [0, {})", position, index, rows);
}

Tensor integers(const std::vector<int64_t>& values, IntList sizes, Dtype dtype) {
  Tensor t = empty(sizes, Dtype::int64);
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return dense_as(t, dtype);
}

// `sizes_of_sums`: how many zeros stand for the sizes of sums, which nothing needs.
Tensors<4> bags_of_rows(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& per_sample_weights,
                        bool include_last_offset, int64_t padding_idx, int64_t sizes_of_sums) {
  const Bags bags = bags_of(weight, indices, offsets, mode, per_sample_weights, include_last_offset);
  const int64_t rows = weight.size(0), width = weight.size(1), n = indices.size(0);
  const bool batched = is_batched(weight, mode, padding_idx);
  const int64_t sized = mode == bag_sum ? sizes_of_sums : bags.count;
  Tensor out = empty({bags.count, width}, weight.dtype(), weight.device());
  if (out.is_meta()) {
    auto made = [&](IntList sizes) { return empty(sizes, bags.index_dtype, weight.device()); };
    return {{out, made({batched ? 0 : n}), made({sized}), mode == bag_max ? made({bags.count, width}) : made({sized})}};
  }
  for (int64_t i = 0; i < n; ++i) check_index(bags.indices.data<int64_t>()[i], i, rows, mode);
  const Tensor table = dense(weight), scales = dense(per_sample_weights);
  std::vector<int64_t> sizes(size_t(sized), 0), positions, winners(mode == bag_max ? size_t(bags.count * width) : 0, 0);
  if (mode != bag_sum)
    for (int64_t b = 0; b < bags.count; ++b) {  // as torch counts: the last bag reaches to the end
      const int64_t end = b + 1 < bags.count ? bags.starts[size_t(b + 1)] : n;
      for (int64_t i = bags.starts[size_t(b)]; i < end; ++i) sizes[size_t(b)] += bags.indices.data<int64_t>()[i] != padding_idx;
    }
  dispatch_floating(weight.dtype(), "embedding_bag", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const auto sum_rows = row_clone<SumRows>(
        static_cast<void (*)(T*, const T*, const int64_t*, int64_t, int64_t, int64_t, const T*, C)>(&SumRows::run<T>));
    for_rows(bags.count, width * (n / std::max<int64_t>(1, bags.count) + 1), [&](int64_t b) {
      const int64_t begin = bags.starts[size_t(b)], end = bags.starts[size_t(b + 1)];
      const int64_t* index = bags.indices.data<int64_t>();
      if (mode != bag_max) {
        const C share = mode == bag_mean && sizes[size_t(b)] > 0 ? C(sizes[size_t(b)]) : C(1);
        return sum_rows(out.data<T>() + b * width, table.data<T>(), index + begin, end - begin, width, padding_idx,
                        scales.defined() ? scales.data<T>() + begin : nullptr, share);
      }
      std::vector<C> largest(size_t(width), C(0));
      bool any = false;
      for (int64_t i = begin; i < (b + 1 == bags.count ? n : end); ++i) {
        if (index[i] == padding_idx) continue;
        const T* row = table.data<T>() + index[i] * width;
        for (int64_t d = 0; d < width; ++d) {
          const C x = C(row[d]);
          if (any && !(x > largest[size_t(d)])) continue;
          largest[size_t(d)] = x;
          winners[size_t(b * width + d)] = index[i];
        }
        any = true;
      }
      for (int64_t d = 0; d < width; ++d) out.data<T>()[b * width + d] = T(largest[size_t(d)]);
    });
  });
  if (!batched) positions = bag_of_positions(Tensor(), offsets, n);
  if (!batched && include_last_offset)  // positions behind the last offset count as the last bag's
    for (int64_t& p : positions) p = std::min(p, std::max<int64_t>(0, bags.count - 1));
  const Tensor bag_sizes = integers(sizes, {sized}, bags.index_dtype);
  return {{out, integers(positions, {int64_t(positions.size())}, bags.index_dtype), bag_sizes,
           mode == bag_max ? integers(winners, {bags.count, width}, bags.index_dtype) : integers(sizes, {sized}, bags.index_dtype)}};
}

int64_t length_of(const Tensor& offsets) { return offsets.dim() ? offsets.size(0) : 0; }
constexpr auto forward = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const Tensor& per_sample_weights,
                            bool include_last_offset, int64_t padding_idx) -> Tensors<4> {
  return bags_of_rows(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, length_of(offsets) - include_last_offset);
};
constexpr auto forward_only = [](const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const Tensor& per_sample_weights,
                                 bool include_last_offset, int64_t padding_idx) -> Tensors<4> {
  return bags_of_rows(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx, length_of(offsets));
};

MT_OP(OpDef{
    .schema = {"_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
               "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "Sums, means or maxima of the rows of `weight` by bag; the bag of each index; the bags' sizes; for maxima, where they come from.",
    .cpu = forward,
    .meta = forward,
    .grad = {wrt("weight", [](GradOf<0> g, In<"indices"> indices, In<"offsets"> offsets, Out<"result1"> offset2bag, Out<"result2"> bag_size,
                              Out<"result3"> max_indices, MetaOf<"weight"> weight, In<"scale_grad_by_freq", bool> scale, In<"mode", int64_t> mode,
                              In<"sparse", bool> sparse, In<"per_sample_weights"> scales, In<"padding_idx", int64_t> padding) {
               return op<"_embedding_bag_backward">(g, indices, offsets, offset2bag, bag_size, max_indices, weight.sizes[0], *scale, *mode, *sparse, scales,
                                                    *padding);
             }),
             wrt("per_sample_weights", [](GradOf<0> g, In<"weight"> weight, In<"indices"> indices, In<"offsets"> offsets, Out<"result1"> offset2bag,
                                          In<"mode", int64_t> mode, In<"padding_idx", int64_t> padding) {
               return op<"_embedding_bag_per_sample_weights_backward">(g, weight, indices, offsets, offset2bag, *mode, *padding);
             })},
});
MT_OP(OpDef{
    .schema = {"_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
               "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "_embedding_bag without a gradient.",
    .cpu = forward_only,
    .meta = forward_only,
});

}  // namespace
}  // namespace mt
