// linalg_vector_norm: the p-norm (p = `ord`) of the elements over `dim`.
#include "rules/exact_out.h"
#include "rules/norm.h"
#include "rules/reducers.h"

namespace mt {
namespace {

template <class C>
struct NormReducer : PlainReducer<double> {
  static constexpr int lanes = 8;
  double order;
  static double init() { return 0; }
  template <class In>
  void step(double& acc, const In& v, int64_t) const {
    double a;
    if constexpr (is_complex_type<In>)
      a = __builtin_hypot(double(v.re), double(v.im));
    else
      a = __builtin_fabs(double(C(v)));
    if (order == 2)
      acc += a * a;
    else if (order == 1)
      acc += a;
    else if (order == 0)
      acc += a != 0;
    else if (order == __builtin_inf())
      acc = a > acc || a != a ? a : acc;
    else
      acc += __builtin_pow(a, order);
  }
  double merge(double a, double b) const { return order == __builtin_inf() ? (b > a || b != b ? b : a) : a + b; }
  double merge_wide(double a, double b) const { return merge(a, b); }
  double finish(double a, int64_t) const {
    if (order == 2) return __builtin_sqrt(a);
    return order == 1 || order == 0 || order == __builtin_inf() ? a : __builtin_pow(a, 1 / order);
  }
};
// The usual norm of floats: squares in float, and in double again where they may have left its range.
struct EuclidReducer : PlainReducer<double> {
  static double init() { return 0; }
  static void step(double& acc, float v, int64_t) { acc += double(v) * double(v); }
  static double merge(double a, double b) { return a + b; }
  static double merge_wide(double a, double b) { return a + b; }
  static double finish(double a, int64_t) { return __builtin_sqrt(a); }
  [[gnu::always_inline]] static double fold(const float* data, int64_t n) {
    constexpr int lanes = 32;
    float acc[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      for (int j = 0; j < lanes; ++j) acc[j] += data[i + j] * data[i + j];
    for (int j = 0; i < n; ++i, ++j) acc[j] += data[i] * data[i];
    for (int width = lanes / 2; width > 0; width /= 2)
      for (int j = 0; j < width; ++j) acc[j] += acc[j + width];
    if (acc[0] > 1e-25f && acc[0] < __builtin_inff()) return acc[0];
    double exact = 0;
    for (int64_t k = 0; k < n; ++k) step(exact, data[k], k);
    return exact;
  }
};
Dtype result_dtype(const Tensor& self, std::optional<Dtype> dtype) { return real_of(dtype.value_or(self.dtype())); }

constexpr auto kernel = [](const Tensor& self, Scalar ord, std::optional<IntList> dim, bool keepdim,
                           std::optional<Dtype> dtype, Tensor& out) {
  const uint64_t mask = reduced_dims(dim, self.dim());
  const double order = ord.to_double();
  (void)dtype;
  if (order == -__builtin_inf()) {
    BelowAutograd guard;
    copy_into(out, op<"amin">(op<"abs">(self), dim ? Dims(*dim) : Dims(), keepdim));
    return;
  }
  if (order == 2 && self.dtype() == Dtype::float32 && out.dtype() == Dtype::float32)
    return reduce<EuclidReducer, float, float>(self, mask, out, {});
  dispatch_floating_and_complex(self.dtype(), "norm_cpu", [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex<double>>)
      reduce<NormReducer<double>, T, double>(self, mask, out, {{}, order});
    else if constexpr (std::is_same_v<T, Complex<float>>)
      reduce<NormReducer<float>, T, float>(self, mask, out, {{}, order});
    else if (out.dtype() == self.dtype())
      reduce<NormReducer<float>, T, T>(self, mask, out, {{}, order});
    else if (out.dtype() == Dtype::float64)
      reduce<NormReducer<float>, T, double>(self, mask, out, {{}, order});
    else
      reduce<NormReducer<float>, T, float>(self, mask, out, {{}, order});
  });
};

constexpr auto shape = [](Specs& out, const Tensor& self, Scalar ord, std::optional<IntList> dim, bool keepdim,
                          std::optional<Dtype> dtype) {
  check_floating("linalg.vector_norm", self);
  check(!ord.is_complex(), "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
  const double order = ord.to_double();
  if (order < 0 || order == __builtin_inf()) {
    check(self.numel() != 0 || (dim && dim->size() > 0),
          "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation does not have an "
          "identity",
          number_text(ord));
    if (self.numel() == 0)
      for (int64_t d : *dim)
        check(self.size(wrap_dim(d, self.dim())) != 0,
              "linalg.vector_norm cannot compute the {} norm on the dimension {}because this dimension is empty and "
              "the operation does not have an "
              "identity",
              number_text(ord), d);
  }
  if (dtype) check_norm_dtype("linalg.vector_norm", *dtype, self.dtype());
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), result_dtype(self, dtype));
};

MT_OP(OpDef{
    .schema = {"linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor"},
    .forms = function | out,
    .doc = "The p-norm (p = `ord`) of the elements over `dim`.",
    .module = "linalg",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .npu = {"LinalgVectorNorm(self, ord, dim, keepdim, dtype)"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"ord", Scalar> ord, In<"dim", std::optional<IntList>> dim,
                            In<"keepdim", bool> keepdim,
                            Out<"result"> y) { return norm_gradient(g, x, (*ord).to_double(), *dim, *keepdim, y); })},
});

}  // namespace
}  // namespace mt
