// Turns plain C++ functions into boxed kernels: reads parameters from the call's values and stores the results in the call.
#pragma once

#include <new>
#include <tuple>
#include <vector>

#include "dispatch/operator.h"

namespace mt {

namespace detail {

template <class P>
struct Param {  // a parameter read from the arguments
  static constexpr bool is_output = false;
  static decltype(auto) get_parameter(const Call& c, int in, int) { return Unbox<std::remove_cvref_t<P>>::from(c.args[in]); }
};
template <>
struct Param<Tensor&> {  // a result that the rule has allocated
  static constexpr bool is_output = true;
  static Tensor& get_parameter(const Call& c, int, int out) { return reinterpret_cast<Tensor&>(c.rets[out].as.tensor); }
};
template <>
struct Param<const Call&> {  // the call itself
  static constexpr bool is_output = true;
  static const Call& get_parameter(const Call& c, int, int) { return c; }
};

inline void put_results(Value* rets, Tensor t) { put(rets[0], std::move(t)); }
inline void put_results(Value* rets, std::vector<Tensor> list) { put_list(rets[0], list.data(), int64_t(list.size())); }
template <int N>
void put_results(Value* rets, Tensors<N> list) {
  for (int i = 0; i < N; ++i) put(rets[i], std::move(list[i]));
}
template <class... T>
void put_results(Value* rets, std::tuple<T...> list) {
  [&]<size_t... I>(std::index_sequence<I...>) { (put(rets[I], std::move(std::get<I>(list))), ...); }(std::index_sequence_for<T...>());
}
template <class T>
  requires requires(Value v, T t) { put(v, t); }
void put_results(Value* rets, const T& value) {
  put(rets[0], value);
}

template <class F, class Signature = decltype(&F::operator())>
struct Unboxed;
template <class F, class R, class... P>
struct Unboxed<F, R (F::*)(P...) const> {
  static void run(const Call& c, const void*) { call_with_parameters(c, std::index_sequence_for<P...>()); }

 private:
  // Returns how many parameters before the I-th are of the same category (argument or result).
  static constexpr int rank_in_category(size_t index) {
    constexpr bool sorts[] = {Param<P>::is_output..., false};
    int n = 0;
    for (size_t i = 0; i < index; ++i) n += sorts[i] == sorts[index];
    return n;
  }
  template <size_t... I>
  static void call_with_parameters([[maybe_unused]] const Call& c, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      F{}(Param<P>::get_parameter(c, rank_in_category(I), rank_in_category(I))...);
    } else if constexpr (std::is_same_v<R, Tensor>) {  // constructed in place
      Value& slot = c.rets[0];
      const Tensor& made = *::new (static_cast<void*>(&slot.as.tensor))
                               Tensor(F{}(Param<P>::get_parameter(c, rank_in_category(I), rank_in_category(I))...));
      slot.tag = made.defined() ? MT_TAG_TENSOR : MT_TAG_NONE;
      slot.flags = made.defined() ? MT_FLAG_OWNED : 0;
    } else {
      put_results(c.rets, F{}(Param<P>::get_parameter(c, rank_in_category(I), rank_in_category(I))...));
    }
  }
};

}  // namespace detail

// A kernel made from a captureless lambda. Its parameters are the schema's arguments in order (`const Tensor&` undefined for None;
// TensorList, IntList, Scalar, int64_t, double, bool, Text, Dtype, Generator*, std::optional<...>), followed by one `Tensor&` per result
// if a rule allocates the results.
struct BoxedKernel {
  KernelFn fn = nullptr;
  const void* data = nullptr;
  constexpr BoxedKernel() = default;
  constexpr BoxedKernel(KernelFn f, const void* d) : fn(f), data(d) {}
  template <class F>
    requires requires { &F::operator(); }
  constexpr BoxedKernel(F) : fn(&detail::Unboxed<F>::run) {}
  explicit operator bool() const { return fn != nullptr; }
};

}  // namespace mt
