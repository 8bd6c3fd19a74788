// Words of a kernel's stack and boxed values: the schema's type says what a word is.
#pragma once

#include <memory>
#include <vector>

#include "support.h"

namespace mt::stable {

struct List : Marked<Mark::list> {
  std::vector<Word> items;
};
struct String : Marked<Mark::string> {
  explicit String(std::string t) : text(std::move(t)) {}
  std::string text;
};

// A schema's type: "Tensor?[]" is a list of optional tensors, "int[2]?" an optional list of integers.
struct Type {
  enum class Base { tensor, integer, real, boolean, string, dtype, layout, memory_format, device, generator, other };
  explicit Type(const char* schema_text);

  std::string text;
  Base base = Base::other;
  bool is_list = false, has_optional_items = false, is_optional = false;
};
struct Signature {
  std::vector<Type> arguments, results;
};
// Lives for ever, as operators do.
const Signature& signature_of(const mt_op* op);

// The word of a value, which is only borrowed: whoever gets the word owns what it refers to.
Word to_word(const Type& type, const mt_value& value);

// Values made of words that were handed over: they last as long as this.
class Taken {
 public:
  Taken() = default;
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken();

  mt_value value(const Type& type, Word word);

 private:
  template <class T>
  T* room(size_t count);
  mt_value item(const Type& type, Word word);
  mt_value list(const Type& type, Word word);
  mt_tensor* tensor(Word word);

  std::vector<mt_tensor*> tensors_;
  std::vector<mt_generator*> generators_;
  std::vector<std::unique_ptr<String>> strings_;
  std::vector<std::unique_ptr<std::byte[]>> rooms_;
};

// A word that was handed over as a result of an operator: an owned value.
mt_value to_result(const Type& type, Word word);

}  // namespace mt::stable
