// pdist, its forward step and its gradient: distances between all pairs of rows.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/matmul/distance.h"

namespace mt {
namespace {

// The number of pairs before those of row i, for n rows.
int64_t count_pairs_before(int64_t i, int64_t n) { return i * n - i * (i + 1) / 2; }

constexpr auto compute_pdist = [](const Tensor& self, double p) -> Tensor {
  check(self.dim() == 2, messages::pdist_needs_matrix, self.dim());
  const int64_t n = self.size(0), width = self.size(1);
  check(n < (int64_t(1) << 31), "pdist: {} rows have too many pairs", n);
  Tensor out = empty({n < 2 ? 0 : n * (n - 1) / 2}, self.dtype(), self.device());
  if (self.is_meta() || out.numel() == 0) return out;
  const Tensor x = dense(self);
  dispatch_distance(self.dtype(), "pdist", [&]<class T>(Type<T>) {
    with_metric<T>(p, [&]<class Any>(Any) {
      using M = std::conditional_t<std::is_same_v<Any, ChebyshevDistance<T>>, ChebyshevPairs<T>, Any>;
      const M metric(p);
      const auto distances = choose_distances_loop<T, M>();
      for_rows(n, n * width / 2, [&](int64_t i) {
        distances(x.data<T>() + i * width, x.data<T>() + (i + 1) * width, n - i - 1, width, out.data<T>() + count_pairs_before(i, n),
                  &metric);
      });
    });
  });
  return out;
};

constexpr auto compute_pdist_backward = [](const Tensor& grad, const Tensor& self, double p, const Tensor& pdist) -> Tensor {
  const int64_t n = self.dim() == 2 ? self.size(0) : 0, width = self.dim() == 2 ? self.size(1) : 0;
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (self.is_meta() || self.numel() == 0) return out;
  check(n < (int64_t(1) << 31) && pdist.numel() == n * (n - 1) / 2 && grad.numel() == pdist.numel(),
        "_pdist_backward: {} distances do not belong to {} rows", pdist.numel(), n);
  fill_with(out, 0);
  if (p == 0 || n < 2) return out;
  const Tensor x = dense(self), g = dense_as(grad, self.dtype()), d = dense_as(pdist, self.dtype());
  dispatch_distance(self.dtype(), "pdist_backward", [&]<class T>(Type<T>) {
    const T *const rows = x.data<T>(), *const grads = g.template data<T>(), *const distances = d.template data<T>();
    // Each row gathers from all its pairs, so that threads do not write to each other's rows.
    gradient_of_rows<T>(p, rows, 1, n, rows, n, width, out.data<T>(), [&](int64_t i, T* own, T* gradient) {
      for (int64_t j = 0; j < i; ++j) {
        const int64_t pair = count_pairs_before(j, n) + i - j - 1;
        own[j] = distances[pair], gradient[j] = grads[pair];
      }
      own[i] = gradient[i] = 0;
      std::copy_n(distances + count_pairs_before(i, n), n - i - 1, own + i + 1);
      std::copy_n(grads + count_pairs_before(i, n), n - i - 1, gradient + i + 1);
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_pdist_forward(Tensor self, float p=2) -> Tensor"},
    .forms = internal,
    .doc = "Computes the distances between all pairs of rows; ``torch.pdist`` calls it.",
    .cpu = compute_pdist,
    .npu = {"Pdist(self, p:float)"},
    .meta = compute_pdist,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"p", double> p, Out<"result"> y) { return op<"_pdist_backward">(g, x, *p, y); })},
    .grad_name = "PdistBackward0",
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``pdist``.",
    .cpu = compute_pdist_backward,
    .meta = compute_pdist_backward,
    .grad = {wrt({"grad", "self", "pdist"},
                 [](Grad) -> Tensors<3> { fail(ErrorKind::not_implemented, "the derivative for '_pdist_backward' is not implemented."); })},
});
MT_OP(OpDef{
    .schema = {"pdist(Tensor self, float p=2) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the p-norm distances between all pairs of rows of a matrix.

They come in the order (0, 1), (0, 2), ..., (1, 2), ...: the upper triangle of
``torch.cdist(self, self, p)``. The gradient of a distance of 0 is 0.

Args:
    self (Tensor): shape ``(N, D)``; a floating dtype.
    p (float): norm, at least 0: 0 counts unequal elements, ``inf`` takes the largest difference.
        Default: ``2``.

Returns:
    Tensor: vector of ``N * (N - 1) / 2`` distances.

Raises:
    RuntimeError: when `self` is not a floating matrix or `p` is negative.

Example:
    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]))
    tensor([5., 0., 5.]))",
    .composite = [](const Tensor& self, double p) -> Tensor {
      check(self.dim() == 2, messages::pdist_needs_matrix, self.dim());
      check(is_floating(self.dtype()), "pdist only supports floating-point dtypes");
      check(p >= 0, "pdist only supports non-negative p values");
      return op<"_pdist_forward">(op<"contiguous">(self), p);
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
