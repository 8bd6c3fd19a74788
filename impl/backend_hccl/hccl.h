// The part of CANN's HCCL that MindTorch uses: types, numbers and functions from the public documentation of CANN 8 (HCCL API reference;
// headers hccl/hccl.h and hccl/hccl_types.h). The simulator exports the same.
#pragma once

#include <cstdint>

extern "C" {
using HcclResult = int32_t;
using HcclComm = void*;
using HcclDataType = int32_t;
using HcclReduceOp = int32_t;
struct HcclRootInfo {
  char internal[4108];
};
struct HcclSendRecvItem {
  int32_t sendRecvType;
  void* buf;
  uint64_t count;
  HcclDataType dataType;
  uint32_t remoteRank;
};
}

namespace mt::hccl {

enum : HcclResult {
  success = 0,
  error_para = 1,
  error_ptr = 2,
  error_internal = 4,
  error_not_support = 5,
  error_unavailable = 7,
  error_syscall = 8,
  error_timeout = 9,
  error_tcp_connect = 11,
  error_remote = 21,
};
enum : HcclReduceOp { reduce_sum = 0, reduce_product = 1, reduce_maximum = 2, reduce_minimum = 3 };
enum : HcclDataType {
  type_int8 = 0,
  type_int16 = 1,
  type_int32 = 2,
  type_float16 = 3,
  type_float32 = 4,
  type_int64 = 5,
  type_uint64 = 6,
  type_uint8 = 7,
  type_uint16 = 8,
  type_uint32 = 9,
  type_float64 = 10,
  type_bfloat16 = 11,
};
enum : int32_t { item_send = 0, item_receive = 1 };

}  // namespace mt::hccl

// X(name, result, parameters). `stream` is an aclrtStream; counts are numbers of elements.
#define MT_HCCL_FUNCTIONS(X)                                                                                                               \
  X(HcclGetRootInfo, HcclResult, (HcclRootInfo*))                                                                                          \
  X(HcclCommInitRootInfo, HcclResult, (uint32_t ranks, const HcclRootInfo*, uint32_t rank, HcclComm*))                                     \
  X(HcclCommDestroy, HcclResult, (HcclComm))                                                                                               \
  X(HcclGetCommAsyncError, HcclResult, (HcclComm, HcclResult*))                                                                            \
  X(HcclGetErrorString, const char*, (HcclResult))                                                                                         \
  X(HcclAllReduce, HcclResult, (void* input, void* output, uint64_t count, HcclDataType, HcclReduceOp, HcclComm, void* stream))            \
  X(HcclReduce, HcclResult,                                                                                                                \
    (void* input, void* output, uint64_t count, HcclDataType, HcclReduceOp, uint32_t root, HcclComm, void* stream))                        \
  X(HcclBroadcast, HcclResult, (void* memory, uint64_t count, HcclDataType, uint32_t root, HcclComm, void* stream))                        \
  X(HcclAllGather, HcclResult, (void* input, void* output, uint64_t input_count, HcclDataType, HcclComm, void* stream))                    \
  X(HcclReduceScatter, HcclResult, (void* input, void* output, uint64_t output_count, HcclDataType, HcclReduceOp, HcclComm, void* stream)) \
  X(HcclScatter, HcclResult, (void* input, void* output, uint64_t output_count, HcclDataType, uint32_t root, HcclComm, void* stream))      \
  X(HcclAlltoAll, HcclResult,                                                                                                              \
    (const void* input, uint64_t count, HcclDataType, const void* output, uint64_t output_count, HcclDataType, HcclComm, void* stream))    \
  X(HcclAlltoAllV, HcclResult,                                                                                                             \
    (const void* input, const void* counts, const void* offsets, HcclDataType, const void* output, const void* output_counts,              \
     const void* output_offsets, HcclDataType, HcclComm, void* stream))                                                                    \
  X(HcclSend, HcclResult, (void* memory, uint64_t count, HcclDataType, uint32_t rank, HcclComm, void* stream))                             \
  X(HcclRecv, HcclResult, (void* memory, uint64_t count, HcclDataType, uint32_t rank, HcclComm, void* stream))                             \
  X(HcclBatchSendRecv, HcclResult, (HcclSendRecvItem*, uint32_t count, HcclComm, void* stream))                                            \
  X(HcclBarrier, HcclResult, (HcclComm, void* stream))
