// The pointwise family: one function of scalars, applied element by element with broadcasting and type promotion.
#pragma once

#include <cstring>

#include "core/capability.h"
#include "core/dispatch_dtype.h"
#include "cpu/gemm/half_lanes.h"
#include "rules/form/rule.h"

namespace mt {

// Sets of dtypes, one bit per dtype number.
enum class Dtypes : uint64_t {};
constexpr uint64_t dtype_bit(Dtype d) { return uint64_t(1) << int(d); }
constexpr Dtypes operator|(Dtypes a, Dtypes b) { return Dtypes(uint64_t(a) | uint64_t(b)); }
constexpr bool contains(Dtypes set, Dtype d) { return uint64_t(set) >> int(d) & 1; }
namespace dtypes {
inline constexpr Dtypes boolean{dtype_bit(Dtype::boolean)};
inline constexpr Dtypes half{dtype_bit(Dtype::float16) | dtype_bit(Dtype::bfloat16)};
inline constexpr Dtypes floating = Dtypes{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)} | half;
inline constexpr Dtypes complex{dtype_bit(Dtype::complex64) | dtype_bit(Dtype::complex128)};
inline constexpr Dtypes integral{dtype_bit(Dtype::uint8) | dtype_bit(Dtype::int8) | dtype_bit(Dtype::int16) | dtype_bit(Dtype::int32) |
                                 dtype_bit(Dtype::int64)};
inline constexpr Dtypes barebones_unsigned{dtype_bit(Dtype::uint16) | dtype_bit(Dtype::uint32) | dtype_bit(Dtype::uint64)};
inline constexpr Dtypes floating_and_complex = floating | complex;
inline constexpr Dtypes integral_and_bool = integral | boolean;
inline constexpr Dtypes real = floating | integral;
inline constexpr Dtypes real_and_bool = real | boolean;
inline constexpr Dtypes numbers = real | complex;
inline constexpr Dtypes all = numbers | boolean;
}  // namespace dtypes

// A vector loop: out[i] = f(in[0][i], in[1][i], ...). Contiguous operands of the compute dtype.
using PointwiseLoop = void (*)(void* out, const void* const* in, int64_t n);
// A vector loop over rows of one operand; each other operand is one element per row (a float for half types). data[0] is the result,
// data[1] the operand with rows, the others follow in order; `steps` are the bytes from one row to the next.
using PointwiseRowLoop = void (*)(char* const* data, const int64_t* steps, int64_t n, int64_t rows);

// A kernel: its loops for each compute dtype (loop_slot_of) and instruction set. Half types use the float loops.
struct PointwiseKernel {
  static constexpr int slots = 14;
  const char* name;
  int inputs = 0;
  Dtypes dtypes{};
  int64_t grain = 32768;  // elements that are worth a thread
  PointwiseLoop loops[slots][3] = {};
  PointwiseLoop halves[2][3] = {};  // directly on float16 and bfloat16, where that is worth the code size: see with_halves
  PointwiseRowLoop rows[2][5] = {};  // [operand with rows, the first or the second][row_loop_slot()]: see pointwise_rows.h
  Dtype results[slots] = {};  // the result's dtype for each compute dtype
  // The same kernel with another grain; expensive functions are split between threads from fewer elements on.
  PointwiseKernel with_grain(int64_t g) const {
    PointwiseKernel k = *this;
    k.grain = g;
    return k;
  }
};
constexpr int loop_slot_of(Dtype compute) {
  switch (compute) {
    case Dtype::uint16: return 11;
    case Dtype::uint32: return 12;
    case Dtype::uint64: return 13;
    case Dtype::boolean: return 10;
    case Dtype::float32: return 5;
    case Dtype::float64: return 6;
    case Dtype::complex64: return 7;
    case Dtype::complex128: return 8;
    default: return int(compute) <= 4 ? int(compute) : -1;
  }
}

// How the compute dtype is derived from the arguments.
enum class Promotion : int8_t {
  promote,          // torch's type promotion over the tensors
  to_float,         // as promote, but integers and bool compute in the default float dtype
  none,             // the dtype of the first tensor, which the others must have too
};
struct PointwiseOptions {
  Promotion promotion = Promotion::promote;
  // A Scalar as first or second operand takes part in promotion, as Python numbers do.
  bool scalars_promote = false;
  // The error message for tensors of different dtypes under Promotion::none.
  const char* mismatch = nullptr;
  // Beside half types, a second operand that is a single number is used unrounded; other operands are rounded to the half type.
  bool keeps_second_number = false;
};
const Rule* pointwise_rule(PointwiseOptions options);
inline constexpr PointwiseOptions promoting{Promotion::promote};
inline constexpr PointwiseOptions promoting_with_scalars{Promotion::promote, true};
inline constexpr PointwiseOptions promoting_to_float{Promotion::to_float};
inline constexpr PointwiseOptions scaling{Promotion::promote, true, nullptr, true};
inline constexpr PointwiseOptions scaling_to_float{Promotion::to_float, true, nullptr, true};
inline constexpr PointwiseOptions same_dtype{Promotion::none};
inline const Rule* pointwise(PointwiseOptions options = promoting) { return pointwise_rule(options); }

namespace detail {

template <auto F, class T, size_t... I>
using PointwiseResult = decltype(F((void(I), std::declval<T>())...));

// The type of a stored result: bool if F returns bool, a real type if F of complex numbers is real, otherwise the compute type T (in C++, F
// of small integers returns int).
template <class T, class R>
struct StoredResult {
  using type = T;
};
template <class T>
struct StoredResult<T, bool> {
  using type = bool;
};
template <class T>
struct StoredResult<Complex<T>, T> {
  using type = T;
};

template <auto F, class T, class R, size_t... I>
[[gnu::always_inline]] inline void pointwise_body(void* out, const void* const* in, int64_t n) {
  R* __restrict o = static_cast<R*>(out);
  const T* const operands[] = {static_cast<const T*>(in[I])...};
  for (int64_t k = 0; k < n; ++k) o[k] = static_cast<R>(F(operands[I][k]...));
}
template <auto F, class T, class R, size_t... I>
MT_TARGET_BASELINE void pointwise_baseline(void* out, const void* const* in, int64_t n) {
  pointwise_body<F, T, R, I...>(out, in, n);
}
template <auto F, class T, class R, size_t... I>
MT_TARGET_AVX2 [[gnu::flatten]] void pointwise_avx2(void* out, const void* const* in, int64_t n) {
  pointwise_body<F, T, R, I...>(out, in, n);
}
template <auto F, class T, class R, size_t... I>
MT_TARGET_AVX512 [[gnu::flatten]] void pointwise_avx512(void* out, const void* const* in, int64_t n) {
  pointwise_body<F, T, R, I...>(out, in, n);
}

template <auto F, class T, size_t... I>
void add_loops(PointwiseKernel& k, std::index_sequence<I...>) {
  using R = typename StoredResult<T, std::remove_cvref_t<PointwiseResult<F, T, I...>>>::type;
  PointwiseLoop* loops = k.loops[loop_slot_of(dtype_of<T>)];
  loops[0] = pointwise_baseline<F, T, R, I...>;
  loops[1] = pointwise_avx2<F, T, R, I...>;
  // Integer loops have no AVX-512 clone, which would gain nothing.
  if constexpr (std::is_floating_point_v<T>)
    loops[2] = pointwise_avx512<F, T, R, I...>;
  else
    loops[2] = loops[1];
  k.results[loop_slot_of(dtype_of<T>)] = dtype_of<R>;
}

}  // namespace detail

// Loops of the scalar function F with N inputs for the given dtypes. `name` is used in '"..." not implemented for 'Int''.
template <auto F, int N, Dtypes D = dtypes::all>
PointwiseKernel elementwise(const char* name) {
  PointwiseKernel k{};
  k.name = name;
  k.inputs = N;
  k.dtypes = D;
  using Sequence = std::make_index_sequence<N>;
  [&]<class... T>(Type<T>...) {
    (([&] {
       if constexpr (contains(D, dtype_of<T>) || (std::is_same_v<T, float> && (uint64_t(D) & uint64_t(dtypes::half))))
         detail::add_loops<F, T>(k, Sequence());
     }()),
     ...);
  }(Type<uint8_t>(), Type<int8_t>(), Type<int16_t>(), Type<int32_t>(), Type<int64_t>(), Type<float>(), Type<double>(),
    Type<Complex<float>>(), Type<Complex<double>>(), Type<bool>(), Type<uint16_t>(), Type<uint32_t>(), Type<uint64_t>());
  return k;
}
#if MT_HAS_X86_TARGETS
namespace detail {

// Applies F to a block of each operand and to the numbers `ones`, which have one element each, through float arrays that the compiler
// optimises away.
inline constexpr int64_t half_block_length = 16;
template <auto F, class T, size_t... I, class... Ones>
MT_TARGET_AVX2 [[gnu::always_inline]] inline void run_halves_block(T* to, const T* const* from, std::index_sequence<I...>, Ones... ones) {
  float wide[sizeof...(I)][half_block_length], result[half_block_length];
  (cpu::widen_reordered(wide[I], from[I]), ...);
  for (int j = 0; j < half_block_length; ++j) result[j] = F(wide[I][j]..., ones...);
  cpu::narrow_reordered(to, result);
}
// Processes a run. The last, incomplete block is computed first, since the result may overwrite an operand.
template <auto F, class T, size_t... I, class... Ones>
MT_TARGET_AVX2 [[gnu::always_inline]] inline void run_halves(T* o, const T* const* in, int64_t n, std::index_sequence<I...> s,
                                                             Ones... ones) {
  T last[half_block_length];
  const bool is_short = n < half_block_length, has_rest = n % half_block_length;
  if (has_rest) {
    T copies[sizeof...(I)][half_block_length];
    if (is_short) (std::memcpy(copies[I], in[I], size_t(n) * sizeof(T)), ...);
    const T* const from[] = {is_short ? copies[I] : in[I] + (n - half_block_length)...};
    run_halves_block<F>(last, from, s, ones...);
  }
  for (int64_t k = 0; k + half_block_length <= n; k += half_block_length) {
    const T* const from[] = {in[I] + k...};
    run_halves_block<F>(o + k, from, s, ones...);
  }
  if (is_short)
    std::memcpy(o, last, size_t(n) * sizeof(T));
  else if (has_rest)
    std::memcpy(o + (n - half_block_length), last, sizeof(last));
}
template <auto F, class T, size_t... I>
MT_TARGET_AVX2 [[gnu::flatten]] void halves_loop(void* out, const void* const* in, int64_t n) {
  const T* const operands[] = {static_cast<const T*>(in[I])...};
  run_halves<F>(static_cast<T*>(out), operands, n, std::index_sequence<I...>());
}

}  // namespace detail
#endif

// Adds loops that read and write half types directly instead of through float tiles, with the same bits, for frequent and cheap functions,
// where those tiles cost more than the memory traffic.
template <auto F, int N>
PointwiseKernel with_halves(PointwiseKernel k) {
#if MT_HAS_X86_TARGETS
  [&]<size_t... I>(std::index_sequence<I...>) {
    for (int level : {1, 2}) {  // AVX-512 uses the AVX2 loop: memory is the limit
      k.halves[0][level] = detail::halves_loop<F, Half, I...>;
      k.halves[1][level] = detail::halves_loop<F, BFloat16, I...>;
    }
  }(std::make_index_sequence<N>());
#endif
  return k;
}
// For a definition's kernel that depends on the call: choose([](const Call& c) -> const PointwiseKernel* {...}).
CpuKernel choose(const PointwiseKernel* (*function)(const Call& call));
// A kernel that is never destroyed, for choose().
template <auto F, int N, Dtypes D = dtypes::all>
const PointwiseKernel* kernel_of(const char* name) {
  static const PointwiseKernel kernel = elementwise<F, N, D>(name);
  return &kernel;
}

// ---- for operators that run loops themselves ----

// out = f(inputs...) over the broadcast shape, which out has already; any dtypes and strides: elements are converted.
void run_pointwise(const PointwiseKernel& kernel, Dtype compute, const Tensor& out, const Tensor* inputs, int n);
// torch.result_type of tensors; wrapped numbers promote as numbers.
Dtype result_type(const Tensor* tensors, int64_t n);
// Sizes and strides of a pointwise result of these inputs (strides empty: contiguous).
void pointwise_geometry(const Tensor* inputs, int n, Dims& sizes, Dims& strides);

}  // namespace mt
