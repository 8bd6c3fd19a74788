// einsum: parses the equation, aligns the operands' dimensions, and contracts pairs of them.
#pragma once

#include <vector>

#include "definition/op.h"

namespace mt {

constexpr int ellipsis_label = 52;  // after A-Z and a-z

struct Equation {
  std::vector<std::vector<int>> inputs;
  bool has_output = false;
  std::vector<int> output;
};
Equation parse_equation(Text text, int64_t operands);
char letter_of_label(int label);

// The order of the labels: the result's first, then the summed ones.
struct EinsumPlan {
  std::vector<int64_t> place = std::vector<int64_t>(ellipsis_label + 1, -1);  // the first dimension of a label
  int64_t covered = 0;                                                       // dimensions that the ellipsis covers
  int64_t results = 0, total = 0;
};
EinsumPlan plan_contraction(const Equation& e, TensorList operands);
// The operand with one dimension per label of the plan, of size 1 if it lacks the label; repeated labels become diagonals.
Tensor align_operand(Tensor t, const std::vector<int>& labels, const EinsumPlan& p, int64_t operand);
// Refuses sizes of the aligned operands that do not broadcast.
void check_sizes(const std::vector<Tensor>& operands, const EinsumPlan& p);

// Multiplies tensors of the same rank (1 for missing dimensions) and sums over `dims`, which are kept with size 1.
Tensor contract_pair(Tensor a, Tensor b, const std::vector<int64_t>& dims);

}  // namespace mt
