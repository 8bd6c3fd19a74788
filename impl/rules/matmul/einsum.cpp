// einsum: parses the equation, aligns the operands' dimensions, and contracts pairs of them.
#include "rules/matmul/einsum.h"

#include "rules/form/algebra.h"

namespace mt {

char letter_of_label(int label) { return char(label < 26 ? 'A' + label : 'a' + label - 26); }

static int label_number_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  return -1;
}

static bool is_ellipsis(Text t, int64_t i) { return i + 2 < t.size && t.data[i] == '.' && t.data[i + 1] == '.' && t.data[i + 2] == '.'; }

static void add_label(std::vector<int>& labels, char c, int64_t at) {
  int label = label_number_of(c);
  check(label >= 0, "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]", at);
  labels.push_back(label);
}

static bool has_label(const std::vector<int>& labels, int label) {
  for (int l : labels)
    if (l == label) return true;
  return false;
}

Equation parse_equation(Text text, int64_t operands) {
  check(operands > 0, "einsum(): must provide at least one operand");
  Equation e;
  e.inputs.emplace_back();
  int64_t i = 0;
  for (; i < text.size; ++i) {
    char c = text.data[i];
    auto& labels = e.inputs.back();
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size && text.data[i + 1] == '>') {
      e.has_output = true;
      break;
    }
    if (c == ',') {
      check(int64_t(e.inputs.size()) < operands, "einsum(): fewer operands were provided than specified in the equation");
      e.inputs.emplace_back();
    } else if (c == '.') {
      int64_t operand = int64_t(e.inputs.size()) - 1;
      check(!has_label(labels, ellipsis_label), "einsum(): found '.' for operand {} for which an ellipsis was already found", operand);
      check(is_ellipsis(text, i), "einsum(): found '.' for operand {} that is not part of any ellipsis", operand);
      labels.push_back(ellipsis_label);
      i += 2;
    } else {
      add_label(labels, c, i);
    }
  }
  check(int64_t(e.inputs.size()) == operands, "einsum(): more operands were provided than specified in the equation");
  for (i += 2; e.has_output && i < text.size; ++i) {
    char c = text.data[i];
    if (c == ' ') continue;
    if (c == '.') {
      check(!has_label(e.output, ellipsis_label), "einsum(): found '.' for output but an ellipsis (...) was already found");
      check(is_ellipsis(text, i), "einsum(): found '.' for output that is not part of any ellipsis (...)");
      e.output.push_back(ellipsis_label);
      i += 2;
    } else {
      check(!has_label(e.output, label_number_of(c)) || label_number_of(c) < 0,
            "einsum(): output subscript {} appears more than once in the output", std::string(1, c).c_str());
      add_label(e.output, c, i);
    }
  }
  return e;
}

EinsumPlan plan_contraction(const Equation& e, TensorList operands) {
  EinsumPlan p;
  std::vector<int> count(ellipsis_label + 1, 0);
  for (int64_t i = 0; i < operands.size(); ++i) {
    int64_t n = operands[i].dim(), labels = int64_t(e.inputs[i].size());
    bool dots = false;
    for (int l : e.inputs[i]) dots = dots || l == ellipsis_label, ++count[l];
    if (dots) {
      check(labels - 1 <= n,
            "einsum(): the number of subscripts in the equation ({}) is more than the number of dimensions ({}) for operand {}", labels - 1,
            n, i);
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
            std::string(1, letter_of_label(l)).c_str());
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

Tensor align_operand(Tensor t, const std::vector<int>& labels, const EinsumPlan& p, int64_t operand) {
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
          std::string(1, letter_of_label(l)).c_str(), operand, t.size(d), t.size(at));
    t = op<"movedim.int">(op<"diagonal">(t, 0, at, d), -1, at);
  }
  for (int64_t& s : source)
    if (s < 0) s = d++, t = op<"unsqueeze">(t, -1);
  return op<"permute">(t, source);
}

void check_sizes(const std::vector<Tensor>& operands, const EinsumPlan& p) {
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
          check(false,
                "einsum(): dimension {} covered by ellipsis in operand {} has size {} which does not broadcast with previously seen "
                "ellipsis with size {}",
                d - p.place[ellipsis_label], i, size, seen);
        check(false, "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen size {}",
              std::string(1, letter_of_label(label)).c_str(), size, i, seen);
      }
      seen = size;
    }
  }
}

namespace {

Tensor sum_dims(const Tensor& t, const Dims& dims) { return dims.empty() ? t : op<"sum.dim_IntList">(t, dims, true); }

bool has_dim(const Dims& dims, int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

Dims concatenate_dims(std::initializer_list<const Dims*> groups) {
  Dims all;
  for (const Dims* group : groups)
    for (int64_t d : *group) all.push_back(d);
  return all;
}

}  // namespace

Tensor contract_pair(Tensor a, Tensor b, const std::vector<int64_t>& dims) {
  const int64_t n = a.dim();
  Dims only_a, only_b, kept, from_a, from_b, both;  // kept: in both operands and in the result
  for (int64_t d = 0; d < n; ++d) {
    const bool in_a = a.size(d) != 1, in_b = b.size(d) != 1;
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
      (in_a && in_b ? kept : in_a ? from_a : from_b).push_back(d);
    } else {
      if (in_a && in_b) both.push_back(d);
      if (in_a && !in_b) only_a.push_back(d);
      if (in_b && !in_a) only_b.push_back(d);
    }
  }
  a = sum_dims(a, only_a);
  b = sum_dims(b, only_b);
  if (both.empty()) return a * b;
  // As batches of matrices: (kept, from_a, both) times (kept, both, from_b).
  const Dims used = concatenate_dims({&kept, &from_a, &from_b, &both});
  Dims rest;  // summed dimensions that have size 1 in both by now
  for (int64_t d = 0; d < n; ++d)
    if (!has_dim(used, d)) rest.push_back(d);
  const Dims order_a = concatenate_dims({&kept, &from_a, &both, &from_b, &rest});
  const Dims order_b = concatenate_dims({&kept, &both, &from_b, &from_a, &rest});
  Dims sizes, place(n);
  int64_t batch = 1, rows = 1, inner = 1, columns = 1;
  for (int64_t d : kept) batch *= a.size(d), sizes.push_back(a.size(d));
  for (int64_t d : from_a) rows *= a.size(d), sizes.push_back(a.size(d));
  for (int64_t d : both) inner *= a.size(d), sizes.push_back(1);
  for (int64_t d : from_b) columns *= b.size(d), sizes.push_back(b.size(d));
  for (int64_t i = 0; i < rest.size(); ++i) sizes.push_back(1);
  Tensor x = op<"reshape">(op<"permute">(a, order_a), IntList{batch, rows, inner});
  Tensor y = op<"reshape">(op<"permute">(b, order_b), IntList{batch, inner, columns});
  Tensor product = op<"view">(op<"bmm">(x, y), sizes);
  for (int64_t i = 0; i < n; ++i) place[order_a[i]] = i;
  return op<"permute">(product, place);
}

}  // namespace mt
