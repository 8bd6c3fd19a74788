// Maps NumPy's type names to dtypes, and reverses byte orders.
#include "io/numpy_types.h"

#include <algorithm>

namespace mt::io {

namespace {

struct Known {
  std::string_view code, name;
  Dtype dtype;
};
constexpr Known known_types[] = {
    {"b1", "bool", Dtype::boolean},        {"i1", "int8", Dtype::int8},
    {"i2", "int16", Dtype::int16},         {"i4", "int32", Dtype::int32},
    {"i8", "int64", Dtype::int64},         {"u1", "uint8", Dtype::uint8},
    {"u2", "uint16", Dtype::uint16},       {"u4", "uint32", Dtype::uint32},
    {"u8", "uint64", Dtype::uint64},       {"f2", "float16", Dtype::float16},
    {"f4", "float32", Dtype::float32},     {"f8", "float64", Dtype::float64},
    {"c8", "complex64", Dtype::complex64}, {"c16", "complex128", Dtype::complex128},
};

}  // namespace

NumpyType numpy_type(std::string_view name, const char* what) {
  const char order = name.empty() ? '\0' : name[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view code = has_order ? name.substr(1) : name;
  for (const Known& known : known_types) {
    const bool matches = has_order ? known.code == code : known.code == code || known.name == code;
    if (matches) return {known.dtype, order == '>'};
  }
  fail("{}: tensors have no type like \"{}\"", what, escape_for_message(name));
}

std::string numpy_code(Dtype dtype) {
  for (const Known& known : known_types)
    if (known.dtype == dtype) return (element_size(dtype) == 1 ? "|" : "<") + std::string(known.code);
  return "";
}

void swap_bytes(Storage& storage, Dtype dtype) {
  const int64_t width = is_complex(dtype) ? element_size(dtype) / 2 : element_size(dtype);
  auto* bytes = static_cast<uint8_t*>(storage.data);
  for (int64_t at = 0; width > 1 && at + width <= storage.nbytes; at += width) std::reverse(bytes + at, bytes + at + width);
}

}  // namespace mt::io
