// Streaming stores, for results so large that they would evict other data from the caches.
#pragma once

#include <cstdint>

namespace mt::cpu {

// Whether a result of so many bytes is written past the caches. Such a result does not fit into them anyway, and a store through the
// caches first reads each line from memory.
bool streams_past_caches(int64_t bytes);

// memcpy past the caches, any alignment. Other threads may read the target only after finish_streams() on this thread.
void stream_copy(void* to, const void* from, int64_t bytes);
void finish_streams();

}  // namespace mt::cpu
