// Functions that combine elements of two ranks, one for each reduction and dtype, compiled for each instruction set.
#include "distributed/join.h"

#include "core/error.h"
#include "core/half.h"
#include "cpu/clones.h"

namespace mt::dist {
namespace {

constexpr const char* names[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"};

// Narrow floats are combined as float32 and rounded after each step, as Gloo does.
template <class T>
struct Wide {
  using type = T;
  static T widen(T value) { return value; }
  static T narrow(T value) { return value; }
};
struct HalfBits {
  uint16_t bits;
};
struct BFloat16Bits {
  uint16_t bits;
};
template <>
struct Wide<HalfBits> {
  static float widen(HalfBits value) { return half_bits_to_float(value.bits); }
  static HalfBits narrow(float value) { return {float_to_half_bits(value)}; }
};
template <>
struct Wide<BFloat16Bits> {
  static float widen(BFloat16Bits value) { return bfloat16_bits_to_float(value.bits); }
  static BFloat16Bits narrow(float value) { return {float_to_bfloat16_bits(value)}; }
};

// Signed addition has the same bits as unsigned addition, whose overflow is defined.
constexpr auto add_elements = [](auto a, auto b) { return decltype(a)(a + b); };
constexpr auto multiply_elements = [](auto a, auto b) { return decltype(a)(a * b); };
// As in Gloo, if one operand is NaN, the order of the operands decides which one is returned.
constexpr auto smaller_of = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto larger_of = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto bit_and = [](auto a, auto b) { return decltype(a)(a & b); };
constexpr auto bit_or = [](auto a, auto b) { return decltype(a)(a | b); };
constexpr auto bit_xor = [](auto a, auto b) { return decltype(a)(a ^ b); };

template <class T, auto join>
struct Kernel {
  static MT_INLINE void run(void* out, const void* a, const void* b, size_t count) {
    auto* to = static_cast<T*>(out);
    auto* left = static_cast<const T*>(a);
    auto* right = static_cast<const T*>(b);
    for (size_t i = 0; i < count; ++i) to[i] = Wide<T>::narrow(join(Wide<T>::widen(left[i]), Wide<T>::widen(right[i])));
  }
  static mt_join_fn function_for_cpu() { return cpu::detail::choose_clone<Kernel>(&Kernel::run); }
};

template <class T>
mt_join_fn choose_arithmetic_join(int32_t reduction) {
  switch (reduction) {
    case MT_PRODUCT: return Kernel<T, multiply_elements>::function_for_cpu();
    case MT_MINIMUM: return Kernel<T, smaller_of>::function_for_cpu();
    case MT_MAXIMUM: return Kernel<T, larger_of>::function_for_cpu();
    default: return Kernel<T, add_elements>::function_for_cpu();
  }
}
template <class T>
mt_join_fn choose_integral_join(int32_t reduction) {
  switch (reduction) {
    case MT_BIT_AND: return Kernel<T, bit_and>::function_for_cpu();
    case MT_BIT_OR: return Kernel<T, bit_or>::function_for_cpu();
    case MT_BIT_XOR: return Kernel<T, bit_xor>::function_for_cpu();
    default: return choose_arithmetic_join<T>(reduction);
  }
}
// The sum of bools is whether any is true.
mt_join_fn choose_logical_join(int32_t reduction) {
  switch (reduction) {
    case MT_PRODUCT:
    case MT_MINIMUM:
    case MT_BIT_AND: return Kernel<uint8_t, bit_and>::function_for_cpu();
    case MT_BIT_XOR: return Kernel<uint8_t, bit_xor>::function_for_cpu();
    default: return Kernel<uint8_t, bit_or>::function_for_cpu();
  }
}

}  // namespace

mt_join_fn join_function(int32_t reduction, Dtype dtype) {
  check(reduction >= MT_SUM && reduction <= MT_BIT_XOR, ErrorKind::value, "{} is no reduction", reduction);
  const bool is_bitwise = reduction >= MT_BIT_AND;
  const auto only_numbers = [&] { check(!is_bitwise, "Cannot use ReduceOp.{} with non-integral dtype", names[reduction]); };
  switch (dtype) {
    case Dtype::float32: only_numbers(); return choose_arithmetic_join<float>(reduction);
    case Dtype::float64: only_numbers(); return choose_arithmetic_join<double>(reduction);
    case Dtype::float16: only_numbers(); return choose_arithmetic_join<HalfBits>(reduction);
    case Dtype::bfloat16: only_numbers(); return choose_arithmetic_join<BFloat16Bits>(reduction);
    case Dtype::int8: return choose_integral_join<int8_t>(reduction);
    case Dtype::uint8: return choose_integral_join<uint8_t>(reduction);
    case Dtype::int32: return choose_integral_join<int32_t>(reduction);
    case Dtype::int64: return choose_integral_join<int64_t>(reduction);
    case Dtype::boolean: return choose_logical_join(reduction);
    default: fail("Invalid scalar type");
  }
}

}  // namespace mt::dist
