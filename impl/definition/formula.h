// Derivative formulas: the types that make up `.grad` in an operator's definition.
#pragma once

#include <array>
#include <new>
#include <span>
#include <vector>

#include "dispatch/invoke.h"

namespace mt {

// ---- types of a formula's parameters ----

// A parameter for the incoming gradient of the first result, undefined if none arrived.
struct Grad : Tensor {
  explicit Grad(Tensor t) : Tensor(std::move(t)) {}
};
// A parameter for the incoming gradient of result I.
template <int I>
struct GradOf : Tensor {
  explicit GradOf(Tensor t) : Tensor(std::move(t)) {}
};
// A parameter for the incoming gradients of all results, for operators that return a list.
struct GradList : TensorList {
  explicit GradList(TensorList l) : TensorList(l) {}
};
// A parameter for an argument of the forward call. If a tensor type is requested, a number arrives as a wrapped 0-dim tensor and None as an
// undefined one.
template <Name N, class T = Tensor>
struct In {
  T value;
  operator const T&() const { return value; }
  const T& operator*() const { return value; }
};
template <Name N>
struct In<N, Tensor> : Tensor {
  explicit In(Tensor t) : Tensor(std::move(t)) {}
};
// A parameter for a result of the forward call, by its schema name, or "result" for a single unnamed result, "result0", "result1", ... for
// several.
template <Name N>
struct Out : Tensor {
  explicit Out(Tensor t) : Tensor(std::move(t)) {}
};
// A parameter for the sizes, strides, dtype, layout and device of a tensor argument, saved without its data.
struct TensorMeta {
  Dims sizes, strides;  // strides are zeros for sparse layouts
  int64_t storage_offset = 0;
  int64_t block[2] = {};  // rows and columns of a block, for layouts with blocks
  Dtype dtype = Dtype::float32;
  Layout layout = Layout::strided;
  Device device;
  bool defined = true;
};
template <Name N>
struct MetaOf : TensorMeta {
  explicit MetaOf(const TensorMeta& m) : TensorMeta(m) {}
};
template <Name N>
struct MetaListOf {  // for a Tensor[] argument
  List<TensorMeta> list;
};
// A parameter for the tangent of an argument, zeros if it has none; for `.jvp` only.
template <Name N>
struct Tangent : Tensor {
  explicit Tangent(Tensor t) : Tensor(std::move(t)) {}
};
// A parameter: whether the in-place form was called.
struct IsInplace {
  bool value;
  operator bool() const { return value; }
};
// Which of the formula's targets need a gradient: mask[0] is the first name in wrt({...}).
struct Wanted {
  uint64_t bits = 0;
  bool operator[](int i) const { return bits >> i & 1; }
};

struct SavedItem {
  enum class Source : int8_t { argument, result, argument_meta, tangent };
  const char* name = nullptr;
  Source source = Source::argument;
  bool operator==(const SavedItem& o) const { return source == o.source && __builtin_strcmp(name, o.name) == 0; }
};

// What a formula reads when it runs: gradients and saved values.
struct BackwardCall {
  const Tensor* grads;  // one per result of the forward operator, or per element of a list result
  int64_t n_grads;
  const Value* const* items;             // one per SavedItem of the formula, in order
  const List<TensorMeta>* const* metas;  // one per SavedItem too, for argument_meta
  Wanted wanted;
  bool is_inplace = false;
};

// Copies a list out of a definition. The copy is never freed: definitions live until the program ends.
template <class T>
std::span<const T> copy_list(std::span<const T> items) {
  T* copy = new T[items.size()];
  return {copy, std::copy(items.begin(), items.end(), copy)};
}
template <class T>
std::span<const T> copy_list(std::initializer_list<T> items) {
  return copy_list(std::span<const T>(items.begin(), items.size()));
}

struct Formula {
  std::span<const char* const> targets;
  std::span<const SavedItem> items;
  uint32_t results = 0;  // a bit per result whose gradient the formula uses; all bits for a list result
  // Writes one tensor per target (for a Tensor[] target: appends one per element).
  void (*run)(const BackwardCall& call, std::vector<Tensor>* out) = nullptr;
};

namespace detail {

template <class P>
struct FormulaParam;
template <>
struct FormulaParam<Grad> {
  static constexpr bool saved = false;
  static constexpr uint32_t results = 1;
  static Grad get_parameter(const BackwardCall& b, int) { return Grad(b.grads[0]); }
};
template <int I>
struct FormulaParam<GradOf<I>> {
  static constexpr bool saved = false;
  static constexpr uint32_t results = 1u << I;
  static GradOf<I> get_parameter(const BackwardCall& b, int) { return GradOf<I>(b.grads[I]); }
};
template <>
struct FormulaParam<GradList> {
  static constexpr bool saved = false;
  static constexpr uint32_t results = ~0u;
  static GradList get_parameter(const BackwardCall& b, int) { return GradList({b.grads, b.n_grads}); }
};
template <>
struct FormulaParam<Wanted> {
  static constexpr bool saved = false;
  static constexpr uint32_t results = 0;
  static Wanted get_parameter(const BackwardCall& b, int) { return b.wanted; }
};
template <>
struct FormulaParam<IsInplace> {
  static constexpr bool saved = false;
  static constexpr uint32_t results = 0;
  static IsInplace get_parameter(const BackwardCall& b, int) { return {b.is_inplace}; }
};
Tensor tensor_of(const Value& value);  // wraps numbers as tensors
template <Name N, class T>
struct FormulaParam<In<N, T>> {
  static constexpr bool saved = true;
  static constexpr SavedItem item{N.text, SavedItem::Source::argument};
  static In<N, T> get_parameter(const BackwardCall& b, int i) {
    if constexpr (std::is_same_v<T, Tensor>)
      return In<N, T>(tensor_of(*b.items[i]));
    else
      return {Unbox<T>::from(*b.items[i])};
  }
};
template <Name N>
struct FormulaParam<Out<N>> {
  static constexpr bool saved = true;
  static constexpr SavedItem item{N.text, SavedItem::Source::result};
  static Out<N> get_parameter(const BackwardCall& b, int i) { return Out<N>(tensor_of(*b.items[i])); }
};
template <Name N>
struct FormulaParam<Tangent<N>> {
  static constexpr bool saved = true;
  static constexpr SavedItem item{N.text, SavedItem::Source::tangent};
  static Tangent<N> get_parameter(const BackwardCall& b, int i) { return Tangent<N>(tensor_of(*b.items[i])); }
};
template <Name N>
struct FormulaParam<MetaOf<N>> {
  static constexpr bool saved = true;
  static constexpr SavedItem item{N.text, SavedItem::Source::argument_meta};
  static MetaOf<N> get_parameter(const BackwardCall& b, int i) { return MetaOf<N>((*b.metas[i])[0]); }
};
template <Name N>
struct FormulaParam<MetaListOf<N>> {
  static constexpr bool saved = true;
  static constexpr SavedItem item{N.text, SavedItem::Source::argument_meta};
  static MetaListOf<N> get_parameter(const BackwardCall& b, int i) { return {*b.metas[i]}; }
};

Tensor& append_undefined(std::vector<Tensor>* out);  // appends an undefined tensor
void append(std::vector<Tensor>* out, Tensor* list, size_t count);  // moves the tensors out of the list
inline void append(std::vector<Tensor>* out, std::vector<Tensor> list) { append(out, list.data(), list.size()); }
template <int K>
void append(std::vector<Tensor>* out, Tensors<K> list) {
  append(out, &list[0], K);
}

template <class F, class Signature = decltype(&F::operator())>
struct FormulaOf;
template <class F, class R, class... P>
struct FormulaOf<F, R (F::*)(P...) const> {
  static const Formula formula;

 private:
  // Which values must be saved for the formula's parameters, and a bit per result whose gradient they use.
  static constexpr auto items = [] {
    std::pair<std::array<SavedItem, (size_t(FormulaParam<std::remove_cvref_t<P>>::saved) + ... + 0)>, uint32_t> found{};
    size_t n = 0;
    auto add = [&]<class T>() {
      if constexpr (FormulaParam<T>::saved)
        found.first[n++] = FormulaParam<T>::item;
      else
        found.second |= FormulaParam<T>::results;
    };
    (add.template operator()<std::remove_cvref_t<P>>(), ...);
    return found;
  }();
  static void run(const BackwardCall& b, std::vector<Tensor>* out) { call_with_parameters(b, out, std::index_sequence_for<P...>()); }
  static constexpr int rank_in_category(size_t index) {
    constexpr bool saved[] = {FormulaParam<std::remove_cvref_t<P>>::saved..., false};
    int n = 0;
    for (size_t i = 0; i < index; ++i) n += saved[i];
    return n;
  }
  template <size_t... I>
  static void call_with_parameters(const BackwardCall& b, std::vector<Tensor>* out, std::index_sequence<I...>) {
    if constexpr (std::is_base_of_v<Tensor, R>)  // constructed in place
      ::new (static_cast<void*>(&append_undefined(out)))
          Tensor(F{}(FormulaParam<std::remove_cvref_t<P>>::get_parameter(b, rank_in_category(I))...));
    else
      append(out, F{}(FormulaParam<std::remove_cvref_t<P>>::get_parameter(b, rank_in_category(I))...));
  }
};
template <class F, class R, class... P>
inline constexpr Formula FormulaOf<F, R (F::*)(P...) const>::formula{{}, items.first, items.second, run};

}  // namespace detail

Formula with_targets(const Formula& formula, std::initializer_list<const char*> targets);
Formula with_target(const Formula& formula, const char* target);
// Makes the derivative with respect to one argument from a lambda that returns its gradient.
template <class F>
Formula wrt(const char* target, F) {
  return with_target(detail::FormulaOf<F>::formula, target);
}
// As above for several arguments: the lambda returns Tensors<N> and may take a `Wanted` parameter.
template <class F>
Formula wrt(std::initializer_list<const char*> targets, F) {
  return with_targets(detail::FormulaOf<F>::formula, targets);
}

// Makes `.jvp` from a lambda that returns the tangent of the result.
template <class F>
const Formula* forward(F) {
  return &detail::FormulaOf<F>::formula;
}

// A list of formulas, or the statement that the results are not differentiable.
struct Derivative {
  std::span<const Formula> formulas;
  bool non_differentiable = false;
  constexpr Derivative() = default;
  Derivative(std::initializer_list<Formula> list);
  constexpr explicit Derivative(bool none) : non_differentiable(none) {}
};
inline constexpr Derivative not_differentiable{true};

}  // namespace mt
