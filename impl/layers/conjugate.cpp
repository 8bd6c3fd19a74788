// The Conjugate and Negative fallbacks: operators that ignore these bits get tensors whose memory holds the resolved values. A bool
// cannot be negated; under the Negative key it views other bytes, of which every non-zero one means true.
#include "layers/conjugate.h"

#include <vector>

#include "core/dispatch_dtype.h"
#include "dispatch/tensor_args.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr KeySet lazy_keys = key_bit(Key::conjugate) | key_bit(Key::negative);

bool is_lazily_negative(const Tensor& t) { return t.is_neg() || (t.dtype() == Dtype::boolean && t.keys() & key_bit(Key::negative)); }

// An alias of the tensor's memory with both bits cleared.
Tensor clear_conj_and_neg_bits(const Tensor& t) {
  Tensor raw = alias(t, true);
  raw->conj = raw->neg = false;
  raw->keys &= ~lazy_keys;
  return raw;
}

template <class T>
void flip_signs(T* data, int64_t n, bool conj, bool neg) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (is_complex_type<T>) {
      if (conj) data[i].im = -data[i].im;
      if (neg) data[i].re = -data[i].re, data[i].im = -data[i].im;
    } else if constexpr (std::is_same_v<T, bool>) {
      data[i] = reinterpret_cast<const uint8_t*>(data)[i] != 0;
    } else {
      if (neg) data[i] = T(-data[i]);
    }
  }
}

// Conjugates and negates a dense tensor in place.
void flip_signs_of_contiguous(const Tensor& t, bool conj, bool neg) {
  if (t.numel() == 0 || !t.data()) return;
  check(t.device().is_cpu(), ErrorKind::not_implemented, "lazy conjugation of tensors on {}", t.device());
  visit_all(t.dtype(), [&]<class T>(Type<T>) { flip_signs(t.data<T>(), t.numel(), conj, neg); });
}

Tensor empty_contiguous_like(const Tensor& t) {
  return t.is_non_overlapping_and_dense() ? empty_strided(t.sizes(), t.strides(), t.dtype(), t.device())
                                          : empty(t.sizes(), t.dtype(), t.device());
}

// Applies the requested bits to the values; the other bit stays set on the result.
Tensor resolve_bits(const Tensor& t, bool conj, bool neg) {
  conj = conj && t.is_conj();
  neg = neg && is_lazily_negative(t);
  if (!conj && !neg) return t;
  Tensor result = empty_contiguous_like(t);
  if (!t.is_meta()) {
    copy_into(result, clear_conj_and_neg_bits(t));
    flip_signs_of_contiguous(result, conj, neg);
  }
  result->conj = t.is_conj() && !conj;
  result->neg = t.is_neg() && !neg;
  result->keys |= t.keys() & lazy_keys & ~(conj ? key_bit(Key::conjugate) : 0) & ~(neg ? key_bit(Key::negative) : 0);
  return result;
}

// Copies what an operator wrote to a resolved copy back to the original tensor, under its bit.
void write_back_to_target(const Tensor& target, const Tensor& written, bool conj) {
  if (target.sizes() != written.sizes()) resize_to(target, written.sizes());
  if (target.is_meta()) return;
  Tensor values = empty_contiguous_like(written);
  copy_into(values, clear_conj_and_neg_bits(written));
  flip_signs_of_contiguous(values, conj, !conj);
  copy_into(clear_conj_and_neg_bits(target), values);
}

void resolve_arguments(const Call& call, Key key) {
  const bool conj = key == Key::conjugate;
  // Views pass the bit on to their result, also in place, and only views may share memory with their argument. The operators that a
  // composite calls reach this fallback by themselves.
  if (call.op.schema.is_view || call.op.composite || changes_view_geometry(call.op)) return redispatch_below(call, key);

  struct Written {
    Tensor target, copy;
  };
  std::vector<Written> written;
  const ReplacedTensors resolved(call, [&](const Tensor& t, int argument) {
    if (!t.defined() || !(conj ? t.is_conj() : is_lazily_negative(t))) return t;
    Tensor values = resolve_bits(t, conj, !conj);
    if (call.op.schema.args[size_t(argument)].mutated) written.push_back({t, values});
    return values;
  });
  redispatch(call.op, call.keys & keys_below(key), resolved.args.data(), call.rets);
  for (const Written& w : written) write_back_to_target(w.target, w.copy, conj);
  // If an operator returns the tensor that it wrote to, return the caller's tensor.
  for (int r = 0; r < call.op.n_rets && !written.empty(); ++r) {
    if (call.rets[r].tag != MT_TAG_TENSOR) continue;
    for (const Written& w : written)
      if (reinterpret_cast<TensorImpl*>(call.rets[r].as.tensor) == w.copy.get()) {
        clear(call.rets[r]);
        put(call.rets[r], w.target);
        break;
      }
  }
}
template <Key K>
void resolve_and_run(const Call& call, const void*) {
  resolve_arguments(call, K);
}

}  // namespace

Tensor resolve_lazy_bits(const Tensor& tensor) { return resolve_bits(tensor, true, true); }

void install_conjugate_fallbacks() {
  set_fallback(Key::conjugate, resolve_and_run<Key::conjugate>, nullptr);
  set_fallback(Key::negative, resolve_and_run<Key::negative>, nullptr);
}

}  // namespace mt
