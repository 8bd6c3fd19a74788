// Constants that extensions query at run time: both ABIs use the same numbers for dtypes, devices, layouts and memory formats.
#include "support.h"

#define STABLE_NUMBER(name, number) \
  STABLE_ABI int32_t name() { return number; }

STABLE_NUMBER(aoti_torch_device_type_cpu, MT_CPU)
STABLE_NUMBER(aoti_torch_device_type_cuda, MT_CUDA)
STABLE_NUMBER(aoti_torch_device_type_xpu, 12)
STABLE_NUMBER(aoti_torch_device_type_mps, 13)
STABLE_NUMBER(aoti_torch_device_type_meta, MT_META)
STABLE_NUMBER(aoti_torch_device_type_privateuse1, MT_NPU)

STABLE_NUMBER(aoti_torch_dtype_uint8, MT_UINT8)
STABLE_NUMBER(aoti_torch_dtype_int8, MT_INT8)
STABLE_NUMBER(aoti_torch_dtype_int16, MT_INT16)
STABLE_NUMBER(aoti_torch_dtype_int32, MT_INT32)
STABLE_NUMBER(aoti_torch_dtype_int64, MT_INT64)
STABLE_NUMBER(aoti_torch_dtype_float16, MT_FLOAT16)
STABLE_NUMBER(aoti_torch_dtype_float32, MT_FLOAT32)
STABLE_NUMBER(aoti_torch_dtype_float64, MT_FLOAT64)
STABLE_NUMBER(aoti_torch_dtype_complex32, MT_COMPLEX32)
STABLE_NUMBER(aoti_torch_dtype_complex64, MT_COMPLEX64)
STABLE_NUMBER(aoti_torch_dtype_complex128, MT_COMPLEX128)
STABLE_NUMBER(aoti_torch_dtype_bool, MT_BOOL)
STABLE_NUMBER(aoti_torch_dtype_bfloat16, MT_BFLOAT16)
STABLE_NUMBER(aoti_torch_dtype_float8_e5m2, MT_FLOAT8_E5M2)
STABLE_NUMBER(aoti_torch_dtype_float8_e4m3fn, MT_FLOAT8_E4M3FN)
STABLE_NUMBER(aoti_torch_dtype_float8_e5m2fnuz, MT_FLOAT8_E5M2FNUZ)
STABLE_NUMBER(aoti_torch_dtype_float8_e4m3fnuz, MT_FLOAT8_E4M3FNUZ)
STABLE_NUMBER(aoti_torch_dtype_uint16, MT_UINT16)
STABLE_NUMBER(aoti_torch_dtype_uint32, MT_UINT32)
STABLE_NUMBER(aoti_torch_dtype_uint64, MT_UINT64)
STABLE_NUMBER(aoti_torch_dtype_float8_e8m0fnu, MT_FLOAT8_E8M0FNU)
STABLE_NUMBER(torch_dtype_float8_e8m0fnu, MT_FLOAT8_E8M0FNU)
// A dtype that torch numbers but this library does not support: creating a tensor with it fails.
STABLE_NUMBER(aoti_torch_dtype_float4_e2m1fn_x2, 45)
STABLE_NUMBER(torch_dtype_float4_e2m1fn_x2, 45)

STABLE_ABI size_t aoti_torch_dtype_element_size(int32_t dtype) { return size_t(mt_dtype_size(dtype)); }

STABLE_NUMBER(aoti_torch_layout_strided, MT_STRIDED)
STABLE_NUMBER(aoti_torch_layout_sparse_coo, MT_SPARSE_COO)
STABLE_NUMBER(aoti_torch_layout_sparse_csr, MT_SPARSE_CSR)
STABLE_NUMBER(aoti_torch_layout__mkldnn, 3)
STABLE_NUMBER(aoti_torch_layout_sparse_csc, MT_SPARSE_CSC)
STABLE_NUMBER(aoti_torch_layout_sparse_bsr, MT_SPARSE_BSR)
STABLE_NUMBER(aoti_torch_layout_sparse_bsc, MT_SPARSE_BSC)
STABLE_NUMBER(aoti_torch_layout_jagged, 7)

STABLE_NUMBER(aoti_torch_memory_format_contiguous_format, MT_CONTIGUOUS_FORMAT)
STABLE_NUMBER(aoti_torch_memory_format_preserve_format, MT_PRESERVE_FORMAT)
STABLE_NUMBER(aoti_torch_memory_format_channels_last, MT_CHANNELS_LAST)
STABLE_NUMBER(aoti_torch_memory_format_channels_last_3d, MT_CHANNELS_LAST_3D)

STABLE_ABI uint64_t aoti_torch_abi_version() { return mt::stable::abi_version; }
