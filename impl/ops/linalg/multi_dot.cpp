// linalg_multi_dot: a product of several matrices in the cheapest order.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

void check_chain(TensorList tensors) {
  const int64_t n = tensors.size();
  check(n >= 2, "multi_dot(): expected at least 2 tensors but got {}", n);
  check(tensors[0].dim() == 1 || tensors[0].dim() == 2, "multi_dot(): the first tensor must be 1D or 2D but got {}D", tensors[0].dim());
  check(tensors.back().dim() == 1 || tensors.back().dim() == 2, "multi_dot(): the last tensor must be 1D or 2D but got {}D",
        tensors.back().dim());
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0 && i + 1 < n) check(tensors[i].dim() == 2, "multi_dot(): tensor {} must be 2D but got {}D", i, tensors[i].dim());
    check(tensors[i].dtype() == tensors[0].dtype(),
          "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} {}", ScalarName(tensors[0].dtype()), i,
          ScalarName(tensors[i].dtype()));
    check(tensors[i].device() == tensors[0].device(),
          "multi_dot(): all tensors must be on the same device but tensor 0 is on {} and tensor {} on {}", tensors[0].device(), i,
          tensors[i].device());
  }
  for (int64_t i = 1; i < n; ++i)
    check(tensors[i - 1].size(-1) == tensors[i].size(0), "multi_dot(): tensors {} and {} with shapes {} and {} cannot be multiplied", i - 1,
          i, tensors[i - 1].sizes(), tensors[i].sizes());
}

// For factors i to j, the last product of the cheapest order: at[i * n + j] is the last factor of its left operand. Found by dynamic
// programming over the number of factors (Cormen et al., 15.2). Costs may exceed 2^63.
struct CheapestSplits {
  int64_t n;
  std::vector<double> cost;
  std::vector<int64_t> at;
  explicit CheapestSplits(const std::vector<Tensor>& m) : n(int64_t(m.size())), cost(size_t(n * n)), at(size_t(n * n)) {
    for (int64_t length = 2; length <= n; ++length)
      for (int64_t i = 0; i + length <= n; ++i) {
        const int64_t j = i + length - 1;
        double& best = cost[size_t(i * n + j)];
        best = __builtin_inf();
        for (int64_t k = i; k < j; ++k) {
          const double c = cost[size_t(i * n + k)] + cost[size_t((k + 1) * n + j)] +
                           double(m[size_t(i)].size(0)) * double(m[size_t(k)].size(1)) * double(m[size_t(j)].size(1));
          // Of several splits of equal cost torch uses the first, but for three factors the left-to-right one.
          if (c < best || (n == 3 && c == best)) best = c, at[size_t(i * n + j)] = k;
        }
      }
  }
  // The product of factors i to j, stored in `out` if it is given.
  Tensor multiply_factors(const std::vector<Tensor>& m, int64_t i, int64_t j, const Tensor& out = {}) const {
    if (i == j) return m[size_t(i)];
    const int64_t k = at[size_t(i * n + j)];
    const Tensor left = multiply_factors(m, i, k), right = multiply_factors(m, k + 1, j);
    return out.defined() ? op<"mm.out">(left, right, out) : op<"mm">(left, right);
  }
};

// All factors as matrices, and the sizes of a product that may be a vector.
struct MatrixChain {
  std::vector<Tensor> matrices;
  Dims sizes;
  explicit MatrixChain(TensorList tensors) : matrices(tensors.begin(), tensors.end()) {
    check_chain(tensors);
    if (matrices.front().dim() == 1)
      matrices.front() = op<"unsqueeze">(matrices.front(), 0);
    else
      sizes.push_back(matrices.front().size(0));
    if (matrices.back().dim() == 1)
      matrices.back() = op<"unsqueeze">(matrices.back(), -1);
    else
      sizes.push_back(matrices.back().size(1));
  }
  Tensor multiply_all(const Tensor& out = {}) const {
    return CheapestSplits(matrices).multiply_factors(matrices, 0, int64_t(matrices.size()) - 1, out);
  }
};

MT_OP(OpDef{
    .schema = {"linalg_multi_dot(Tensor[] tensors) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the product of two or more matrices in the order that costs least.

The order comes from dynamic programming over the sizes (Cormen et al., "Introduction to
Algorithms", section 15.2). The first tensor may be a row vector and the last a column vector;
these dimensions are missing in the result.

Args:
    tensors (sequence of Tensor): matrices whose neighbouring sizes match, of one dtype.

Returns:
    Tensor: the product.

Raises:
    RuntimeError: when there are fewer than two tensors, or a shape or dtype does not fit.

Example:
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.]))",
    .module = "linalg",
    .composite = [](TensorList tensors) -> Tensor {
      const MatrixChain chain(tensors);
      return op<"view">(chain.multiply_all(), chain.sizes);
    },
    .autocast = on_npu(Autocast::lower_precision),
});
// The out form has a definition of its own: the last product writes `out`.
MT_OP(OpDef{
    .schema = {"linalg_multi_dot.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the product of two or more matrices into `out`.",
    .module = "linalg",
    .composite = [](TensorList tensors, const Tensor& out) -> Tensor {
      const MatrixChain chain(tensors);
      const Tensor& first = tensors[0];
      check(out.dtype() == first.dtype(), "multi_dot(): expected out tensor to have dtype {} but got {}", ScalarName(first.dtype()),
            ScalarName(out.dtype()));
      check(out.device() == first.device(), "multi_dot(): expected out tensor to be on device {} but got {}", first.device(), out.device());
      resize_output(out, chain.sizes);
      if (chain.sizes.size() == 2) return chain.multiply_all(out);
      chain.multiply_all(op<"view">(out, IntList{chain.matrices.front().size(0), chain.matrices.back().size(1)}));
      return out;
    },
    .autocast = on_npu(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
