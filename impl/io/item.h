// What a pickle holds, as data: containers, numbers and text, tensors, and records of classes by their names. No code of the file runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace mt::io {

struct Item {
  // Numbers of the C ABI's MT_ITEM_*.
  enum class Kind : uint8_t {
    none = 0,
    boolean = 1,
    integer = 2,       // fits in 64 bits
    big_integer = 3,   // `text`: little-endian two's complement
    real = 4,
    complex = 5,
    string = 6,        // `text`: UTF-8; halves of surrogate pairs as three bytes each
    bytes = 7,
    bytearray = 8,
    tuple = 9,
    list = 10,
    dict = 11,         // `items`: keys and values in turn
    ordered_dict = 12, // `attributes`: what Python code had set on it, or nullptr
    counter = 13,
    set = 14,
    size = 15,         // torch.Size
    dtype = 16,        // `integer`
    layout = 17,
    device = 18,       // `text`: "cuda:0"
    storage = 19,      // `integer`: which of the file's; `dtype`
    tensor = 20,       // `integer`: which of the pickle's; `attributes`: what Python code had set on it, or nullptr
    parameter = 21,    // likewise
    global = 22,       // `text`: a class or a function by its dotted name
    object = 23        // `items`: the global that made it, and what that was given; `attributes`: its state, or nullptr
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
