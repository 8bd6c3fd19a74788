// _cdist_forward and _cdist_backward: distances between rows in any p-norm, and their gradient.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/matmul/distance.h"

namespace mt {
namespace {

// Both operands, viewed with a single batch dimension to which the batches of both broadcast.
struct BatchedOperands {
  Tensor x1, x2;
  Dims batch;
  int64_t count = 1, rows1, rows2, width;
};
BatchedOperands measure_operands(const Tensor& x1, const Tensor& x2) {
  check(x1.dim() >= 2 && x2.dim() >= 2 && x1.size(-1) == x2.size(-1), "cdist: x1 of shape {} and x2 of shape {} do not match", x1.sizes(),
        x2.sizes());
  BatchedOperands r;
  Dims batch1, batch2;
  for (int64_t d = 0; d < x1.dim() - 2; ++d) batch1.push_back(x1.size(d));
  for (int64_t d = 0; d < x2.dim() - 2; ++d) batch2.push_back(x2.size(d));
  r.batch = broadcast_shapes(batch1, batch2);
  r.rows1 = x1.size(-2), r.rows2 = x2.size(-2), r.width = x1.size(-1);
  return r;
}
Tensor broadcast_batch(const Tensor& t, const Dims& batch) {
  Dims sizes(batch);
  sizes.push_back(t.size(-2)), sizes.push_back(t.size(-1));
  BelowAutograd guard;
  return dense(op<"expand">(t, sizes));
}
void broadcast_operands(BatchedOperands& r, const Tensor& x1, const Tensor& x2) {
  r.count = product(r.batch);
  r.x1 = broadcast_batch(x1, r.batch);
  r.x2 = broadcast_batch(x2, r.batch);
}

constexpr auto compute_cdist_forward = [](const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) -> Tensor {
  check(is_floating(x1.dtype()), messages::cdist_needs_floating_x1, x1.dtype());
  check(is_floating(x2.dtype()), messages::cdist_needs_floating_x2, x2.dtype());
  check(p >= 0, "cdist only supports non-negative p values");
  const int64_t mode = compute_mode.value_or(0);
  check(mode >= 0 && mode <= 2, "possible modes: 0, 1, 2, but was: {}", mode);
  BatchedOperands r = measure_operands(x1, x2);
  Dims sizes(r.batch);
  sizes.push_back(r.rows1), sizes.push_back(r.rows2);
  Tensor out = empty(sizes, x1.dtype(), x1.device());
  if (out.is_meta() || out.numel() == 0) return out;
  if (x1.dtype() != Dtype::float32 && x1.dtype() != Dtype::float64) not_implemented_for("cdist", x1.dtype());
  check(x1.dtype() == x2.dtype(), messages::expected_scalar_type, x1.dtype(), x2.dtype());
  broadcast_operands(r, x1, x2);
  dispatch_distance(x1.dtype(), "cdist", [&]<class T>(Type<T>) {
    with_metric<T>(p, [&]<class M>(M metric) {
      const auto distances = choose_distances_loop<T, M>();
      for_rows(r.count * r.rows1, r.rows2 * r.width, [&](int64_t i) {
        distances(r.x1.data<T>() + i * r.width, r.x2.data<T>() + i / r.rows1 * r.rows2 * r.width, r.rows2, r.width,
                  out.data<T>() + i * r.rows2, &metric);
      });
    });
  });
  return out;
};

constexpr auto compute_cdist_forward_backward = [](const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                                                   const Tensor& cdist) -> Tensor {
  BatchedOperands r = measure_operands(x1, x2);
  Dims sizes(r.batch), expected(r.batch);
  sizes.push_back(r.rows1), sizes.push_back(r.width);
  expected.push_back(r.rows1), expected.push_back(r.rows2);
  Tensor out = empty(sizes, x1.dtype(), x1.device());
  if (out.is_meta() || out.numel() == 0) return out;
  check(grad.sizes() == IntList(expected) && cdist.sizes() == IntList(expected), "_cdist_backward: distances of shape {} expected, got {}",
        expected, cdist.sizes());
  fill_with(out, 0);
  if (r.rows2 == 0 || p == 0) return out;
  broadcast_operands(r, x1, x2);
  const Tensor g = dense_as(grad, x1.dtype()), d = dense_as(cdist, x1.dtype()), other = dense_as(r.x2, x1.dtype());
  dispatch_distance(x1.dtype(), "cdist_backward", [&]<class T>(Type<T>) {
    const auto fill = [&](int64_t i, T* distances, T* gradients) {
      std::copy_n(d.template data<T>() + i * r.rows2, r.rows2, distances);
      std::copy_n(g.template data<T>() + i * r.rows2, r.rows2, gradients);
    };
    gradient_of_rows<T>(p, r.x1.data<T>(), r.count, r.rows1, other.data<T>(), r.rows2, r.width, out.data<T>(), fill);
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor"},
    .forms = internal,
    .doc = "Computes the p-norm distance of each row of `x1` to each row of `x2`; ``torch.cdist`` calls it.",
    .cpu = compute_cdist_forward,
    .npu = {"Cdist(x1, x2, p:float, compute_mode?)"},
    .meta = compute_cdist_forward,
    .autocast = Autocast::fp32,
    .grad = {wrt("x1", [](Grad g, In<"x1"> x1, In<"x2"> x2, In<"p", double> p,
                          Out<"result"> y) { return op<"_cdist_backward">(g, x1, x2, *p, y); }),
             wrt("x2",
                 [](Grad g, In<"x1"> x1, In<"x2"> x2, In<"p", double> p, Out<"result"> y) {
                   return op<"_cdist_backward">(op<"transpose.int">(g, -2, -1), x2, x1, *p, op<"transpose.int">(y, -2, -1));
                 })},
    .grad_name = "CdistBackward0",
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_cdist_forward`` for `x1`.",
    .cpu = compute_cdist_forward_backward,
    .npu = {"CdistBackward(grad, x1, x2, cdist, p:float)"},
    .meta = compute_cdist_forward_backward,
    .grad = {wrt({"grad", "x1", "x2", "cdist"},
                 [](Grad) -> Tensors<4> { fail(ErrorKind::not_implemented, "the derivative for '_cdist_backward' is not implemented."); })},
});

}  // namespace
}  // namespace mt
