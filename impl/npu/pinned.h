// Pinned host memory: blocks of powers of two, cached and reused after the copies that use them are complete.
#pragma once

#include "npu/allocator.h"
#include "npu/runtime.h"

namespace mt::npu {

void* allocate_pinned(int64_t nbytes);
void release_pinned(void* pointer) noexcept;
bool is_pinned(const void* pointer);  // inside a block that is in use
// Keeps the block of a copy's host memory from being reused before the stream's current work is complete. Ignores memory that is not
// pinned.
void record_pinned_use(const void* pointer, const Stream& stream);
void empty_pinned_cache();
void pinned_statistics(const FigureFn& visit);
void reset_pinned_peak();
void reset_pinned_accumulated();

}  // namespace mt::npu
