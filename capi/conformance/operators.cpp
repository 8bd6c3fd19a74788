// Conformance checks of operators: each returns the host's values or raises NotImplementedError. Also of errors that do not depend on the
// operator.
#include <algorithm>

#include "support.h"

namespace conformance {
namespace {

// Runs an operator with equal inputs on the host and on the device; results must agree, and the device's result must be on the device.
struct Sample {
  const char* name;
  const char* overload;
  std::vector<mt_value> others;  // after the tensors
  std::vector<Tensor> tensors;
};
enum class Outcome { agrees, not_there };
Outcome compare(const Sample& s) {
  std::vector<Tensor> moved;
  std::vector<mt_value> here, there;
  for (const Tensor& t : s.tensors) moved.push_back(to(t, device));
  for (size_t i = 0; i < moved.size(); ++i) here.push_back(mt_box_tensor(s.tensors[i])), there.push_back(mt_box_tensor(moved[i]));
  here.insert(here.end(), s.others.begin(), s.others.end());
  there.insert(there.end(), s.others.begin(), s.others.end());
  const Tensor expected = call(s.name, s.overload, here);
  Tensor got;
  const std::string text = try_call(s.name, s.overload, there, &got);
  if (text.compare(0, 20, "NotImplementedError:") == 0) return Outcome::not_there;
  expect(text.empty(), std::string(s.name) + ": " + text);
  expect(on_device(got), std::string(s.name) + " gave a result of the host's");
  expect(same(to(got, host), expected, 1e-5), std::string(s.name) + " gave other numbers");
  return Outcome::agrees;
}
std::vector<Sample> samples() {
  const Tensor a = ramp({4, 6}), b = ramp({4, 6}, 0.5f), m = ramp({6, 5}, -0.5f), row = ramp({6}, 1);
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

void operators_give_the_hosts_numbers_or_none() {
  int agree = 0;
  for (const Sample& s : samples()) agree += compare(s) == Outcome::agrees;
  expect(agree > 0, "the device has none of the operators that were tried");
}
void the_least_set_is_there() {
  const Tensor a = ramp({4, 6}), b = ramp({4, 6}, 0.5f);
  for (const char* name : {"add", "mul"})
    expect(compare({name, "Tensor", {}, {a, b}}) == Outcome::agrees, std::string("there is no kernel for ") + name);
  expect(compare({"sum", "", {}, {a}}) == Outcome::agrees, "there is no kernel for sum");
  expect(compare({"mm", "", {}, {a, ramp({6, 5})}}) == Outcome::agrees, "there is no kernel for mm");
}
void in_place_and_out_forms_write_where_they_should() {
  const Tensor a = to(ramp({8}), device), b = to(ramp({8}, 2), device), out = to(ramp({8}, 0, 0), device);
  void *before = nullptr, *after = nullptr;
  must(mt_tensor_data(a, &before));
  call("add_", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)});
  must(mt_tensor_data(a, &after));
  const Tensor sum = call("add", "Tensor", {mt_box_tensor(ramp({8})), mt_box_tensor(ramp({8}, 2))});
  expect(before == after && same(to(a, host), sum), "add_ gave other numbers, or other memory");
  call("mul", "out", {mt_box_tensor(b), mt_box_tensor(b), mt_box_tensor(out)});
  expect(same(to(out, host), call("mul", "Tensor", {mt_box_tensor(ramp({8}, 2)), mt_box_tensor(ramp({8}, 2))})), "out= gave other numbers");
}
void strided_arguments_are_read_in_place() {
  const Tensor a = ramp({5, 5}), there = to(a, device);
  auto twisted = [](const Tensor& t) {
    return call("add", "Tensor", {mt_box_tensor(t), mt_box_tensor(call("t", "", {mt_box_tensor(t)}))});
  };
  expect(same(call("contiguous", "", {mt_box_tensor(to(twisted(there), host))}), call("contiguous", "", {mt_box_tensor(twisted(a))})),
         "elements differ");
}
void numbers_mix_with_tensors() {
  const Tensor a = ramp({3});
  expect(same(to(call("mul", "Tensor", {mt_box_tensor(to(a, device)), mt_int(3)}), host),
              call("mul", "Tensor", {mt_box_tensor(a), mt_int(3)})),
         "elements differ");
}
void two_devices_do_not_mix() {
  const std::string text = try_call("mm", "", {mt_box_tensor(to(ramp({2, 2}), device)), mt_box_tensor(ramp({2, 2}))});
  expect(!text.empty(), "a product of two devices' tensors was given");
}
void a_failed_call_changes_nothing() {
  const Tensor there = to(ramp({3}), device);
  expect(!try_call("add_", "Tensor", {mt_box_tensor(there), mt_box_tensor(to(ramp({4}), device))}).empty(),
         "shapes that do not fit add up");
  expect(same(to(there, host), ramp({3})), "elements changed");
}
void missing_kernels_are_named() {
  const std::string text = try_call("special_airy_ai", "", {mt_box_tensor(to(ramp({3}), device))});
  if (text.empty()) throw Skipped("the device has a kernel for special_airy_ai");
  expect_refusal(text, "NotImplementedError: Could not run 'aten::special_airy_ai' with arguments from the 'NPU' backend.");
}
void gradients_flow() {
  const Tensor x = to(ramp({4}), device);
  must(mt_tensor_set_requires_grad(x, 1));
  const Tensor y = call("sum", "", {mt_box_tensor(call("mul", "Tensor", {mt_box_tensor(x), mt_box_tensor(x)}))});
  mt_tensor* roots[] = {y};
  must(mt_autograd_backward(roots, nullptr, 1, 0, 0, nullptr, 0));
  mt_tensor* grad = nullptr;
  must(mt_tensor_grad(x, &grad));
  const Tensor owned(grad);
  expect(on_device(owned) && same(to(owned, host), call("mul", "Tensor", {mt_box_tensor(ramp({4})), mt_int(2)})),
         "the gradient is another");
}
void work_is_done_in_order() {
  Tensor x = to(ramp({1000}, 0, 0), device);
  for (int i = 0; i < 200; ++i) {
    x = call("add", "Tensor", {mt_box_tensor(x), mt_int(1)});
    if (i % 50 == 49) must(mt_device_synchronize(MT_NPU, 0));
  }
  expect(same(to(x, host), ramp({1000}, 200, 0)), "elements differ");
}

}  // namespace

std::vector<Check> operator_checks() {
  return {
      {"add, mul, sum and mm are there", the_least_set_is_there},
      {"operators give the host's numbers, or NotImplementedError", operators_give_the_hosts_numbers_or_none},
      {"in-place and out= forms write where they should", in_place_and_out_forms_write_where_they_should},
      {"strided arguments are read in place", strided_arguments_are_read_in_place},
      {"numbers mix with tensors", numbers_mix_with_tensors},
      {"tensors of two devices do not mix", two_devices_do_not_mix},
      {"a failed call changes nothing", a_failed_call_changes_nothing},
      {"missing kernels are named", missing_kernels_are_named},
      {"gradients flow on the device", gradients_flow},
      {"work is done in order", work_is_done_in_order},
  };
}

}  // namespace conformance
