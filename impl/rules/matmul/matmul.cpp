// Maps tensors to arguments of gemm, by dtype.
#include "rules/matmul/matmul.h"

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "cpu/gemm/dot.h"

namespace mt {
namespace {

// Complex<T> and std::complex<T> have the same layout; gemm uses the standard type.
template <class T>
struct GemmType {
  using type = T;
};
template <class T>
struct GemmType<Complex<T>> {
  using type = std::complex<T>;
};
template <class G>
cpu::GemmScalar<G> convert_scalar(const Scalar& s) {
  using S = cpu::GemmScalar<G>;
  if constexpr (std::is_same_v<S, std::complex<float>> || std::is_same_v<S, std::complex<double>>) {
    Complex<double> c = s.to_complex();
    return S(typename S::value_type(c.re), typename S::value_type(c.im));
  } else if constexpr (std::is_integral_v<S>) {
    return S(s.to_int());
  } else {
    return S(s.to_double());
  }
}
template <class G>
cpu::ConstMatrix<G> matrix_of(const Tensor& t, int64_t first) {
  return {reinterpret_cast<const G*>(t.data()), t.stride(first), t.stride(first + 1), t.is_conj()};
}

template <class F>
void dispatch_gemm_dtype(Dtype dtype, const char* name, F&& f) {
  dispatch_numbers(dtype, name, [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>)
      not_implemented_for(name, dtype);
    else
      f(Type<typename GemmType<T>::type>());
  });
}

// Copies the bias into `out`, to which gemm adds the product. Returns the factor by which gemm scales `out` first: beta, or 0 without a
// bias.
Scalar copy_bias_to_out(const Tensor& out, const Tensor& bias, const Scalar& beta) {
  if (!bias.defined() || beta.equals(0)) return 0;
  if (bias.get() != out.get()) copy_into(out, bias);
  return beta;
}

// Whether the bias is one row for all rows of a real matrix: gemm then adds it to the finished elements, so it need not be stored in `out`
// first.
bool is_row_bias(const Tensor& out, const Tensor& bias, const Scalar& beta) {
  return bias.defined() && beta.equals(1) && !is_complex(out.dtype()) && bias.dtype() == out.dtype() && bias.dim() > 0 &&
         (bias.dim() == 1 || bias.size(0) == 1) && bias.size(-1) == out.size(1) && !bias.is_neg() &&
         bias.get()->storage.get() != out.get()->storage.get();
}

}  // namespace

void check_product_dtypes(const Tensor& a, const Tensor& b) {
  check(a.dtype() == b.dtype(), "expected m1 and m2 to have the same dtype, but got: {} != {}", ScalarName(a.dtype()),
        ScalarName(b.dtype()));
}

void check_added_product_dtypes(const Tensor& self, const Tensor& a, const Tensor& b) {
  check(self.dtype() == b.dtype(), "self and mat2 must have the same dtype, but got {} and {}", self.dtype(), b.dtype());
  check(a.dtype() == b.dtype(), messages::mat1_and_mat2_dtypes_differ, a.dtype(), b.dtype());
}

void check_dimensions(const Tensor& t, int64_t dim) {
  check(t.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  wrap_dim(dim, t.dim());
}

namespace {
void check_beta_and_alpha(const Tensor& out, const Scalar& beta, const Scalar& alpha) {
  if (is_complex(out.dtype())) return;
  if (alpha.is_complex()) alpha.check_fits(out.dtype());
  if (beta.is_complex()) beta.check_fits(out.dtype());
}
}  // namespace

void matrix_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha) {
  if (out.numel() == 0) return;
  check_beta_and_alpha(out, beta, alpha);
  const bool is_row = is_row_bias(out, bias, beta);
  const Scalar used = is_row ? Scalar(0) : copy_bias_to_out(out, bias, beta);
  dispatch_gemm_dtype(out.dtype(), "addmm_impl_cpu_", [&]<class G>(Type<G>) {
    cpu::Epilogue<G> epilogue;
    if (is_row) epilogue.col_bias = reinterpret_cast<const G*>(bias.data()), epilogue.col_bias_stride = bias.stride(bias.dim() - 1);
    cpu::gemm<G>(a.size(0), b.size(1), a.size(1), convert_scalar<G>(alpha), matrix_of<G>(a, 0), matrix_of<G>(b, 0), convert_scalar<G>(used),
                 {reinterpret_cast<G*>(out.data()), out.stride(0), out.stride(1)}, epilogue);
  });
}

void batched_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha) {
  if (out.numel() == 0) return;
  check_beta_and_alpha(out, beta, alpha);
  const Scalar used = copy_bias_to_out(out, bias, beta);
  dispatch_gemm_dtype(out.dtype(), "bmm", [&]<class G>(Type<G>) {
    cpu::gemm_batched<G>(out.size(0), a.size(1), b.size(2), a.size(2), convert_scalar<G>(alpha), matrix_of<G>(a, 1), a.stride(0),
                         matrix_of<G>(b, 1), b.stride(0), convert_scalar<G>(used),
                         {reinterpret_cast<G*>(out.data()), out.stride(1), out.stride(2)}, out.stride(0));
  });
}

namespace {
// The imaginary parts of `a` are multiplied by `sign`.
void compute_dot(const Tensor& out, const Tensor& a, const Tensor& b, double sign) {
  const Dtype dtype = a.dtype();
  if (!is_floating(dtype) && !is_complex(dtype)) {
    const int64_t n = a.size(0);
    return matrix_product(alias(out, {1, 1}, {1, 1}, out.storage_offset()), alias(a, {1, n}, {n, a.stride(0)}, a.storage_offset()),
                          alias(b, {n, 1}, {b.stride(0), n}, b.storage_offset()), Tensor(), 0, 1);
  }
  const int64_t size = a.itemsize();
  const cpu::ProductSums s = cpu::dot(dtype, a.size(0), a.data(), a.stride(0) * size, b.data(), b.stride(0) * size);
  const Complex<double> sum(s.real - sign * s.imaginary, s.real_imaginary + sign * s.imaginary_real);
  (is_complex(dtype) ? Scalar(sum) : Scalar(s.real)).store(dtype, out.data());
}
}  // namespace

void inner_product(const Tensor& out, const Tensor& a, const Tensor& b) { compute_dot(out, a, b, 1); }
void conjugate_inner_product(const Tensor& out, const Tensor& a, const Tensor& b) { compute_dot(out, a, b, -1); }

}  // namespace mt
