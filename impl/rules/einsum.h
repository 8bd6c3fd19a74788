// einsum's equation, operands whose dimensions are lined up by it, and the contraction of two of them.
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

// Where the labels go: the result's first, then those that are summed over.
struct EinsumPlan {
  std::vector<int64_t> place = std::vector<int64_t>(ellipsis_label + 1, -1);  // a label's first dimension
  int64_t covered = 0;                                                       // dimensions of the ellipsis
  int64_t results = 0, total = 0;
};
EinsumPlan plan_of(const Equation& e, TensorList operands);
// The operand with one dimension per label of the plan, 1 where it has none; repeated labels become diagonals.
Tensor align_operand(Tensor t, const std::vector<int>& labels, const EinsumPlan& p, int64_t operand);
// Refuses sizes of the lined up operands that do not broadcast.
void check_sizes(const std::vector<Tensor>& operands, const EinsumPlan& p);

// Multiplies tensors with the same number of dimensions (1 where a dimension is missing) and sums over `dims`, which are kept as 1.
Tensor contract(Tensor a, Tensor b, const std::vector<int64_t>& dims);

}  // namespace mt
