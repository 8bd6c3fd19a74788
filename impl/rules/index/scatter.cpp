// The scatter family: checks, loops over an index, and gradients of reductions by index.
#include "rules/index/scatter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/messages.h"
#include "cpu/copy/convert.h"
#include "cpu/gemm/half_lanes.h"
#include "rules/form/in_place.h"
#include "rules/index/rows_by_index.h"
#include "rules/pointwise/pointwise_chain.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Removes expanded dimensions of the index, except `dim`.
Tensor drop_expanded(const Tensor& index, IntList sizes, int64_t dim = -1) {
  Dims own(index.sizes());
  for (int64_t k = 0; k < own.size(); ++k)
    if (k != dim && index.stride(k) == 0 && own[k] > 1 && own[k] == sizes[k]) own[k] = 1;
  return alias(index, own, index.strides(), index.storage_offset());
}

}  // namespace

Combine combine_of(Text reduce) {
  if (reduce == "sum") return Combine::sum;
  if (reduce == "prod") return Combine::prod;
  if (reduce == "mean") return Combine::mean;
  if (reduce == "amax") return Combine::amax;
  if (reduce == "amin") return Combine::amin;
  fail(messages::reduce_argument_unknown, text_arg(reduce));
}

void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(!src.defined() || self.dtype() == src.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  if (index.numel() == 0) return;
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "scatter(): Expected dtype int32/int64 for index");
  const int64_t ni = index.dim() ? index.dim() : 1;
  check(ni == (self.dim() ? self.dim() : 1), "Index tensor must have the same number of dimensions as self tensor");
  check(!src.defined() || ni == (src.dim() ? src.dim() : 1), "Index tensor must have the same number of dimensions as src tensor");
  bool fits = true;
  auto size = [](const Tensor& t, int64_t k) { return t.dim() ? t.size(k) : 1; };
  for (int64_t k = 0; k < ni; ++k) {
    fits &= k == d || size(index, k) <= size(self, k);
    fits &= !src.defined() || size(index, k) <= size(src, k);
  }
  if (fits) return;
  if (src.defined())
    fail("Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size than src {}", index.sizes(),
         self.sizes(), d, src.sizes());
  fail("Expected index {} to be no larger than self {} apart from dimension {}", index.sizes(), self.sizes(), d);
}

Tensor make_scatter_target(const Tensor& t, int64_t dim, const Tensor& index) {
  if (may_modify_in_place(t)) {
    const int64_t d = wrap_dim(dim, t.dim()), length = t.dim() ? t.size(d) : 1;
    const Tensor at = dense_as(drop_expanded(index, index.sizes()), Dtype::int64);
    const int64_t* places = at.data<int64_t>();
    if (!are_all_within(places, at.numel(), 0, length))
      for (int64_t k = 0; k < at.numel(); ++k)
        check(places[k] >= 0 && places[k] < length, messages::index_out_of_bounds_for_dimension, places[k], d, length);
  }
  return reuse_self_or_copy(t);
}

Tensor expand_value(const Scalar& value, Dtype dtype, Device device, const Tensor& index) {
  return alias(scalar_tensor(value, dtype, device), index.sizes(), Dims(index.dim(), 0), 0);
}

namespace {

template <class T>
struct Operation {
  using C = ComputeType<T>;
  static void sum(T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>)
      a = a | b;  // branch-free
    else
      a = T(C(a) + C(b));
  }
  static void prod(T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>)
      a = a & b;
    else
      a = T(C(a) * C(b));
  }
  // The comparison compiles to the processor's maximum instruction, and only NaN needs a branch: a branch on the comparison would be
  // mispredicted for every second element.
  static void amax(T& a, const T& b) { store_or_nan(a, b, C(b) > C(a) ? b : a); }
  static void amin(T& a, const T& b) { store_or_nan(a, b, C(b) < C(a) ? b : a); }
  static void store_or_nan(T& a, const T& b, T found) {
    if (isnan_(C(b))) found = b;
    a = found;
  }
};

#if MT_HAS_X86_TARGETS
// Combines elements of a half type with vectorised conversions: source elements are converted together, target elements one after
// another, since one may occur again.
template <class T>
struct CombineHalfLines {
  using Walk = void (*)(char*, const char*, const float*, int64_t, int64_t, int64_t, int64_t);
  const Walk walk;
  const cpu::Conversion to_float{Dtype::float32, std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16};

  explicit CombineHalfLines(Combine how)
      : walk(how == Combine::prod   ? combine<Combine::prod>
             : how == Combine::amax ? combine<Combine::amax>
             : how == Combine::amin ? combine<Combine::amin>
                                    : combine<Combine::sum>) {}
  void run(char* self, const char* index, const char* other, int64_t index_step, int64_t other_step, int64_t self_step, int64_t hop,
           int64_t n) const {
    float others[1024];
    to_float(others, sizeof(float), other, other_step, n);
    walk(self, index, others, index_step, self_step, hop, n);
  }
  // Returns the larger (or smaller) value, or NaN if either is NaN, without a branch, which would be mispredicted for every second element.
  template <Combine How>
  MT_TARGET_AVX2 [[gnu::always_inline]] static inline float select_further(float own, float other) {
    const __m128 a = _mm_set_ss(own), b = _mm_set_ss(other);
    const __m128 found = How == Combine::amax ? _mm_max_ss(b, a) : _mm_min_ss(b, a);
    return _mm_cvtss_f32(_mm_blendv_ps(found, b, _mm_cmpunord_ss(b, b)));
  }
  template <Combine How>
  MT_TARGET_AVX2 static void combine(char* self, const char* index, const float* others, int64_t index_step, int64_t self_step, int64_t hop,
                                     int64_t n) {
    for (int64_t k = 0; k < n; ++k, index += index_step, self += self_step) {
      uint16_t& bits = *reinterpret_cast<uint16_t*>(self + *reinterpret_cast<const int64_t*>(index) * hop);
      float own;
      const float other = others[k];
      if constexpr (std::is_same_v<T, Half>)
        own = _cvtsh_ss(bits);
      else
        own = bfloat16_bits_to_float(bits);
      if constexpr (How == Combine::sum)
        own += other;
      else if constexpr (How == Combine::prod)
        own *= other;
      else
        own = select_further<How>(own, other);
      if constexpr (std::is_same_v<T, Half>)
        bits = _cvtss_sh(own, _MM_FROUND_TO_NEAREST_INT);
      else
        bits = float_to_bfloat16_bits(own);
    }
  }
};
#endif

const char* kernel_name_of(Combine how) {
  switch (how) {
    case Combine::sum: return "scatter_gather_tensor_cpu_reduce_add";
    case Combine::prod: return "scatter_gather_tensor_cpu_reduce_multiply";
    case Combine::mean: return "scatter_gather_tensor_cpu_reduce_mean";
    case Combine::amax: return "scatter_gather_tensor_cpu_reduce_amax";
    default: return "scatter_gather_tensor_cpu_reduce_amin";
  }
}

// The number that leaves the other operand unchanged.
Scalar neutral_value(Combine how, Dtype dtype) {
  if (how == Combine::prod) return 1;
  if (how == Combine::sum || how == Combine::mean) return 0;
  const bool low = how == Combine::amax;
  if (dtype == Dtype::boolean) return low ? 0 : 1;
  if (is_differentiable(dtype)) return low ? -__builtin_inf() : __builtin_inf();
  Scalar limit;
  dispatch_real(dtype, "scatter", [&]<class T>(Type<T>) {
    if constexpr (std::is_integral_v<T>) limit = int64_t(low ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
  });
  return limit;
}

}  // namespace

namespace {

// The pointwise loop that combines whole rows of elements of a dtype; nullptr if there is none.
PointwiseLoop loop_of(Combine how, Dtype dtype) {
  const char* name = how == Combine::prod ? "mul" : how == Combine::amax ? "maximum" : how == Combine::amin ? "minimum" : "add";
  const bool is_sum_or_product = how != Combine::amax && how != Combine::amin;
  const Tensor element = empty(IntList{1}, dtype);
  const Value args[] = {box(element), box(element), box(Scalar(1))};  // the last is add's alpha
  PointwisePlan plan;
  return plan_pointwise(*find_operator(name, is_sum_or_product ? "Tensor" : ""), args, plan) ? loop_for(*plan.kernel, dtype) : nullptr;
}
// Folds rows instead of elements, if the index is constant within each slice. Returns false if it is not.
bool fold_slices(const Tensor& out, int64_t d, const Tensor& index, const Tensor& src, PointwiseLoop step) {
  if (!step || !out.is_contiguous() || out.dim() == 0) return false;
  const SliceIndex slices = slice_index(out, d, index);
  if (!slices.at.defined()) return false;
  // Folds the same single row again and again if all elements of src are one expanded number.
  const bool is_number = std::all_of(src.strides().begin(), src.strides().end(), [](int64_t stride) { return stride == 0; });
  const Dims sizes = is_number ? Dims{slices.width} : Dims(index.sizes()), strides = is_number ? Dims{0} : Dims(src.strides());
  fold_rows({1, slices.lines, slices.width, slices.at.data<int64_t>(), slices.at.numel()}, out,
            dense(alias(src, sizes, strides, src.storage_offset())), is_number ? 0 : slices.width, step);
  return true;
}

}  // namespace

void scatter_place(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src) {
  if (out.is_meta() || index.numel() == 0) return;
  dispatch_by_size(out.itemsize(), [&]<class T>(Type<T>) {
    const PointwiseLoop place = [](void* to, const void* const* from, int64_t n) { std::memcpy(to, from[1], size_t(n) * sizeof(T)); };
    if (fold_slices(out, wrap_dim(dim, out.dim()), index, src, place)) return;
    write_lines<T>(out, src, convert_index_to_int64(index), wrap_dim(dim, out.dim()), [](T& to, const T& from) { to = from; });
  });
}

void scatter_combine(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src, Combine how, const char* name) {
  if (out.is_meta() || index.numel() == 0) return;
  const int64_t d = wrap_dim(dim, out.dim());
  const bool ordered = how == Combine::amax || how == Combine::amin;
  if (ordered && is_complex(out.dtype())) not_implemented_for(name, out.dtype());
  if (index.dim() > 1 && fold_slices(out, d, index, src, loop_of(how, out.dtype()))) return;
  const Tensor at = convert_index_to_int64(index);
  auto run = [&]<class T>(Type<T>, auto step) { write_lines<T>(out, src, at, d, step); };
#if MT_HAS_X86_TARGETS
  if (is_half(out.dtype()) && cpu::cpu_capability() >= cpu::Capability::avx2)
    return out.dtype() == Dtype::float16 ? run(Type<Half>(), CombineHalfLines<Half>(how))
                                         : run(Type<BFloat16>(), CombineHalfLines<BFloat16>(how));
#endif
  dispatch_all(out.dtype(), name, [&]<class T>(Type<T> type) {
    using Op = Operation<T>;
    if (how == Combine::sum || how == Combine::mean) return run(type, [](T& a, const T& b) { Op::sum(a, b); });
    if (how == Combine::prod) return run(type, [](T& a, const T& b) { Op::prod(a, b); });
    if constexpr (!is_complex_type<T>) {
      if (how == Combine::amax) return run(type, [](T& a, const T& b) { Op::amax(a, b); });
      run(type, [](T& a, const T& b) { Op::amin(a, b); });
    }
  });
}

Tensor scatter_reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how, bool include_self,
                       const char* name) {
  Tensor out = make_scatter_target(self, dim, index);
  if (out.is_meta() || index.numel() == 0) return out;
  const char* kernel = name ? name : kernel_name_of(how);
  if (how == Combine::mean && self.dtype() == Dtype::boolean) not_implemented_for(kernel, self.dtype());
  if (!include_self) scatter_place(out, dim, index, expand_value(neutral_value(how, self.dtype()), self.dtype(), self.device(), index));
  scatter_combine(out, dim, index, src, how, kernel);
  if (how != Combine::mean) return out;
  BelowAutograd guard;
  // Expanded dimensions of the index are dropped for the counts, too, which then broadcast along them.
  Dims sizes(self.sizes());
  const Tensor own = self.dim() ? drop_expanded(index, sizes, wrap_dim(dim, self.dim())) : index;
  for (int64_t k = 0; k < own.dim() && self.dim(); ++k)
    if (own.size(k) < index.size(k)) sizes[k] = 1;
  Tensor counts = op<"full">(sizes, Scalar(include_self ? 1 : 0), self.dtype(), nullptr, self.device());
  scatter_combine(counts, dim, own, expand_value(1, self.dtype(), self.device(), own), Combine::sum, kernel);
  counts = op<"masked_fill">(counts, op<"eq">(counts, 0), 1);
  copy_into(out, is_differentiable(self.dtype()) ? out / counts : op<"floor_divide">(out, counts));
  return out;
}

namespace {

// The derivative of a product with respect to one factor is the product of the others. Zeros are treated separately: each line has the
// product of its non-zero factors, and the sum of its zeros (zero in value, but second derivatives pass through it). With one other zero
// the derivative is that product times the sum, with more it is zero.
Tensors<2> product_gradient(const Tensor& g, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, bool include_self) {
  Tensor zero_self = op<"eq">(self, 0), zero_src = op<"eq">(src, 0);
  Tensor nonzero_self = op<"masked_fill">(self, zero_self, 1), nonzero_src = op<"masked_fill">(src, zero_src, 1);
  auto fold_gradient = [&](const Tensor& own, const Tensor& given, const char* how) {
    return op<"scatter_reduce.two">(own, dim, index, given, how, include_self);
  };
  auto count_as_int64 = [](const Tensor& t) { return op<"to.dtype">(t, Dtype::int64); };
  Tensor rest = fold_gradient(nonzero_self, nonzero_src, "prod"),
         zeros = fold_gradient(zero_where_false(zero_self, self), zero_where_false(zero_src, src), "sum");
  Tensor count = fold_gradient(count_as_int64(zero_self), count_as_int64(zero_src), "sum");
  auto gradient = [&](const Tensor& by, const Tensor& product, const Tensor& sum, const Tensor& zeros_in_line, const Tensor& is_zero,
                      const Tensor& x, const Tensor& factor) {
    Tensor others = zeros_in_line - count_as_int64(is_zero);  // zeros among the other factors
    Tensor of_zeros = op<"where">(op<"eq">(others, 0), op<"ones_like">(x),
                                  zero_where_false(op<"eq">(others, 1), sum - zero_where_false(is_zero, x)));
    return by * conj(product / factor * of_zeros);
  };
  auto at = [&](const Tensor& t) { return op<"gather">(t, dim, index); };
  return {gradient(g, rest, zeros, count, zero_self, self, nonzero_self),
          gradient(at(g), at(rest), at(zeros), at(count), zero_src, src, nonzero_src)};
}

}  // namespace

Tensors<2> scatter_reduced_gradient(const Tensor& g, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& given_src,
                                    Combine how, bool include_self, const Tensor& result, Wanted wanted) {
  // Only the elements of src at the positions of the index took part in the reduction.
  Tensor src = given_src;
  for (int64_t d = 0; d < index.dim(); ++d)
    if (src.size(d) != index.size(d)) src = op<"narrow">(src, d, 0, index.size(d));
  Tensor for_self = g, for_src;
  auto at = [&](const Tensor& t) { return op<"gather">(t, dim, index); };
  switch (how) {
    case Combine::sum: for_src = at(g); break;
    case Combine::mean: {
      Tensor counts = op<"full_like">(g, include_self ? 1 : 0);
      counts = op<"scatter_add">(counts, dim, index, op<"ones_like">(src));
      for_self = g / op<"masked_fill">(counts, op<"eq">(counts, 0), 1);
      for_src = at(for_self);
      break;
    }
    case Combine::prod: {
      Tensors<2> both = product_gradient(g, self, dim, index, src, include_self);
      for_self = both[0], for_src = both[1];
      break;
    }
    default: {
      Tensor equal_self = op<"to.dtype">(op<"eq">(self, result), g.dtype()),
             equal_src = op<"to.dtype">(op<"eq">(src, at(result)), g.dtype());
      Tensor share = g / op<"scatter_add">(equal_self, dim, index, equal_src);
      for_self = equal_self * share;
      for_src = equal_src * at(share);
    }
  }
  if (!include_self) for_self = op<"scatter.value">(for_self, dim, index, 0);
  if (wanted[1])
    for (int64_t d = 0; d < index.dim(); ++d)
      if (given_src.size(d) != index.size(d)) {
        Dims sizes(for_src.sizes());
        sizes[d] = given_src.size(d);
        for_src = op<"slice_backward">(for_src, sizes, d, 0, index.size(d), 1);
      }
  return {wanted[0] ? for_self : Tensor(), wanted[1] ? for_src : Tensor()};
}

}  // namespace mt
