// Advanced indexing: masks to indices, broadcasting of indices, and the copy loops.
#include "rules/index/indexing.h"

#include <cstring>

#include "core/messages.h"
#include "cpu/threads/parallel.h"
#include "rules/index/rows_by_index.h"

namespace mt {

LineWalk::LineWalk(const Tensor& self, const Tensor& other, const Tensor& index, int64_t d, int64_t cut, int64_t first, int64_t count)
    : nest(IntList()), dim(d), length(1), step(self.itemsize()) {
  if (index.dim() == 0 || self.dim() == 0) {  // one line of one element; its index may still have one dimension
    const int64_t n = index.numel();
    const Dims index_step{index.dim() ? index.stride(0) : 0}, other_step{other.dim() ? other.stride(0) : 0}, none{0};
    length = self.dim() ? self.size(0) : 1;
    step *= self.dim() ? self.stride(0) : 1;
    nest = cpu::Nest(IntList{n});
    nest.add(index.data(), index.itemsize(), index_step);
    nest.add(other.data(), other.itemsize(), other_step);
    nest.add(self.data(), self.itemsize(), none);
    nest.finish();
    return;
  }
  Dims line(self.strides()), sizes(index.sizes());
  length = self.size(d);
  step *= self.stride(d);
  line[d] = 0;
  auto start = [&](const Tensor& t, IntList strides) { return t.data<char>() + (cut < 0 ? 0 : first * strides[cut] * t.itemsize()); };
  if (cut >= 0) sizes[cut] = count;
  nest = cpu::Nest(sizes);
  nest.add(start(index, index.strides()), index.itemsize(), index.strides());
  nest.add(start(other, other.strides()), other.itemsize(), other.strides());
  nest.add(start(self, line), self.itemsize(), line);
  nest.finish();
}

void LineWalk::check_line_indices(const char* index, int64_t index_step, int64_t n) const {
  if (index_step == 8 && are_all_within(reinterpret_cast<const int64_t*>(index), n, 0, length)) return;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = *reinterpret_cast<const int64_t*>(index + k * index_step);
    if (uint64_t(i) >= uint64_t(length)) fail(messages::index_out_of_bounds_for_dimension, i, dim, length);
  }
}

LineWalk::Runs LineWalk::short_runs(int64_t begin, int64_t end) const {
  const int64_t n = nest.sizes()[0], row = nest.sizes()[1], first = begin % row;
  char* at[3];
  for (int k = 0; k < 3; ++k) at[k] = nest[k].data + first * nest[k].strides[1];
  int64_t rest = begin / row;
  for (int64_t d = 2; d < nest.sizes().size(); rest /= nest.sizes()[d++])
    for (int k = 0; k < 3; ++k) at[k] += rest % nest.sizes()[d] * nest[k].strides[d];
  const Runs s{at[0],
               at[1],
               at[2],
               nest[0].strides[0],
               nest[1].strides[0],
               nest[2].strides[0],
               step,
               n,
               std::min({row - first, end - begin, 1024 / n}),
               nest[0].strides[1],
               nest[1].strides[1],
               nest[2].strides[1]};
  if (nest[0].strides[0] == 8 && nest[0].strides[1] == 8 * n) {
    check_line_indices(s.index, 8, s.runs * n);
  } else {
    bool within = true;
    for (int64_t r = 0; r < s.runs; ++r)
      for (int64_t k = 0; k < n; ++k)
        within &= uint64_t(*reinterpret_cast<const int64_t*>(s.index + r * nest[0].strides[1] + k * nest[0].strides[0])) < uint64_t(length);
    for (int64_t r = 0; r < s.runs && !within; ++r) check_line_indices(s.index + r * nest[0].strides[1], nest[0].strides[0], n);
  }
  return s;
}

void LineWalk::run(int64_t begin, int64_t end, Visit visit, void* f) const {
  if (unit_size() > 1) {
    for (Runs s; begin < end; begin += s.runs) visit(f, s = short_runs(begin, end));
    return;
  }
  nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
    for (int64_t k = 0; k < n; k += 1024) {
      const int64_t count = std::min<int64_t>(n - k, 1024);  // checked while they are in the L1 cache
      const char* const index = data[0] + k * strides[0];
      check_line_indices(index, strides[0], count);
      visit(f, {index, data[1] + k * strides[1], data[2] + k * strides[2], strides[0], strides[1], strides[2], step, count, 1, 0, 0, 0});
    }
  });
}

namespace {
constexpr int64_t line_grain = 8192;

// The dimension that is split between threads when lines along `dim` are written: the longest other one, or -1 for none.
int64_t choose_split_dim(const Tensor& index, int64_t dim) {
  if (index.numel() < 2 * line_grain) return -1;
  int64_t best = -1;
  for (int64_t d = 0; d < index.dim(); ++d)
    if (d != dim && index.size(d) > 1 && (best < 0 || index.size(d) > index.size(best))) best = d;
  return best;
}
}  // namespace

void read_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, LineWalk::Visit visit, void* f) {
  const LineWalk walk(self, other, index, dim);
  cpu::parallel_for(0, walk.units(), line_grain / walk.unit_size(), [&](int64_t begin, int64_t end) { walk.run(begin, end, visit, f); });
}
void write_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, LineWalk::Visit visit, void* f) {
  const int64_t cut = choose_split_dim(index, dim);
  if (cut < 0) {
    const LineWalk walk(self, other, index, dim);
    return walk.run(0, walk.units(), visit, f);
  }
  // Splits `cut` into few wide pieces: each piece passes over the written memory, so many narrow ones would load it again and again.
  const int64_t grain = std::max((line_grain * index.size(cut) + index.numel() - 1) / index.numel(), (index.size(cut) + 15) / 16);
  cpu::parallel_for(0, index.size(cut), grain, [&](int64_t begin, int64_t end) {
    const LineWalk walk(self, other, index, dim, cut, begin, end - begin);
    walk.run(0, walk.units(), visit, f);
  });
}

Tensor convert_index_to_int64(const Tensor& index) {
  if (index.dtype() == Dtype::int64) return index;
  Tensor out = empty(index.sizes(), Dtype::int64);
  copy_into(out, index);
  return out;
}

SliceIndex slice_index(const Tensor& self, int64_t d, const Tensor& index) {
  if (index.dim() != self.dim() || index.numel() == 0) return {};
  Dims sizes(index.sizes());
  int64_t width = 1, lead = 1;
  for (int64_t k = 0; k < self.dim(); ++k) {
    if (k == d) continue;
    if (sizes[k] != self.size(k) || (k > d && sizes[k] > 1 && index.stride(k) != 0)) return {};
    if (k < d) lead *= sizes[k];
    if (k > d) width *= sizes[k], sizes[k] = 1;
  }
  if (width < 4) return {};  // too short for one call each
  const int64_t length = self.size(d), n = sizes[d];
  const Tensor at = empty(sizes, Dtype::int64);
  copy_into(at, alias(index, sizes, index.strides(), index.storage_offset()));
  int64_t* places = at.data<int64_t>();
  if (!are_all_within(places, lead * n, 0, length)) return {};
  for (int64_t b = 1; b < lead; ++b)
    for (int64_t i = 0; i < n; ++i) places[b * n + i] += b * length;
  return {at, lead * length, width};
}

Tensor expand_index(const Tensor& index, int64_t dim, const Tensor& source) {
  if (source.dim() == 0) return op<"reshape">(index, IntList());
  Dims shape(source.dim(), 1);
  shape[dim] = index.numel();
  return op<"expand">(op<"reshape">(index, shape), source.sizes());
}

Positions index_positions(const Tensor& index, int64_t size, int64_t dim, const char* text) {
  const Positions out{dense_as(index, Dtype::int64)};
  if (are_all_within(out.begin(), out.size(), 0, size)) return out;
  for (int64_t i : out) check(i >= 0 && i < size, ErrorKind::index, text, i, size, dim);
  return out;
}
Positions index_positions(const Tensor& index, int64_t size, const char* text) { return index_positions(index, size, 0, text); }
void check_slice_count(const char* name, const Tensor& index, const Tensor& source, int64_t dim) {
  check(dim == 0 || dim < source.dim(), "{}(): Indexing dim {} is out of bounds of the source tensor with dim {}", name, dim, source.dim());
  if (source.dim() == 0)
    check(index.numel() == 1, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  else
    check(index.numel() == source.size(dim), "{}(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", name,
          index.numel(), source.size(dim), dim);
}
void check_same_slices(const Tensor& self, const Tensor& source, int64_t dim) {
  bool same = self.dim() == source.dim();
  for (int64_t k = 0; same && k < self.dim(); ++k) same = k == dim || self.size(k) == source.size(k);
  check(same, "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} source.shape = {}",
        self.sizes(), source.sizes());
}
Tensor slice_at(const Tensor& t, int64_t dim, int64_t i) {
  if (t.dim() == 0) return t;
  Dims sizes(t.sizes()), strides(t.strides());
  sizes.erase(dim), strides.erase(dim);
  return alias(t, sizes, strides, t.storage_offset() + i * t.stride(dim));
}

std::vector<Tensor> expand_masks(const Tensor& original, TensorList given) {
  check(given.size() <= original.dim(), ErrorKind::index, messages::too_many_indices, original.dim(), given.size());
  BelowAutograd guard;
  std::vector<Tensor> expanded;
  for (const Tensor& index : given) {
    if (!index.defined()) {
      expanded.push_back(Tensor());
      continue;
    }
    const Dtype d = index.dtype();
    check(d == Dtype::int64 || d == Dtype::int32 || d == Dtype::uint8 || d == Dtype::boolean, ErrorKind::index,
          "tensors used as indices must be long, int, byte or bool tensors");
    if (d == Dtype::uint8 || d == Dtype::boolean) {
      if (d == Dtype::uint8) warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
      for (int64_t k = 0; k < index.dim(); ++k) {
        const int64_t at = int64_t(expanded.size()) + k;
        check(at < original.dim() && index.size(k) == original.size(at), ErrorKind::index,
              "The shape of the mask {} at index {} does not match the shape of the indexed tensor {} at index {}", index.sizes(), k,
              original.sizes(), at);
      }
      Tensor positions = op<"nonzero">(index);
      for (int64_t k = 0; k < index.dim(); ++k) expanded.push_back(op<"select">(positions, 1, k));
      if (index.dim() == 0) {
        // A 0-dim mask selects nothing or everything through a new dimension; callers unsqueeze `self` for it.
        expanded.push_back(op<"squeeze">(op<"select">(op<"nonzero">(op<"unsqueeze">(index, 0)), 1, 0)));
      }
    } else {
      expanded.push_back(d == Dtype::int64 ? index : op<"to.dtype">(index, Dtype::int64));
    }
  }
  check(int64_t(expanded.size()) <= original.dim(), ErrorKind::index, messages::too_many_indices, original.dim(), int64_t(expanded.size()));
  return expanded;
}

namespace {
void check_values_fit(const Tensor& values, IntList sizes) {
  const int64_t offset = sizes.size() - values.dim();
  bool fits = offset >= 0;
  for (int64_t d = 0; fits && d < values.dim(); ++d) fits = values.size(d) == 1 || values.size(d) == sizes[d + offset];
  check(fits, "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}", values.sizes(), sizes);
}

// The common shape of index tensors, some of which may be absent.
Dims broadcast_indices(const std::vector<Tensor>& indices) {
  Dims common;
  bool is_first = true;
  for (const Tensor& t : indices) {
    if (!t.defined()) continue;
    if (std::exchange(is_first, false)) {
      common = t.sizes();
      continue;
    }
    bool fits = true;
    for (int64_t k = 1; k <= std::min<int64_t>(common.size(), t.dim()); ++k) {
      const int64_t x = common[common.size() - k], y = t.size(-k);
      fits &= x == y || x == 1 || y == 1;
    }
    if (!fits)
      fail(ErrorKind::index, "shape mismatch: indexing tensors could not be broadcast together with shapes {}, {}", common, t.sizes());
    common = broadcast_shapes(common, t.sizes());
  }
  return common;
}

// A view with the indexed dimensions first.
Tensor move_indexed_to_front(const Tensor& self, const std::vector<Tensor>& indices) {
  Dims sizes, strides;
  for (const bool indexed : {true, false})
    for (int64_t d = 0; d < self.dim(); ++d)
      if ((d < int64_t(indices.size()) && indices[size_t(d)].defined()) == indexed)
        sizes.push_back(self.size(d)), strides.push_back(self.stride(d));
  return alias(self, sizes, strides, self.storage_offset());
}

// Returns indices as contiguous int64 in [0, n): the tensor itself if it is that already.
Tensor wrap_index(const Tensor& t, const Dims& sizes, int64_t dim, int64_t n) {
  const bool as_it_is = t.dtype() == Dtype::int64 && t.device().is_cpu() && t.sizes() == IntList(sizes) && t.is_contiguous();
  if (as_it_is && are_all_within(t.data<int64_t>(), t.numel(), 0, n)) return t;
  Tensor wrapped = empty(sizes, Dtype::int64, t.device());
  if (t.is_meta() || !wrapped.numel()) return wrapped;
  copy_into(wrapped, t);
  int64_t* p = wrapped.data<int64_t>();
  for (int64_t i = 0; i < wrapped.numel(); ++i) {
    check(p[i] >= -n && p[i] < n, ErrorKind::index, messages::index_out_of_bounds_for_dimension, p[i], dim, n);
    if (p[i] < 0) p[i] += n;
  }
  return wrapped;
}
}  // namespace

AdvancedIndex advanced_index(const Tensor& original, TensorList given, const Tensor& values) {
  const std::vector<Tensor> expanded = expand_masks(original, given);
  AdvancedIndex a;
  a.index_sizes = broadcast_indices(expanded);
  // If the indexed dimensions are not adjacent, they move to the front.
  int64_t first = -1, last = -1, count = 0;
  for (int64_t d = 0; d < int64_t(expanded.size()); ++d)
    if (expanded[size_t(d)].defined()) {
      if (first < 0) first = d;
      last = d;
      ++count;
    }
  const bool adjacent = last - first + 1 == count;
  a.self = adjacent ? original : move_indexed_to_front(original, expanded);
  if (!adjacent) first = 0;
  a.first = first;
  for (int64_t d = 0; d < first; ++d) a.result_sizes.push_back(a.self.size(d));
  for (int64_t s : a.index_sizes) a.result_sizes.push_back(s);
  for (int64_t d = first + count; d < a.self.dim(); ++d) a.result_sizes.push_back(a.self.size(d));
  for (int64_t d = first; d < first + count; ++d)
    check(a.self.size(d) > 0 || product(a.index_sizes) == 0, ErrorKind::index, "index is out of bounds for dimension with size 0");
  if (values.defined()) check_values_fit(values, a.result_sizes);
  int64_t dim = first;
  for (const Tensor& t : expanded) {
    if (!t.defined()) continue;
    const int64_t n = a.self.size(dim);
    Dims full(a.index_sizes.size(), 0);
    const int64_t offset = a.index_sizes.size() - t.dim();
    for (int64_t k = 0; k < t.dim(); ++k) full[k + offset] = t.size(k) == 1 && a.index_sizes[k + offset] != 1 ? 0 : t.stride(k);
    a.indices.push_back(wrap_index(t, a.index_sizes, dim, n));
    a.layouts.push_back(full);
    a.dims.push_back(dim++);
  }
  return a;
}

namespace {

// The byte offset into `self` for each position of the index tensors.
Tensor index_offsets(const AdvancedIndex& a) {
  const int64_t n = product(a.index_sizes);
  Tensor offsets = empty({n}, Dtype::int64);
  int64_t* const to = offsets.data<int64_t>();
  if (a.indices.empty()) to[0] = 0;
  for (size_t k = 0; k < a.indices.size(); ++k) {
    const int64_t stride = a.self.stride(a.dims[k]) * a.self.itemsize();
    const int64_t* p = a.indices[k].data<int64_t>();
    if (k == 0)
      for (int64_t i = 0; i < n; ++i) to[i] = p[i] * stride;
    else
      for (int64_t i = 0; i < n; ++i) to[i] += p[i] * stride;
  }
  return offsets;
}

// A run of `n` elements. Element k of `self` is at self + k * self_step + offsets[k * step], element k of `other` at other + k *
// other_step, in bytes.
struct Run {
  char *self, *other;
  int64_t self_step, other_step, step, n;
  const int64_t* offsets;
};
// Calls f(element of self, element of other) for each element of a run. F is stateless, so that this is compiled once for each T and F.
template <class T, class F>
void visit_run(const Run& run) {
  constexpr int64_t size = sizeof(T);
  const int64_t self_step = run.self_step, other_step = run.other_step, step = run.step, n = run.n, *const offsets = run.offsets;
  char *const self = run.self, *const other = run.other;
  auto place = [](char* p) -> T& { return *reinterpret_cast<T*>(p); };
  if (step == 0 && self_step == size && other_step == size) {  // a row for each index
    char* const row = self + *offsets;
    for (int64_t k = 0; k < n; ++k) F()(place(row + k * size), place(other + k * size));
  } else {
    for (int64_t k = 0; k < n; ++k) F()(place(self + k * self_step + offsets[k * step]), place(other + k * other_step));
  }
}

template <class T, class F>
auto make_run_visitor(F) {
  return &visit_run<T, F>;
}

// Visits all positions of the result; `other` has the result's shape.
void visit_positions(const AdvancedIndex& a, const Tensor& other, bool parallel, void (*visit)(const Run&)) {
  const Tensor held = index_offsets(a);
  const int64_t* const offsets = held.data<int64_t>();
  // The dimensions of the result in three groups: those before the indexed dimensions, those of the index tensors, those after.
  Dims sizes, self_strides, other_strides;
  const int64_t index_dims = a.index_sizes.size(), after = a.first + int64_t(a.dims.size());
  cpu::Nest nest(a.result_sizes);
  Dims zero(a.result_sizes.size(), 0), position(a.result_sizes.size(), 0);
  int64_t step = 1;
  for (int64_t k = index_dims - 1; k >= 0; --k) {
    position[a.first + k] = step;
    step *= a.index_sizes[k];
  }
  for (int64_t d = 0; d < a.first; ++d) zero[d] = a.self.stride(d);
  for (int64_t d = after; d < a.self.dim(); ++d) zero[a.first + index_dims + d - after] = a.self.stride(d);
  nest.add(other.data(), other.itemsize(), other.strides());
  nest.add(a.self.data(), a.self.itemsize(), zero);
  nest.add(nullptr, 1, position);
  nest.finish();
  auto piece = [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      visit({data[1], data[0], strides[1], strides[0], strides[2], n, offsets + (data[2] - static_cast<char*>(nullptr))});
    });
  };
  if (parallel)
    cpu::parallel_for(0, nest.numel(), 16384, piece);
  else
    piece(0, nest.numel());
}

// The result's strides follow the tensor whose elements are picked, and the index tensors.
Tensor empty_result(const AdvancedIndex& a) {
  const int64_t n = a.result_sizes.size(), index_dims = a.index_sizes.size(), after = a.first + int64_t(a.dims.size());
  if (n < 2 || (index_dims < 2 && a.self.is_contiguous())) return empty(a.result_sizes, a.self.dtype(), a.self.device());
  std::vector<Dims> steps(1 + a.layouts.size(), Dims(n, 0));
  for (int64_t d = 0; d < a.first; ++d) steps[0][d] = a.self.stride(d);
  for (int64_t d = after; d < a.self.dim(); ++d) steps[0][a.first + index_dims + d - after] = a.self.stride(d);
  for (size_t k = 0; k < a.layouts.size(); ++k) {
    // For the order of strides, dimensions of size 1 next to those of an index tensor count as its own.
    const Dims& own = a.layouts[k];
    for (int64_t d = 0; d < n; ++d) {
      const int64_t at = d - a.first;
      if (at >= 0 && at < index_dims)
        steps[k + 1][d] = own[at];
      else if (a.result_sizes[d] == 1)
        steps[k + 1][d] = index_dims == 0 ? 1 : at < 0 ? own[0] * a.index_sizes[0] : own.back();
    }
  }
  const std::vector<IntList> views(steps.begin(), steps.end());
  Small<int64_t, 6> order;
  cpu::order_dimensions(a.result_sizes, views.data(), int(views.size()), order);
  Dims strides(n, 0);
  int64_t step = 1;
  for (int64_t d : order) {
    strides[d] = step;
    step *= std::max<int64_t>(a.result_sizes[d], 1);
  }
  return empty_strided(a.result_sizes, strides, a.self.dtype(), a.self.device());
}

}  // namespace

Tensor index_get(const AdvancedIndex& a) {
  Tensor out = empty_result(a);
  if (out.is_meta() || out.numel() == 0) return out;
  dispatch_by_size(out.itemsize(),
                   [&]<class T>(Type<T>) { visit_positions(a, out, true, make_run_visitor<T>([](const T& from, T& to) { to = from; })); });
  return out;
}

void index_put(const AdvancedIndex& a, const Tensor& values, bool accumulate) {
  Tensor full = values;
  if (values.sizes() != IntList(a.result_sizes)) {
    // Values broadcast to the indexed shape.
    const int64_t offset = a.result_sizes.size() - values.dim();
    Dims strides(a.result_sizes.size(), 0);
    for (int64_t d = 0; d < values.dim(); ++d)
      if (values.size(d) != 1) strides[d + offset] = values.stride(d);
    full = alias(values, a.result_sizes, strides, values.storage_offset());
  }
  if (product(a.result_sizes) == 0) return;
  if (!accumulate) {
    dispatch_by_size(a.self.itemsize(), [&]<class T>(Type<T>) {
      visit_positions(a, full, false, make_run_visitor<T>([](T& to, const T& from) { to = from; }));
    });
    return;
  }
  dispatch_all(a.self.dtype(), "index_put", [&]<class T>(Type<T>) {
    visit_positions(a, full, false, make_run_visitor<T>([](T& target, const T& add) {
                      if constexpr (std::is_same_v<T, bool>)
                        target = target || add;
                      else
                        target = T(ComputeType<T>(target) + ComputeType<T>(add));
                    }));
  });
}

}  // namespace mt
