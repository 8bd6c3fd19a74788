// Code that all formulas share, not inlined because there are a thousand of them.
#include "definition/formula.h"

#include <algorithm>

namespace mt {

namespace detail {
Tensor& append_undefined(std::vector<Tensor>* out) { return out->emplace_back(); }
void append(std::vector<Tensor>* out, Tensor* list, size_t count) {
  for (size_t i = 0; i < count; ++i) out->push_back(std::move(list[i]));
}
Tensor tensor_of(const Value& v) {
  if (v.tag == MT_TAG_TENSOR) return Unbox<Tensor>::from(v);
  if (is_number_tag(v.tag)) return wrapped_number(Scalar::of_value(v));
  return Tensor();
}
}  // namespace detail

Formula with_targets(const Formula& formula, std::initializer_list<const char*> targets) {
  Formula of = formula;
  of.targets = copy_list(targets);
  return of;
}
Formula with_target(const Formula& formula, const char* target) { return with_targets(formula, {target}); }
Derivative::Derivative(std::initializer_list<Formula> list) : formulas(copy_list(list)) {}

}  // namespace mt
