/* The whole MindTorch C ABI. */
#ifndef MINDTORCH_MINDTORCH_H_
#define MINDTORCH_MINDTORCH_H_

#include "arguments.h"
#include "autograd.h"
#include "base.h"
#include "device.h"
#include "dispatch.h"
#include "distributed.h"
#include "dlpack.h"
#include "io.h"
#include "iter.h"
#include "kernel.h"
#include "library.h"
#include "npu.h"
#include "op.h"
#include "pipeline.h"
#include "profiler.h"
#include "runtime.h"
#include "tensor.h"
#include "transform.h"

#endif
