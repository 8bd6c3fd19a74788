// Prints a tensor: a column for a vector, blocks of columns for a matrix, a matrix for each index of the leading dimensions.
#include "rules/form/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "core/exception.h"
#include "core/sparse.h"
#include "definition/op.h"
#include "rules/form/type_text.h"

namespace mt {
namespace {

constexpr int64_t line_width = 80;

// How the numbers of one vector or matrix are written: all alike, divided by a common scale.
struct NumberFormat {
  enum class Notation { shortest, fixed, scientific } notation;
  int width;
  double scale = 1;

  void write(std::ostream& out, double value) const {
    if (notation == Notation::shortest)
      out << std::defaultfloat << std::setprecision(6);
    else
      out << (notation == Notation::fixed ? std::fixed : std::scientific) << std::setprecision(4);
    out << std::setw(width) << value / scale;
  }
  void write_scale(std::ostream& out, int indent = 0) const {
    if (scale != 1) out << std::defaultfloat << std::setprecision(6) << scale << " *\n" << std::string(indent, ' ');
  }
};

// The number of digits before the decimal point; negative for small fractions.
int integer_digits_of(double value) { return value == 0 ? 1 : int(std::floor(std::log10(std::fabs(value)))) + 1; }

NumberFormat choose_format(const double* values, int64_t n) {
  using Notation = NumberFormat::Notation;
  bool integers = true, any = false;
  int fewest = 1, most = 1;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(values[i])) continue;
    integers &= values[i] == std::ceil(values[i]);
    const int digits = integer_digits_of(values[i]);
    fewest = any ? std::min(fewest, digits) : digits;
    most = any ? std::max(most, digits) : digits;
    any = true;
  }
  if (integers) return most > 9 ? NumberFormat{Notation::scientific, 11} : NumberFormat{Notation::shortest, most + 1};
  if (most - fewest > 4) return {Notation::scientific, std::abs(most) > 99 || std::abs(fewest) > 99 ? 12 : 11};
  if (most > 5 || most < 0) return {Notation::fixed, 7, std::pow(10.0, most - 1)};
  return {Notation::fixed, most == 0 ? 7 : most + 6};
}

// Torch's layout: the indent stands before each row but the first, before a row or scale that follows a column heading, and, with a
// scale, before the first row and twice before the others.
void write_matrix(std::ostream& out, const double* values, int64_t rows, int64_t columns, int indent) {
  const NumberFormat format = choose_format(values, rows * columns);
  const std::string before_row(format.scale == 1 ? indent : 2 * indent, ' ');
  const int64_t at_once = (line_width - indent) / (format.width + 1);
  for (int64_t first = 0; first < columns; first += at_once) {
    const int64_t last = std::min(first + at_once, columns);
    if (first > 0) out << '\n';
    if (at_once < columns) out << "Columns " << first + 1 << " to " << last << std::string(indent, ' ');
    format.write_scale(out, indent);
    for (int64_t r = 0; r < rows; ++r) {
      if (r > 0) out << before_row;
      for (int64_t c = first; c < last; ++c) {
        format.write(out, values[r * columns + c]);
        out << (c + 1 == last ? '\n' : ' ');
      }
    }
  }
}

void write_matrices(std::ostream& out, const double* values, IntList sizes) {
  const int64_t leading = sizes.size() - 2, rows = sizes[leading], columns = sizes[leading + 1];
  Dims index(leading, 0);
  for (bool done = false; !done;) {
    if (std::any_of(index.begin(), index.end(), [](int64_t i) { return i > 0; })) out << '\n';
    int64_t matrix = 0;
    out << '(';
    for (int64_t d = 0; d < leading; ++d) {
      matrix = matrix * sizes[d] + index[d];
      out << index[d] + 1 << ',';
    }
    out << ".,.) = \n";
    write_matrix(out, values + matrix * rows * columns, rows, columns, 1);
    done = true;
    for (int64_t d = 0; d < leading && done; ++d) {  // the first index is the fastest
      index[d] = (index[d] + 1) % sizes[d];
      done = index[d] == 0;
    }
  }
}

void write_elements(std::ostream& out, const Tensor& tensor) {
  if (tensor.numel() == 0) return;
  const Tensor numbers = op<"contiguous">(op<"_to_copy">(tensor, Dtype::float64, Layout::strided, Device()));
  const double* values = numbers.data<double>();
  if (tensor.dim() == 0) {
    out << std::defaultfloat << std::setprecision(6) << values[0] << '\n';
  } else if (tensor.dim() == 1) {
    const NumberFormat format = choose_format(values, tensor.numel());
    format.write_scale(out);
    for (int64_t i = 0; i < tensor.numel(); ++i) {
      format.write(out, values[i]);
      out << '\n';
    }
  } else if (tensor.dim() == 2) {
    write_matrix(out, values, tensor.size(0), tensor.size(1), 0);
  } else {
    write_matrices(out, values, tensor.sizes());
  }
}

}  // namespace

std::string elements_text(const Tensor& tensor) {
  BelowAutograd guard;
  std::ostringstream out;
  if (tensor.layout() == Layout::sparse_coo) {
    const SparseComponents& parts = components_of(tensor);
    out << "[ " << tensor_type_text(tensor) << "{}\nindices:\n"
        << elements_text(parts.indices) << "\nvalues:\n"
        << elements_text(parts.values) << "\nsize:\n"
        << text("{}", tensor.sizes()) << "\n]";
    return out.str();
  }
  write_elements(out, tensor);
  out << "[ " << tensor_type_text(tensor) << '{';
  for (int64_t d = 0; d < tensor.dim(); ++d) out << (d > 0 ? "," : "") << tensor.size(d);
  out << "} ]";
  return out.str();
}

}  // namespace mt
