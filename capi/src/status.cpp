// Statuses: created for failed calls, and converted to and from exceptions.
#include "status.h"

#include <cstring>
#include <new>

#include "core/allocator.h"
#include "core/exception.h"

namespace {

// Allocates nothing, so that it can report lack of memory. Kind and message fit into the strings' internal buffers.
mt_status* out_of_memory() {
  alignas(mt_status) static unsigned char room[sizeof(mt_status)];
  static mt_status* const status = [] {
    auto* made = new (room) mt_status;
    made->code = MT_OUT_OF_MEMORY;
    made->kind = "MemoryError";
    made->message = "out of memory";
    return made;
  }();
  return status;
}

int32_t code_of_kind(const char* kind) {
  if (std::strcmp(kind, "NotImplementedError") == 0) return MT_NOT_IMPLEMENTED;
  return std::strcmp(kind, "OutOfMemoryError") == 0 ? MT_OUT_OF_MEMORY : MT_ERROR;
}

struct NumberedKind {
  const char* name;
  int32_t number;
};
constexpr NumberedKind numbered_kinds[] = {
    {"RuntimeError", MT_KIND_RUNTIME_ERROR},
    {"TypeError", MT_KIND_TYPE_ERROR},
    {"IndexError", MT_KIND_INDEX_ERROR},
    {"ValueError", MT_KIND_VALUE_ERROR},
    {"NotImplementedError", MT_KIND_NOT_IMPLEMENTED_ERROR},
    {"OutOfMemoryError", MT_KIND_OUT_OF_MEMORY_ERROR},
    {"MemoryError", MT_KIND_MEMORY_ERROR},
    {"AttributeError", MT_KIND_ATTRIBUTE_ERROR},
    {"LinAlgError", MT_KIND_LINALG_ERROR},
    {"_LinAlgError", MT_KIND_LINALG_ERROR},
    {"OverflowError", MT_KIND_OVERFLOW_ERROR},
    {"ZeroDivisionError", MT_KIND_ZERO_DIVISION_ERROR},
    {"ImportError", MT_KIND_IMPORT_ERROR},
    {"AssertionError", MT_KIND_ASSERTION_ERROR},
    {"KeyError", MT_KIND_KEY_ERROR},
    {"BufferError", MT_KIND_BUFFER_ERROR},
    {"UnpicklingError", MT_KIND_UNPICKLING_ERROR},
};

}  // namespace

int32_t mt_status_kind_code(const mt_status* status) {
  if (!status) return MT_KIND_NONE;
  for (const NumberedKind& kind : numbered_kinds)
    if (status->kind == kind.name) return kind.number;
  return status->kind.rfind("Dist", 0) == 0 ? MT_KIND_DIST_ERROR : MT_KIND_OTHER;
}
int32_t mt_status_code(const mt_status* status) { return status ? status->code : MT_OK; }
const char* mt_status_kind(const mt_status* status) { return status ? status->kind.c_str() : ""; }
const char* mt_status_message(const mt_status* status) { return status ? status->message.c_str() : ""; }
const mt_status* mt_status_cause_borrow(const mt_status* status) { return status ? status->cause : nullptr; }
void* mt_status_payload_borrow(const mt_status* status) { return status ? status->payload : nullptr; }

void mt_status_release(mt_status* status) {
  while (status && status != out_of_memory() && status->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    mt_status* cause = status->cause;
    if (status->destroy) status->destroy(status->payload);
    delete status;
    status = cause;
  }
}

mt_status* mt_status_create(const char* kind, const char* message) {
  return mt_status_create_with_payload(kind, message, nullptr, nullptr);
}

mt_status* mt_status_create_with_payload(const char* kind, const char* message, void* payload, void (*destroy)(void* payload)) {
  if (!kind) kind = "RuntimeError";
  mt_status* status = nullptr;
  try {
    status = new mt_status;
    status->kind = kind;
    status->message = message ? message : "";
    status->code = code_of_kind(kind);
  } catch (...) {
    delete status;
    // The status would own the payload: destroys it, since the caller does not.
    if (destroy) destroy(payload);
    return out_of_memory();
  }
  status->payload = payload;
  status->destroy = destroy;
  return status;
}

mt_status* mt_status_set_cause(mt_status* status, mt_status* cause) {
  if (!status || status == out_of_memory() || status->cause || status == cause) {
    mt_status_release(cause);
  } else {
    status->cause = cause;
  }
  return status;
}

namespace mt {

void rethrow_status(mt_status* status) {
  if (!status) return;
  if (status == out_of_memory()) throw std::bad_alloc();
  // Does not leak: if shared_ptr cannot allocate its control block, it runs the deleter.
  std::shared_ptr<mt_status> owner(status, mt_status_release);
  Error error(status->kind, status->message);
  error.foreign = std::move(owner);
  throw error;
}

mt_status* status_of_current_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    if (mt_status* foreign = error.foreign.get()) {
      foreign->refs.fetch_add(1, std::memory_order_relaxed);
      return foreign;
    }
    return mt_status_create(error.kind().c_str(), error.what());
  } catch (const cpu::OutOfMemory& error) {
    mt_status* status = mt_status_create("RuntimeError", error.what());
    if (status != out_of_memory()) status->code = MT_OUT_OF_MEMORY;
    return status;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return mt_status_create("RuntimeError", error.what());
  } catch (...) {
    return mt_status_create("RuntimeError", "an exception of an unknown type was thrown");
  }
}

}  // namespace mt
