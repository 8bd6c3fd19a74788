// One bound call: values in schema order, out= and requires_grad, and the operator itself.

#include "operators.h"
#include "python_call.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

// Below this many elements releasing the GIL costs more than it gains.
constexpr int64_t worth_unlocking = 32768;

bool is_worth_unlocking_for(const mt_value& value) {
  if (value.tag != MT_TAG_TENSOR) return false;
  mt_tensor_info info;
  info.struct_size = sizeof info;
  if (mt_status* status = mt_tensor_get_info(value.as.tensor, &info)) {
    mt_status_release(status);
    return false;
  }
  return info.numel >= worth_unlocking;
}

void check_out_dtype(const Signature& s, const Match& match, mt_tensor* out) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    auto& p = s.parameters[i];
    PyObject* given = match.objects[i];
    if (!given || given == Py_None || p.out_slot >= 0) continue;
    mt_tensor_info info = info_of(out);
    if (p.kind == Kind::dtype && to_dtype(given) != info.dtype) {
      raise(PyExc_RuntimeError, "dtype %s does not match dtype of out parameter (%s)", scalar_type_name(to_dtype(given)),
            scalar_type_name(info.dtype));
    }
    if (p.kind == Kind::layout && layout_code(given) != MT_STRIDED) {
      raise(PyExc_RuntimeError, "layout %s does not match layout of out parameter (Strided)", layout_name(layout_code(given)));
    }
    if (p.kind == Kind::device && to_device(given).type != info.device.type) {
      raise(PyExc_RuntimeError, "device type %s does not match device type of out parameter (%s)",
            mt_device_type_name(to_device(given).type), mt_device_type_name(info.device.type));
    }
  }
}

PyObject* call_and_write_out(const Overloads& overloads, const Match& match, PyObject* self, Arena& arena) {
  const Signature& s = *match.signature;
  PyObject* out = match.objects[s.out_parameter];
  mt_value values[max_parameters + 8] = {};
  if (s.self_slot >= 0) values[s.self_slot] = tensor_value(handle(self));
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    auto& p = s.parameters[i];
    if (p.out_slot >= 0 && match.objects[i]) values[p.out_slot] = convert(overloads.name, p, match.objects[i], arena);
    if (p.out_slot >= 0 && !match.objects[i] && p.reads_as_zero) values[p.out_slot] = int_value(0);
  }
  if (s.out_is_list) {
    values[s.first_out_slot] = convert(overloads.name, s.parameters[s.out_parameter], out, arena);
  } else if (s.n_outs == 1) {
    check_out_dtype(s, match, handle(out));
    values[s.first_out_slot] = tensor_value(handle(out));
  } else {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(out);
    if (n != s.n_outs) raise(PyExc_TypeError, "expected tuple of %d elements but got %zd", s.n_outs, n);
    for (int i = 0; i < s.n_outs; ++i) {
      values[s.first_out_slot + i] = tensor_value(handle(PySequence_Fast_GET_ITEM(out, i)));
    }
  }
  Results results;
  call(s.out_op, values, s.n_out_args, results);
  if (s.requires_grad_parameter >= 0) {
    const bool wanted = match.objects[s.requires_grad_parameter] == Py_True;
    if (wanted || (info_of(out).flags & MT_TENSOR_IS_LEAF)) check(mt_tensor_set_requires_grad(handle(out), wanted));
  }
  if (s.n_outs == 1 && !s.out_is_list) return incref(out);
  return results_to_python(s.out_op, results);  // these are the caller's tensors, so return the caller's objects
}

// Modes must see what torch's Python functions always pass for a new tensor: pin_memory=False, and the device if no tensor determines it.
void fill_default_options(const Signature& s, mt_value* values) {
  const bool is_like = s.self_slot >= 0 || s.parameters[0].name == "input";
  for (auto& p : s.parameters) {
    if (p.slot < 0 || (values[p.slot].tag != MT_TAG_DEFAULT && values[p.slot].tag != MT_TAG_NONE)) continue;
    if (p.name == "pin_memory") values[p.slot] = bool_value(false);
    if (p.name == "device" && !is_like) values[p.slot] = device_value({MT_CPU, -1});
  }
}

PyObject* call_matched(const Overloads& overloads, const Match& match, PyObject* self) {
  const Signature& s = *match.signature;
  Arena arena;
  if (s.out_parameter >= 0 && match.objects[s.out_parameter]) return call_and_write_out(overloads, match, self, arena);
  mt_value values[max_parameters];
  for (int i = 0; i < s.n_args; ++i) values[i].tag = MT_TAG_DEFAULT, values[i].flags = 0;
  if (s.self_slot >= 0) values[s.self_slot] = tensor_value(handle(self));
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    auto& p = s.parameters[i];
    if (p.slot >= 0 && match.objects[i]) values[p.slot] = convert(overloads.name, p, match.objects[i], arena);
    if (p.slot >= 0 && !match.objects[i] && p.reads_as_zero) values[p.slot] = int_value(0);
    if (p.kind == Kind::storage && self && match.objects[i])
      check_storage_dtype(match.objects[i], info_of(self).dtype, cpp_type_name(info_of(self).dtype));
  }
  if (s.is_factory && has_dispatch_modes()) fill_default_options(s, values);
  Results results;
  call(s.op, values, s.n_args, results);
  if (s.is_inplace && s.self_slot == 0) return incref(self);
  if (s.is_inplace && results.n == 1) return results_to_python(s.op, results);
  if (s.gives_list_back) return incref(match.objects[0]);
  if (s.requires_grad_parameter >= 0 && match.objects[s.requires_grad_parameter] == Py_True && results.n == 1 &&
      results.values[0].tag == MT_TAG_TENSOR) {
    check(mt_tensor_set_requires_grad(results.values[0].as.tensor, 1));
  }
  return results_to_python(s.op, results);
}

void warn_deprecated(const Overloads& overloads, const Signature& s) {
  static bool given = false;
  if (!is_due(given)) return;
  std::string text = "This overload of " + overloads.name + " is deprecated:\n\t" + overloads.name + s.text() +
                     "\nConsider using one of the following signatures instead:";
  for (auto& other : overloads.signatures) {
    if (!other.deprecated) text += "\n\t" + overloads.name + other.text();
  }
  warn(PyExc_UserWarning, text);
}

}  // namespace

void call(const mt_op* op, const mt_value* args, int64_t n, Results& results) {
  ensure_thread();
  bool unlock = false;
  for (int64_t i = 0; i < n && !unlock; ++i) unlock = is_worth_unlocking_for(args[i]);
  mt_status* status;
  if (unlock) {
    NoGil unlocked;
    status = mt_op_call(op, args, n, results.values, Results::capacity, &results.n);
  } else {
    status = mt_op_call(op, args, n, results.values, Results::capacity, &results.n);
  }
  if (status) {
    results.n = 0;
    raise_status(status);
  }
}

const mt_op* find_op(const char* name, const char* overload) {
  const mt_op* op = nullptr;
  if (mt_status* status = mt_op_find(name, overload, &op)) {
    mt_status_release(status);
    raise(PyExc_NotImplementedError, "the operator aten::%s%s%s is not implemented", name, *overload ? "." : "", overload);
  }
  return op;
}

Handle call_for_tensor(const mt_op* op, const mt_value* args, int64_t n) {
  Results results;
  call(op, args, n, results);
  if (results.n < 1 || results.values[0].tag != MT_TAG_TENSOR) raise(PyExc_SystemError, "expected a tensor as result");
  Handle tensor = Handle::borrow(results.values[0].as.tensor);
  return tensor;
}

PyObject* forward_to_torch_function(PyObject* function, const char* name, const Arguments& given,
                                    const std::vector<PyObject*>& overloaded) {
  Py_ssize_t offset = given.self ? 1 : 0;
  Ref args = own(PyTuple_New(given.n + offset));
  if (given.self) PyTuple_SET_ITEM(args.get(), 0, incref(given.self));
  for (Py_ssize_t i = 0; i < given.n; ++i) PyTuple_SET_ITEM(args.get(), i + offset, incref(given.values[i]));
  Ref kwargs;
  if (given.n_named()) {
    kwargs = own(PyDict_New());
    for (Py_ssize_t i = 0; i < given.n_named(); ++i) {
      expect_zero(PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(given.names, i), given.values[given.n + i]));
    }
  }
  return call_torch_function(function, overloaded, args.get(), kwargs.get(), name);
}

PyObject* invoke(OverloadGroup& group, const Arguments& arguments) {
  Match match;
  match_arguments(group.overloads, arguments, match);
  if (__builtin_expect(!match.overloaded.empty() || function_state().mode_active(), 0) && !function_state().skips()) {
    std::string name = (group.is_method ? "torch.Tensor." : "torch.") + group.overloads.name;
    return forward_to_torch_function(function_of(group), name.c_str(), arguments, match.overloaded);
  }
  if (__builtin_expect(match.signature->deprecated, 0)) warn_deprecated(group.overloads, *match.signature);
  return call_matched(group.overloads, match, arguments.self);
}

}  // namespace mt::py
