// Graphs: operations captured from a stream, to be replayed.
#pragma once

#include <set>

#include "npu/allocator.h"
#include "npu/runtime.h"

namespace mt::npu {

class Graph : public Object {
 public:
  Graph() : Object(Kind::npu_graph) {}
  static void destroy(Graph* graph) { delete graph; }
  ~Graph();

  void begin(PoolId pool, int mode);
  void end();
  void replay();
  void reset();
  PoolId pool() const { return pool_; }

 private:
  int device_ = -1;
  int64_t stream_ = 0;
  bool capturing_ = false;
  bool has_pool_ = false;  // reset() must drop it
  aclmdlRI model_ = nullptr;
  PoolId pool_;
};
PoolId new_pool();

}  // namespace mt::npu
