// How an aclnn operator takes its arguments. Used by the caller and by the simulator, so it knows nothing but text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mt::npu {

// "Add": the schema's arguments in order, tensor options left out and a generator as seed and offset, then the results.
// "Softmax(self, dim)": these arguments, then the results. Further items: "out" is the next result, where results do not come last;
// "out.1" is the second, and those that no item names are zeros; "seed" and "offset" are of the generator; a number is a constant ("1.0"
// a double), "[]" an empty list of ints; "[dim]" makes a list of one int (None: all dimensions).
// "mean:float" is a C float where the schema has a double, "p:scalar" an aclScalar of it, "correction:int" an int64_t of a Scalar (None:
// 1), "indices:int32" a tensor in int32 where the schema has int64, "out:t" one with its last two dimensions exchanged, "mode=a|b" the
// place of a string in the list, from 1, or 0, and "right|side=right" a bool that the string can also make true.
// "each Name(...)": called once for each element of the lists, an empty
// list giving NULL. "out=rows" is a result whose sizes the device decides, so that the caller waits for it; it is given room for all that
// there may be (`Room`). "scale?" is 0 for None, "scale?-1" is -1.
struct Spec {
  struct Item {
    enum class Kind : int8_t { argument, result, seed, offset, constant, real, no_ints } kind;
    int argument = -1;  // index in the schema
    int second = -1;    // of Form::either
    double constant = 0;
    enum class Form : int8_t { plain, single_float, scalar, integer, list, choice, either, int32, transposed } form = Form::plain;
    // Of n elements of the first argument: n numbers of its dtype; n int64; n rows of int64, one for each dimension; int64 in its sizes.
    // Where there is a `dim`: its dtype in its sizes; n int64 for the n slices; the same.
    enum class Room : int8_t { exact, items, counts, rows, places } room = Room::exact;
    std::optional<double> for_none;
    std::vector<std::string> choices;
  };
  std::string name;
  bool each = false;
  bool numbered = false;  // results that no item names are zeros
  std::vector<Item> items;
  bool sized_by_device() const;  // there are results with room
};

struct SpecArgument {
  std::string_view name, type;  // type without marks: "Tensor?", "int[2]"
};
// Raises std::string with what is wrong.
Spec parse_spec(std::string_view text, const std::vector<SpecArgument>& arguments, int results);

}  // namespace mt::npu
