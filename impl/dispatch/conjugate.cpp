// The Conjugate and Negative fallbacks: operators that do not read these bits get tensors whose memory holds the values.
#include "dispatch/conjugate.h"

#include <vector>

#include "core/dispatch_dtype.h"
#include "rules/rule.h"

namespace mt {
namespace {

constexpr KeySet lazy_keys = key_bit(Key::conjugate) | key_bit(Key::negative);

// The tensor's memory, read without its bits.
Tensor without_bits(const Tensor& t) {
  Tensor raw = alias(t, true);
  raw->conj = raw->neg = false;
  raw->keys &= ~lazy_keys;
  return raw;
}

template <class T>
void flip(T* data, int64_t n, bool conj, bool neg) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (is_complex_type<T>) {
      if (conj) data[i].im = -data[i].im;
      if (neg) data[i].re = -data[i].re, data[i].im = -data[i].im;
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (neg) data[i] = T(-data[i]);
    }
  }
}

// Conjugates and negates a dense tensor where it lies.
void flip_dense(const Tensor& t, bool conj, bool neg) {
  if (t.numel() == 0 || !t.data()) return;
  check(t.device().is_cpu(), ErrorKind::not_implemented, "lazy conjugation of tensors on {}", t.device());
  visit_all(t.dtype(), [&]<class T>(Type<T>) { flip(t.data<T>(), t.numel(), conj, neg); });
}

Tensor empty_dense_like(const Tensor& t) {
  return t.is_non_overlapping_and_dense() ? empty_strided(t.sizes(), t.strides(), t.dtype(), t.device())
                                          : empty(t.sizes(), t.dtype(), t.device());
}

// The values with the asked-for bits worked in; the other bit stays on the result.
Tensor resolve(const Tensor& t, bool conj, bool neg) {
  conj = conj && t.is_conj();
  neg = neg && t.is_neg();
  if (!conj && !neg) return t;
  Tensor result = empty_dense_like(t);
  if (!t.is_meta()) {
    copy_into(result, without_bits(t));
    flip_dense(result, conj, neg);
  }
  result->conj = t.is_conj() && !conj;
  result->neg = t.is_neg() && !neg;
  result->keys |= t.keys() & lazy_keys & ~(conj ? key_bit(Key::conjugate) : 0) & ~(neg ? key_bit(Key::negative) : 0);
  return result;
}

// Stores what an operator wrote into a resolved copy back under the bit of the tensor that the copy stands for.
void write_back(const Tensor& target, const Tensor& written, bool conj) {
  if (target.sizes() != written.sizes()) resize_to(target, written.sizes());
  if (target.is_meta()) return;
  Tensor values = empty_dense_like(written);
  copy_into(values, without_bits(written));
  flip_dense(values, conj, !conj);
  copy_into(without_bits(target), values);
}

template <Key K>
void fallback(const Call& call, const void*) {
  constexpr bool conj = K == Key::conjugate;
  // Views carry the bit to their result, and only views may share memory with their argument. What a composite calls comes here by itself.
  if (call.op.schema.is_view || call.op.composite) return redispatch_below(call, K);

  struct Written {
    Tensor target, copy;
  };
  std::vector<Written> written;
  std::vector<Tensor> singles;
  std::vector<std::vector<Tensor>> lists;
  singles.reserve(call.op.tensor_args.size());
  lists.reserve(call.op.tensor_args.size());
  Small<Value, 16> args(List<Value>(call.args, call.op.n_args));
  auto replace = [&](const Tensor& t, bool mutated) {
    if (!t.defined() || !(conj ? t.is_conj() : t.is_neg())) return t;
    Tensor resolved = resolve(t, conj, !conj);
    if (mutated) written.push_back({t, resolved});
    return resolved;
  };
  for (int8_t i : call.op.tensor_args) {
    const bool mutated = call.op.schema.args[size_t(i)].mutated;
    const int32_t tag = args[i].tag;
    if (tag == MT_TAG_TENSOR) {
      singles.push_back(replace(Unbox<Tensor>::from(args[i]), mutated));
      args[i] = box(singles.back());
    } else if (tag == MT_TAG_TENSORS || tag == MT_TAG_OPTIONAL_TENSORS) {
      std::vector<Tensor>& list = lists.emplace_back();
      for (const Tensor& t : Unbox<TensorList>::from(args[i])) list.push_back(replace(t, mutated));
      args[i] = box(TensorList(list.data(), int64_t(list.size())));
      args[i].tag = tag;
    }
  }
  redispatch(call.op, call.keys & keys_below(K), args.data(), call.rets);
  for (const Written& w : written) write_back(w.target, w.copy, conj);
  // An operator that gives back the tensor it wrote to gives back the caller's.
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

}  // namespace

Tensor resolve_lazy_bits(const Tensor& tensor) { return resolve(tensor, true, true); }

void install_conjugate_fallbacks() {
  set_fallback(Key::conjugate, fallback<Key::conjugate>, nullptr);
  set_fallback(Key::negative, fallback<Key::negative>, nullptr);
}

}  // namespace mt
