// _embedding_bag_per_sample_weights_backward: the inner product of each index's row with its bag's gradient.
#include "core/messages.h"
#include "rules/index/embedding_bag.h"

namespace mt {
namespace {

constexpr auto compute_embedding_bag_per_sample_weights_backward = [](const Tensor& grad, const Tensor& weight, const Tensor& indices,
                                                                      const Tensor& offsets, const Tensor& offset2bag, int64_t mode,
                                                                      int64_t padding_idx) -> Tensor {
  check(mode == bag_sum, "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  check(grad.dim() == 2 && weight.dim() == 2 && weight.size(1) == grad.size(1),
        "embedding_bag: grad of shape {} does not match weight of shape {}", grad.sizes(), weight.sizes());
  const int64_t n = indices.numel(), width = grad.size(1);
  Tensor out = empty({n}, grad.dtype(), grad.device());
  if (out.is_meta() || n == 0) return out;
  const std::vector<int64_t> bags = bag_of_each_position(offset2bag, offsets, n);
  const Tensor g = dense(grad), w = dense_as(weight, grad.dtype()), index_of = dense_as(indices, Dtype::int64);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t index = index_of.data<int64_t>()[i];
    check(index >= 0 && index < weight.size(0) && (bags[size_t(i)] < grad.size(0)), ErrorKind::index, messages::index_out_of_range_in_self);
  }
  dispatch_floating(grad.dtype(), "_embedding_bag_per_sample_weights_backward_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    for_rows(n, width, [&](int64_t i) {
      const int64_t index = index_of.data<int64_t>()[i];
      const T *a = g.data<T>() + bags[size_t(i)] * width, *b = w.data<T>() + index * width;
      out.data<T>()[i] = T(index == padding_idx ? C(0) : row_sum<C>(width, [&](int64_t d) { return C(a[d]) * C(b[d]); }));
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, "
               "int mode, int padding_idx=-1) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_embedding_bag`` for the weights of the indices.",
    .cpu = compute_embedding_bag_per_sample_weights_backward,
    .meta = compute_embedding_bag_per_sample_weights_backward,
});

}  // namespace
}  // namespace mt
