// Names, sizes and promotion of dtypes.
#include "core/dtype.h"

#include <atomic>

#include "core/error.h"
#include "core/messages.h"

namespace mt {
namespace {

struct DtypeInfo {
  Dtype dtype;
  const char* name;
  const char* cpp_name;
  const char* scalar_name;
  int8_t size;
};
constexpr DtypeInfo infos[] = {
    {Dtype::uint8, "uint8", "Byte", "unsigned char", 1},
    {Dtype::int8, "int8", "Char", "signed char", 1},
    {Dtype::int16, "int16", "Short", "short int", 2},
    {Dtype::int32, "int32", "Int", "int", 4},
    {Dtype::int64, "int64", "Long", "long int", 8},
    {Dtype::float16, "float16", "Half", "c10::Half", 2},
    {Dtype::float32, "float32", "Float", "float", 4},
    {Dtype::float64, "float64", "Double", "double", 8},
    {Dtype::complex32, "complex32", "ComplexHalf", "c10::complex<c10::Half>", 4},
    {Dtype::complex64, "complex64", "ComplexFloat", "c10::complex<float>", 8},
    {Dtype::complex128, "complex128", "ComplexDouble", "c10::complex<double>", 16},
    {Dtype::boolean, "bool", "Bool", "bool", 1},
    {Dtype::bfloat16, "bfloat16", "BFloat16", "c10::BFloat16", 2},
    {Dtype::float8_e5m2, "float8_e5m2", "Float8_e5m2", "c10::Float8_e5m2", 1},
    {Dtype::float8_e4m3fn, "float8_e4m3fn", "Float8_e4m3fn", "c10::Float8_e4m3fn", 1},
    {Dtype::float8_e5m2fnuz, "float8_e5m2fnuz", "Float8_e5m2fnuz", "c10::Float8_e5m2fnuz", 1},
    {Dtype::float8_e4m3fnuz, "float8_e4m3fnuz", "Float8_e4m3fnuz", "c10::Float8_e4m3fnuz", 1},
    {Dtype::uint16, "uint16", "UInt16", "short unsigned int", 2},
    {Dtype::uint32, "uint32", "UInt32", "unsigned int", 4},
    {Dtype::uint64, "uint64", "UInt64", "long unsigned int", 8},
    {Dtype::float8_e8m0fnu, "float8_e8m0fnu", "Float8_e8m0fnu", "c10::Float8_e8m0fnu", 1},
};
const DtypeInfo* find_dtype_info(Dtype dtype) {
  for (const DtypeInfo& info : infos)
    if (info.dtype == dtype) return &info;
  return nullptr;
}
constexpr ElementSizes sizes_by_number() {
  ElementSizes sizes;
  for (const DtypeInfo& info : infos) sizes.of[int(info.dtype)] = info.size;
  return sizes;
}

// Order within the promotion lattice: bool < integers < floats < complex; see promote().
enum class Category : int8_t { boolean, integral, floating, complex };
Category category_of(Dtype d) {
  if (is_complex(d)) return Category::complex;
  if (is_floating(d)) return Category::floating;
  return d == Dtype::boolean ? Category::boolean : Category::integral;
}
bool is_barebones_unsigned(Dtype d) { return d == Dtype::uint16 || d == Dtype::uint32 || d == Dtype::uint64; }

std::atomic<Dtype> default_float{Dtype::float32};

}  // namespace

constexpr ElementSizes element_sizes = sizes_by_number();
bool is_known_dtype(int32_t value) { return value >= 0 && value < 64 && element_sizes.of[value] != 0; }
const char* name_of(Dtype dtype) { return find_dtype_info(dtype) ? find_dtype_info(dtype)->name : "undefined"; }
const char* cpp_name_of(Dtype dtype) { return find_dtype_info(dtype) ? find_dtype_info(dtype)->cpp_name : "Undefined"; }
const char* scalar_name_of(Dtype dtype) { return find_dtype_info(dtype) ? find_dtype_info(dtype)->scalar_name : "Undefined"; }

const char* name_of(MemoryFormat format) {
  static constexpr const char* names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return names[int(format)];
}
const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::strided: return "Strided";
    case Layout::sparse_coo: return "Sparse";
    case Layout::sparse_csr: return "SparseCsr";
    case Layout::sparse_csc: return "SparseCsc";
    case Layout::sparse_bsr: return "SparseBsr";
    case Layout::sparse_bsc: return "SparseBsc";
  }
  return "";
}

const char* name_of(DeviceType type) {
  static constexpr const char* names[] = {"cpu",   "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",  "fpga", "maia", "xla", "vulkan",
                                          "metal", "xpu",  "mps",    "meta",   "hpu",    "ve",    "lazy", "ipu",  "mtia", "npu"};
  return int(type) >= 0 && int(type) <= 20 ? names[int(type)] : nullptr;
}

namespace {

Dtype wider_of(Dtype a, Dtype b) { return element_size(a) > element_size(b) ? a : b; }

Dtype promote_integers(Dtype a, Dtype b) {
  if (is_barebones_unsigned(a) || is_barebones_unsigned(b)) {
    // uint8 fits into every wider unsigned type; torch defines no other pairs.
    if (is_unsigned(a) && is_unsigned(b)) return wider_of(a, b);
    fail("Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}", cpp_name_of(a), cpp_name_of(b));
  }
  if (a == Dtype::uint8 || b == Dtype::uint8) {
    Dtype other = a == Dtype::uint8 ? b : a;
    return other == Dtype::int8 ? Dtype::int16 : other;
  }
  return wider_of(a, b);
}

}  // namespace

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b))
    fail("Promotion for Float8 Types is not supported, attempted to promote {} and {}", cpp_name_of(a), cpp_name_of(b));
  Category ca = category_of(a), cb = category_of(b);
  if (ca < cb) {
    std::swap(a, b);
    std::swap(ca, cb);
  }
  // From here on `a` has the higher category, or the same one.
  if (cb == Category::boolean) return a;
  switch (ca) {
    case Category::integral: return promote_integers(a, b);
    case Category::floating:
      if (cb == Category::integral) return a;
      if (is_half(a) && is_half(b)) return Dtype::float32;  // float16 with bfloat16
      return wider_of(a, b);
    default: {
      if (cb == Category::integral) return a;
      Dtype real = real_of(a), other = real_of(b);
      if (cb == Category::floating && is_half(b)) other = b == Dtype::bfloat16 && a == Dtype::complex32 ? Dtype::float32 : Dtype::float16;
      return complex_of(element_size(real) >= element_size(other) ? real : other);
    }
  }
}

bool can_cast(Dtype from, Dtype to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to)) return false;
  if (from != Dtype::boolean && to == Dtype::boolean) return false;
  return true;
}

Dtype real_of(Dtype d) {
  switch (d) {
    case Dtype::complex32: return Dtype::float16;
    case Dtype::complex64: return Dtype::float32;
    case Dtype::complex128: return Dtype::float64;
    default: return d;
  }
}
Dtype complex_of(Dtype d) {
  switch (d) {
    case Dtype::float16: return Dtype::complex32;
    case Dtype::bfloat16:
    case Dtype::float32: return Dtype::complex64;
    case Dtype::float64: return Dtype::complex128;
    default: check(is_complex(d), messages::no_complex_dtype_for, cpp_name_of(d)); return d;
  }
}
Dtype compute_dtype(Dtype d) {
  if (is_half(d) || is_float8(d)) return Dtype::float32;
  return d == Dtype::complex32 ? Dtype::complex64 : d;
}

Dtype default_dtype() { return default_float.load(std::memory_order_relaxed); }
void set_default_dtype(Dtype dtype) { default_float.store(dtype, std::memory_order_relaxed); }

}  // namespace mt
