// How a tensor's elements are stored.
#pragma once

#include <cstdint>

namespace torch::headeronly {
enum class Layout : int8_t { Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc, Jagged, NumOptions };
}

namespace c10 {
using torch::headeronly::Layout;
}
