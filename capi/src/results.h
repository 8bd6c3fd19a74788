// Results of boxed calls: checks counts before the call, and stores results only if all of it succeeded.
#pragma once

#include "convert.h"

namespace mt::capi {

[[noreturn]] void fail_counts(const Operator& op, const void* args, int64_t n, const void* rets, int64_t capacity);

inline void check_lists(const Operator& op, const mt_value* args, int64_t n, const mt_value* rets, int64_t capacity) {
  const bool fits = n >= 0 && n <= op.n_args && (args || n == 0) && capacity >= op.n_rets && (rets || op.n_rets == 0);
  if (__builtin_expect(!fits, 0)) fail_counts(op, args, n, rets, capacity);
}

inline void move_result(Value& from, Value& to) {
  to = from;
  set_none(from);
}

// Calls run(results) and moves the results to the caller's array. Up to four results are stored on the stack.
template <class F>
inline void return_results(const Operator& op, mt_value* rets, int64_t* n_rets, F&& run) {
  constexpr int few = 4;
  if (__builtin_expect(op.n_rets <= few, 1)) {
    Results<few> results;
    run(results.values);
    for (int i = 0; i < op.n_rets; ++i) move_result(results.values[i], rets[i]);
  } else {
    struct Many {
      std::vector<Value> values;
      ~Many() {
        for (Value& value : values) clear(value);
      }
    } results{std::vector<Value>(size_t(op.n_rets), none_value())};
    run(results.values.data());
    for (int i = 0; i < op.n_rets; ++i) move_result(results.values[size_t(i)], rets[i]);
  }
  if (n_rets) *n_rets = op.n_rets;
}

}  // namespace mt::capi
