// Rows of a table by index: embeddings and their gradient.
#pragma once

#include "rules/rows.h"

namespace mt {

// "torch.FloatTensor", as torch's older texts name a tensor's type.
struct TypeText {
  char text[40];
  const char* c_str() const { return text; }
  size_t size() const { return __builtin_strlen(text); }
};
TypeText text_of_type(const Tensor& t);
// Refuses indices that are not int64 or int32, with torch's text for argument number `position` of `function`.
void check_is_index(const Tensor& indices, int position, const char* function);

// out[i] = table[indices[i]]; all contiguous, indices int64. IndexError for indices outside of the table.
void gather_rows(const Tensor& table, const Tensor& indices, const Tensor& out);
// table[indices[i]] += rows[i] * scale[i] (scale may be undefined), rows with index `skip` left out. Deterministic: each row of the table
// is added to in the order of the indices.
void scatter_add_rows(const Tensor& table, const Tensor& indices, const Tensor& rows, int64_t skip, bool divide_by_count);

}  // namespace mt
