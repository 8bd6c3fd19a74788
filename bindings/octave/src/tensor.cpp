// The Octave type of tensors: methods and properties after a dot, display, Octave's elementwise functions (abs, sin), arithmetic.
#include <map>

#include <octave/parse.h>

#include "mindtorch.h"

#include "callbacks.h"
#include "functions.h"

namespace mindtorch_octave {

using mindtorch::Value;

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA(octave_tensor, "tensor", "Tensor")

namespace {

Tensor dispatch_operator(const std::string& name, const std::vector<octave_value>& arguments, const char* overload = "") {
  Values values;
  for (const octave_value& argument : arguments) box(argument, values);
  return mindtorch_swig::dispatch(name.c_str(), overload, values).at(0).tensor();
}

bool requires_grad(const Tensor& tensor) { return (tensor.info().flags & MT_TENSOR_REQUIRES_GRAD) != 0; }

void require_grad(const Tensor& tensor, bool on) { mindtorch::check(mt_tensor_set_requires_grad(tensor.handle(), on)); }

Tensor gradient_of(const Tensor& tensor) {
  mt_tensor* gradient = nullptr;
  mindtorch::check(mt_tensor_grad(tensor.handle(), &gradient));
  return gradient == nullptr ? Tensor() : Tensor::own(gradient);
}

octave_value shape_of(const Tensor& tensor) {
  const std::vector<int64_t> sizes = tensor.sizes();
  RowVector out(static_cast<octave_idx_type>(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) out(static_cast<octave_idx_type>(i)) = static_cast<double>(sizes[i]);
  return out;
}

octave_value item_of(const Tensor& tensor) {
  mt_value raw{};
  mindtorch::check(mt_tensor_item(tensor.handle(), &raw));
  return unbox(Value::own(raw));
}

using Method = octave_value (*)(const Tensor&, const octave_value_list&);

octave_value require_argument(const octave_value_list& given, int place, const char* meaning) {
  if (place < given.length()) return given(place);
  fail("TypeError", std::string("this method requires ") + meaning);
}

// Hand-written methods that correspond to no operator; a property is a method without arguments.
const std::map<std::string, Method>& methods() {
  static const std::map<std::string, Method> known = {
      {"shape", [](const Tensor& x, const octave_value_list&) { return shape_of(x); }},
      {"dtype", [](const Tensor& x, const octave_value_list&) { return octave_value(std::string(mt_dtype_name(x.dtype()))); }},
      {"device",
       [](const Tensor& x, const octave_value_list&) { return octave_value(std::string(mt_device_type_name(x.info().device.type))); }},
      {"requires_grad", [](const Tensor& x, const octave_value_list&) { return octave_value(requires_grad(x)); }},
      {"requires_grad_",
       [](const Tensor& x, const octave_value_list& given) {
         require_grad(x, given.empty() || given(0).bool_value());
         return wrap(x);
       }},
      {"grad", [](const Tensor& x, const octave_value_list&) { return wrap(gradient_of(x)); }},
      {"array", [](const Tensor& x, const octave_value_list&) { return to_array(x); }},
      {"item", [](const Tensor& x, const octave_value_list&) { return item_of(x); }},
      {"backward",
       [](const Tensor& x, const octave_value_list& given) {
         Tensor(x).backward(given.empty() ? Tensor() : tensor_of(given(0)));
         return octave_value();
       }},
      {"on_gradient",
       [](const Tensor& x, const octave_value_list& given) {
         const octave_value function = require_argument(given, 0, "a function");
         return octave_value(static_cast<double>(mindtorch_swig::add_hook(x.handle(), function_of(function))));
       }},
      {"remove_hook",
       [](const Tensor& x, const octave_value_list& given) {
         const octave_value id = require_argument(given, 0, "the number that on_gradient returned");
         mindtorch::check(mt_tensor_remove_hook(x.handle(), static_cast<int64_t>(id.double_value())));
         return octave_value();
       }},
  };
  return known;
}

octave_value_list call_method(const Tensor& tensor, const std::string& name, const octave_value_list& given, int nargout) {
  const auto method = methods().find(name);
  if (method != methods().end()) {
    const octave_value result = method->second(tensor, given);
    return result.is_defined() ? octave_value_list(result) : octave_value_list();
  }
  if (!mindtorch_swig::operator_exists(name.c_str())) fail("AttributeError", "'Tensor' object has no attribute '" + name + "'");
  Values values;
  values.add_tensor(tensor.handle());
  box_arguments(name, given, 0, values);
  return call_operator(name, "", values, nargout);
}

// ---- arithmetic ----

bool is_scalar(const octave_value& value) { return is_tensor(value) ? tensor_of(value).sizes().empty() : is_number(value); }

// An array beside a tensor gets its dtype, as torch gives it to a number.
octave_value as_operand(const octave_value& value, const octave_value& other) {
  if (is_tensor(value)) return value;
  if (!is_number(value)) {
    const std::string dtype = mt_dtype_name(tensor_of(other).dtype());
    const bool is_double = value.is_double_type() && !value.iscomplex();
    return wrap(from_array(value, is_double && dtype.compare(0, 5, "float") == 0 ? dtype : ""));
  }
  Values number;
  box(value, number);
  mt_tensor* made = nullptr;
  mindtorch::check(mt_tensor_from_scalar(&number.at(0).raw(), -1, 1, &made));
  return wrap(Tensor::own(made));
}

octave_value matrix_or_scalar_power(const octave_value& left, const octave_value& right) {
  if (is_scalar(left) && is_scalar(right)) return wrap(dispatch_operator("pow", {left, right}));
  if (is_tensor(left) && is_number(right)) return wrap(dispatch_operator("linalg_matrix_power", {left, right}));
  fail("TypeError", "^ is a power of matrices, with a whole number on its right; .^ is the elements'");
}

octave_value compute_binary(octave_value::binary_op op, const octave_value& first, const octave_value& second) {
  const octave_value left = as_operand(first, second), right = as_operand(second, first);
  const bool is_elementwise = is_scalar(left) || is_scalar(right);
  const auto by_element = [&](const char* name) { return wrap(dispatch_operator(name, {left, right})); };
  switch (op) {
    case octave_value::op_add: return by_element("add");
    case octave_value::op_sub: return by_element("sub");
    case octave_value::op_mul: return by_element(is_elementwise ? "mul" : "matmul");
    case octave_value::op_el_mul: return by_element("mul");
    case octave_value::op_el_div: return by_element("div");
    case octave_value::op_el_ldiv: return wrap(dispatch_operator("div", {right, left}));
    case octave_value::op_el_pow: return by_element("pow");
    case octave_value::op_pow: return matrix_or_scalar_power(left, is_number(second) ? second : right);
    case octave_value::op_div:
      if (is_elementwise) return by_element("div");
      // x / A solves y * A = x.
      return wrap(dispatch_operator("t", {wrap(dispatch_operator("linalg_solve", {wrap(dispatch_operator("t", {right})),
                                                                                  wrap(dispatch_operator("t", {left}))}))}));
    case octave_value::op_ldiv:
      return is_elementwise ? wrap(dispatch_operator("div", {right, left})) : wrap(dispatch_operator("linalg_solve", {left, right}));
    case octave_value::op_lt: return by_element("lt");
    case octave_value::op_le: return by_element("le");
    case octave_value::op_eq: return by_element("eq");
    case octave_value::op_ge: return by_element("ge");
    case octave_value::op_gt: return by_element("gt");
    case octave_value::op_ne: return by_element("ne");
    case octave_value::op_el_and: return by_element("logical_and");
    case octave_value::op_el_or: return by_element("logical_or");
    default: fail("TypeError", "tensors have no operator " + octave_value::binary_op_as_string(op));
  }
}

// Octave's handlers are not told which operator they compute, so each operator has an instance of this template.
template <int op>
octave_value binary_operator(const octave_base_value& left, const octave_base_value& right) {
  const auto value = [](const octave_base_value& base) { return octave_value(const_cast<octave_base_value*>(&base), true); };
  return guarded([&] { return compute_binary(static_cast<octave_value::binary_op>(op), value(left), value(right)); });
}

const Tensor& tensor_operand(const octave_base_value& value) { return static_cast<const octave_tensor&>(value).tensor(); }

template <int op>
void install_binary(octave::type_info& types, int count) {
  const int own = octave_tensor::static_type_id();
  const auto which = static_cast<octave_value::binary_op>(op);
  for (int other = 0; other < count; ++other) {
    types.install_binary_op(which, own, other, binary_operator<op>);
    if (other != own) types.install_binary_op(which, other, own, binary_operator<op>);
  }
  if constexpr (op + 1 < octave_value::op_struct_ref) install_binary<op + 1>(types, count);
}

}  // namespace

void install_operators(octave::type_info& types) {
  install_binary<0>(types, static_cast<int>(types.installed_type_names().numel()));
  const int own = octave_tensor::static_type_id();
  types.install_unary_op(octave_value::op_not, own, [](const octave_base_value& x) {
    return guarded([&] { return wrap(dispatch_operator("logical_not", {wrap(tensor_operand(x))})); });
  });
  types.install_unary_op(octave_value::op_uplus, own, [](const octave_base_value& x) { return wrap(tensor_operand(x)); });
  types.install_unary_op(octave_value::op_uminus, own, [](const octave_base_value& x) {
    return guarded([&] { return wrap(dispatch_operator("neg", {wrap(tensor_operand(x))})); });
  });
  types.install_unary_op(octave_value::op_transpose, own, [](const octave_base_value& x) {
    return guarded([&] { return wrap(dispatch_operator("t", {wrap(tensor_operand(x))})); });
  });
  types.install_unary_op(octave_value::op_hermitian, own, [](const octave_base_value& x) {
    return guarded([&] { return wrap(dispatch_operator("conj", {wrap(dispatch_operator("t", {wrap(tensor_operand(x))}))})); });
  });
}

// ---- what Octave asks of its types ----

octave_value octave_tensor::elements() const {
  return guarded([&] { return to_array(tensor_); });
}
octave_value octave_tensor::as_double() const {
  return guarded([&] { return to_doubles(tensor_); });
}

bool octave_tensor::is_true() const {
  return guarded([&] {
    const octave_value number = item_of(tensor_);
    return number.is_true();
  });
}

octave_value octave_tensor::map(unary_mapper_t function) const {
  return guarded([&] {
    static const std::map<std::string, std::string> renamed = {{"arg", "angle"},      {"conj", "conj_physical"}, {"fix", "trunc"},
                                                               {"gammaln", "lgamma"}, {"sign", "sgn"},           {"signum", "sgn"}};
    std::string name = get_umap_name(function);
    const auto other = renamed.find(name);
    if (other != renamed.end()) name = other->second;
    if (!mindtorch_swig::operator_exists(name.c_str())) fail("TypeError", "torch has no function " + name);
    return wrap(dispatch_operator(name, {wrap(tensor_)}));
  });
}

octave_value_list octave_tensor::subsref(const std::string& type, const std::list<octave_value_list>& index, int nargout) {
  size_t used = 1;
  octave_value_list found = guarded([&]() -> octave_value_list {
    if (type[0] == '(') return octave_value_list(wrap(select_by_index(tensor_, index.front())));
    if (type[0] != '.') fail("TypeError", "a Tensor has no {}");
    auto given = index.begin();
    const std::string name = given->operator()(0).string_value();
    if (type.size() > 1 && type[1] == '(') {
      used = 2;
      return call_method(tensor_, name, *++given, type.size() > 2 ? 1 : nargout);
    }
    return call_method(tensor_, name, octave_value_list(), type.size() > 1 ? 1 : nargout);
  });
  if (type.size() <= used) return found;
  if (found.empty()) error("there is no value to index");
  std::list<octave_value_list> rest = index;
  for (size_t i = 0; i < used; ++i) rest.pop_front();
  return octave_value(found(0)).subsref(type.substr(used), rest, nargout);
}

octave_value octave_tensor::subsref(const std::string& type, const std::list<octave_value_list>& index) {
  const octave_value_list found = subsref(type, index, 1);
  return found.empty() ? octave_value() : found(0);
}

octave_value octave_tensor::subsasgn(const std::string& type, const std::list<octave_value_list>& index, const octave_value& value) {
  guarded([&] {
    if (type == "(") {
      assign_part(tensor_, index.front(), value);
    } else if (type == ".") {
      const std::string name = index.front()(0).string_value();
      if (name == "requires_grad") {
        require_grad(tensor_, value.bool_value());
      } else if (name == "grad") {
        mindtorch::check(mt_tensor_set_grad(tensor_.handle(), value.isempty() && !is_tensor(value) ? nullptr : tensor_of(value).handle()));
      } else {
        fail("AttributeError", "a Tensor's " + name + " cannot be set");
      }
    } else {
      fail("TypeError", "only x(...), x.grad and x.requires_grad can be set");
    }
  });
  return wrap(tensor_);
}

void octave_tensor::print(std::ostream& os, bool) {
  print_raw(os);
  newline(os);
}

void octave_tensor::print_raw(std::ostream& os, bool) const {
  guarded([&] {
    const mt_tensor_info about = tensor_.info();
    os << "Tensor " << mt_dtype_name(about.dtype) << " [";
    for (int64_t i = 0; i < about.ndim; ++i) os << (i > 0 ? " " : "") << about.sizes[i];
    os << "]" << (requires_grad(tensor_) ? ", requires_grad" : "");
    if (about.numel > 1000 || about.numel == 0 || about.layout != MT_STRIDED) return;
    os << "\n\n";
    to_array(mindtorch::call("detach", {tensor_})).print_raw(os);
  });
}

}  // namespace mindtorch_octave
