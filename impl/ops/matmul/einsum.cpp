// einsum: sums of products by an equation of subscripts; operands are lined up, then contracted two at a time.
#include "rules/algebra.h"
#include "rules/einsum.h"

namespace mt {
namespace {

struct Plan {
  std::vector<int64_t> place = std::vector<int64_t>(ellipsis_label + 1, -1);  // a label's first dimension
  int64_t covered = 0;                                                       // dimensions of the ellipsis
  int64_t results = 0, total = 0;
};

Plan plan(const Equation& e, TensorList operands) {
  Plan p;
  std::vector<int> count(ellipsis_label + 1, 0);
  for (int64_t i = 0; i < operands.size(); ++i) {
    int64_t n = operands[i].dim(), labels = int64_t(e.inputs[i].size());
    bool dots = false;
    for (int l : e.inputs[i]) dots = dots || l == ellipsis_label, ++count[l];
    if (dots) {
      check(labels - 1 <= n, "einsum(): the number of subscripts in the equation ({}) is more than the number of dimensions ({}) for operand {}",
            labels - 1, n, i);
      if (n - labels + 1 > p.covered) p.covered = n - labels + 1;
    } else {
      check(labels == n,
            "einsum(): the number of subscripts in the equation ({}) does not match the number of dimensions ({}) for operand {} and no "
            "ellipsis was given",
            labels, n, i);
    }
  }
  auto give = [&](int label) {
    p.place[label] = p.total;
    p.total += label == ellipsis_label ? p.covered : 1;
  };
  if (e.has_output) {
    for (int l : e.output) {
      check(l == ellipsis_label || count[l] > 0, "einsum(): output subscript {} does not appear in the equation for any input operand",
            std::string(1, letter_of(l)).c_str());
      give(l);
    }
  } else {
    give(ellipsis_label);
    for (int l = 0; l < ellipsis_label; ++l)
      if (count[l] == 1) give(l);
  }
  p.results = p.total;
  for (int l = 0; l <= ellipsis_label; ++l)
    if (count[l] > 0 && p.place[l] < 0) give(l);
  return p;
}

// The operand with one dimension per label of the plan, 1 where it has none; repeated labels become diagonals.
Tensor lined_up(Tensor t, const std::vector<int>& labels, const Plan& p, int64_t operand) {
  Dims source(p.total, -1);
  const int64_t covered = t.dim() - (int64_t(labels.size()) - 1);
  int64_t d = 0;
  for (int l : labels) {
    if (l == ellipsis_label) {
      for (int64_t k = 0; k < covered; ++k) source[p.place[l] + p.covered - covered + k] = d++;
      continue;
    }
    int64_t& at = source[p.place[l]];
    if (at < 0) {
      at = d++;
      continue;
    }
    check(t.size(at) == t.size(d), "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}",
          std::string(1, letter_of(l)).c_str(), operand, t.size(d), t.size(at));
    t = op<"movedim.int">(op<"diagonal">(t, 0, at, d), -1, at);
  }
  Dims order;
  for (int64_t s : source)
    if (s >= 0) order.push_back(s);
  t = op<"permute">(t, order);
  for (int64_t k = 0; k < p.total; ++k)
    if (source[k] < 0) t = op<"unsqueeze">(t, k);
  return t;
}

void check_sizes(const std::vector<Tensor>& operands, const Plan& p) {
  for (int64_t d = 0; d < p.total; ++d) {
    int64_t seen = 1;
    for (size_t i = 0; i < operands.size(); ++i) {
      int64_t size = operands[i].size(d);
      if (size == 1) continue;
      if (seen != 1 && seen != size) {
        int label = ellipsis_label;
        for (int l = 0; l < ellipsis_label; ++l)
          if (p.place[l] == d) label = l;
        if (label == ellipsis_label)
          check(false, "einsum(): dimension {} covered by ellipsis in operand {} has size {} which does not broadcast with previously seen ellipsis with size {}",
                d - p.place[ellipsis_label], i, size, seen);
        check(false, "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen size {}",
              std::string(1, letter_of(label)).c_str(), size, i, seen);
      }
      seen = size;
    }
  }
}

constexpr auto summed_products = [](Text equation, TensorList tensors, std::optional<IntList> path) -> Tensor {
  Equation e = parse_equation(equation, tensors.size());
  Plan p = plan(e, tensors);
  std::vector<Tensor> left;
  for (int64_t i = 0; i < tensors.size(); ++i) left.push_back(lined_up(tensors[i], e.inputs[i], p, i));
  check_sizes(left, p);
  check(!path || path->size() == (tensors.size() == 1 ? 1 : 2 * (tensors.size() - 1)),
        "einsum(): expected contraction path given in path parameter to have size {} but got {}",
        tensors.size() == 1 ? 1 : 2 * (tensors.size() - 1), path ? path->size() : 0);
  for (int64_t step = 0; left.size() > 1; ++step) {
    int64_t i = path ? (*path)[2 * step] : 0, j = path ? (*path)[2 * step + 1] : 1;
    if (i > j) std::swap(i, j);
    check(i >= 0 && i != j && j < int64_t(left.size()), "einsum(): invalid contraction ({}, {})", i, j);
    Tensor a = left[i], b = left[j];
    left.erase(left.begin() + j);
    left.erase(left.begin() + i);
    std::vector<int64_t> dims;
    for (int64_t d = p.results; d < p.total; ++d) {
      bool last = true;
      for (const Tensor& t : left) last = last && t.size(d) == 1;
      if (last) dims.push_back(d);
    }
    left.insert(path ? left.end() : left.begin(), contract(a, b, dims));
  }
  Dims rest;
  for (int64_t d = p.results; d < p.total; ++d) rest.push_back(d);
  return rest.empty() ? left[0] : op<"sum.dim_IntList">(left[0], rest, false);
};

MT_OP(OpDef{
    .schema = {"einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"},
    .forms = function,
    .doc = "Sums products of the tensors' elements as the equation of subscripts says.",
    .composite = summed_products,
});

}  // namespace
}  // namespace mt
