// _embedding_bag_backward and its dense step: each row of the table sums the gradients of the bags that contain it.
#include <algorithm>
#include <span>

#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/index/embedding_bag.h"

namespace mt {
namespace {

struct AddScaled {
  template <class T>
  [[gnu::always_inline]] static void run(T* to, const T* from, int64_t n, ComputeType<T> scale) {
    for (int64_t d = 0; d < n; ++d) to[d] = T(ComputeType<T>(to[d]) + ComputeType<T>(from[d]) * scale);
  }
};

// torch's divisors of the row gradients: for the i-th distinct index, the count of the i-th smallest index, including repetitions. (One
// would expect the count of the row itself; without repeated indices they are equal.)
Tensor count_divisors(const int64_t* index, int64_t n, int64_t num_weights) {
  const Tensor counts = empty({num_weights}, Dtype::int64), divisors = empty({num_weights}, Dtype::int64);
  int64_t *const uses = counts.data<int64_t>(), *const out = divisors.data<int64_t>();
  std::fill_n(uses, num_weights, 0);
  std::fill_n(out, num_weights, 1);
  std::vector<int64_t> sorted(index, index + n);
  std::sort(sorted.begin(), sorted.end());
  for (int64_t row : sorted) ++uses[row];
  size_t distinct = 0;
  for (size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] != sorted[i - 1]) out[sorted[i]] = uses[sorted[distinct++]];
  return divisors;
}

constexpr auto compute_dense_gradient = [](const Tensor& grad, const Tensor& indices, const Tensor& offset2bag, const Tensor& bag_size,
                                           const Tensor& maximum_indices, int64_t num_weights, bool scale_by_freq, int64_t mode,
                                           const Tensor& per_sample_weights, int64_t padding_idx) -> Tensor {
  check(grad.dim() == 2, "embedding_bag: grad of shape {} is not a matrix", grad.sizes());
  const int64_t width = grad.size(1), bags = grad.size(0), n = indices.numel();
  Tensor out = empty({num_weights, width}, grad.dtype(), grad.device());
  if (out.is_meta()) return out;
  if (!out.device().is_cpu()) {
    check(mode != bag_max && !scale_by_freq, ErrorKind::not_implemented,
          "Could not run 'aten::_embedding_bag_dense_backward' with arguments from the 'NPU' backend.");
    BelowAutograd guard;
    Tensor each = op<"index_select">(grad, 0, offset2bag);
    if (mode == bag_mean) each = each / op<"unsqueeze">(op<"index_select">(op<"clamp">(bag_size, 1), 0, offset2bag), 1);
    if (per_sample_weights.defined()) each = each * op<"unsqueeze">(per_sample_weights, 1);
    return op<"embedding_dense_backward">(each, indices, num_weights, padding_idx, false);
  }
  fill_with(out, 0);
  const Tensor g = dense(grad), index_of = dense_as(indices, Dtype::int64), sizes = dense_as(bag_size, Dtype::int64),
               scales = dense_as(per_sample_weights, grad.dtype()), winners = dense_as(maximum_indices, Dtype::int64);
  const int64_t* index = index_of.data<int64_t>();
  const Tensor bag_table = dense_as(offset2bag, Dtype::int64);
  const int64_t* bag = bag_table.data<int64_t>();
  check(mode == bag_max ? winners.numel() == bags * width : bag_table.numel() == n,
        "embedding_bag: the saved tables do not belong to these arguments");
  check(mode != bag_mean || sizes.numel() >= bags, "embedding_bag: {} sizes for {} bags", sizes.numel(), bags);
  check(!scales.defined() || scales.numel() == n, "embedding_bag: {} weights for {} indices", scales.defined() ? scales.numel() : 0, n);
  for (int64_t i = 0; i < n && mode != bag_max; ++i)
    check(index[i] >= 0 && index[i] < num_weights && bag[i] >= 0 && bag[i] < bags, ErrorKind::index, messages::index_out_of_range_in_self);
  const bool is_scaled = scale_by_freq && mode != bag_max;
  const Tensor divisors = is_scaled ? count_divisors(index, n, num_weights) : Tensor();
  const int64_t* const uses = is_scaled ? divisors.data<int64_t>() : nullptr;
  dispatch_floating(grad.dtype(), "embedding_bag_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    T* to = out.data<T>();
    const T* from = g.data<T>();
    if (mode == bag_max) {
      const bool sized = sizes.numel() >= bags;
      for (int64_t b = 0; b < bags; ++b)
        for (int64_t d = 0; d < width && (!sized || sizes.data<int64_t>()[b] > 0); ++d) {
          const int64_t winner = winners.data<int64_t>()[b * width + d];
          check(winner >= 0 && winner < num_weights, ErrorKind::index, messages::index_out_of_range_in_self);
          T& cell = to[winner * width + d];
          cell = T(C(cell) + C(from[b * width + d]));
        }
      return;
    }
    const auto add = row_clone<AddScaled>(static_cast<void (*)(T*, const T*, int64_t, C)>(&AddScaled::run<T>));
    // Each thread owns a range of rows and reads all indices: no races, and a fixed order of additions.
    const int64_t grain = n * width < 16384 ? num_weights : std::max<int64_t>(1, num_weights / 8);
    cpu::parallel_for(0, num_weights, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t r = index[i];
        if (r < begin || r >= end || r == padding_idx) continue;
        C scale = scales.defined() ? C(scales.data<T>()[i]) : C(1);
        if (scale_by_freq) scale /= C(uses[r]);
        if (mode == bag_mean) scale /= C(sizes.data<int64_t>()[bag[i]]);
        add(to + r * width, from + bag[i] * width, width, scale);
      }
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, "
               "SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``embedding_bag`` for the table, as a dense tensor.",
    .cpu = compute_dense_gradient,
    .npu = {any_device},
    .meta = compute_dense_gradient,
});

MT_OP(OpDef{
    .schema = {"_embedding_bag_sparse_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, SymInt "
               "num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``embedding_bag`` for the table, as a sparse tensor of the named rows.",
    .composite = [](const Tensor& grad, const Tensor& indices, const Tensor&, const Tensor& offset2bag, const Tensor& bag_size,
                    int64_t num_weights, bool scale_by_freq, int64_t mode, const Tensor& per_sample_weights,
                    int64_t padding_idx) -> Tensor {
      Tensor each = op<"index_select">(grad, int64_t(0), offset2bag);
      if (mode == bag_mean) {
        const Tensor sizes = op<"index_select">(op<"clamp">(bag_size, 1), int64_t(0), offset2bag);
        each = each / op<"unsqueeze">(op<"to.dtype">(sizes, grad.dtype()), 1);
      }
      if (per_sample_weights.defined()) each = each * op<"unsqueeze">(per_sample_weights, 1);
      return op<"embedding_sparse_backward">(each, indices, num_weights, padding_idx, scale_by_freq);
    },
});

constexpr auto compute_embedding_bag_backward = [](const Tensor& grad, const Tensor& indices, const Tensor& offsets,
                                                   const Tensor& offset2bag, const Tensor& bag_size, const Tensor& maximum_indices,
                                                   int64_t num_weights, bool scale_by_freq, int64_t mode, bool sparse,
                                                   const Tensor& per_sample_weights, int64_t padding_idx) -> Tensor {
  Tensor bag = offset2bag;
  if (!grad.is_meta() && !grad.device().is_cpu()) {
    BelowAutograd guard;
    const Tensor places = op<"arange">(indices.numel(), offsets.dtype(), nullptr, grad.device());
    const Tensor last_begun = op<"sub">(op<"searchsorted.Tensor">(offsets, places, false, true), 1);
    bag = op<"clamp">(last_begun, 0, std::max<int64_t>(0, grad.size(0) - 1));
  } else if (!grad.is_meta() && indices.numel() != 0 && offset2bag.numel() == 0) {
    const std::vector<int64_t> bags = bag_of_each_position(offset2bag, offsets, indices.numel());
    bag = empty({int64_t(bags.size())}, Dtype::int64);
    std::copy(bags.begin(), bags.end(), bag.data<int64_t>());
    for (int64_t& b : std::span(bag.data<int64_t>(), bags.size())) b = std::min(b, std::max<int64_t>(0, grad.size(0) - 1));
  }
  if (sparse)
    return op<"_embedding_bag_sparse_backward">(grad, indices, offsets, bag, bag_size, num_weights, scale_by_freq, mode, per_sample_weights,
                                                padding_idx);
  return compute_dense_gradient(grad, indices, bag, bag_size, maximum_indices, num_weights, scale_by_freq, mode, per_sample_weights,
                                padding_idx);
};

MT_OP(OpDef{
    .schema =
        {"_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, "
         "SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_embedding_bag`` for the table, dense or sparse.",
    .cpu = compute_embedding_bag_backward,
    .npu = {any_device},
    .meta = compute_embedding_bag_backward,
    .grad = {wrt({"grad", "per_sample_weights"},
                 [](Grad) -> Tensors<2> {
                   fail(ErrorKind::not_implemented, "the derivative for '_embedding_bag_backward' is not implemented.");
                 })},
    .grad_name = "EmbeddingBagBackwardBackward0",
});

}  // namespace
}  // namespace mt
