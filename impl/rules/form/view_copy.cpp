// The *_copy family: finds the view's definition, uses its derivative, and copies the view's elements, in every form.
#include "rules/form/view_copy.h"

#include <deque>
#include <string>
#include <vector>

#include "core/messages.h"
#include "definition/definition.h"
#include "rules/form/one_device.h"

namespace mt {
namespace {

// Returns "squeeze.dim" for "squeeze_copy.dim(Tensor self, int dim) -> Tensor".
std::string name_of_view(const std::string& copy_schema) {
  std::string name = copy_schema.substr(0, copy_schema.find('('));
  return name.erase(name.find("_copy"), 5);
}

// All definitions of the view family, collected once: thirty copy operators look views up here.
const std::vector<OpDef>& view_definitions() {
  static const auto* definitions = [] {
    auto* list = new std::vector<OpDef>();
    for (const OpRegistration& r : op_registrations())
      if (std::strstr(r.file, "/view/") && !std::strstr(r.file, "_copy.cpp")) list->push_back(r.make());
    return list;
  }();
  return *definitions;
}

// Copies the view's derivative and the name of its node, for one overload.
void copy_derivative(OpDef& to, const std::string& view) {
  for (const OpDef& def : view_definitions())
    for (const char* schema : def.schema) {
      const std::string text(schema);
      if (text.substr(0, text.find('(')) != view) continue;
      to.grad = def.grad;
      to.grad_name = def.grad_name;
      const size_t dot = view.find('.');
      for (const Overload& o : def.overloads) {
        if (view.substr(dot == std::string::npos ? view.size() : dot + 1) != o.name) continue;
        if (is_set(o.def->grad)) to.grad = o.def->grad;
        if (is_set(o.def->grad_name)) to.grad_name = o.def->grad_name;
      }
      const std::string base = view.substr(0, dot);
      const std::string node = is_set(to.grad_name) ? std::string(to.grad_name) : backward_name(base);
      static auto& names = *new std::deque<std::string>;  // definitions keep pointers to these names for ever
      to.grad_name = names.emplace_back(node + "_copy").c_str();
      return;
    }
  fail("{}_copy: there is no such view", view);
}

struct CopiedView {
  std::string shown_by;  // "squeeze"
  const Operator* view = nullptr;
};

void set_results_to_copies(const Call& call, const void* data, Value* rets) {
  auto* body = static_cast<CopiedView*>(const_cast<void*>(data));
  const Operator& functional = *call.op.functional;
  if (!body->view) body->view = find_operator(body->shown_by.c_str(), functional.schema.overload.c_str());
  BelowAutograd guard;
  mt::call(*body->view, call.args, rets);
}

std::vector<Tensor> record_view_steps(const Call& call, const void* data) {
  Results<1> results;
  set_results_to_copies(call, data, results.values);
  std::vector<Tensor> out;
  if (results.values[0].tag == MT_TAG_TENSOR)
    out.push_back(Unbox<Tensor>::from(results.values[0]));
  else
    move_list_to(results.values[0], out);
  BelowAutograd guard;
  for (Tensor& t : out)  // copies in logical order, not in memory order
    if (t.is_conj() || t.is_neg()) t = op<"resolve_neg">(op<"resolve_conj">(t));
  return out;
}

void run_functional_copy(const Call& call, const void* data) {
  std::vector<Tensor> views = record_view_steps(call, data);
  for (Tensor& t : views) {
    Tensor own = empty(t.sizes(), t.dtype(), t.device());
    if (!t.is_meta()) copy_into(own, t);
    t = own;
  }
  if (call.op.schema.returns[0].type == ArgType::tensor)
    put(call.rets[0], views[0]);
  else
    put_list(call.rets[0], views.data(), int64_t(views.size()));
}

void check_output(const Tensor& view, const Tensor& target) {
  check_copy_device(view.device(), target.device());
  check(target.device().type == view.device().type, out_device_differs, view.device(), target.device());
  check(target.dtype() == view.dtype(), messages::expected_out_dtype, ScalarName(view.dtype()), ScalarName(target.dtype()));
}

void copy_to_output(const Call& call, const void* data) {
  const Tensor view = record_view_steps(call, data)[0];
  const Tensor& target = Unbox<Tensor>::from(call.args[call.op.functional->n_args]);
  check_output(view, target);
  resize_output(target, view.sizes());
  store_result(target, view);
  put(call.rets[0], target);
}

struct ViewCopyRule : Rule {
  explicit ViewCopyRule(const char* s) : shown_by(s) {}
  void install(Operator& op) const override {
    const std::string name = op.functional->schema.name;
    auto* body = new CopiedView{shown_by ? shown_by : name.substr(0, name.size() - 5)};  // lives as long as the operator
    const KernelFn fn = op.form == Form::out ? copy_to_output : run_functional_copy;
    for (Key key : {Key::cpu, Key::npu, Key::meta}) set_slot(op, key, fn, body);
  }
  const char* shown_by;
};

}  // namespace

void copy_pieces(const char* who, const std::vector<Tensor>& pieces, TensorList out, Pieces way) {
  check(int64_t(pieces.size()) == out.size(), "{} expected an out= argument of size {}, got size {}", who, pieces.size(), out.size());
  GradMode off(false);  // nothing is recorded
  for (int64_t i = 0; const Tensor& piece : pieces) {
    const Tensor& target = out[i++];
    if (way == Pieces::resize) {
      check_output(piece, target);
      if (resize_output(target, piece.sizes())) target.bump_version();
    }
    op<"copy_">(target, piece);
  }
}

OpDef make_view_copy_definition(const OpDef& given, const char* shown_by) {
  OpDef def = given;
  std::vector<Overload> overloads;
  def.rule = new ViewCopyRule(shown_by);
  for (const char* schema : def.schema) {
    const std::string view = name_of_view(schema);
    if (def.schema.size() == 1) {
      copy_derivative(def, view);
      continue;
    }
    OpDef own;
    copy_derivative(own, view);
    const size_t dot = view.find('.');
    overloads.push_back(overload(dot == std::string::npos ? "" : (new std::string(view.substr(dot + 1)))->c_str(), own));
  }
  if (!overloads.empty()) def.overloads = Overloads(overloads);
  return def;
}

}  // namespace mt
