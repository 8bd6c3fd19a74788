// Octave's values as arguments of operators, results as Octave's values, arrays as tensors.
#include <cmath>
#include <cstring>

#include <octave/oct-map.h>
#include <octave/ov-struct.h>

#include "mindtorch.h"

namespace mindtorch_octave {

using mindtorch::Value;

octave_value wrap(const Tensor& tensor) { return tensor.defined() ? octave_value(new octave_tensor(tensor)) : octave_value(Matrix()); }

bool is_tensor(const octave_value& value) { return value.type_id() == octave_tensor::static_type_id(); }

Tensor tensor_of(const octave_value& value) {
  if (!is_tensor(value)) fail("TypeError", "a Tensor is expected, not a value of class " + value.class_name());
  return static_cast<const octave_tensor&>(value.get_rep()).tensor();
}

// ---- boxing ----

namespace {

bool is_array(const octave_value& value) { return value.isnumeric() || value.islogical(); }

// Octave's numbers are doubles: one without a fraction is passed to operators as an integer. A number of class single never is.
bool is_whole(double number) { return std::floor(number) == number && std::fabs(number) < 0x1p53; }

void box_number(const octave_value& value, Values& values) {
  if (value.islogical()) return values.add_bool(value.bool_value());
  if (value.is_uint64_type()) {
    mt_value raw{};
    raw.tag = MT_TAG_INT;
    raw.as.i = static_cast<int64_t>(value.uint64_scalar_value().value());
    if (raw.as.i < 0) raw.flags = MT_FLAG_UNSIGNED;
    return values.own(raw);  // numbers refer to nothing
  }
  if (value.isinteger()) return values.add_int(value.int64_scalar_value().value());
  if (value.iscomplex()) return values.add_complex(value.complex_value().real(), value.complex_value().imag());
  const double number = value.double_value();
  if (!value.is_single_type() && is_whole(number)) return values.add_int(static_cast<int64_t>(number));
  values.add_double(number);
}

void box_vector(const octave_value& value, Values& values) {
  if (value.iscomplex()) fail("TypeError", "a complex vector is no argument of an operator");
  if (value.is_int64_type()) {
    const int64NDArray array = value.int64_array_value();
    const auto* elements = reinterpret_cast<const int64_t*>(array.data());
    return values.add_ints(std::vector<int64_t>(elements, elements + array.numel()));
  }
  const NDArray array = value.array_value();
  const std::vector<double> numbers(array.data(), array.data() + array.numel());
  std::vector<int64_t> wholes;
  for (const double number : numbers) {
    if (is_whole(number)) wholes.push_back(static_cast<int64_t>(number));
  }
  if (wholes.size() == numbers.size() && !value.is_single_type()) return values.add_ints(wholes);
  values.add_doubles(numbers);
}

void box_cell(const Cell& cell, Values& values) {
  mindtorch_swig::Tensors tensors;
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  for (octave_idx_type i = 0; i < cell.numel(); ++i) {
    const octave_value item = cell(i);
    if (is_tensor(item)) {
      tensors.add(tensor_of(item).handle());
    } else if (is_array(item) && item.isempty()) {
      tensors.add(nullptr);
    } else if (is_number(item) && !item.iscomplex()) {
      numbers.push_back(item.double_value());
      if (!item.is_single_type() && is_whole(numbers.back())) wholes.push_back(static_cast<int64_t>(numbers.back()));
    } else {
      fail("TypeError", "a cell array has either numbers or tensors");
    }
  }
  const auto count = static_cast<size_t>(cell.numel());
  if (wholes.size() == count) return values.add_ints(wholes);
  if (numbers.size() == count) return values.add_doubles(numbers);
  if (!numbers.empty()) fail("TypeError", "a cell array has either numbers or tensors");
  values.add_tensors(tensors);
}

}  // namespace

bool is_number(const octave_value& value) { return is_array(value) && value.numel() == 1; }

void box(const octave_value& value, Values& values) {
  if (is_tensor(value)) return values.add_tensor(tensor_of(value).handle());
  if (value.is_string()) return values.add_string(value.string_value());
  if (value.iscell()) return box_cell(value.cell_value(), values);
  if (is_array(value) && value.rows() == 0 && value.columns() == 0) return values.add_none();
  if (is_number(value)) return box_number(value, values);
  if (is_array(value) && value.ndims() == 2 && (value.rows() == 1 || value.columns() <= 1)) return box_vector(value, values);
  // An array that is no vector cannot be a list, so it is passed as a tensor.
  if (is_array(value)) return values.add_tensor(from_array(value, "").handle());
  fail("TypeError", "a value of class " + value.class_name() + " is no argument of an operator");
}

octave_value unbox(const Value& value) {
  const mt_value& raw = value.raw();
  switch (raw.tag) {
    case MT_TAG_NONE: return Matrix();
    case MT_TAG_BOOL: return raw.as.i != 0;
    case MT_TAG_DOUBLE: return raw.as.d;
    case MT_TAG_COMPLEX: return Complex(raw.as.c[0], raw.as.c[1]);
    case MT_TAG_DTYPE: return std::string(mt_dtype_name(static_cast<int32_t>(raw.as.i)));
    case MT_TAG_DEVICE: return std::string(mt_device_type_name(raw.as.device.type));
    case MT_TAG_STRING: return std::string(raw.as.string.data, static_cast<size_t>(raw.as.string.size));
    case MT_TAG_TENSOR: return wrap(value.tensor());
    case MT_TAG_TENSORS: {
      const std::vector<Tensor> tensors = value.tensors();
      Cell out(1, static_cast<octave_idx_type>(tensors.size()));
      for (size_t i = 0; i < tensors.size(); ++i) out(static_cast<octave_idx_type>(i)) = wrap(tensors[i]);
      return out;
    }
    case MT_TAG_INTS: {
      const auto* numbers = static_cast<const int64_t*>(raw.as.list.data);
      RowVector out(static_cast<octave_idx_type>(raw.as.list.size));
      for (octave_idx_type i = 0; i < out.numel(); ++i) out(i) = static_cast<double>(numbers[i]);
      return out;
    }
    case MT_TAG_DOUBLES: {
      RowVector out(static_cast<octave_idx_type>(raw.as.list.size));
      std::memcpy(out.fortran_vec(), raw.as.list.data, static_cast<size_t>(raw.as.list.size) * sizeof(double));
      return out;
    }
    case MT_TAG_INT:
      if ((raw.flags & MT_FLAG_UNSIGNED) != 0) return octave_uint64(static_cast<uint64_t>(raw.as.i));
      if (is_whole(static_cast<double>(raw.as.i))) return static_cast<double>(raw.as.i);
      return octave_int64(raw.as.i);  // a double would lose digits
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT: return static_cast<double>(raw.as.i);
    default: fail("TypeError", "Octave has no form for a value with tag " + std::to_string(raw.tag));
  }
}

// ---- calls ----

namespace {

bool has_argument(const mindtorch_swig::Overloads& overloads, const octave_value& name) {
  if (!name.is_string()) return false;
  const std::string text = name.string_value();
  for (const mindtorch_swig::Signature* signature : overloads) {
    for (const mindtorch_swig::Argument& argument : signature->arguments) {
      if (argument.name == text) return true;
    }
  }
  return false;
}

}  // namespace

void box_arguments(const std::string& name, const octave_value_list& given, int first, Values& values) {
  const auto overloads = mindtorch_swig::overloads_of(name.c_str());
  if (overloads == nullptr) fail("AttributeError", "there is no operator " + name);
  int places = given.length();
  if (places > first && given(places - 1).isstruct()) --places;
  // Keyword arguments come last, as pairs of a name and a value: counts back, pair by pair, while the first of a pair is an argument's
  // name.
  int named = places;
  while (named - 2 >= first && has_argument(*overloads, given(named - 2))) named -= 2;
  for (int i = first; i < named; ++i) box(given(i), values);
  for (int i = named; i < places; i += 2) {
    box(given(i + 1), values);
    values.name(given(i).string_value());
  }
  if (places == given.length()) return;
  const octave_scalar_map map = given(places).scalar_map_value();
  const string_vector keys = map.fieldnames();
  for (octave_idx_type i = 0; i < keys.numel(); ++i) {
    box(map.getfield(keys(i)), values);
    values.name(keys(i));
  }
}

octave_value_list call_operator(const std::string& name, const std::string& overload, const Values& values, int nargout) {
  const Values results = mindtorch_swig::dispatch(name.c_str(), overload.c_str(), values);
  // The first result is returned even if the program requests none: Octave assigns it to `ans`.
  const int64_t count = std::min<int64_t>(results.size(), std::max(nargout, 1));
  octave_value_list out(static_cast<octave_idx_type>(count));
  for (int64_t i = 0; i < count; ++i) out(static_cast<octave_idx_type>(i)) = unbox(results.at(i));
  return out;
}

// ---- arrays ----

int32_t dtype_named(const std::string& name) {
  mt_value raw{};
  raw.as.string.data = name.data();
  raw.as.string.size = static_cast<int64_t>(name.size());
  int32_t dtype = 0;
  if (!mindtorch_swig::find_dtype(raw, &dtype)) fail("TypeError", "there is no dtype " + name);
  return dtype;
}

Tensor reverse_dims(const Tensor& tensor) {
  const auto ndim = static_cast<int64_t>(tensor.sizes().size());
  if (ndim < 2) return tensor;
  std::vector<int64_t> order;
  for (int64_t dim = ndim; dim-- > 0;) order.push_back(dim);
  return mindtorch::call("permute", {tensor, Value(order)});
}

dim_vector dims_of(const Tensor& tensor) {
  const std::vector<int64_t> sizes = tensor.defined() ? tensor.sizes() : std::vector<int64_t>{0, 0};
  dim_vector dims = dim_vector::alloc(std::max<int>(static_cast<int>(sizes.size()), 2));
  for (int i = 0; i < dims.ndims(); ++i)
    dims(i) = i < static_cast<int>(sizes.size()) ? static_cast<octave_idx_type>(sizes[static_cast<size_t>(i)]) : 1;
  return dims;
}

namespace {

template <class Array>
Tensor copy_array_to_tensor(const Array& array, int32_t dtype) {
  std::vector<int64_t> sizes;
  for (int i = array.ndims(); i-- > 0;) sizes.push_back(array.dims()(i));
  if (array.numel() == 1) sizes.clear();
  mt_tensor* out = nullptr;
  mindtorch::check(mt_tensor_from_copy(array.data(), sizes.data(), static_cast<int64_t>(sizes.size()), dtype, &out));
  return Tensor::own(out);
}

// The tensor's elements in Octave's order, copied into an array.
template <class Array>
octave_value copy_elements_to_array(const Tensor& tensor, int32_t dtype) {
  const Tensor host = mindtorch_swig::to_host(reverse_dims(tensor).handle(), dtype);
  Array out(dims_of(tensor));
  const auto bytes = static_cast<size_t>(host.numel()) * static_cast<size_t>(mt_dtype_size(dtype));
  if (bytes > 0) std::memcpy(out.fortran_vec(), host.data<void>(), bytes);
  return octave_value(out);
}

}  // namespace

Tensor from_array(const octave_value& value, const std::string& dtype) {
  if (is_tensor(value))
    return dtype.empty() ? tensor_of(value) : mindtorch::call("to", "dtype", {tensor_of(value), Value::dtype(dtype_named(dtype))});
  if (!is_array(value)) fail("TypeError", "no dtype fits a value of class " + value.class_name());
  const octave_value full = value.full_value();
  Tensor made;
  int32_t natural = MT_FLOAT32;
  const auto take = [&](const auto& array, int32_t own_dtype) {
    made = copy_array_to_tensor(array, own_dtype);
    natural = own_dtype;
  };
  if (full.islogical()) {
    take(full.bool_array_value(), MT_BOOL);
  } else if (full.is_int8_type()) {
    take(full.int8_array_value(), MT_INT8);
  } else if (full.is_int16_type()) {
    take(full.int16_array_value(), MT_INT16);
  } else if (full.is_int32_type()) {
    take(full.int32_array_value(), MT_INT32);
  } else if (full.is_int64_type()) {
    take(full.int64_array_value(), MT_INT64);
  } else if (full.is_uint8_type()) {
    take(full.uint8_array_value(), MT_UINT8);
  } else if (full.is_uint16_type()) {
    take(full.uint16_array_value(), MT_UINT16);
  } else if (full.is_uint32_type()) {
    take(full.uint32_array_value(), MT_UINT32);
  } else if (full.is_uint64_type()) {
    take(full.uint64_array_value(), MT_UINT64);
  } else if (full.iscomplex()) {
    made = full.is_single_type() ? copy_array_to_tensor(full.float_complex_array_value(), MT_COMPLEX64)
                                 : copy_array_to_tensor(full.complex_array_value(), MT_COMPLEX128);
    natural = MT_COMPLEX64;
  } else {
    made = full.is_single_type() ? copy_array_to_tensor(full.float_array_value(), MT_FLOAT32)
                                 : copy_array_to_tensor(full.array_value(), MT_FLOAT64);
  }
  made = mindtorch::call("contiguous", {reverse_dims(made)});
  return mindtorch::call("to", "dtype", {made, Value::dtype(dtype.empty() ? natural : dtype_named(dtype))});
}

octave_value to_array(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case MT_BOOL: return copy_elements_to_array<boolNDArray>(tensor, MT_BOOL);
    case MT_INT8: return copy_elements_to_array<int8NDArray>(tensor, MT_INT8);
    case MT_INT16: return copy_elements_to_array<int16NDArray>(tensor, MT_INT16);
    case MT_INT32: return copy_elements_to_array<int32NDArray>(tensor, MT_INT32);
    case MT_INT64: return copy_elements_to_array<int64NDArray>(tensor, MT_INT64);
    case MT_UINT8: return copy_elements_to_array<uint8NDArray>(tensor, MT_UINT8);
    case MT_UINT16: return copy_elements_to_array<uint16NDArray>(tensor, MT_UINT16);
    case MT_UINT32: return copy_elements_to_array<uint32NDArray>(tensor, MT_UINT32);
    case MT_UINT64: return copy_elements_to_array<uint64NDArray>(tensor, MT_UINT64);
    case MT_COMPLEX32:
    case MT_COMPLEX64: return copy_elements_to_array<FloatComplexNDArray>(tensor, MT_COMPLEX64);
    case MT_COMPLEX128: return copy_elements_to_array<ComplexNDArray>(tensor, MT_COMPLEX128);
    case MT_FLOAT64: return copy_elements_to_array<NDArray>(tensor, MT_FLOAT64);
    default: return copy_elements_to_array<FloatNDArray>(tensor, MT_FLOAT32);
  }
}

octave_value to_doubles(const Tensor& tensor) {
  const int32_t dtype = tensor.dtype();
  if (dtype == MT_COMPLEX32 || dtype == MT_COMPLEX64 || dtype == MT_COMPLEX128)
    return copy_elements_to_array<ComplexNDArray>(tensor, MT_COMPLEX128);
  return copy_elements_to_array<NDArray>(tensor, MT_FLOAT64);
}

}  // namespace mindtorch_octave
