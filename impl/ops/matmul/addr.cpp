// addr: a matrix plus the outer product of two vectors.
#include "rules/form/checked.h"
#include "rules/form/one_device.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// torch expands a 0-dim `self` before type promotion, so its dtype counts like that of a tensor with dimensions.
Dtype result_dtype_of(const Tensor& self, const Tensor& a, const Tensor& b) { return promote(self.dtype(), promote(a.dtype(), b.dtype())); }
void check_factor(Dtype result, const Scalar& factor, const char* name) {
  check(!factor.is_bool() || result == Dtype::boolean, "Boolean {} only supported for Boolean results.", name);
  check(is_differentiable(result) || factor.is_integral() || factor.is_bool(),
        "For integral input tensors, argument {} must not be a floating point number.", name);
  check(is_complex(result) || !factor.is_complex(), "For non-complex input tensors, argument {} must not be a complex number.", name);
}
constexpr auto infer_addr_shape = [](Specs& out, const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  check(a.dim() == 1, "addr: Expected 1-D argument vec1, but got {}-D", a.dim());
  check(b.dim() == 1, "addr: Expected 1-D argument vec2, but got {}-D", b.dim());
  check_one_device(a, b);
  check_one_device(self, a);
  const Dtype result = result_dtype_of(self, a, b);
  check_factor(result, beta, "beta");
  check_factor(result, alpha, "alpha");
  BelowAutograd guard;
  const Tensor inputs[] = {op<"expand">(self, Dims{a.size(0), b.size(0)}), op<"unsqueeze">(a, 1), b};
  add_result_of(out, inputs, 3, result);
};
// In the in-place form torch checks the shape of the matrix first.
void check_in_place(const Call& call) {
  if (call.op.form != Form::inplace) return;
  const Tensor &self = Unbox<Tensor>::from(call.args[0]), &a = Unbox<Tensor>::from(call.args[1]), &b = Unbox<Tensor>::from(call.args[2]);
  if (a.dim() != 1 || b.dim() != 1) return;
  check(self.dim() == 2, "2D tensor expected, got {}D tensor for input", self.dim());
  check(self.size(0) == a.size(0) && self.size(1) == b.size(0), "size mismatch, input: {}, v1: {}, v2: {}", self.sizes(), a.sizes(),
        b.sizes());
}
constexpr auto compute_addr = [](const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha, Tensor& out) {
  BelowAutograd guard;
  const bool with_self = !beta.equals(0);
  const Tensor matrix = op<"expand">(self, out.sizes());
  const bool is_real = out.dtype() == Dtype::float32 || out.dtype() == Dtype::float64;
  const auto added = [&](const Tensor& to, const Tensor& left) {
    op<"addcmul.out">(to, op<"unsqueeze">(left, 1), b, Scalar(1), out);  // vectorised
  };
  if (is_real && beta.equals(1) && alpha.equals(1)) return added(matrix, a);
  if (is_real && out.numel() > 8192 && a.dtype() == out.dtype() && b.dtype() == out.dtype() && self.dtype() == out.dtype()) {
    const Tensor scaled = alpha.equals(1) ? a : a * alpha;
    if (with_self) return added(beta.equals(1) ? matrix : matrix * beta, scaled);
    return void(op<"mul.out">(op<"unsqueeze">(scaled, 1), b, out));
  }
  const Tensor dense = out.is_contiguous() ? out : empty(out.sizes(), out.dtype());
  if (with_self) copy_into(dense, matrix);
  const Tensor x = dense_as(a, out.dtype()), y = dense_as(b, out.dtype());
  const int64_t rows = x.size(0), columns = y.size(0);
  dispatch_all(out.dtype(), "addr", [&]<class T>(Type<T>) {
    const T *p = static_cast<const T*>(x.data()), *q = static_cast<const T*>(y.data());
    T* result = static_cast<T*>(dense.data());
    if constexpr (std::is_same_v<T, bool>) {
      const bool by_beta = beta.to_bool(), by_alpha = alpha.to_bool();
      for_rows(rows, columns, [&](int64_t i) {
        for (int64_t j = 0; j < columns; ++j)
          result[i * columns + j] = (with_self && by_beta && result[i * columns + j]) || (by_alpha && p[i] && q[j]);
      });
    } else {
      using C = ComputeType<T>;
      auto factor = [](const Scalar& s) {
        if constexpr (is_complex_type<C>)
          return C(s.to_complex());
        else if constexpr (std::is_integral_v<C>)
          return C(s.to_int());
        else
          return C(s.to_double());
      };
      const C by_beta = C(T(factor(beta))), by_alpha = C(T(factor(alpha)));
      for_rows(rows, columns, [&](int64_t i) {
        T* row = result + i * columns;
        // A local copy: the compiler must assume that stores may change captured variables.
        const T* const other = q;
        const C factor_of_self = by_beta;
        // Half types round each step, as torch does.
        const C scale = C(T(by_alpha * C(p[i])));
        if (with_self)
          for (int64_t j = 0; j < columns; ++j) row[j] = T(C(T(factor_of_self * C(row[j]))) + C(T(scale * C(other[j]))));
        else
          for (int64_t j = 0; j < columns; ++j) row[j] = T(scale * C(other[j]));
      });
    }
  });
  if (dense.get() != out.get()) copy_into(out, dense);
};
Tensor multiply_by_conj_of_scalar(const Tensor& g, const Scalar& s) {
  if (s.is_complex()) {
    const Complex<double> c = s.to_complex();
    return g * Scalar(Complex<double>(c.re, -c.im));
  }
  return s.equals(1) ? g : g * s;
}

MT_OP(OpDef{
    .schema = {"addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * the outer product of `vec1` and `vec2`.

With `beta` 0 `self` is not read, so that its NaN do not count. The dtypes are promoted.

Args:
    self (Tensor): broadcasts to ``(n, m)``.
    vec1 (Tensor): ``(n,)``.
    vec2 (Tensor): ``(m,)``.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(n, m)``, in the promoted dtype.

Raises:
    RuntimeError: when a size does not fit, or a factor does not fit the dtype.

Example:
    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]]))",
    .deprecated_signatures = "addr(Number beta, Tensor input, Number alpha, Tensor vec1, Tensor vec2)\naddr(Number beta, Tensor input, "
                             "Tensor vec1, Tensor vec2)",
    .rule = rule_after_check(check_in_place, structured(infer_addr_shape)),
    .cpu = compute_addr,
    .npu = {"Addr"},
    .autocast = on_npu(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj_of_scalar(g, *beta); }),
             wrt("vec1",
                 [](Grad g, In<"vec2"> b, In<"alpha", Scalar> alpha) { return multiply_by_conj_of_scalar(op<"mv">(g, conj(b)), *alpha); }),
             wrt("vec2", [](Grad g, In<"vec1"> a,
                            In<"alpha", Scalar> alpha) { return multiply_by_conj_of_scalar(op<"mv">(op<"t">(g), conj(a)), *alpha); })},
});

}  // namespace
}  // namespace mt
