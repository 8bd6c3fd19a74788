// Conformance checks of operators: each returns the host's values or raises NotImplementedError. Also of errors that do not depend on the
// operator.
#include <algorithm>

#include "support.h"

namespace conformance {
namespace {

// Runs an operator with equal inputs on the host and on the device; results throw_on_error agree, and the device's result throw_on_error be
// on the device.
struct Sample {
  const char* name;
  const char* overload;
  std::vector<mt_value> others;  // after the tensors
  std::vector<Tensor> tensors;
};
enum class Outcome { agrees, not_there };
Outcome compare_with_host(const Sample& s) {
  std::vector<Tensor> moved;
  std::vector<mt_value> here, there;
  for (const Tensor& t : s.tensors) moved.push_back(copy_to(t, device));
  for (size_t i = 0; i < moved.size(); ++i) here.push_back(mt_box_tensor(s.tensors[i])), there.push_back(mt_box_tensor(moved[i]));
  here.insert(here.end(), s.others.begin(), s.others.end());
  there.insert(there.end(), s.others.begin(), s.others.end());
  const Tensor expected = call(s.name, s.overload, here);
  Tensor got;
  const std::string text = try_call(s.name, s.overload, there, &got);
  if (text.compare(0, 20, "NotImplementedError:") == 0) return Outcome::not_there;
  expect(text.empty(), std::string(s.name) + ": " + text);
  expect(on_device(got), std::string(s.name) + " gave a result of the host's");
  expect(have_equal_elements(copy_to(got, host), expected, 1e-5), std::string(s.name) + " gave other numbers");
  return Outcome::agrees;
}
std::vector<Sample> list_samples() {
  const Tensor a = make_ramp({4, 6}), b = make_ramp({4, 6}, 0.5f), m = make_ramp({6, 5}, -0.5f), row = make_ramp({6}, 1);
  std::vector<Sample> all;
  for (const char* name : {"neg", "exp", "tanh", "relu", "sigmoid", "abs", "isfinite"}) all.push_back({name, "", {}, {a}});
  for (const char* name : {"log", "sqrt"}) all.push_back({name, "", {}, {b}});
  for (const char* name : {"add", "sub", "mul", "div", "eq", "ne", "lt", "gt"}) {
    all.push_back({name, "Tensor", {}, {a, b}});
    all.push_back({name, "Tensor", {}, {a, row}});
  }
  all.push_back({"sum", "", {}, {a}});
  all.push_back({"mean", "", {}, {a}});
  all.push_back({"mm", "", {}, {a, m}});
  all.push_back({"_softmax", "", {mt_int(1), mt_bool(0)}, {a}});
  all.push_back({"gelu", "", {}, {a}});
  all.push_back({"nonzero", "", {}, {a}});
  return all;
}

void operators_match_the_host_or_are_missing() {
  int agree = 0;
  for (const Sample& s : list_samples()) agree += compare_with_host(s) == Outcome::agrees;
  expect(agree > 0, "the device has none of the operators that were tried");
}
void required_operators_have_kernels() {
  const Tensor a = make_ramp({4, 6}), b = make_ramp({4, 6}, 0.5f);
  for (const char* name : {"add", "mul"})
    expect(compare_with_host({name, "Tensor", {}, {a, b}}) == Outcome::agrees, std::string("there is no kernel for ") + name);
  expect(compare_with_host({"sum", "", {}, {a}}) == Outcome::agrees, "there is no kernel for sum");
  expect(compare_with_host({"mm", "", {}, {a, make_ramp({6, 5})}}) == Outcome::agrees, "there is no kernel for mm");
}
void in_place_and_out_forms_write_to_their_target() {
  const Tensor a = copy_to(make_ramp({8}), device), b = copy_to(make_ramp({8}, 2), device), out = copy_to(make_ramp({8}, 0, 0), device);
  void *before = nullptr, *after = nullptr;
  throw_on_error(mt_tensor_data(a, &before));
  call("add_", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)});
  throw_on_error(mt_tensor_data(a, &after));
  const Tensor sum = call("add", "Tensor", {mt_box_tensor(make_ramp({8})), mt_box_tensor(make_ramp({8}, 2))});
  expect(before == after && have_equal_elements(copy_to(a, host), sum), "add_ gave other numbers, or other memory");
  call("mul", "out", {mt_box_tensor(b), mt_box_tensor(b), mt_box_tensor(out)});
  expect(have_equal_elements(copy_to(out, host),
                             call("mul", "Tensor", {mt_box_tensor(make_ramp({8}, 2)), mt_box_tensor(make_ramp({8}, 2))})),
         "out= gave other numbers");
}
void strided_arguments_are_read_in_place() {
  const Tensor a = make_ramp({5, 5}), there = copy_to(a, device);
  auto twisted = [](const Tensor& t) {
    return call("add", "Tensor", {mt_box_tensor(t), mt_box_tensor(call("t", "", {mt_box_tensor(t)}))});
  };
  expect(have_equal_elements(call("contiguous", "", {mt_box_tensor(copy_to(twisted(there), host))}),
                             call("contiguous", "", {mt_box_tensor(twisted(a))})),
         "elements differ");
}
void numbers_combine_with_device_tensors() {
  const Tensor a = make_ramp({3});
  expect(have_equal_elements(copy_to(call("mul", "Tensor", {mt_box_tensor(copy_to(a, device)), mt_int(3)}), host),
                             call("mul", "Tensor", {mt_box_tensor(a), mt_int(3)})),
         "elements differ");
}
void tensors_of_two_devices_are_refused() {
  const std::string text = try_call("mm", "", {mt_box_tensor(copy_to(make_ramp({2, 2}), device)), mt_box_tensor(make_ramp({2, 2}))});
  expect(!text.empty(), "a product of two devices' tensors was given");
}
void a_failed_call_changes_nothing() {
  const Tensor there = copy_to(make_ramp({3}), device);
  expect(!try_call("add_", "Tensor", {mt_box_tensor(there), mt_box_tensor(copy_to(make_ramp({4}), device))}).empty(),
         "shapes that do not fit add up");
  expect(have_equal_elements(copy_to(there, host), make_ramp({3})), "elements changed");
}
void error_names_the_missing_kernel() {
  const std::string text = try_call("special_airy_ai", "", {mt_box_tensor(copy_to(make_ramp({3}), device))});
  if (text.empty()) throw Skipped("the device has a kernel for special_airy_ai");
  expect_error_prefix(text, "NotImplementedError: Could not run 'aten::special_airy_ai' with arguments from the 'NPU' backend.");
}
void backward_pass_runs_on_the_device() {
  const Tensor x = copy_to(make_ramp({4}), device);
  throw_on_error(mt_tensor_set_requires_grad(x, 1));
  const Tensor y = call("sum", "", {mt_box_tensor(call("mul", "Tensor", {mt_box_tensor(x), mt_box_tensor(x)}))});
  mt_tensor* roots[] = {y};
  throw_on_error(mt_autograd_backward(roots, nullptr, 1, 0, 0, nullptr, 0));
  mt_tensor* grad = nullptr;
  throw_on_error(mt_tensor_grad(x, &grad));
  const Tensor owned(grad);
  expect(on_device(owned) && have_equal_elements(copy_to(owned, host), call("mul", "Tensor", {mt_box_tensor(make_ramp({4})), mt_int(2)})),
         "the gradient is another");
}
void operations_run_in_order() {
  Tensor x = copy_to(make_ramp({1000}, 0, 0), device);
  for (int i = 0; i < 200; ++i) {
    x = call("add", "Tensor", {mt_box_tensor(x), mt_int(1)});
    if (i % 50 == 49) throw_on_error(mt_device_synchronize(MT_NPU, 0));
  }
  expect(have_equal_elements(copy_to(x, host), make_ramp({1000}, 200, 0)), "elements differ");
}

}  // namespace

std::vector<Check> operator_checks() {
  return {
      {"add, mul, sum and mm are there", required_operators_have_kernels},
      {"operators give the host's numbers, or NotImplementedError", operators_match_the_host_or_are_missing},
      {"in-place and out= forms write where they should", in_place_and_out_forms_write_to_their_target},
      {"strided arguments are read in place", strided_arguments_are_read_in_place},
      {"numbers mix with tensors", numbers_combine_with_device_tensors},
      {"tensors of two devices do not mix", tensors_of_two_devices_are_refused},
      {"a failed call changes nothing", a_failed_call_changes_nothing},
      {"missing kernels are named", error_names_the_missing_kernel},
      {"gradients flow on the device", backward_pass_runs_on_the_device},
      {"work is done in order", operations_run_in_order},
  };
}

}  // namespace conformance
