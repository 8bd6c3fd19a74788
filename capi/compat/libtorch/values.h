// Words of a kernel's stack, and boxed values: the schema's type determines how a word is interpreted.
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
// Returns the types of an operator's arguments and results. Cached and never freed, as operators are not.
const Signature& signature_of(const mt_op* op);

// Converts a borrowed value to a word; the receiver of the word owns its contents.
Word to_word(const Type& type, const mt_value& value);

// Converts words to borrowed values, and owns the words' contents as long as it exists.
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

// Converts the word of a kernel's result to a value that its receiver owns.
mt_value to_result(const Type& type, Word word);

}  // namespace mt::stable
