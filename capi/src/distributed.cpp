// Stores, works, groups and backends.
#include <mindtorch/distributed.h>

#include "convert.h"
#include "core/exception.h"
#include "core/messages.h"
#include "distributed/group.h"
#include "distributed/join.h"
#include "structs.h"

namespace mt::capi {
template <>
inline constexpr Kind kind_of<dist::Work> = Kind::work;
template <>
inline constexpr Kind kind_of<dist::Group> = Kind::group;
}  // namespace mt::capi

using namespace mt;
using namespace mt::capi;

namespace {

// The handle of a store is the address of its reference-counted base, which is not that of the store, since a store has virtual functions.
dist::Store& store_of(const mt_store* store) {
  require_not_null(store, "store");
  const auto* object = reinterpret_cast<const Object*>(store);
  if (object->kind != Kind::store) fail_kind("store", Kind::store, object->kind);
  return static_cast<dist::Store&>(const_cast<Object&>(*object));
}
dist::Work& work_of(const mt_work* work) { return object_of<dist::Work>(work, "work"); }
dist::Group& group_of(const mt_group* group) { return object_of<dist::Group>(group, "group"); }
mt_store* return_store_handle(Ref<dist::Store> store) { return reinterpret_cast<mt_store*>(static_cast<Object*>(store.detach())); }

std::string key_of(const char* key) {
  require_not_null(key, "key");
  return key;
}
std::string bytes_of(const void* value, int64_t size) {
  check(size >= 0, ErrorKind::value, "a size is negative");
  if (size > 0) require_not_null(value, "value");
  return std::string(static_cast<const char*>(value), size_t(size));
}
std::string bytes_of(const mt_value* value, const char* what) {
  require_not_null(value, what);
  check(value->tag == MT_TAG_STRING, ErrorKind::type, "{} must be a string", what);
  return bytes_of(value->as.string.data, value->as.string.size);
}
dist::Keys keys_of(const char* const* keys, int64_t count) {
  check(count >= 0, ErrorKind::value, "a count is negative");
  if (count > 0) require_not_null(keys, "keys");
  dist::Keys out;
  for (int64_t i = 0; i < count; ++i) out.push_back(key_of(keys[i]));
  return out;
}
mt_value borrow_string(const std::string& text) {
  mt_value value{};
  value.tag = MT_TAG_STRING;
  value.as.string = {text.data(), int64_t(text.size())};
  return value;
}
void return_text(const std::string& text, mt_value* out) {
  const mt_value value = borrow_string(text);
  rethrow_status(mt_value_copy(&value, out));
}
void return_texts(const std::vector<std::string>& texts, mt_value* out) {
  std::vector<mt_value> items;
  for (const auto& text : texts) items.push_back(borrow_string(text));
  mt_value value{};
  value.tag = MT_TAG_STRINGS;
  value.as.list = {items.data(), int64_t(items.size())};
  rethrow_status(mt_value_copy(&value, out));
}
int64_t timeout_of(const dist::Store& store, int64_t given) { return given > 0 ? given : store.current_timeout(); }

template <class T>
std::vector<T> list_of(const T* items, int64_t count, const char* what) {
  check(count >= 0, ErrorKind::value, "{} has a negative count", what);
  if (count > 0) require_not_null(items, what);
  return std::vector<T>(items, items + count);
}
std::vector<Tensor> tensors_of(mt_tensor* const* tensors, int64_t count, const char* what) {
  std::vector<Tensor> out;
  for (mt_tensor* tensor : list_of(tensors, count, what)) out.push_back(tensor_of(tensor));
  return out;
}

}  // namespace

// ---- stores ---------------------------------------------------------------------------------------------------------------

void mt_store_retain(mt_store* store) { retain(store); }
void mt_store_release(mt_store* store) { release<dist::Store>(store); }

mt_status* mt_store_hash_create(mt_store** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_store_handle(dist::make_hash_store());
  });
}
mt_status* mt_store_file_create(const char* path, int64_t world_size, mt_store** out) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(out, "out");
    *out = return_store_handle(dist::make_file_store(path, world_size));
  });
}
mt_status* mt_store_prefix_create(const char* prefix, mt_store* store, mt_store** out) {
  return guard([&] {
    require_not_null(prefix, "prefix");
    require_not_null(out, "out");
    *out = return_store_handle(dist::make_prefix_store(prefix, Ref<dist::Store>::share(&store_of(store))));
  });
}
mt_status* mt_store_tcp_create(const mt_tcp_store_options* options, mt_store** out) {
  return guard([&] {
    require_not_null(out, "out");
    const mt_tcp_store_options given = read_struct(options, "options");
    require_not_null(given.host, "host");
    check(given.port >= 0 && given.port < 65536, ErrorKind::value, "port must have value from 0 to 65535 but was {}.", given.port);
    dist::TcpOptions own;
    own.host = given.host;
    own.port = given.port;
    own.is_server = given.is_server;
    own.world_size = given.world_size;
    own.wait_for_workers = given.wait_for_workers;
    own.multi_tenant = given.multi_tenant;
    own.descriptor = given.has_descriptor ? given.descriptor : -1;
    if (given.timeout > 0) own.timeout = given.timeout;
    if (given.listen_address) own.listen_address = given.listen_address;
    if (given.secret) own.secret = given.secret;
    *out = return_store_handle(dist::make_tcp_store(own));
  });
}
mt_status* mt_store_tcp_info(const mt_store* store, int32_t* port, mt_value* description) {
  return guard([&] {
    const dist::Store& own = store_of(store);
    check(dist::is_tcp_store(own), ErrorKind::type, "the store is no TCP store");
    if (description) return_text(dist::tcp_description(own), description);
    if (port) *port = dist::tcp_port(own);
  });
}
mt_status* mt_store_create(const mt_store_table* table, void* user, void (*destroy)(void* user), mt_store** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_store_handle(dist::make_foreign_store(read_struct(table, "table"), user, destroy));
  });
}
mt_status* mt_store_timeout(const mt_store* store, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = store_of(store).current_timeout();
  });
}
mt_status* mt_store_set_timeout(mt_store* store, int64_t timeout) {
  return guard([&] {
    check(timeout > 0, ErrorKind::value, messages::timeout_must_be_positive);
    store_of(store).set_timeout(timeout);
  });
}
mt_status* mt_store_set(mt_store* store, const char* key, const void* value, int64_t size) {
  return guard([&] { store_of(store).set(key_of(key), bytes_of(value, size)); });
}
mt_status* mt_store_get(mt_store* store, const char* key, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_text(store_of(store).get(key_of(key)), out);
  });
}
mt_status* mt_store_add(mt_store* store, const char* key, int64_t amount, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = store_of(store).add(key_of(key), amount);
  });
}
mt_status* mt_store_compare_set(mt_store* store, const char* key, const mt_value* expected, const mt_value* desired, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_text(store_of(store).compare_set(key_of(key), bytes_of(expected, "expected"), bytes_of(desired, "desired")), out);
  });
}
mt_status* mt_store_delete(mt_store* store, const char* key, int32_t* existed) {
  return guard([&] {
    const bool was = store_of(store).remove(key_of(key));
    if (existed) *existed = was;
  });
}
mt_status* mt_store_check(mt_store* store, const char* const* keys, int64_t count, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = store_of(store).check(keys_of(keys, count));
  });
}
mt_status* mt_store_wait(mt_store* store, const char* const* keys, int64_t count, int64_t timeout) {
  return guard([&] { store_of(store).wait(keys_of(keys, count), timeout_of(store_of(store), timeout)); });
}
mt_status* mt_store_count(mt_store* store, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = store_of(store).count();
  });
}
mt_status* mt_store_keys(mt_store* store, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_texts(store_of(store).keys(), out);
  });
}
mt_status* mt_store_append(mt_store* store, const char* key, const void* value, int64_t size) {
  return guard([&] { store_of(store).append(key_of(key), bytes_of(value, size)); });
}
mt_status* mt_store_multi_get(mt_store* store, const char* const* keys, int64_t count, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_texts(store_of(store).multi_get(keys_of(keys, count)), out);
  });
}
mt_status* mt_store_multi_set(mt_store* store, const char* const* keys, const mt_value* values, int64_t count) {
  return guard([&] {
    std::vector<std::string> texts;
    for (const mt_value& value : list_of(values, count, "values")) texts.push_back(bytes_of(&value, "values"));
    store_of(store).multi_set(keys_of(keys, count), texts);
  });
}
mt_status* mt_store_queue_push(mt_store* store, const char* key, const void* value, int64_t size) {
  return guard([&] { store_of(store).push(key_of(key), bytes_of(value, size)); });
}
mt_status* mt_store_queue_pop(mt_store* store, const char* key, int32_t block, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_text(store_of(store).pop(key_of(key), block != 0), out);
  });
}
mt_status* mt_store_queue_size(mt_store* store, const char* key, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = store_of(store).queue_size(key_of(key));
  });
}
mt_status* mt_store_barrier(mt_store* store, const char* key, int64_t world_size, int64_t timeout) {
  return guard([&] {
    check(world_size > 0, ErrorKind::value, "world_size must be positive");
    store_of(store).barrier(key_of(key), world_size, timeout_of(store_of(store), timeout));
  });
}
mt_status* mt_store_clone(mt_store* store, mt_store** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_store_handle(store_of(store).clone());
  });
}
mt_status* mt_store_local_address(mt_store* store, mt_value* out) {
  return guard([&] {
    require_not_null(out, "out");
    return_text(dist::local_address_of(store_of(store)), out);
  });
}

// ---- works ------------------------------------------------------------------------------------------------------------------

void mt_work_retain(mt_work* work) { retain(work); }
void mt_work_release(mt_work* work) { release<dist::Work>(work); }
mt_status* mt_work_wait(mt_work* work, int64_t timeout) {
  return guard([&] { work_of(work).wait(timeout); });
}
mt_status* mt_work_is_completed(mt_work* work, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = work_of(work).is_completed();
  });
}
mt_status* mt_work_error(mt_work* work, mt_status** out) {
  return guard([&] {
    require_not_null(out, "out");
    mt_status* found = nullptr;
    if (const std::exception_ptr error = work_of(work).error()) found = guard([&] { std::rethrow_exception(error); });
    *out = found;
  });
}
mt_status* mt_work_source_rank(mt_work* work, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = work_of(work).source_rank();
  });
}
mt_status* mt_work_then(mt_work* work, void (*fn)(void* user, const mt_status* error), void* user) {
  return guard([&] {
    check(fn != nullptr, ErrorKind::type, "fn is NULL");
    work_of(work).then(fn, user);
  });
}

// ---- groups -----------------------------------------------------------------------------------------------------------------

mt_status* mt_group_create(const mt_group_options* options, mt_group** out) {
  return guard([&] {
    require_not_null(out, "out");
    const mt_group_options own = read_struct(options, "options");
    require_not_null(own.backend, "backend");
    store_of(own.store);
    *out = reinterpret_cast<mt_group*>(new dist::Group(own));
  });
}
void mt_group_retain(mt_group* group) { retain(group); }
void mt_group_release(mt_group* group) { release<dist::Group>(group); }
mt_status* mt_group_rank(const mt_group* group, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = group_of(group).rank();
  });
}
mt_status* mt_group_size(const mt_group* group, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = group_of(group).size();
  });
}
mt_status* mt_group_timeout(const mt_group* group, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = group_of(group).timeout;
  });
}
mt_status* mt_group_set_timeout(mt_group* group, int64_t timeout) {
  return guard([&] {
    check(timeout > 0, ErrorKind::value, messages::timeout_must_be_positive);
    group_of(group).timeout = timeout;
  });
}
mt_status* mt_group_sequence(const mt_group* group, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = group_of(group).sequence();
  });
}
mt_status* mt_group_start(mt_group* group, const mt_collective* what, mt_work** out) {
  return guard([&] {
    require_not_null(out, "out");
    const mt_collective given = read_struct(what, "what");
    dist::Collective own;
    own.kind = given.kind;
    own.reduction = given.reduction;
    own.root = given.root;
    own.flags = given.flags;
    own.tag = given.tag;
    own.timeout = given.timeout;
    own.is_async = given.is_async;
    own.inputs = tensors_of(given.inputs, given.n_inputs, "inputs");
    own.outputs = tensors_of(given.outputs, given.n_outputs, "outputs");
    own.input_splits = list_of(given.input_splits, given.n_input_splits, "input_splits");
    own.output_splits = list_of(given.output_splits, given.n_output_splits, "output_splits");
    *out = reinterpret_cast<mt_work*>(group_of(group).start(std::move(own)).detach());
  });
}
mt_status* mt_group_abort(mt_group* group) {
  return guard([&] { group_of(group).abort(); });
}

// ---- backends -----------------------------------------------------------------------------------------------------------------

mt_status* mt_join_function(int32_t reduction, int32_t dtype, mt_join_fn* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = dist::join_function(reduction, dtype_of(dtype));
  });
}
mt_status* mt_backend_register(const mt_backend* backend) {
  return guard([&] { dist::register_backend(read_struct(backend, "backend")); });
}
mt_status* mt_backend_load(const char* path) {
  return guard([&] {
    require_not_null(path, "path");
    dist::load_backend(path);
  });
}
mt_status* mt_backend_is_available(const char* name, int32_t* out) {
  return guard([&] {
    require_not_null(name, "name");
    require_not_null(out, "out");
    *out = dist::is_backend_available(name);
  });
}
mt_status* mt_backend_world(const char* name, int32_t* rank, int32_t* size, mt_store** store) {
  return guard([&] {
    require_not_null(name, "name");
    require_not_null(rank, "rank");
    require_not_null(size, "size");
    require_not_null(store, "store");
    const mt_backend& backend = dist::backend_named(name);
    check(backend.world != nullptr, "the backend {} has no launcher that gives ranks", name);
    int32_t found_rank = 0, found_size = 0;
    mt_store* found = nullptr;
    rethrow_status(backend.world(backend.user, &found_rank, &found_size, &found));
    *rank = found_rank;
    *size = found_size;
    *store = found;
  });
}
