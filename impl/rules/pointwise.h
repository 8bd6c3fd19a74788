// The pointwise family: one function of scalars, applied element by element with broadcasting and type promotion.
#pragma once

#include <cstring>

#include "core/dispatch_dtype.h"
#include "cpu/capability.h"
#include "cpu/half_lanes.h"
#include "rules/rule.h"

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

// One vector loop: out[i] = f(in[0][i], in[1][i], ...). Dense operands of the compute dtype.
using PointwiseLoop = void (*)(void* out, const void* const* in, int64_t n);
// The same over rows of one operand, where every other one is an element for a whole row, of half types a float: data[0] is the result,
// data[1] the operand that has rows, the others follow in turn; `steps` are the bytes from one row's to the next one's.
using PointwiseRowLoop = void (*)(char* const* data, const int64_t* steps, int64_t n, int64_t rows);

// Loops by compute dtype (slot_of) and instruction set. Half types run in the float loops.
struct PointwiseKernel {
  static constexpr int slots = 14;
  const char* name;
  int inputs = 0;
  Dtypes dtypes{};
  int64_t grain = 32768;  // elements worth a thread
  PointwiseLoop loops[slots][3] = {};
  PointwiseLoop halves[2][3] = {};  // of float16 and bfloat16 as they lie, where that is worth its size: see with_halves
  PointwiseRowLoop rows[2][5] = {};  // by the operand that has rows, the first or the second, and row_slot(): see pointwise_rows.h
  Dtype results[slots] = {};  // the result's dtype for each compute dtype
  // For expensive functions: go parallel from fewer elements on.
  PointwiseKernel with_grain(int64_t g) const {
    PointwiseKernel k = *this;
    k.grain = g;
    return k;
  }
};
constexpr int slot_of(Dtype compute) {
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

// How the compute dtype follows from the arguments.
enum class Promotion : int8_t {
  promote,          // torch's type promotion over the tensors
  to_float,         // likewise; integers and bool compute in the default float dtype
  none,             // the dtype of the first tensor; others must have it too
};
struct PointwiseOptions {
  Promotion promotion = Promotion::promote;
  // A Scalar as first or second operand takes part in promotion, as Python numbers do.
  bool scalars_promote = false;
  // The error where a dtype differs under Promotion::none.
  const char* mismatch = nullptr;
  // Beside half types the second operand counts as it is where it is one number; other operands are rounded to the half type.
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

// A kernel chosen by the call's arguments (gelu's `approximate`, add's alpha): returns a pointer that lives for ever.
struct PointwiseChoice {
  const PointwiseKernel* (*choose)(const Call& call);
};

namespace detail {

template <auto F, class T, size_t... I>
using PointwiseResult = decltype(F((void(I), std::declval<T>())...));

// bool results are bool, |complex| is real; everything else has the compute dtype (C++ widens small integers on the way).
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
  PointwiseLoop* loops = k.loops[slot_of(dtype_of<T>)];
  loops[0] = pointwise_baseline<F, T, R, I...>;
  loops[1] = pointwise_avx2<F, T, R, I...>;
  // Integers gain nothing from the third clone.
  if constexpr (std::is_floating_point_v<T>)
    loops[2] = pointwise_avx512<F, T, R, I...>;
  else
    loops[2] = loops[1];
  k.results[slot_of(dtype_of<T>)] = dtype_of<R>;
}

}  // namespace detail

// Loops of the scalar function F with N inputs, for the dtypes given. `name` is what '"..." not implemented for 'Int'' calls it.
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

// F of a block of each operand and of the numbers `ones`, by way of floats in arrays that the compiler takes out again.
inline constexpr int64_t halves_block = 16;
template <auto F, class T, size_t... I, class... Ones>
MT_TARGET_AVX2 [[gnu::always_inline]] inline void run_halves_block(T* to, const T* const* from, std::index_sequence<I...>, Ones... ones) {
  float wide[sizeof...(I)][halves_block], result[halves_block];
  (cpu::widen_apart(wide[I], from[I]), ...);
  for (int j = 0; j < halves_block; ++j) result[j] = F(wide[I][j]..., ones...);
  cpu::narrow_together(to, result);
}
// Of a run. Its rest is the last block, which is computed first, since the result may lie where an operand does.
template <auto F, class T, size_t... I, class... Ones>
MT_TARGET_AVX2 [[gnu::always_inline]] inline void run_halves(T* o, const T* const* in, int64_t n, std::index_sequence<I...> s,
                                                             Ones... ones) {
  T last[halves_block];
  const bool is_short = n < halves_block, has_rest = n % halves_block;
  if (has_rest) {
    T copies[sizeof...(I)][halves_block];
    if (is_short) (std::memcpy(copies[I], in[I], size_t(n) * sizeof(T)), ...);
    const T* const from[] = {is_short ? copies[I] : in[I] + (n - halves_block)...};
    run_halves_block<F>(last, from, s, ones...);
  }
  for (int64_t k = 0; k + halves_block <= n; k += halves_block) {
    const T* const from[] = {in[I] + k...};
    run_halves_block<F>(o + k, from, s, ones...);
  }
  if (is_short)
    std::memcpy(o, last, size_t(n) * sizeof(T));
  else if (has_rest)
    std::memcpy(o + (n - halves_block), last, sizeof(last));
}
template <auto F, class T, size_t... I>
MT_TARGET_AVX2 [[gnu::flatten]] void halves_loop(void* out, const void* const* in, int64_t n) {
  const T* const operands[] = {static_cast<const T*>(in[I])...};
  run_halves<F>(static_cast<T*>(out), operands, n, std::index_sequence<I...>());
}

}  // namespace detail
#endif

// Adds loops that read and write half types without a detour through tiles of floats: for what is used so much and computes so little that
// the detour costs more than the memory. The same bits.
template <auto F, int N>
PointwiseKernel with_halves(PointwiseKernel k) {
#if MT_HAS_X86_TARGETS
  [&]<size_t... I>(std::index_sequence<I...>) {
    for (int level : {1, 2}) {  // AVX-512 takes the same: such work waits for memory
      k.halves[0][level] = detail::halves_loop<F, Half, I...>;
      k.halves[1][level] = detail::halves_loop<F, BFloat16, I...>;
    }
  }(std::make_index_sequence<N>());
#endif
  return k;
}
// A definition's kernel that depends on the call: choose([](const Call& c) -> const PointwiseKernel* {...}).
CpuKernel choose(const PointwiseKernel* (*function)(const Call& call));
// Keeps a kernel for the life of the process, for choose().
template <auto F, int N, Dtypes D = dtypes::all>
const PointwiseKernel* kernel_of(const char* name) {
  static const PointwiseKernel kernel = elementwise<F, N, D>(name);
  return &kernel;
}

// ---- for operators that run loops themselves ----

// out = f(inputs...) over the broadcast shape (out has it already); any dtypes and strides: elements are converted on the way.
void run_pointwise(const PointwiseKernel& kernel, Dtype compute, const Tensor& out, const Tensor* inputs, int n);
// torch.result_type over tensors; numbers given as wrapped tensors count as such.
Dtype result_type(const Tensor* tensors, int64_t n);
// Sizes and strides that a pointwise result of these inputs has (strides empty: contiguous).
void pointwise_geometry(const Tensor* inputs, int n, Dims& sizes, Dims& strides);

}  // namespace mt
