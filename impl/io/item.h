// The contents of a pickle as data: containers, numbers, strings, tensors, and records of classes by name. No code of the file runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace mt::io {

struct Item {
  // The values are those of the C ABI's MT_ITEM_*.
  enum class Kind : uint8_t {
    none = 0,
    boolean = 1,
    integer = 2,       // fits in 64 bits
    big_integer = 3,   // `text`: little-endian two's complement
    real = 4,
    complex = 5,
    string = 6,        // `text`: UTF-8; surrogates as three bytes each
    bytes = 7,
    bytearray = 8,
    tuple = 9,
    list = 10,
    dict = 11,         // `items`: keys and values alternately
    ordered_dict = 12, // `attributes`: those that Python code has set, or nullptr
    counter = 13,
    set = 14,
    size = 15,         // torch.Size
    dtype = 16,        // `integer`
    layout = 17,
    device = 18,       // `text`: "cuda:0"
    storage = 19,      // `integer`: the storage's index in the file; `dtype`
    tensor = 20,       // `integer`: the tensor's index in the pickle; `attributes`: those that Python code has set, or nullptr
    parameter = 21,    // likewise
    global = 22,       // `text`: a class or a function by its dotted name
    object = 23        // `items`: the global that made it and its arguments; `attributes`: its state, or nullptr
  };
  explicit Item(Kind k) : kind(k) {}
  Kind kind;
  bool requires_grad = false;  // of a tensor or a parameter
  Dtype dtype = Dtype::none;   // of a storage
  int64_t nbytes = 0;          // of a storage
  int64_t integer = 0;
  double real[2] = {0, 0};  // complex: both
  std::string text;
  std::vector<const Item*> items;
  const Item* attributes = nullptr;

  bool is(Kind k) const { return kind == k; }
};

}  // namespace mt::io
