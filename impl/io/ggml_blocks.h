// ggml's types of elements: how many make a block, how large it is, and what floats it stands for.
#pragma once

#include "io/source.h"

namespace mt::io {

struct GgmlType {
  uint32_t number;
  const char* name;
  Dtype dtype;         // as they are read: float32 where blocks are dequantised
  int64_t block;       // elements
  int64_t block_size;  // bytes
  void (*dequantize)(const uint8_t* block, float* out);  // nullptr: elements are stored as they are
};
const GgmlType* find_ggml_type(uint32_t number);
// Whole blocks, by several threads.
void dequantize(const GgmlType& type, Bytes blocks, float* out);

}  // namespace mt::io
