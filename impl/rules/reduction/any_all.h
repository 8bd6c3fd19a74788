// Shared by any and all: their result's dtype, and the shapes and kernels of their three forms.
#pragma once

#include "rules/form/checked.h"
#include "rules/reduction/reducers.h"

namespace mt {

// For uint8 input the result is uint8, for compatibility with code older than bool; an out= of either dtype is accepted.
inline Dtype any_all_dtype(const Call& call, const Tensor& self) {
  if (call.op.form == Form::out) return Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  return self.dtype() == Dtype::uint8 ? Dtype::uint8 : Dtype::boolean;
}

// The dimensions of the `dims` form: an empty list reduces none, None reduces all.
inline uint64_t any_all_dims(const Tensor& self, std::optional<IntList> dim) {
  return dim && dim->empty() ? 0 : reduced_dims(dim, self.dim());
}
inline void any_all_shape(const Call& call, Specs& out, const Tensor& self, uint64_t mask, bool keepdim) {
  out.add(reduced_sizes(self.sizes(), mask, keepdim), any_all_dtype(call, self));
}
inline void check_bool_result(const Call& call) {
  if (call.op.form != Form::out) return;
  const Dtype out = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  const bool among_meta = call.keys & key_bit(Key::meta);  // any dtype is accepted there
  check(among_meta || out == Dtype::boolean || out == Dtype::uint8, "{} only supports bool tensor for result, got: {}", call.op.base_name,
        out);
  check(!among_meta || out != Dtype::boolean || Unbox<Tensor>::from(call.args[0]).dtype() != Dtype::uint8,
        "Attempting to cast from torch.uint8 to out tensor with dtype torch.bool, but this can't be cast because it is not safe!");
}
// Elements as unsigned words of their size: a word is zero if its bits in `Magnitude` are (the sign of a float does not count). For
// `All`, any bit of the total means that some element is zero; otherwise that some element is not.
template <class Word, Word Magnitude, bool All>
struct AnyAllReducer : PlainReducer<Word> {
  static constexpr int lanes = 32 / sizeof(Word);  // one vector
  static Word init() { return 0; }
  template <class In>
  static void step(Word& acc, const In& v, int64_t) {
    const Word size = v & Magnitude;
    acc |= All ? Word(size == 0 ? ~Word(0) : Word(0)) : size;
  }
  static Word merge(Word a, Word b) { return a | b; }
  static Word merge_wide(Word a, Word b) { return a | b; }
  static bool finish(Word a, int64_t) { return All ? a == 0 : a != 0; }
};
template <class T, class Word>
constexpr Word magnitude_bits() {
  constexpr Word all = Word(~Word(0)), unsigned_half = Word(0x7fffffff);
  if constexpr (is_complex_type<T>)
    return Word(uint64_t(unsigned_half) << 32 | unsigned_half);
  else
    return std::is_integral_v<T> ? all : Word(all >> 1);
}
template <bool All>
void reduce_any_all(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  dispatch_all_and_unsigned(self.dtype(), name, [&]<class T>(Type<T>) {
    if constexpr (sizeof(T) > 8) {
      reduce<std::conditional_t<All, AllReducer, AnyReducer>, T, uint8_t>(self, mask, out, {});
    } else {
      using Word = std::conditional_t<sizeof(T) == 1, uint8_t,
                                      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
      reduce<AnyAllReducer<Word, magnitude_bits<T, Word>(), All>, Word, uint8_t>(self, mask, out, {});  // bool or uint8
    }
  });
}

}  // namespace mt
