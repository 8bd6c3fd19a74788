// Parts of tensors by Octave's rules: positions count from 1, every dimension stays, one index counts down the columns.
#include "mindtorch.h"

namespace mindtorch_octave {

namespace {

using mindtorch::Value;
using octave::idx_vector;

// The positions from 0 that an index selects. A tensor as an index has positions from 1, or is a mask.
std::vector<int64_t> selected_positions(const octave_value& index, int64_t size) {
  const idx_vector chosen = index.index_vector();
  const auto limit = static_cast<octave_idx_type>(size);
  if (chosen.extent(limit) > limit) {
    fail("IndexError",
         "index " + std::to_string(chosen.extent(limit)) + " is out of bounds for dimension with size " + std::to_string(size));
  }
  std::vector<int64_t> out;
  for (octave_idx_type i = 0; i < chosen.length(limit); ++i) out.push_back(chosen(i));
  return out;
}

Tensor make_int64_tensor(const std::vector<int64_t>& numbers) {
  const int64_t size = static_cast<int64_t>(numbers.size());
  mt_tensor* out = nullptr;
  mindtorch::check(mt_tensor_from_copy(numbers.data(), &size, 1, MT_INT64, &out));
  return Tensor::own(out);
}

int64_t element_count(const std::vector<int64_t>& sizes) {
  int64_t out = 1;
  for (const int64_t size : sizes) out *= size;
  return out;
}

void require_indices(octave_idx_type given, size_t ndim) {
  if (given == 1 || given == static_cast<octave_idx_type>(ndim)) return;
  fail("IndexError", "a tensor of " + std::to_string(ndim) + " dimensions requires as many indices, or one");
}

// Flattens a tensor in the order of Octave's x(:), first dimension fastest.
Tensor flatten_in_octave_order(const Tensor& tensor) {
  return mindtorch::call("reshape", {reverse_dims(tensor), Value(std::vector<int64_t>{-1})});
}

}  // namespace

Tensor select_by_index(const Tensor& tensor, const octave_value_list& indices) {
  const std::vector<int64_t> sizes = tensor.sizes();
  require_indices(indices.length(), sizes.size());
  if (indices.length() == 1) {
    const Tensor all = flatten_in_octave_order(tensor);
    if (indices(0).is_magic_colon()) return all;
    return mindtorch::call("index_select", {all, Value(0), make_int64_tensor(selected_positions(indices(0), all.numel()))});
  }
  Tensor out = tensor;
  for (octave_idx_type dim = 0; dim < indices.length(); ++dim) {
    if (indices(dim).is_magic_colon()) continue;
    const Tensor chosen = make_int64_tensor(selected_positions(indices(dim), sizes[static_cast<size_t>(dim)]));
    out = mindtorch::call("index_select", {out, Value(static_cast<int64_t>(dim)), chosen});
  }
  return out;
}

void assign_part(const Tensor& tensor, const octave_value_list& indices, const octave_value& value) {
  const std::vector<int64_t> sizes = tensor.sizes();
  require_indices(indices.length(), sizes.size());
  const bool is_flat = indices.length() == 1;
  mindtorch_swig::Tensors grids;
  std::vector<int64_t> counts;
  if (is_flat) {
    const std::vector<int64_t> chosen = selected_positions(indices(0), element_count(sizes));
    counts.push_back(static_cast<int64_t>(chosen.size()));
    int64_t stride = 1;
    for (const int64_t size : sizes) {
      std::vector<int64_t> along;
      for (const int64_t position : chosen) along.push_back(position / stride % size);
      grids.add(make_int64_tensor(along).handle());
      stride *= size;
    }
  } else {
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      const std::vector<int64_t> chosen = selected_positions(indices(static_cast<octave_idx_type>(dim)), sizes[dim]);
      std::vector<int64_t> shape(sizes.size(), 1);
      shape[dim] = static_cast<int64_t>(chosen.size());
      counts.push_back(shape[dim]);
      grids.add(mindtorch::call("reshape", {make_int64_tensor(chosen), Value(shape)}).handle());
    }
  }
  Tensor given = from_array(value, mt_dtype_name(tensor.dtype()));
  if (given.numel() == element_count(counts)) {
    if (sizes.empty()) counts.clear();
    given = mindtorch::call("reshape", {is_flat ? flatten_in_octave_order(given) : given, Value(counts)});
  } else if (given.numel() != 1) {
    fail("ValueError", std::to_string(given.numel()) + " values for " + std::to_string(element_count(counts)) + " elements");
  }
  Values values;
  values.add_tensor(tensor.handle());
  if (!sizes.empty()) values.add_tensors(grids);
  values.add_tensor(given.handle());
  mindtorch_swig::dispatch(sizes.empty() ? "copy_" : "index_put_", "", values);
}

}  // namespace mindtorch_octave
