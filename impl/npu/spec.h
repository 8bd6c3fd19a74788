// The argument specification of an aclnn operator. The caller and the simulator share it, so it uses only text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mt::npu {

// "Add": the schema's arguments in order, without tensor options and with a generator as seed and offset, then the results.
// "Softmax(self, dim)": these arguments, then the results. Further items: "out" is the next result, if results do not come
// last; "out.1" is the second, and results without an item are zeros; "seed" and "offset" come from the generator; a number
// is a constant ("1.0" a double), "[]" an empty int list. "[dim]" makes a list of one int (None: all dimensions).
// "mean:float" is a C float for a double of the schema, "p:scalar" an aclScalar for it, "correction:int" an int64_t for a
// Scalar (None: 1), "indices:int32" an int32 tensor for an int64 one, "out:t" a tensor with its last two dimensions
// transposed, "mode=a|b" the index of a string in the list, from 1, or 0, and "right|side=right" a bool that the string can
// also set. "each Name(...)": called once per element of the lists; an empty list gives NULL. "out=rows" is a result whose
// sizes the device decides, so that the caller waits for it; it gets room for the largest possible size (`Room`). "scale?" is
// 0 for None, "scale?-1" is -1.
struct Spec {
  struct Item {
    enum class Kind : int8_t { argument, result, seed, offset, constant, real, no_ints } kind;
    int argument = -1;  // index in the schema
    int second = -1;    // the second argument of Form::either
    double constant = 0;
    enum class Form : int8_t { plain, single_float, scalar, integer, list, choice, either, int32, transposed } form = Form::plain;
    // How large a result of unknown size can be, for a first argument of n elements: items: n numbers of its dtype; counts: n int64; rows:
    // n rows of int64, one column per dimension; places: int64 in its sizes. If `dim` is given, with n slices: items has its sizes; counts
    // and places are n int64.
    enum class Room : int8_t { exact, items, counts, rows, places } room = Room::exact;
    std::optional<double> for_none;
    std::vector<std::string> choices;
  };
  std::string name;
  bool each = false;
  bool numbered = false;  // results without an item are zeros
  std::vector<Item> items;
  bool sized_by_device() const;  // whether there are results with room
};

struct SpecArgument {
  std::string_view name, type;  // type without alias marks: "Tensor?", "int[2]"
};
// Throws a std::string that states the reason if the text is invalid.
Spec parse_spec(std::string_view text, const std::vector<SpecArgument>& arguments, int results);

}  // namespace mt::npu
