// ggml's element types: elements and bytes per block, and the conversion of a block to floats.
#pragma once

#include "io/source.h"

namespace mt::io {

struct GgmlType {
  uint32_t number;
  const char* name;
  Dtype dtype;         // after reading: float32 if blocks are dequantised
  int64_t block;       // elements
  int64_t block_size;  // bytes
  void (*dequantize)(const uint8_t* block, float* out);  // nullptr: elements are stored as they are
};
const GgmlType* find_ggml_type(uint32_t number);
// Converts whole blocks, with several threads.
void dequantize(const GgmlType& type, Bytes blocks, float* out);

}  // namespace mt::io
