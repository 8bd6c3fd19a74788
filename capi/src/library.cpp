// Libraries of operators: adds and removes kernels, removes operators, stores notes.
#include "mindtorch/library.h"

#include <map>
#include <mutex>

#include "convert.h"
#include "core/messages.h"
#include "dispatch/user.h"

using namespace mt;
using namespace mt::capi;

namespace {

struct OperatorNotes {
  std::mutex mutex;
  std::map<std::pair<const mt_op*, std::string>, std::string> texts;
};
OperatorNotes& operator_notes() {
  static auto& all = *new OperatorNotes();
  return all;
}

}  // namespace

mt_status* mt_kernel_add(const mt_op* op, int32_t key, int32_t rank, mt_kernel_fn kernel, void* user, void (*destroy)(void* user),
                         int64_t* id) {
  return guard([&] {
    Operator& o = operator_of(op);
    require_not_null(reinterpret_cast<const void*>(kernel), "kernel");
    require_not_null(id, "id");
    check(key >= 0 && (key < key_count || key == MT_KEY_COMPOSITE), ErrorKind::value, messages::is_not_a_dispatch_key, key);
    auto* callback = new UserKernel(kernel, user, destroy);
    try {
      *id = key == MT_KEY_COMPOSITE ? add_composite(o, rank, callback) : add_kernel(o, Key(key), rank, callback);
    } catch (...) {
      callback->abandon();
      throw;
    }
  });
}

mt_status* mt_kernel_remove(const mt_op* op, int64_t id) {
  return guard([&] { remove_kernel(operator_of(op), id); });
}

mt_status* mt_op_undefine(const mt_op* op) {
  return guard([&] { undefine_operator(operator_of(op)); });
}

mt_status* mt_op_note_set(const mt_op* op, const char* name, const char* text) {
  return guard([&] {
    operator_of(op);
    require_not_null(name, "name");
    std::lock_guard lock(operator_notes().mutex);
    if (text) {
      operator_notes().texts[{op, name}] = text;
    } else {
      operator_notes().texts.erase({op, name});
    }
  });
}

mt_status* mt_op_note(const mt_op* op, const char* name, mt_value* out) {
  return guard([&] {
    operator_of(op);
    require_not_null(name, "name");
    require_not_null(out, "out");
    std::lock_guard lock(operator_notes().mutex);
    const auto found = operator_notes().texts.find({op, name});
    Value value = none_value();
    if (found != operator_notes().texts.end()) {
      value.tag = MT_TAG_STRING;
      value.as.string = {found->second.data(), int64_t(found->second.size())};
      value = own(value);
    }
    *out = value;
  });
}
