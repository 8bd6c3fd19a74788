// The derivative of a product of Householder reflectors, as operators, so that it can be differentiated again.
#include "rules/linalg/householder.h"

namespace mt {

// One reflector at a time: M' = M - tau v w with w = v^H M, so that d(tau) = -v^H g w^H, dv = -conj(tau) g w^H - tau M g^H v and dM = g -
// conj(tau) v (v^H g). The reflectors need not be unitary: the matrix before each one is saved, not recomputed.
ReflectorGradients reflector_gradients(const Tensor& g0, const Tensor& vectors, const Tensor& tau, const Tensor& c, bool adjointed) {
  const int64_t rows = vectors.size(-2), k = tau.size(-1);
  if (vectors.numel() == 0 || tau.numel() == 0) return {Tensor(), Tensor(), g0};
  const Tensor unit = op<"tril">(op<"narrow">(vectors, -1, 0, k), -1) + op<"eye.m">(rows, k, vectors.dtype(), nullptr, vectors.device());
  auto reflector = [&](int64_t i) { return op<"narrow">(unit, -1, i, 1); };
  auto factor = [&](int64_t i) {
    const Tensor t = as_column(op<"narrow">(tau, -1, i, 1));
    return adjointed ? conj(t) : t;
  };
  auto order = [&](int64_t step) { return adjointed ? step : k - 1 - step; };
  std::vector<Tensor> met;
  Tensor m = c;
  for (int64_t step = 0; step < k; ++step) {
    met.push_back(m);
    const Tensor v = reflector(order(step));
    m = m - factor(order(step)) * op<"matmul">(v, op<"matmul">(adjoint(v), m));
  }
  std::vector<Tensor> g_vectors(static_cast<size_t>(k)), g_tau(static_cast<size_t>(k));
  Tensor g = g0;
  for (int64_t step = k - 1; step >= 0; --step) {
    const int64_t i = order(step);
    const Tensor v = reflector(i), t = factor(i), &before = met[size_t(step)];
    const Tensor vg = op<"matmul">(adjoint(v), g), wh = op<"matmul">(adjoint(before), v);  // v^H g, w^H
    const Tensor gt = -op<"matmul">(vg, wh);
    g_tau[size_t(i)] = op<"squeeze.dim">(adjointed ? conj(gt) : gt, -1);
    g_vectors[size_t(i)] = -(conj(t) * op<"matmul">(g, wh)) - t * op<"matmul">(before, adjoint(vg));
    g = g - conj(t) * op<"matmul">(v, vg);
  }
  ReflectorGradients out;
  out.other = g;
  out.tau = op<"cat">(g_tau, -1);
  Tensor gv = op<"tril">(op<"cat">(g_vectors, -1), -1);
  if (k < vectors.size(-1)) gv = op<"constant_pad_nd">(gv, IntList{0, vectors.size(-1) - k}, 0);
  out.vectors = gv;
  return out;
}

}  // namespace mt
