// Puts the rooms together: which handlers an operator and a key get. Lower rooms call these functions through dispatch/assembly.h.
#include "dispatch/assembly.h"
#include "autograd/autograd.h"
#include "definition/definition.h"
#include "layers/autocast.h"
#include "layers/conjugate.h"
#include "layers/pipeline.h"
#include "layers/profiler.h"
#include "npu/launch.h"
#include "rules/form/rule.h"
#include "rules/sparse/sparse.h"
#include "vmap/call.h"

namespace mt {

void install_handlers(Operator& op) {
  if (const Rule* rule = body_of(op).rule)
    rule->install(op);
  else
    install_without_rule(op);
  npu::install(op);
  install_sparse(op);
  install_autograd(op);
  install_autocast(op);
}

void install_foreign_handlers(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user)) {
  install_foreign_autograd(op, derivative, user, destroy);
}

void install_fallbacks() {
  install_conjugate_fallbacks();
  install_transforms();
  install_pipeline();
  install_profiler();
}

}  // namespace mt
