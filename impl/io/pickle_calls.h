// The functions that a pickle may call, and their results: containers, tensors and records instead of Python's objects.
#pragma once

#include "io/unpickler.h"

namespace mt::io {

[[noreturn]] void refuse_pickle(const std::string& why);  // an UnpicklingError
// The type of an item as Python prints it: "<class 'dict'>".
std::string type_of(const Item& item);

class PickleCalls {
 public:
  PickleCalls(Pickled& out, const FindStorage& find_storage, const std::set<std::string>& allowed)
      : out_(out), find_storage_(find_storage), allowed_(allowed) {}

  Item* make(Item::Kind kind);
  Item* global(std::string_view module, std::string_view name);
  Item* call(const Item& function, const Item& arguments);      // REDUCE
  Item* make_new(const Item& type, const Item& arguments);      // NEWOBJ
  void build(Item& target, const Item& state);                  // BUILD
  Item* storage(const Item& id);                                // BINPERSID

 private:
  using Arguments = std::vector<const Item*>;
  Item* perform(const std::string& name, const Item& function, const Item& arguments);
  Item* record(const Item& function, const Item& arguments);
  Item* dict_of_pairs(Item::Kind kind, const Arguments& arguments);
  Item* tensor(const std::string& name, const Arguments& arguments);
  Item* meta_tensor(const Arguments& arguments);
  Item* sparse_tensor(const Arguments& arguments);
  Item* parameter(const Item& data, bool requires_grad, const Item* state);
  Item* typed(const Arguments& arguments);
  Item* device(const Arguments& arguments);
  Item* layout(const Arguments& arguments);
  Item* encoded(Item::Kind kind, const Arguments& arguments);
  Item* give_tensor(TensorRecord record, bool requires_grad);
  void note_copy(size_t count);

  Pickled& out_;
  const FindStorage& find_storage_;
  const std::set<std::string>& allowed_;
  size_t copied_ = 0;  // elements, made by calls that copy their arguments
};

}  // namespace mt::io
