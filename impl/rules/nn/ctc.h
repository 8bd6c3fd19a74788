// Shared by ctc_loss and its steps: checked lengths, and the start of each target sequence.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/backend.h"
#include "rules/reduction/rows.h"

namespace mt {

// Reads lengths that are given as a tensor.
inline std::vector<int64_t> lengths_of(const Tensor& lengths, const char* name) {
  check(is_integral(lengths.dtype(), false), "{} must be integral", name);
  check(!lengths.is_meta(), ErrorKind::not_implemented, "ctc_loss: lengths on the meta device have no values");
  const Tensor wide = dense_as(on_host(lengths), Dtype::int64);
  return {wide.data<int64_t>(), wide.data<int64_t>() + wide.numel()};
}

// Target sequences of a batch, in a padded or a concatenated tensor.
struct CtcBatch {
  int64_t steps = 0, batch = 0, labels = 0, longest = 0;
  Tensor targets;               // contiguous int64
  std::vector<int64_t> starts;  // of each sequence

  // The class at position s of sequence b, extended by blanks: "blank, first, blank, second, ..., blank".
  int64_t at(int64_t b, int64_t s, int64_t blank) const { return s % 2 == 0 ? blank : targets.data<int64_t>()[starts[size_t(b)] + s / 2]; }
};

CtcBatch ctc_batch(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths, int64_t blank);

// The logarithm of the sum of exp of all arguments, which may be -inf. Adds all terms at once, since each logarithm rounds.
template <class T>
T log_sum_exp(T a, T b, T c = -T(__builtin_inf())) {
  const T top = std::max(std::max(a, b), c);
  return top == -T(__builtin_inf()) ? top : top + std::log(std::exp(a - top) + std::exp(b - top) + std::exp(c - top));
}

}  // namespace mt
