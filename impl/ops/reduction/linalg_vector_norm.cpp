// linalg_vector_norm: the p-norm (p = `ord`) of the elements over `dim`.
#include "rules/form/exact_out.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/reduction/norm.h"
#include "rules/reduction/norm_reducers.h"

namespace mt {
namespace {

Dtype result_dtype(const Tensor& self, std::optional<Dtype> dtype) { return real_of(dtype.value_or(self.dtype())); }

constexpr auto compute_linalg_vector_norm = [](const Tensor& given, Scalar ord, std::optional<IntList> dim, bool keepdim,
                                               std::optional<Dtype> dtype, Tensor& out) {
  const uint64_t mask = reduced_dims(dim, given.dim());
  const double order = ord.to_double();
  Tensor self = given;
  if (dtype && *dtype != given.dtype()) {
    self = empty(given.sizes(), *dtype);
    copy_into(self, given);
  }
  if (order == -__builtin_inf()) {
    BelowAutograd guard;
    copy_into(out, op<"amin">(op<"abs">(self), dim ? Dims(*dim) : Dims(), keepdim));
    return;
  }
  const bool is_narrow = self.dtype() == Dtype::complex32;
  Tensor to = is_narrow ? empty(out.sizes(), Dtype::float32) : out;
  if (is_narrow) self = widen(self);
  dispatch_floating_and_complex(self.dtype(), "norm_cpu", [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, double>)
      if (order == 2) return reduce<EuclidReducer<double>, T, T>(self, mask, to, {});
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex<double>>) {
      reduce<NormReducer<double>, T, double>(self, mask, to, {{}, order});
    } else if constexpr (std::is_same_v<T, Complex<float>>) {
      reduce<NormReducer<float>, T, float>(self, mask, to, {{}, order});
    } else {
      if (order == 2) return reduce<EuclidReducer<float>, T, T>(self, mask, to, {});
      if (order == 1 || order == 0 || order == __builtin_inf()) return reduce<NormReducer<float>, T, T>(self, mask, to, {{}, order});
      reduce<PowerReducer, T, T>(self, mask, to, {{}, order});
    }
  });
  if (is_narrow) copy_into(out, to);
};

constexpr auto infer_linalg_vector_norm_shape = [](Specs& out, const Tensor& self, Scalar ord, std::optional<IntList> dim, bool keepdim,
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
    .doc = R"(Computes the p-norm of the elements, of the whole tensor or along `dim`.

That is sum(|x|^p)^(1/p) with p = `ord`; ``inf`` and ``-inf`` take the largest and the smallest
|x|, 0 counts the non-zero elements. The tensor is taken as one vector, whatever its shape. The
gradient for p = 2 is x / norm, 0 where the norm is 0; for an infinite p equal extremes share it.

Args:
    self (Tensor): any shape; floating or complex.
    ord (number): the order p; real. Default: ``2``.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.
    dtype (torch.dtype, optional): computes in this dtype; not narrower than that of `self`.
        Default: ``None``.

Returns:
    Tensor: without the reduced dimensions; real.

Raises:
    RuntimeError: when no elements are reduced and `ord` is negative or infinite, which have no
        identity.

Example:
    >>> x = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
    >>> torch.linalg.vector_norm(x, dim=1)
    tensor([ 5., 10.])
    >>> torch.linalg.vector_norm(x, ord=float("inf"))
    tensor(8.))",
    .module = "linalg",
    .rule = structured_exact(infer_linalg_vector_norm_shape),
    .cpu = compute_linalg_vector_norm,
    .npu = {"LinalgVectorNorm(self, ord, dim, keepdim, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"ord", Scalar> ord, In<"dim", std::optional<IntList>> dim, In<"keepdim", bool> keepdim,
                            Out<"result"> y) { return norm_gradient(g, x, (*ord).to_double(), *dim, *keepdim, y); })},
    .jvp = forward([](Tangent<"self"> t, In<"self"> x, In<"ord", Scalar> ord, In<"dim", std::optional<IntList>> dim,
                      In<"keepdim", bool> keepdim, Out<"result"> y) {
      const Tensor slope = norm_gradient(op<"ones_like">(y), x, (*ord).to_double(), *dim, *keepdim, y);
      if (!slope.defined()) return op<"zeros_like">(y);
      const Tensor parts = conj(slope) * t;
      return op<"sum.dim_IntList">(is_complex(parts.dtype()) ? op<"real">(parts) : parts, *dim, *keepdim);
    }),
});

}  // namespace
}  // namespace mt
