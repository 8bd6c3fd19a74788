// Maps these headers' enumerations to the numbers of the library at run time. An extension works with a library whose numbers
// differ.
#pragma once

#include <torch/csrc/stable/macros.h>
#include <torch/headeronly/core/DeviceType.h>
#include <torch/headeronly/core/Layout.h>
#include <torch/headeronly/core/MemoryFormat.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/core/enum_tag.h>
#include <torch/headeronly/util/Exception.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, detail)

template <class Enum>
struct Numbered {
  Enum value;
  int32_t (*number)();
};
template <class Enum>
struct Numbers;  // `table`, and `what` for error messages

template <>
struct Numbers<headeronly::ScalarType> {
  using S = headeronly::ScalarType;
  static constexpr const char* what = "ScalarType";
  static constexpr Numbered<S> table[] = {
      {S::Byte, aoti_torch_dtype_uint8},
      {S::Char, aoti_torch_dtype_int8},
      {S::Short, aoti_torch_dtype_int16},
      {S::Int, aoti_torch_dtype_int32},
      {S::Long, aoti_torch_dtype_int64},
      {S::Half, aoti_torch_dtype_float16},
      {S::Float, aoti_torch_dtype_float32},
      {S::Double, aoti_torch_dtype_float64},
      {S::ComplexHalf, aoti_torch_dtype_complex32},
      {S::ComplexFloat, aoti_torch_dtype_complex64},
      {S::ComplexDouble, aoti_torch_dtype_complex128},
      {S::Bool, aoti_torch_dtype_bool},
      {S::BFloat16, aoti_torch_dtype_bfloat16},
      {S::Float8_e5m2, aoti_torch_dtype_float8_e5m2},
      {S::Float8_e4m3fn, aoti_torch_dtype_float8_e4m3fn},
      {S::Float8_e5m2fnuz, aoti_torch_dtype_float8_e5m2fnuz},
      {S::Float8_e4m3fnuz, aoti_torch_dtype_float8_e4m3fnuz},
      {S::UInt16, aoti_torch_dtype_uint16},
      {S::UInt32, aoti_torch_dtype_uint32},
      {S::UInt64, aoti_torch_dtype_uint64},
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_11_0
      {S::Float8_e8m0fnu, torch_dtype_float8_e8m0fnu},
      {S::Float4_e2m1fn_x2, torch_dtype_float4_e2m1fn_x2},
#endif
  };
};
template <>
struct Numbers<headeronly::DeviceType> {
  using D = headeronly::DeviceType;
  static constexpr const char* what = "DeviceType";
  static constexpr Numbered<D> table[] = {{D::CPU, aoti_torch_device_type_cpu},   {D::CUDA, aoti_torch_device_type_cuda},
                                          {D::Meta, aoti_torch_device_type_meta}, {D::XPU, aoti_torch_device_type_xpu},
                                          {D::MPS, aoti_torch_device_type_mps},   {D::PrivateUse1, aoti_torch_device_type_privateuse1}};
};
template <>
struct Numbers<headeronly::Layout> {
  using L = headeronly::Layout;
  static constexpr const char* what = "Layout";
  static constexpr Numbered<L> table[] = {{L::Strided, aoti_torch_layout_strided},      {L::Sparse, aoti_torch_layout_sparse_coo},
                                          {L::SparseCsr, aoti_torch_layout_sparse_csr}, {L::SparseCsc, aoti_torch_layout_sparse_csc},
                                          {L::SparseBsr, aoti_torch_layout_sparse_bsr}, {L::SparseBsc, aoti_torch_layout_sparse_bsc},
                                          {L::Mkldnn, aoti_torch_layout__mkldnn},       {L::Jagged, aoti_torch_layout_jagged}};
};
template <>
struct Numbers<headeronly::MemoryFormat> {
  using M = headeronly::MemoryFormat;
  static constexpr const char* what = "MemoryFormat";
  static constexpr Numbered<M> table[] = {{M::Contiguous, aoti_torch_memory_format_contiguous_format},
                                          {M::Preserve, aoti_torch_memory_format_preserve_format},
                                          {M::ChannelsLast, aoti_torch_memory_format_channels_last},
                                          {M::ChannelsLast3d, aoti_torch_memory_format_channels_last_3d}};
};
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_12_0
template <>
struct Numbers<headeronly::Tag> {
  static constexpr const char* what = "Tag";
#define MT_TAG(name) {headeronly::Tag::name, torch_tag_##name},
  static constexpr Numbered<headeronly::Tag> table[] = {MT_EACH_TAG(MT_TAG)};
#undef MT_TAG
};
#endif

template <class Enum>
inline int32_t number_of(Enum value) {
  for (const auto& entry : Numbers<Enum>::table)
    if (entry.value == value) return entry.number();
  STD_TORCH_CHECK(false, "the stable ABI has no number for the ", Numbers<Enum>::what, " ", int(value));
  return 0;
}
template <class Enum>
inline Enum value_of(int32_t number) {
  for (const auto& entry : Numbers<Enum>::table)
    if (entry.number() == number) return entry.value;
  STD_TORCH_CHECK(false, "the stable ABI has no ", Numbers<Enum>::what, " for the number ", number);
  return Enum();
}

HIDDEN_NAMESPACE_END(torch, stable, detail)
