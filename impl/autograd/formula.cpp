// What every formula shares: out of line, since there are a thousand of them.
#include "autograd/formula.h"

#include <algorithm>

namespace mt {

namespace detail {
void append(std::vector<Tensor>* out, Tensor t) { out->push_back(std::move(t)); }
void append(std::vector<Tensor>* out, Tensor* list, size_t count) {
  for (size_t i = 0; i < count; ++i) out->push_back(std::move(list[i]));
}
Tensor tensor_of(const Value& v) {
  if (v.tag == MT_TAG_TENSOR) return Unbox<Tensor>::from(v);
  if (number_tag(v.tag)) return wrapped_number(Scalar::of_value(v));
  return Tensor();
}
}  // namespace detail

Formula with_targets(Formula formula, std::initializer_list<const char*> targets) {
  auto** names = new const char*[targets.size()];  // as long-lived as the definition
  formula.targets = {names, std::copy(targets.begin(), targets.end(), names)};
  return formula;
}
Derivative::Derivative(std::initializer_list<Formula> list) : formulas(list) {}

}  // namespace mt
