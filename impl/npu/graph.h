// Graphs: what a stream was asked to do, kept to be done again.
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
  bool has_pool_ = false;  // to be given back by reset
  aclmdlRI model_ = nullptr;
  PoolId pool_;
};
PoolId new_pool();

}  // namespace mt::npu
