// How an aclnn operator takes its arguments. Used by the caller and by the simulator, so it knows nothing but text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mt::npu {

// "Add": the schema's arguments in order, tensor options left out and a generator as seed and offset, then the results.
// "Softmax(self, dim)": these arguments, then the results. Further items: "out" is the next result, where results do not come last;
// "seed" and "offset" are of the generator; a number is a constant, "[]" an empty list of ints; "[dim]" makes a list of one int.
// "mean:float" is a C float where the schema has a double, "p:scalar" an aclScalar of it, "correction:int" an int64_t of a Scalar (None:
// 1), "mode=a|b" the place of a string in the list, from 1, or 0. "each Name(...)": called once for each element of the lists, an empty
// list giving NULL. "out=rows" is a result whose sizes the device decides, so that the caller waits for it; it is given room for all that
// there may be (`Room`). "scale?" is 0 for None.
struct Spec {
  struct Item {
    enum class Kind : int8_t { argument, result, seed, offset, constant, no_ints } kind;
    int argument = -1;  // index in the schema
    int64_t constant = 0;
    enum class Form : int8_t { plain, single_float, scalar, integer, list, choice } form = Form::plain;
    // Of n elements of the first argument: n numbers of its dtype; n int64; n rows of int64, one for each dimension; int64 in its sizes.
    enum class Room : int8_t { exact, items, counts, rows, places } room = Room::exact;
    bool none_is_zero = false;
    std::vector<std::string> choices;
  };
  std::string name;
  bool each = false;
  std::vector<Item> items;
  bool sized_by_device() const;  // there are results with room
};

struct SpecArgument {
  std::string_view name, type;  // type without marks: "Tensor?", "int[2]"
};
// Raises std::string with what is wrong.
Spec parse_spec(std::string_view text, const std::vector<SpecArgument>& arguments, int results);

}  // namespace mt::npu
