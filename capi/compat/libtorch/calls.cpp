// Calls operators by name and stores their results where the caller requests them.
#include "calls.h"

namespace mt::stable {
namespace {

constexpr int most_results = 16;

const mt_op* find_operator(const char* name, const char* overload) {
  const mt_op* op = nullptr;
  throw_on_error(mt_op_find(name, overload, &op));
  return op;
}

void store_result(mt_value& value, void* place) {
  switch (value.tag) {
    case MT_TAG_INT: *static_cast<int64_t*>(place) = value.as.i; break;
    case MT_TAG_DOUBLE: *static_cast<double*>(place) = value.as.d; break;
    case MT_TAG_TENSOR: *static_cast<mt_tensor**>(place) = value.as.tensor; return;
    case MT_TAG_NONE: *static_cast<mt_tensor**>(place) = new_undefined_tensor(); break;
    default: fail("a result of a kind that this call has no place for");
  }
  mt_value_clear(&value);
}

void call_and_store(const mt_op* op, const mt_value* args, int64_t n, void* const* places, int64_t n_places) {
  for (int64_t i = 0; i < n_places; ++i) require_not_null(places[i], "the place of a result");
  mt_value results[most_results];
  int64_t count = 0;
  throw_on_error(mt_op_call(op, args, n, results, most_results, &count));
  for (int64_t i = 0; i < count; ++i) {
    if (i < n_places) {
      store_result(results[i], places[i]);
    } else {
      mt_value_clear(&results[i]);
    }
  }
}

}  // namespace

mt_tensor* call_tensor(const char* name, const char* overload, const mt_value* args, int64_t n) {
  mt_value result;
  int64_t count = 0;
  throw_on_error(mt_op_call(find_operator(name, overload), args, n, &result, 1, &count));
  return result.as.tensor;
}

int32_t call_into(const char* name, const char* overload, const mt_value* args, int64_t n, void* const* places, int64_t n_places) noexcept {
  return guarded([&] { call_and_store(find_operator(name, overload), args, n, places, n_places); });
}

void call(Site& site, const mt_value* args, int64_t n, void* const* places, int64_t n_places) {
  const mt_op* op = site.op.load(std::memory_order_acquire);
  if (!op) site.op.store(op = find_operator(site.name, site.overload), std::memory_order_release);
  call_and_store(op, args, n, places, n_places);
}

int32_t call_into(Site& site, const mt_value* args, int64_t n, void* const* places, int64_t n_places) noexcept {
  return guarded([&] { call(site, args, n, places, n_places); });
}

}  // namespace mt::stable
