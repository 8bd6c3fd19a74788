// Converts a boxed call to Python objects; omits arguments equal to the schema's defaults, as torch does.
#include "python_call.h"

#include <algorithm>
#include <cstring>

#include "schema_errors.h"

#include "library_ops.h"
#include "operators.h"
#include "signature.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

// Whether a value is the default "[0, 1]", or "0" for a list of `size` zeros (of any length if `size` is 0).
bool is_default_list(const mt_value& v, const char* text, int32_t size) {
  const auto* items = static_cast<const int64_t*>(v.as.list.data);
  const bool repeats = *text != '[';
  if (repeats && size > 0 && v.as.list.size != size) return false;
  int64_t i = 0;
  for (const char* at = repeats ? text : text + 1; *at && *at != ']'; ++i) {
    char* end = nullptr;
    const long long item = std::strtoll(at, &end, 10);
    if (end == at) return false;
    if (repeats) return std::all_of(items, items + v.as.list.size, [&](int64_t given) { return given == item; });
    if (i >= v.as.list.size || items[i] != item) return false;
    at = *end == ',' ? end + 1 : end;
  }
  return i == v.as.list.size;
}

// Whether a value equals the schema's default, so that it can be omitted: 1.0 does not equal the Scalar 1.
bool is_default(const mt_value& v, const mt_arg_info& arg) {
  if (!arg.default_text) return false;
  std::string text = arg.default_text;
  switch (v.tag) {
    case MT_TAG_DEFAULT: return true;
    case MT_TAG_NONE: return text == "None";
    case MT_TAG_BOOL: return text == (v.as.i ? "True" : "False");
    case MT_TAG_INT: return text == "Mean" ? v.as.i == 1 : text == std::to_string(v.as.i);
    case MT_TAG_DTYPE: return text == mt_dtype_name(static_cast<int32_t>(v.as.i)) || (text == "long" && v.as.i == MT_INT64);
    case MT_TAG_DEVICE: {
      mt_device device;
      if (mt_status* status = mt_device_parse(text.c_str(), &device)) {
        mt_status_release(status);
        return false;
      }
      return device.type == v.as.device.type && device.index == v.as.device.index;
    }
    case MT_TAG_DOUBLE:
      if (text.empty() || !(isdigit(text[0]) || text[0] == '-')) return false;
      return std::atof(text.c_str()) == v.as.d && (!strncmp(arg.type, "float", 5) || text.find_first_of(".e") != std::string::npos);
    case MT_TAG_STRING:
      return text.size() >= 2 && text.substr(1, text.size() - 2) == std::string(v.as.string.data, static_cast<size_t>(v.as.string.size));
    case MT_TAG_INTS: return is_default_list(v, arg.default_text, arg.list_size);
  }
  return false;
}

// Whether a tensor argument was made from a Python number: handlers in Python get the number itself.
bool is_wrapped_number(const mt_value& v) {
  return v.tag == MT_TAG_TENSOR && v.as.tensor && info_of(v.as.tensor).flags & MT_TENSOR_IS_WRAPPED_NUMBER;
}
PyObject* wrapped_number_in(mt_tensor* tensor) {
  mt_value number{};
  check(mt_tensor_item(tensor, &number));
  return to_python(number);
}

void collect_overloaded(const mt_value& v, std::vector<PyObject*>& overloaded, std::vector<Ref>& kept) {
  auto add = [&](mt_tensor* tensor) {
    if (!tensor) return;
    Ref object = own(wrap_borrowed(tensor));
    if (is_plain_tensor(object.get()) || !overrides_torch_dispatch(Py_TYPE(object.get()))) return;
    append_overloaded(overloaded, object.get());
    kept.push_back(std::move(object));
  };
  if (v.tag == MT_TAG_TENSOR) add(v.as.tensor);
  if (v.tag == MT_TAG_TENSORS || v.tag == MT_TAG_OPTIONAL_TENSORS) {
    for (int64_t i = 0; i < v.as.list.size; ++i) add(static_cast<mt_tensor* const*>(v.as.list.data)[i]);
  }
}

}  // namespace

PythonCall make_call(const mt_op* op, const mt_value* values, int64_t n) {
  PythonCall c;
  c.function = operator_object(op);
  const bool takes_numbers = info_of(op).traits &
                             MT_OP_NUMBERS_AS_TENSORS;  // other operators get the tensor that the number was wrapped in
  std::vector<mt_arg_info> infos;
  int64_t n_positional = 0;
  for (int64_t i = 0; i < n; ++i) {
    infos.push_back(argument_of(op, static_cast<int>(i)));
    if (!infos.back().keyword_only) n_positional = i + 1;
    collect_overloaded(values[i], c.overloaded, c.kept);
  }
  int64_t positional = n_positional;
  while (positional > 0 && is_default(values[positional - 1], infos[static_cast<size_t>(positional - 1)])) --positional;
  c.args = own(PyTuple_New(positional));
  c.kwargs = own(PyDict_New());
  for (int64_t i = 0; i < n; ++i) {
    if (i >= positional && (i < n_positional || is_default(values[i], infos[static_cast<size_t>(i)]))) continue;
    mt_value borrowed = values[i];
    borrowed.flags &= ~MT_FLAG_OWNED;
    Ref object = own(takes_numbers && is_wrapped_number(borrowed) ? wrapped_number_in(borrowed.as.tensor) : to_python(borrowed));
    if (values[i].tag == MT_TAG_TENSORS || values[i].tag == MT_TAG_OPTIONAL_TENSORS) object = own(PySequence_List(object.get()));
    if (i < positional)
      PyTuple_SET_ITEM(c.args.get(), i, object.release());
    else
      expect_zero(PyDict_SetItemString(c.kwargs.get(), infos[static_cast<size_t>(i)].name, object.get()));
  }
  c.types = own(PyTuple_New(static_cast<Py_ssize_t>(c.overloaded.size())));
  for (size_t i = 0; i < c.overloaded.size(); ++i) {
    PyTuple_SET_ITEM(c.types.get(), static_cast<Py_ssize_t>(i), incref(reinterpret_cast<PyObject*>(Py_TYPE(c.overloaded[i]))));
  }
  return c;
}

namespace {

// Converts a Python result to the owned value that the schema requires.
void convert_result(const mt_op* op, int index, PyObject* object, mt_value* out) {
  mt_arg_info ret;
  ret.struct_size = sizeof ret;
  check(mt_op_get_return(op, index, &ret));
  const bool takes_none = std::string_view(ret.type).ends_with('?');
  std::string text = std::string("f(") + ret.type + (object == Py_None && !takes_none ? "? result)" : " result)");
  Signature s = signature_from_text(text);
  std::vector<PyObject*> ignored;
  int failed_at = -1;
  if (object != Py_None && !accepts(s.parameters[0], object, 0, ignored, &failed_at)) {
    raise_text(PyExc_RuntimeError, cast_details(s.parameters[0], object));
  }
  Arena arena;
  mt_value borrowed = convert("__torch_dispatch__", s.parameters[0], object, arena);
  check(mt_value_copy(&borrowed, out));
}

}  // namespace

void convert_results(const mt_op* op, PyObject* result, const char* who, mt_value* rets, int64_t n_rets) {
  if (n_rets == 0) return;
  if (n_rets == 1) {
    convert_result(op, 0, result, &rets[0]);
    return;
  }
  Ref items = own(PySequence_Tuple(result));
  if (PyTuple_GET_SIZE(items.get()) != n_rets) {
    raise(PyExc_RuntimeError, "%s returned %zd results where %lld are expected", who, PyTuple_GET_SIZE(items.get()),
          static_cast<long long>(n_rets));
  }
  for (int64_t i = 0; i < n_rets; ++i) convert_result(op, static_cast<int>(i), PyTuple_GET_ITEM(items.get(), i), &rets[i]);
}

}  // namespace mt::py
