// Scaled dot-product attention in blocks: scores stay in the cache, and no q_len x k_len matrix is ever stored.
#pragma once

#include <cstdint>

#include "core/half.h"

namespace mt::cpu {

// A strided tensor of batch x heads x rows x columns; a stride of 0 broadcasts.
template <class T>
struct Heads {
  T* data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
  int64_t col_stride;
};

struct AttentionShape {
  int64_t batch;
  int64_t heads;
  int64_t q_len;
  int64_t k_len;
  int64_t head_dim;   // of query and key
  int64_t value_dim;  // of value and output
  double scale;
  bool causal;  // row i sees the first i + 1 keys
};

// logsumexp is batch x heads x q_len x 1, in float (double for double). A row whose keys are all masked gives zeros and
// logsumexp 0, as in torch. mask is added to the scores; null data means no mask; M is T or float. T: float, double, Half,
// BFloat16.
template <class T, class M, class L>
void attention_forward(const AttentionShape& shape, Heads<const T> query, Heads<const T> key, Heads<const T> value, Heads<const M> mask,
                       Heads<T> out, Heads<L> logsumexp);

// Writes the gradients with respect to query, key and value.
template <class T, class M, class L>
void attention_backward(const AttentionShape& shape, Heads<const T> grad_out, Heads<const T> query, Heads<const T> key,
                        Heads<const T> value, Heads<const M> mask, Heads<const T> out, Heads<const L> logsumexp, Heads<T> grad_query,
                        Heads<T> grad_key, Heads<T> grad_value);

}  // namespace mt::cpu
