// Converts matched Python objects to boxed values; and the Parser of hand-written functions.

#include "operators.h"
#include "signature.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {

Arena::~Arena() {
  for (mt_tensor* tensor : tensors_) mt_tensor_release(tensor);
}
void* Arena::take(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  if (used_ + bytes <= sizeof buffer_) {
    void* place = buffer_ + used_;
    used_ += bytes;
    return place;
  }
  blocks_.push_back(std::make_unique<char[]>(bytes));
  return blocks_.back().get();
}
mt_tensor* Arena::keep(mt_tensor* owned) {
  tensors_.push_back(owned);
  return owned;
}

namespace {

[[noreturn]] void raise_unpack(const std::string& function, const Parameter& p, Py_ssize_t at, const std::string& why) {
  raise(PyExc_TypeError, "%s(): argument '%s' failed to unpack the object at pos %zd with error \"%s\"", function.c_str(), p.name.c_str(),
        at + 1, why.c_str());
}

int64_t convert_list_item_to_int(const std::string& function, const Parameter& p, PyObject* o, Py_ssize_t at) {
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) raise_unpack(function, p, at, "Overflow when unpacking long long");
    return value;
  }
  if (!PyLong_Check(o) && !is_index(o))
    raise_unpack(function, p, at, std::string("type must be ") + printed_type(p) + ",but got " + Py_TYPE(o)->tp_name);
  return to_int64(o);
}

mt_tensor* to_tensor(const Parameter& p, PyObject* o, Arena& arena) {
  if (is_tensor(o)) return handle(o);
  if (!p.allows_number) raise(PyExc_TypeError, "argument '%s' must be Tensor, not %s", p.name.c_str(), Py_TYPE(o)->tp_name);
  mt_value number = to_number(o);
  mt_tensor* tensor;
  check(mt_tensor_from_scalar(&number, -1, /*wrapped=*/1, &tensor));
  return arena.keep(tensor);
}

template <class T, class F>
mt_value make_list(int32_t tag, PyObject* o, Arena& arena, F&& element) {
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  auto* data = static_cast<T*>(arena.take(static_cast<size_t>(n) * sizeof(T)));
  for (Py_ssize_t i = 0; i < n; ++i) data[i] = element(PySequence_Fast_GET_ITEM(o, i), i);
  mt_value value{};
  value.tag = tag;
  value.as.list = {data, n};
  return value;
}
template <class T>
mt_value make_list_of_repeated(int32_t tag, T element, int n, Arena& arena) {
  auto* data = static_cast<T*>(arena.take(static_cast<size_t>(n) * sizeof(T)));
  for (int i = 0; i < n; ++i) data[i] = element;
  mt_value value{};
  value.tag = tag;
  value.as.list = {data, n};
  return value;
}

mt_value string_value(PyObject* o) {
  const std::string_view text = text_of(o);
  mt_value value{};
  value.tag = MT_TAG_STRING;
  value.as.string = {text.data(), static_cast<int64_t>(text.size())};
  return value;
}

double real_of(const mt_value& number) {
  if (number.tag != MT_TAG_COMPLEX) return number.tag == MT_TAG_DOUBLE ? number.as.d : static_cast<double>(number.as.i);
  if (number.as.c[1] != 0) raise(PyExc_RuntimeError, "value cannot be converted to type double without overflow");
  return number.as.c[0];
}

}  // namespace

std::string_view text_of(PyObject* o) {
  if (PyBytes_Check(o)) return {PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o))};
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(o, &size);
  expect(data != nullptr);
  return {data, static_cast<size_t>(size)};
}

int32_t to_dtype(PyObject* o) {
  if (is_dtype(o)) return dtype_code(o);
  int32_t code = dtype_of_python_type(o);
  if (code < 0) raise(PyExc_TypeError, "expected a dtype, got %s", Py_TYPE(o)->tp_name);
  return code;
}

std::vector<int64_t> to_ints(const std::string& function, const Parameter& p, PyObject* o) {
  std::vector<int64_t> all;
  if (!PyTuple_Check(o) && !PyList_Check(o)) {
    all.assign(static_cast<size_t>(p.list_size ? p.list_size : 1), to_int64(o));
    return all;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) all.push_back(convert_list_item_to_int(function, p, PySequence_Fast_GET_ITEM(o, i), i));
  return all;
}

namespace {

mt_value int_value(int32_t tag, int64_t i) {
  mt_value value{};
  value.tag = tag;
  value.as.i = i;
  return value;
}

[[noreturn]] void raise_unsupported(const std::string& function, const Parameter& p) {
  raise(PyExc_NotImplementedError, "%s(): arguments of type %s are not supported", function.c_str(), p.schema_type.c_str());
}

mt_value convert_list(const std::string& function, const Parameter& p, PyObject* o, Arena& arena) {
  const bool is_list = PyTuple_Check(o) || PyList_Check(o);
  switch (p.kind) {
    case Kind::ints:
      if (!is_list) return make_list_of_repeated<int64_t>(MT_TAG_INTS, to_int64(o), p.list_size, arena);
      return make_list<int64_t>(MT_TAG_INTS, o, arena,
                                [&](PyObject* item, Py_ssize_t i) { return convert_list_item_to_int(function, p, item, i); });
    case Kind::reals:
      if (!is_list) return make_list_of_repeated<double>(MT_TAG_DOUBLES, to_double(o), p.list_size, arena);
      return make_list<double>(MT_TAG_DOUBLES, o, arena, [&](PyObject* item, Py_ssize_t) { return to_double(item); });
    case Kind::booleans:
      return make_list<uint8_t>(MT_TAG_BOOLS, o, arena, [&](PyObject* item, Py_ssize_t) { return PyObject_IsTrue(item) == 1; });
    case Kind::tensors:
      return make_list<mt_tensor*>(MT_TAG_TENSORS, o, arena, [&](PyObject* item, Py_ssize_t) { return to_tensor(p, item, arena); });
    case Kind::optional_tensors:
      return make_list<mt_tensor*>(MT_TAG_OPTIONAL_TENSORS, o, arena,
                                   [&](PyObject* item, Py_ssize_t) { return item == Py_None ? nullptr : to_tensor(p, item, arena); });
    case Kind::scalars: return make_list<mt_value>(MT_TAG_SCALARS, o, arena, [&](PyObject* item, Py_ssize_t) { return to_number(item); });
    case Kind::strings:
      return make_list<mt_value>(MT_TAG_STRINGS, o, arena, [&](PyObject* item, Py_ssize_t) { return string_value(item); });
    default: raise_unsupported(function, p);
  }
}

}  // namespace

mt_value convert(const std::string& function, const Parameter& p, PyObject* o, Arena& arena) {
  mt_value value{};
  if (o == Py_None && p.kind != Kind::object) {
    value.tag = MT_TAG_NONE;
    return value;
  }
  switch (p.kind) {
    case Kind::tensor:
      value.tag = MT_TAG_TENSOR;
      value.as.tensor = to_tensor(p, o, arena);
      return value;
    case Kind::scalar: return to_number(o);
    case Kind::integer: return int_value(MT_TAG_INT, to_int64(o));
    case Kind::real:
      value.tag = MT_TAG_DOUBLE;
      value.as.d = is_tensor(o) ? real_of(to_number(o)) : to_double(o);
      return value;
    case Kind::boolean: return int_value(MT_TAG_BOOL, PyObject_IsTrue(o));
    case Kind::string: return string_value(o);
    case Kind::dtype: return int_value(MT_TAG_DTYPE, to_dtype(o));
    case Kind::layout: return int_value(MT_TAG_LAYOUT, layout_code(o));
    case Kind::memory_format: return int_value(MT_TAG_MEMORY_FORMAT, memory_format_code(o));
    case Kind::device:
      value.tag = MT_TAG_DEVICE;
      value.as.device = to_device(o);
      return value;
    case Kind::generator:
      value.tag = MT_TAG_GENERATOR;
      value.as.generator = reinterpret_cast<GeneratorObject*>(o)->generator;
      return value;
    case Kind::storage:
      value.tag = MT_TAG_STORAGE;
      value.as.storage = to_storage(o);
      return value;
    case Kind::stream:
    case Kind::object: raise_unsupported(function, p);
    default: return convert_list(function, p, o, arena);
  }
}

Parser::Parser(const char* name, std::initializer_list<const char*> signatures) {
  overloads_.name = name;
  for (std::string_view text : signatures) {
    bool deprecated = text.ends_with("|deprecated");
    overloads_.signatures.push_back(signature_from_text(text.substr(0, text.rfind(')') + 1)));
    overloads_.signatures.back().deprecated = deprecated;
  }
}

Parser::Parsed Parser::parse(const Arguments& arguments, Ref* handled, PyObject* function) const {
  Parsed parsed;
  parsed.overloads = &overloads_;
  match_arguments(overloads_, arguments, parsed.match);
  parsed.index = static_cast<int>(parsed.match.signature - overloads_.signatures.data());
  if (handled && function && (!parsed.match.overloaded.empty() || function_state().mode_active())) {
    *handled = Ref(forward_to_torch_function(function, overloads_.name.c_str(), arguments, parsed.match.overloaded));
  }
  return parsed;
}
bool Parser::Parsed::flag(int i, bool otherwise) const { return has(i) ? PyObject_IsTrue(object(i)) == 1 : otherwise; }
int64_t Parser::Parsed::integer(int i, int64_t otherwise) const { return has(i) ? to_int64(object(i)) : otherwise; }
std::vector<int64_t> Parser::Parsed::ints(int i) const {
  return to_ints(overloads->name, match.signature->parameters[static_cast<size_t>(i)], object(i));
}
int32_t Parser::Parsed::dtype(int i, int32_t otherwise) const { return has(i) && object(i) != Py_None ? to_dtype(object(i)) : otherwise; }

}  // namespace mt::py
