// einsum's equation, and the contraction of two tensors whose dimensions are lined up.
#pragma once

#include <vector>

#include "op.h"

namespace mt {

constexpr int ellipsis_label = 52;  // after A-Z and a-z

struct Equation {
  std::vector<std::vector<int>> inputs;
  bool has_output = false;
  std::vector<int> output;
};
Equation parse_equation(Text text, int64_t operands);
char letter_of(int label);

// Multiplies tensors with the same number of dimensions (1 where a dimension is missing) and sums over `dims`, which are kept as 1.
Tensor contract(Tensor a, Tensor b, const std::vector<int64_t>& dims);

}  // namespace mt
