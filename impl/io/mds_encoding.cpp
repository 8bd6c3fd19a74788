// Decodes and encodes the values of MDS columns.
#include "io/mds_encoding.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/half.h"
#include "io/numpy_types.h"
#include "io/tensor_dict.h"

namespace mt::io {

namespace {

using Kind = MdsEncoding::Kind;

// Encodings that take no parameters.
struct Known {
  std::string_view name;
  Kind kind;
  Dtype dtype = Dtype::none;
};
constexpr Known known_encodings[] = {
    {"int", Kind::number, Dtype::int64},
    {"uint8", Kind::number, Dtype::uint8},
    {"uint16", Kind::number, Dtype::uint16},
    {"uint32", Kind::number, Dtype::uint32},
    {"uint64", Kind::number, Dtype::uint64},
    {"int8", Kind::number, Dtype::int8},
    {"int16", Kind::number, Dtype::int16},
    {"int32", Kind::number, Dtype::int32},
    {"int64", Kind::number, Dtype::int64},
    {"float16", Kind::number, Dtype::float16},
    {"float32", Kind::number, Dtype::float32},
    {"float64", Kind::number, Dtype::float64},
    {"str", Kind::text},
    {"json", Kind::text},
    {"str_decimal", Kind::text},
    {"str_int", Kind::integer_text},
    {"str_float", Kind::real_text},
    {"bytes", Kind::bytes},
    {"pil", Kind::bytes},
    {"jpeg", Kind::bytes},
    {"png", Kind::bytes},
    {"jpeg_array", Kind::bytes},
    {"jpegarray", Kind::bytes},
    {"list[pil]", Kind::bytes},
    {"list[jpeg]", Kind::bytes},
    {"list[png]", Kind::bytes},
};

// The numbers by which MDS arrays encode their dtypes.
constexpr std::pair<uint8_t, Dtype> array_types[] = {
    {8, Dtype::uint8},  {9, Dtype::int8},     {16, Dtype::uint16}, {17, Dtype::int16}, {18, Dtype::float16}, {32, Dtype::uint32},
    {33, Dtype::int32}, {34, Dtype::float32}, {64, Dtype::uint64}, {65, Dtype::int64}, {66, Dtype::float64},
};
// MDS stores the number of dimensions in six bits.
constexpr size_t most_dims = 63;

Dtype dtype_numbered(uint8_t number, const std::string& column) {
  for (const auto& [known, dtype] : array_types)
    if (known == number) return dtype;
  fail("MDS: column \"{}\" has an array of type {}, which is not known here", escape_for_message(column), int(number));
}

uint8_t number_of(Dtype dtype, const std::string& column) {
  for (const auto& [number, known] : array_types)
    if (known == dtype) return number;
  fail(ErrorKind::value, "MDS: column \"{}\" got a tensor of dtype {}, which arrays in shards do not have", escape_for_message(column),
       dtype);
}

// Parses "ndarray", "ndarray:float32" or "ndarray:float32:3,4": each sample states what the name omits.
MdsEncoding parse_array(std::string_view name, const std::string& column) {
  MdsEncoding array{Kind::array, Dtype::none, std::nullopt};
  const std::string_view whole = name;
  name.remove_prefix(sizeof "ndarray" - 1);
  if (name.empty()) return array;
  name.remove_prefix(1);
  const size_t colon = name.find(':');
  array.dtype = numpy_type(name.substr(0, colon), "MDS").dtype;
  if (colon == std::string_view::npos) return array;
  array.sizes.emplace();
  const char *at = name.data() + colon + 1, *end = name.data() + name.size();
  for (;;) {
    int64_t size = 0;
    const auto [rest, error] = std::from_chars(at, end, size);
    check(error == std::errc() && size > 0 && size_t(array.sizes->size()) <= most_dims && (rest == end || *rest == ','),
          "MDS: column \"{}\" has the encoding \"{}\", whose shape is no list of sizes", escape_for_message(column),
          escape_for_message(whole));
    array.sizes->push_back(size);
    if (rest == end) return array;
    at = rest + 1;
  }
}

// ---- decoding -----------------------------------------------------------------------------------------------------

template <class T>
T number_in(Bytes data, const std::string& column) {
  check(data.size() == sizeof(T), "MDS: column \"{}\" has {} bytes instead of {}", escape_for_message(column), uint64_t(data.size()),
        uint64_t(sizeof(T)));
  T value;
  std::memcpy(&value, data.data(), sizeof(T));
  return value;
}

Field integer_field(int64_t value) {
  Field field;
  field.kind = Field::Kind::integer;
  field.integer = value;
  return field;
}
Field real_field(double value) {
  Field field;
  field.kind = Field::Kind::real;
  field.real = value;
  return field;
}

Field decode_number(Dtype dtype, Bytes data, const std::string& column) {
  switch (dtype) {
    case Dtype::uint8: return integer_field(number_in<uint8_t>(data, column));
    case Dtype::uint16: return integer_field(number_in<uint16_t>(data, column));
    case Dtype::uint32: return integer_field(number_in<uint32_t>(data, column));
    case Dtype::int8: return integer_field(number_in<int8_t>(data, column));
    case Dtype::int16: return integer_field(number_in<int16_t>(data, column));
    case Dtype::int32: return integer_field(number_in<int32_t>(data, column));
    case Dtype::int64: return integer_field(number_in<int64_t>(data, column));
    case Dtype::float16: return real_field(float(std::bit_cast<Half>(number_in<uint16_t>(data, column))));
    case Dtype::float32: return real_field(number_in<float>(data, column));
    case Dtype::float64: return real_field(number_in<double>(data, column));
    default: {
      Field field = integer_field(int64_t(number_in<uint64_t>(data, column)));
      field.kind = Field::Kind::unsigned_integer;
      return field;
    }
  }
}

Field decode_array(const MdsEncoding& encoding, Bytes data, const std::string& column) {
  Cursor cursor(data, "MDS: an array");
  const Dtype dtype = encoding.dtype == Dtype::none ? dtype_numbered(cursor.read_little_endian<uint8_t>(), column) : encoding.dtype;
  Dims sizes;
  if (encoding.sizes) {
    sizes = *encoding.sizes;
  } else {
    // A sample states the number of dimensions, and the size of each in 1, 2, 4 or 8 bytes.
    const auto head = cursor.read_little_endian<uint8_t>();
    for (int d = 0; d < head >> 2; ++d) {
      uint64_t size = 0;
      std::memcpy(&size, cursor.take(uint64_t(1) << (head & 3)).data(), size_t(1) << (head & 3));
      check(size <= INT64_MAX, "MDS: column \"{}\" has an array of {} rows", escape_for_message(column), size);
      sizes.push_back(int64_t(size));
    }
  }
  const std::optional<int64_t> needed = bytes_needed(sizes, dtype);
  check(needed && uint64_t(*needed) == cursor.left(), "MDS: column \"{}\" has an array of shape {} and type {} in {} bytes",
        escape_for_message(column), sizes, dtype, uint64_t(cursor.left()));
  Field field;
  field.kind = Field::Kind::tensor;
  field.tensor = empty(sizes, dtype);
  if (*needed) std::memcpy(field.tensor.data(), cursor.take(uint64_t(*needed)).data(), size_t(*needed));
  return field;
}

Field decode_integer_text(Field field, const std::string& column) {
  const char *begin = field.text.data(), *end = begin + field.text.size();
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc() && rest == end) return integer_field(value);
  check(error == std::errc::result_out_of_range && rest == end, "MDS: column \"{}\" has \"{}\", which is no whole number",
        escape_for_message(column), escape_for_message(field.text));
  return field;
}

Field decode_real_text(const Field& field, const std::string& column) {
  const char *begin = field.text.data(), *end = begin + field.text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  check(error == std::errc() && rest == end, "MDS: column \"{}\" has \"{}\", which is no number", escape_for_message(column),
        escape_for_message(field.text));
  return real_field(value);
}

// ---- encoding -----------------------------------------------------------------------------------------------------

[[noreturn]] void fail_type(const std::string& column, const char* expected) {
  fail(ErrorKind::type, "MDS: column \"{}\" takes {}", escape_for_message(column), expected);
}

template <class T>
void append_integer(const Field& field, const std::string& column, std::string& out) {
  const bool is_large = field.kind == Field::Kind::unsigned_integer && field.integer < 0;  // beyond int64
  if (!is_large && field.kind != Field::Kind::integer && field.kind != Field::Kind::unsigned_integer) fail_type(column, "whole numbers");
  const bool fits = is_large ? std::is_same_v<T, uint64_t> : std::in_range<T>(field.integer);
  if (!fits)
    fail(ErrorKind::value, "MDS: column \"{}\" got {}, which its {} bytes cannot hold", escape_for_message(column),
         is_large ? std::to_string(uint64_t(field.integer)) : std::to_string(field.integer), uint64_t(sizeof(T)));
  append_little_endian(T(field.integer), out);
}

// Rounds only once: the intermediate float's last bit records whether the double had further bits.
Half round_to_half(double value) {
  float near = float(value);
  if (std::isfinite(near) && double(near) != value && (std::bit_cast<uint32_t>(near) & 1) == 0)
    near = std::nextafter(near, double(near) < value ? INFINITY : -INFINITY);
  return Half(near);
}

void encode_number(Dtype dtype, const Field& field, const std::string& column, std::string& out) {
  switch (dtype) {
    case Dtype::uint8: return append_integer<uint8_t>(field, column, out);
    case Dtype::uint16: return append_integer<uint16_t>(field, column, out);
    case Dtype::uint32: return append_integer<uint32_t>(field, column, out);
    case Dtype::uint64: return append_integer<uint64_t>(field, column, out);
    case Dtype::int8: return append_integer<int8_t>(field, column, out);
    case Dtype::int16: return append_integer<int16_t>(field, column, out);
    case Dtype::int32: return append_integer<int32_t>(field, column, out);
    case Dtype::int64: return append_integer<int64_t>(field, column, out);
    default: break;
  }
  double value = field.real;
  if (field.kind == Field::Kind::integer)
    value = double(field.integer);
  else if (field.kind == Field::Kind::unsigned_integer)
    value = double(uint64_t(field.integer));
  else if (field.kind != Field::Kind::real)
    fail_type(column, "numbers");
  if (dtype == Dtype::float64) return append_little_endian(value, out);
  if (dtype == Dtype::float32) return append_little_endian(float(value), out);
  append_little_endian(round_to_half(value), out);
}

void encode_array(const MdsEncoding& encoding, const Field& field, const std::string& column, std::string& out) {
  if (field.kind != Field::Kind::tensor) fail_type(column, "tensors");
  const Tensor tensor = copy_to_contiguous_host(field.tensor);
  const uint8_t number = number_of(tensor.dtype(), column);
  const IntList sizes = tensor.sizes();
  if (encoding.dtype == Dtype::none)
    append_little_endian(number, out);
  else
    check(tensor.dtype() == encoding.dtype, ErrorKind::value, "MDS: column \"{}\" holds {}, but got a tensor of {}",
          escape_for_message(column), encoding.dtype, tensor.dtype());
  if (encoding.sizes) {
    check(sizes == IntList(*encoding.sizes), ErrorKind::value, "MDS: column \"{}\" holds arrays of shape {}, but got one of {}",
          escape_for_message(column), IntList(*encoding.sizes), sizes);
  } else {
    check(tensor.dim() > 0 && tensor.numel() > 0 && size_t(tensor.dim()) <= most_dims, ErrorKind::value,
          "MDS: column \"{}\" takes arrays of 1 to {} dimensions without zeros, but got the shape {}", escape_for_message(column),
          uint64_t(most_dims), sizes);
    const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
    const int log_width = largest < 1 << 8 ? 0 : largest < 1 << 16 ? 1 : largest < int64_t(1) << 32 ? 2 : 3;
    append_little_endian(uint8_t(tensor.dim() << 2 | log_width), out);
    for (const int64_t size : sizes) out.append(reinterpret_cast<const char*>(&size), size_t(1) << log_width);
  }
  out.append(static_cast<const char*>(tensor.data()), size_t(tensor.numel() * tensor.itemsize()));
}

void encode_text(Kind kind, const Field& field, const std::string& column, std::string& out) {
  const size_t begin = out.size();
  if (field.kind == Field::Kind::text) {
    out += field.text;
  } else if (kind == Kind::integer_text && field.kind == Field::Kind::integer) {
    out += std::to_string(field.integer);
  } else if (kind == Kind::integer_text && field.kind == Field::Kind::unsigned_integer) {
    out += std::to_string(uint64_t(field.integer));
  } else if (kind == Kind::real_text && field.kind == Field::Kind::real) {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, field.real).ptr);
  } else {
    fail_type(column, kind == Kind::bytes ? "bytes" : kind == Kind::text ? "texts" : "numbers, or their texts");
  }
  // Decodes the encoded value, so that a value which could not be read again raises here.
  decode({kind, Dtype::none, std::nullopt}, bytes_of(std::string_view(out).substr(begin)), column);
}

}  // namespace

MdsEncoding parse_encoding(const std::string& name, const std::string& column) {
  check(name != "pkl", ErrorKind::value, "MDS: column \"{}\" has pickles, which may run any code and are neither read nor written",
        escape_for_message(column));
  if (name == "ndarray" || name.starts_with("ndarray:")) return parse_array(name, column);
  for (const Known& known : known_encodings)
    if (known.name == name) return {known.kind, known.dtype, std::nullopt};
  fail(ErrorKind::value, "MDS: column \"{}\" has the encoding \"{}\", which is not known here", escape_for_message(column),
       escape_for_message(name));
}

std::optional<int64_t> fixed_size(const MdsEncoding& encoding) {
  if (encoding.kind == Kind::number) return element_size(encoding.dtype);
  if (encoding.kind == Kind::array && encoding.sizes) return bytes_needed(*encoding.sizes, encoding.dtype);
  return std::nullopt;
}

Field decode(const MdsEncoding& encoding, Bytes data, const std::string& column) {
  if (encoding.kind == Kind::number) return decode_number(encoding.dtype, data, column);
  if (encoding.kind == Kind::array) return decode_array(encoding, data, column);
  Field field;
  field.text = text_of(data);
  if (encoding.kind == Kind::integer_text) return decode_integer_text(std::move(field), column);
  if (encoding.kind == Kind::real_text) return decode_real_text(field, column);
  if (encoding.kind == Kind::text) check(is_utf8(field.text), "MDS: column \"{}\" has text that is not UTF-8", escape_for_message(column));
  return field;
}

void encode(const MdsEncoding& encoding, const Field& field, const std::string& column, std::string& out) {
  if (encoding.kind == Kind::number) return encode_number(encoding.dtype, field, column, out);
  if (encoding.kind == Kind::array) return encode_array(encoding, field, column, out);
  encode_text(encoding.kind, field, column, out);
}

}  // namespace mt::io
