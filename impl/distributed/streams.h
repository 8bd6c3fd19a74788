// The time that a work has on a device's stream: its deadline, and the event that marks its end.
#pragma once

#include <atomic>

#include "distributed/socket.h"
#include "npu/runtime.h"

namespace mt::dist {

struct DeviceTurn {
  DeviceTurn(int on_device, bool blocks_host, int64_t timeout) : device(on_device), blocks(blocks_host), deadline(after(timeout)) {}
  // Makes the calling thread's current stream wait for the end of the work.
  void order_current_stream() const { end.wait(npu::current_stream(device)); }

  const int device;
  const bool blocks;  // wait() waits for the end, as for barriers
  const Deadline deadline;
  npu::Event ready{false}, end{false};
  Deadline release = Deadline::max();  // when the memory of a failed work is given up
  bool is_enqueued = false;  // guarded by the work's mutex: `end` is recorded
  bool has_failed = false;   // guarded likewise: only a part was enqueued, and the error is about to be known
};

}  // namespace mt::dist
