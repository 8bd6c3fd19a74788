// op<"name">(...): calls an operator by name from C++.
#pragma once

#include <vector>

#include "dispatch/operator.h"

namespace mt {

template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&s)[N]) {
    for (size_t i = 0; i < N; ++i) text[i] = s[i];
  }
};

// Caches the operator of a call site. It is resolved on first use, since there are thousands of sites; a test checks that every name in
// the sources resolves.
struct CallSite {
  const char* name;  // "where" (argument types select the overload) or "sum.dim_IntList"
  const Operator* op = nullptr;
  explicit constexpr CallSite(const char* n) : name(n) {}
};
// Resolves the operator, completes the arguments, and calls.
void invoke(CallSite& site, const Value* args, int n, Value* rets, int n_rets);
Tensor invoke_for_tensor(CallSite& site, const Value* args, int n);  // a single result; undefined for None
void move_list_to(Value& slot, std::vector<Tensor>& out);

namespace detail {
template <class R>
struct Returns {
  static constexpr int count = 1;
  static R take(Value* rets) { return Unbox<R>::from(rets[0]); }
};
template <int K>
struct Returns<Tensors<K>> {
  static constexpr int count = K;
  static Tensors<K> take(Value* rets) {
    Tensors<K> out;
    for (int i = 0; i < K; ++i)
      if (rets[i].tag == MT_TAG_TENSOR) out[i] = take_tensor(rets[i]);
    return out;
  }
};
template <>
struct Returns<std::vector<Tensor>> {
  static constexpr int count = 1;
  static std::vector<Tensor> take(Value* rets) {
    std::vector<Tensor> out;
    move_list_to(rets[0], out);
    return out;
  }
};
template <>
struct Returns<void> {
  static constexpr int count = 1;
  static void take(Value*) {}
};
}  // namespace detail

template <Name N, class R = Tensor, class... A>
R op(const A&... args) {
  static constinit CallSite site{N.text};
  Value values[sizeof...(A) + (sizeof...(A) == 0)];
  [[maybe_unused]] Value* next = values;
  (box_into(*next++, args), ...);
  if constexpr (std::is_same_v<R, Tensor>) {
    return invoke_for_tensor(site, values, int(sizeof...(A)));
  } else {
    Results<detail::Returns<R>::count> results;
    invoke(site, values, int(sizeof...(A)), results.values, detail::Returns<R>::count);
    return detail::Returns<R>::take(results.values);
  }
}

}  // namespace mt
