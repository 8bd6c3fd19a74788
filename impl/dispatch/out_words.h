// What torch says of an out= that does not fit, for operators made of others: MT_OUT beside the operator's definition.
#pragma once

#include "dispatch/operator.h"

namespace mt {

struct OutWords {
  bool converts = false;                // an out= whose dtype the result's casts to is written, not refused
  const char* dtype = nullptr;          // names the result's dtype, then out's; where torch has words of its own
  ErrorKind kind = ErrorKind::runtime;  // of the above
  bool dtype_casts = false;             // it is said of dtypes that the result's does not cast to; of others, that they differ
  bool keeps_shape = false;             // a factory's out= with as many elements as there are numbers keeps its shape
  const char* device = nullptr;         // names the result's device, then out's
  bool keeps_strides = false;           // an out= that is resized is laid out as the result,
  bool lays_out_empty = false;          // or only one that had no elements
  const char* recorded_as = nullptr;    // who refuses an out= that requires grad: the operator that writes it
  bool refused_inside = false;          // that operator is called with it, and refuses it there
  bool joins = false;                   // out= must not share memory with an input, or with a tensor of a list
};
// recorded_as: an operator in place refuses it, as it refuses a leaf.
inline constexpr const char* written_as_leaf = "";
// nullptr where nothing was said of the operator (its name without an overload).
const OutWords* out_words(const std::string& op);

struct OutWordsEntry {
  const char* op;
  OutWords words;
  const OutWordsEntry* next;
  OutWordsEntry(const char* name, const OutWords& said);
};

}  // namespace mt

#define MT_OUT_CONCAT_(a, b) a##b
#define MT_OUT_CONCAT(a, b) MT_OUT_CONCAT_(a, b)
#define MT_OUT(op, ...) static const ::mt::OutWordsEntry MT_OUT_CONCAT(out_words_, __LINE__)(op, ::mt::OutWords{__VA_ARGS__})
