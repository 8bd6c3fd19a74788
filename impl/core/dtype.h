// Dtypes, devices, layouts: numbers, names and promotion.
#pragma once

#include <cstdint>

#include "mindtorch/base.h"

namespace mt {

enum class Dtype : int8_t {
  uint8 = MT_UINT8,
  int8 = MT_INT8,
  int16 = MT_INT16,
  int32 = MT_INT32,
  int64 = MT_INT64,
  float16 = MT_FLOAT16,
  float32 = MT_FLOAT32,
  float64 = MT_FLOAT64,
  complex32 = MT_COMPLEX32,
  complex64 = MT_COMPLEX64,
  complex128 = MT_COMPLEX128,
  boolean = MT_BOOL,
  bfloat16 = MT_BFLOAT16,
  float8_e5m2 = MT_FLOAT8_E5M2,
  float8_e4m3fn = MT_FLOAT8_E4M3FN,
  float8_e5m2fnuz = MT_FLOAT8_E5M2FNUZ,
  float8_e4m3fnuz = MT_FLOAT8_E4M3FNUZ,
  uint16 = MT_UINT16,
  uint32 = MT_UINT32,
  uint64 = MT_UINT64,
  float8_e8m0fnu = MT_FLOAT8_E8M0FNU,
  none = -1,
};

enum class Layout : int8_t {
  strided = MT_STRIDED,
  sparse_coo = MT_SPARSE_COO,
  sparse_csr = MT_SPARSE_CSR,
  sparse_csc = MT_SPARSE_CSC,
  sparse_bsr = MT_SPARSE_BSR,
  sparse_bsc = MT_SPARSE_BSC,
};
enum class MemoryFormat : int8_t { contiguous = 0, preserve = 1, channels_last = 2, channels_last_3d = 3 };
enum class DeviceType : int8_t { cpu = MT_CPU, cuda = MT_CUDA, meta = MT_META, npu = MT_NPU };

struct Device {
  DeviceType type = DeviceType::cpu;
  int8_t index = -1;
  bool operator==(const Device&) const = default;
  bool is_cpu() const { return type == DeviceType::cpu; }
  bool is_meta() const { return type == DeviceType::meta; }
};

bool is_known_dtype(int32_t value);
// Has hidden visibility, so that code of this library reads the table without going through the GOT.
struct ElementSizes {
  int8_t of[64] = {};  // 0 for numbers that no dtype uses
};
[[gnu::visibility("hidden")]] extern const ElementSizes element_sizes;
inline int64_t element_size(Dtype dtype) { return element_sizes.of[int(dtype)]; }
const char* name_of(Dtype dtype);        // "float32"
const char* cpp_name_of(Dtype dtype);    // "Float": as in '"kernel" not implemented for 'Float''
const char* scalar_name_of(Dtype dtype); // "float": as in 'expected dtype float'
const char* name_of(MemoryFormat format);  // "Contiguous"
const char* name_of(Layout layout);       // "Sparse", "SparseCsr": as in "... layout Sparse"
const char* name_of(DeviceType type);    // nullptr for an unknown type

constexpr bool is_complex(Dtype d) { return d == Dtype::complex64 || d == Dtype::complex128 || d == Dtype::complex32; }
constexpr bool is_float8(Dtype d) {
  return d == Dtype::float8_e5m2 || d == Dtype::float8_e4m3fn || d == Dtype::float8_e5m2fnuz || d == Dtype::float8_e4m3fnuz ||
         d == Dtype::float8_e8m0fnu;
}
constexpr bool is_half(Dtype d) { return d == Dtype::float16 || d == Dtype::bfloat16; }
constexpr bool is_floating(Dtype d) { return d == Dtype::float32 || d == Dtype::float64 || is_half(d) || is_float8(d); }
constexpr bool is_integral(Dtype d, bool with_bool = false) {
  return (int8_t(d) >= 0 && int8_t(d) <= 4) || (int8_t(d) >= 27 && int8_t(d) <= 29) || (with_bool && d == Dtype::boolean);
}
constexpr bool is_unsigned(Dtype d) { return d == Dtype::uint8 || (int8_t(d) >= 27 && int8_t(d) <= 29); }
constexpr bool is_differentiable(Dtype d) { return is_floating(d) || is_complex(d); }

Dtype promote(Dtype a, Dtype b);
// Whether a value of dtype `from` may be stored in `to` (torch.can_cast).
bool can_cast(Dtype from, Dtype to);
Dtype real_of(Dtype dtype);     // complex64 -> float32; a real dtype is returned unchanged
Dtype complex_of(Dtype dtype);  // float32 -> complex64; a complex dtype is returned unchanged
// The dtype in which half and low-precision values are summed: float16 -> float32 ...
Dtype compute_dtype(Dtype dtype);

Dtype default_dtype();
void set_default_dtype(Dtype dtype);

}  // namespace mt
