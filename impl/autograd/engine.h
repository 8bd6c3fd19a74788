// The engine: runs a graph backwards on the caller's thread.
#pragma once

#include "autograd/node.h"

namespace mt {

struct BackwardRequest {
  const Edge* roots = nullptr;
  const Tensor* grads = nullptr;
  int64_t n_roots = 0;
  const Edge* inputs = nullptr;
  int64_t n_inputs = 0;
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate = false;  // into leaves; otherwise gradients go into `captured`
};
// captured: one tensor per input, undefined if no gradient arrived; unused if gradients accumulate.
void run_backward(const BackwardRequest& request, Tensor* captured);

// ---- the pass that runs on this thread ----

int64_t current_graph_task_id();
Node* current_node();  // nullptr outside a pass
bool will_execute(Node* node);
bool is_edge_requested(const Edge& edge);
void queue_final_callback(mt_status* (*callback)(void* user), void* user, void (*destroy)(void* user));

// Converts gradients to the shape, dtype and device that the edges require. who: the node that returned them, or nullptr.
void validate_gradients(const Edge* edges, int64_t n, Tensor* grads, const char* who);

// Sets slot to slot + extra, in place if nobody else references the slot's tensor.
void accumulate_into(Tensor& slot, Tensor extra);

// ---- anomaly mode ----

void set_anomaly_hooks(const mt_anomaly_hooks* hooks, void* user);
void report_creation(Node* node);
void report_failure(Node* node);

}  // namespace mt
