// The pickle machine: the opcodes that torch.load(weights_only=True) knows, over items instead of objects.
#include "io/unpickler.h"

#include <unordered_map>

#include "core/exception.h"
#include "io/pickle_calls.h"
#include "io/pickle_format.h"

namespace mt::io {

namespace {

using Kind = Item::Kind;

constexpr size_t longest_name = 4096;

class Machine {
 public:
  Machine(Cursor& cursor, Pickled& out, const FindStorage& find_storage, const std::set<std::string>& allowed)
      : cursor_(cursor), calls_(out, find_storage, allowed) {}

  const Item* run_opcodes() {
    for (;;) {
      const auto code = Opcode(cursor_.read_little_endian<uint8_t>());
      if (code == STOP) return pop();
      run_opcode(code);
    }
  }

 private:
  Item* make_item(Kind kind) { return calls_.make(kind); }
  void push(Item* item) { stack_.push_back(item); }
  Item* pop() {
    Item* item = top();
    stack_.pop_back();
    return item;
  }
  // The last item above the last mark.
  Item* top() const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse_pickle("the pickle takes from an empty stack");
    return stack_.back();
  }
  std::vector<const Item*> pop_to_mark() {
    if (marks_.empty()) refuse_pickle("the pickle has no mark where one is needed");
    std::vector<const Item*> items(stack_.begin() + int64_t(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  std::vector<const Item*> pop_several(size_t count) {
    std::vector<const Item*> items(count);
    while (count > 0) items[--count] = pop();
    return items;
  }

  void push_integer(int64_t value) {
    Item* item = make_item(Kind::integer);
    item->integer = value;
    push(item);
  }
  void push_boolean(bool value) {
    Item* item = make_item(Kind::boolean);
    item->integer = value;
    push(item);
  }
  void push_text(Kind kind, std::string_view text) {
    Item* item = make_item(kind);
    item->text = text;
    push(item);
  }
  void push_tuple(std::vector<const Item*> items) {
    Item* item = make_item(Kind::tuple);
    item->items = std::move(items);
    push(item);
  }

  void push_real() {
    uint64_t bits = __builtin_bswap64(cursor_.read_little_endian<uint64_t>());
    Item* item = make_item(Kind::real);
    std::memcpy(item->real, &bits, 8);
    push(item);
  }
  void push_long() {
    const std::string_view bytes = cursor_.read_text(cursor_.read_little_endian<uint8_t>());
    if (bytes.size() > 8) return push_text(Kind::big_integer, bytes);
    int64_t value = !bytes.empty() && (bytes.back() & 0x80) ? -1 : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    push_integer(value);
  }
  void push_unicode() {
    const std::string_view text = cursor_.read_text(cursor_.read_little_endian<uint32_t>());
    if (!is_utf8_or_surrogates(text)) throw Error("UnicodeDecodeError", "'utf-8' codec can't decode a string of the pickle");
    push_text(Kind::string, text);
  }

  std::string_view read_line() {
    size_t length = 0;
    Cursor ahead = cursor_;
    while (ahead.read_little_endian<uint8_t>() != '\n')
      if (++length > longest_name) refuse_pickle("a name in the pickle is too long");
    const std::string_view line = cursor_.read_text(length);
    cursor_.skip(1);
    return line;
  }

  void store_top_in_memo(uint32_t key) { memo_[key] = top(); }
  void push_from_memo(uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw Error("KeyError", std::to_string(key));
    push(found->second);
  }

  void append_to_list(const std::vector<const Item*>& items, const char* verb) {
    Item* list = top();
    if (!list->is(Kind::list)) refuse_pickle(text("Can only {} lists, but got {}", verb, type_of(*list)));
    list->items.insert(list->items.end(), items.begin(), items.end());
  }
  void set_items_of_dict(const std::vector<const Item*>& items, const char* opcode) {
    Item* dict = top();
    if (!dict->is(Kind::dict) && !dict->is(Kind::ordered_dict) && !dict->is(Kind::counter))
      refuse_pickle(text("Can only {} for dict, collections.OrderedDict, collections.Counter, but got {}", opcode, type_of(*dict)));
    if (items.size() % 2) throw Error("IndexError", "list index out of range");
    dict->items.insert(dict->items.end(), items.begin(), items.end());
  }

  void run_opcode(Opcode code) {
    switch (code) {
      case MARK: marks_.push_back(stack_.size()); break;
      case NONE: push(make_item(Kind::none)); break;
      case NEWTRUE: push_boolean(true); break;
      case NEWFALSE: push_boolean(false); break;
      case BININT: push_integer(cursor_.read_little_endian<int32_t>()); break;
      case BININT1: push_integer(cursor_.read_little_endian<uint8_t>()); break;
      case BININT2: push_integer(cursor_.read_little_endian<uint16_t>()); break;
      case BINFLOAT: push_real(); break;
      case LONG1: push_long(); break;
      case BINUNICODE: push_unicode(); break;
      case SHORT_BINSTRING: push_text(Kind::bytes, cursor_.read_text(cursor_.read_little_endian<uint8_t>())); break;
      case GLOBAL: {
        const std::string_view module = read_line(), name = read_line();
        push(calls_.global(module, name));
        break;
      }
      case REDUCE: {
        const Item* arguments = pop();
        const Item* function = pop();
        push(calls_.call(*function, *arguments));
        break;
      }
      case NEWOBJ: {
        const Item* arguments = pop();
        const Item* type = pop();
        push(calls_.make_new(*type, *arguments));
        break;
      }
      case BUILD: {
        const Item* state = pop();
        calls_.build(*top(), *state);
        break;
      }
      case BINPERSID: push(calls_.storage(*pop())); break;
      case EMPTY_TUPLE: push(make_item(Kind::tuple)); break;
      case EMPTY_LIST: push(make_item(Kind::list)); break;
      case EMPTY_DICT: push(make_item(Kind::dict)); break;
      case EMPTY_SET: push(make_item(Kind::set)); break;
      case TUPLE: push_tuple(pop_to_mark()); break;
      case TUPLE1: push_tuple(pop_several(1)); break;
      case TUPLE2: push_tuple(pop_several(2)); break;
      case TUPLE3: push_tuple(pop_several(3)); break;
      case APPEND: append_to_list(pop_several(1), "append to"); break;
      case APPENDS: append_to_list(pop_to_mark(), "extend"); break;
      case SETITEM: set_items_of_dict(pop_several(2), "SETITEM"); break;
      case SETITEMS: set_items_of_dict(pop_to_mark(), "SETITEMS"); break;
      case BINGET: push_from_memo(cursor_.read_little_endian<uint8_t>()); break;
      case LONG_BINGET: push_from_memo(cursor_.read_little_endian<uint32_t>()); break;
      case BINPUT: store_top_in_memo(cursor_.read_little_endian<uint8_t>()); break;
      case LONG_BINPUT: store_top_in_memo(cursor_.read_little_endian<uint32_t>()); break;
      case PROTO:
        if (const int protocol = cursor_.read_little_endian<uint8_t>(); protocol != 2)
          warn(
              "Detected pickle protocol {} in the checkpoint, which was not the default pickle protocol used by `torch.load` (2). The "
              "weights_only Unpickler might not support all instructions implemented by this protocol, please file an issue for adding "
              "support if you encounter this.",
              protocol);
        break;
      default: refuse_pickle(text("Unsupported operand {}", int(code)));
    }
  }

  Cursor& cursor_;
  PickleCalls calls_;
  std::vector<Item*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, Item*> memo_;
};

}  // namespace

const Item* unpickle(Cursor& cursor, Pickled& out, const FindStorage& find_storage, const std::set<std::string>& allowed) {
  return Machine(cursor, out, find_storage, allowed).run_opcodes();
}

}  // namespace mt::io
