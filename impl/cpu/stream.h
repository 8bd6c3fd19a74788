// Stores past the caches, for results so large that they would only push other data out of them.
#pragma once

#include <cstdint>

namespace mt::cpu {

// Whether a result of so many bytes is written past the caches. Then its start has left them before its end is written, whoever reads it
// next; and a store through the caches reads each line from memory before it overwrites it.
bool streams_past_caches(int64_t bytes);

// memcpy past the caches, any alignment. Threads that are to read it must wait for finish_streams() on this one.
void stream_copy(void* to, const void* from, int64_t bytes);
void finish_streams();

}  // namespace mt::cpu
