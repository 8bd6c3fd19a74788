/* A small device as a plugin: memory that the host cannot access, and kernels for some operators. */
#define _GNU_SOURCE
#include <mindtorch/device.h>
#include <mindtorch/dispatch.h>
#include <mindtorch/op.h>
#include <mindtorch/tensor.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the library's functions: a plugin links to nothing ------------------------------------------------------------ */

static struct {
  mt_status* (*status_create)(const char*, const char*);
  mt_status* (*op_find)(const char*, const char*, const mt_op**);
  int64_t (*op_count)(void);
  const mt_op* (*op_at)(int64_t);
  mt_status* (*op_get_info)(const mt_op*, mt_op_info*);
  mt_status* (*op_redispatch)(const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t, int64_t*);
  mt_status* (*op_register_kernel)(const mt_op*, int32_t, mt_kernel_fn, void*, void (*)(void*));
  mt_status* (*tensor_get_info)(const mt_tensor*, mt_tensor_info*);
  mt_status* (*tensor_data)(const mt_tensor*, void**);
  mt_status* (*tensor_empty)(const int64_t*, int64_t, int32_t, mt_device, mt_tensor**);
  mt_status* (*tensor_from_data)(void*, const int64_t*, const int64_t*, int64_t, int32_t, mt_device, void (*)(void*), void*, mt_tensor**);
  void (*tensor_release)(mt_tensor*);
  mt_status* (*value_copy)(const mt_value*, mt_value*);
  void (*value_clear)(mt_value*);
} mt;

static int find_functions(const mt_api* api) {
  const struct {
    const char* name;
    void* to;
  } wanted[] = {
      {"mt_status_create", &mt.status_create},
      {"mt_op_find", &mt.op_find},
      {"mt_op_count", &mt.op_count},
      {"mt_op_at", &mt.op_at},
      {"mt_op_get_info", &mt.op_get_info},
      {"mt_op_redispatch", &mt.op_redispatch},
      {"mt_op_register_kernel", &mt.op_register_kernel},
      {"mt_tensor_get_info", &mt.tensor_get_info},
      {"mt_tensor_data", &mt.tensor_data},
      {"mt_tensor_empty", &mt.tensor_empty},
      {"mt_tensor_from_data", &mt.tensor_from_data},
      {"mt_tensor_release", &mt.tensor_release},
      {"mt_value_copy", &mt.value_copy},
      {"mt_value_clear", &mt.value_clear},
  };
  size_t i;
  for (i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* address = api->symbol(wanted[i].name);
    if (address == NULL) return 0;
    memcpy(wanted[i].to, &address, sizeof address);
  }
  return 1;
}

/* ---- memory: one arena, mapped twice. Tensors have addresses in the inaccessible mapping. ----------------------------- */

enum { ARENA = 64 << 20, BLOCKS = 4096, ALIGNMENT = 64 };
static char *device_side, *host_side;
static struct {
  int64_t offset, size;
} blocks[BLOCKS]; /* in use, by offset */
static int n_blocks;
static int64_t in_use;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int map_arena(void) {
  const int file = memfd_create("toy_device", 0);
  if (file < 0 || ftruncate(file, ARENA) != 0) return 0;
  device_side = mmap(NULL, ARENA, PROT_NONE, MAP_SHARED, file, 0);
  host_side = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return device_side != MAP_FAILED && host_side != MAP_FAILED;
}
static void* seen_by_host(const void* device_pointer) { return host_side + ((const char*)device_pointer - device_side); }

static mt_status* allocate(void* user, int32_t device, int64_t nbytes, void** out) {
  const int64_t size = (nbytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  int64_t offset = 0;
  int at;
  (void)user;
  pthread_mutex_lock(&lock);
  for (at = 0; at < n_blocks && offset + size > blocks[at].offset; ++at) offset = blocks[at].offset + blocks[at].size;
  if (size < nbytes || offset + size > ARENA || n_blocks == BLOCKS) {
    char text[160];
    pthread_mutex_unlock(&lock);
    snprintf(text, sizeof text, "toy device %d is out of memory: %lld bytes were asked for, of %d", (int)device, (long long)nbytes,
             (int)ARENA);
    return mt.status_create("OutOfMemoryError", text);
  }
  memmove(&blocks[at + 1], &blocks[at], (size_t)(n_blocks - at) * sizeof *blocks);
  blocks[at].offset = offset;
  blocks[at].size = size;
  ++n_blocks;
  in_use += size;
  pthread_mutex_unlock(&lock);
  *out = device_side + offset;
  return NULL;
}

static void release(void* user, void* memory) {
  const int64_t offset = (char*)memory - device_side;
  int at = 0;
  (void)user;
  pthread_mutex_lock(&lock);
  while (at < n_blocks && blocks[at].offset != offset) ++at;
  if (at < n_blocks) {
    in_use -= blocks[at].size;
    --n_blocks;
    memmove(&blocks[at], &blocks[at + 1], (size_t)(n_blocks - at) * sizeof *blocks);
  }
  pthread_mutex_unlock(&lock);
}

static mt_status* memory_in_use(void* user, int32_t device, int64_t* out) {
  (void)user, (void)device;
  pthread_mutex_lock(&lock);
  *out = in_use;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static mt_status* count_devices(void* user, int32_t* out) {
  (void)user;
  *out = 1;
  return NULL;
}

static mt_status* copy(void* user, int32_t device, int32_t direction, void* to, const void* from, int64_t nbytes) {
  (void)user, (void)device;
  if (direction != MT_COPY_DEVICE_TO_HOST) to = seen_by_host(to);
  if (direction != MT_COPY_HOST_TO_DEVICE) from = seen_by_host(from);
  memmove(to, from, (size_t)nbytes);
  return NULL;
}

/* ---- kernels: the device runs the library's CPU kernels on the host's mapping of the arena ----------------------------- */

static const mt_device host = {MT_CPU, -1};

/* A CPU tensor over the same elements. */
static mt_status* twin_of(const mt_tensor* tensor, mt_tensor** out) {
  static char nothing[ALIGNMENT];
  mt_tensor_info info;
  void* data = NULL;
  mt_status* status;
  info.struct_size = sizeof info;
  if ((status = mt.tensor_get_info(tensor, &info)) != NULL || (status = mt.tensor_data(tensor, &data)) != NULL) return status;
  if (data != NULL && info.device.type == MT_NPU) data = seen_by_host(data);
  return mt.tensor_from_data(data != NULL ? data : nothing, info.sizes, info.strides, info.ndim, info.dtype, host, NULL, NULL, out);
}

static mt_value boxed(const mt_tensor* tensor) {
  mt_value value = {MT_TAG_TENSOR, 0, {0}};
  value.as.tensor = (mt_tensor*)tensor;
  return value;
}

/* Calls an operator of two arguments that writes to the first, on the host. */
static mt_status* write_on_host(const char* name, const char* overload, mt_value to, mt_value from) {
  const mt_op* op = NULL;
  mt_value args[3], written = {MT_TAG_NONE, 0, {0}};
  int64_t n = 0;
  mt_status* status = mt.op_find(name, overload, &op);
  args[0] = to;
  args[1] = from;
  args[2] = written;
  args[2].tag = MT_TAG_BOOL; /* copy_'s non_blocking */
  if (status == NULL) status = mt.op_redispatch(op, 1u << MT_KEY_CPU, args, strcmp(name, "copy_") == 0 ? 3 : 2, &written, 1, &n);
  if (status == NULL) mt.value_clear(&written);
  return status;
}

static mt_status* copy_elements(void* user, const mt_tensor* to, const mt_tensor* from) {
  mt_tensor *target = NULL, *source = NULL;
  mt_status* status = twin_of(to, &target);
  (void)user;
  if (status == NULL) status = twin_of(from, &source);
  if (status == NULL) status = write_on_host("copy_", "", boxed(target), boxed(source));
  mt.tensor_release(source);
  mt.tensor_release(target);
  return status;
}

static mt_status* fill(void* user, const mt_tensor* tensor, const mt_value* number) {
  mt_tensor* target = NULL;
  mt_status* status = twin_of(tensor, &target);
  (void)user;
  if (status == NULL) status = write_on_host("fill_", "Scalar", boxed(target), *number);
  mt.tensor_release(target);
  return status;
}

enum { MOST_ARGUMENTS = 16, MOST_TENSORS = 64 };
typedef struct call_frame {
  mt_value args[MOST_ARGUMENTS];
  mt_tensor* twins[MOST_TENSORS];
  int n_twins;
} call_frame;

/* CPU tensors may be combined with device tensors only if they are 0-dim. */
static mt_status* check_place(const mt_tensor* tensor) {
  mt_tensor_info info;
  mt_status* status;
  info.struct_size = sizeof info;
  if ((status = mt.tensor_get_info(tensor, &info)) != NULL || info.device.type == MT_NPU || info.ndim == 0) return status;
  return mt.status_create("RuntimeError", "Expected all tensors to be on the same device, but found at least two devices, npu:0 and cpu!");
}

/* Replaces tensor arguments by their CPU twins. */
static mt_status* bring_in(call_frame* frame, const mt_value* args, int64_t n) {
  int64_t i, k;
  for (i = 0; i < n; ++i) {
    mt_value* arg = &frame->args[i];
    *arg = args[i];
    if (arg->tag == MT_TAG_TENSOR || arg->tag == MT_TAG_TENSORS) {
      const int64_t count = arg->tag == MT_TAG_TENSOR ? 1 : arg->as.list.size;
      mt_tensor* const* given = arg->tag == MT_TAG_TENSOR ? &arg->as.tensor : (mt_tensor* const*)arg->as.list.data;
      const int first = frame->n_twins;
      if (first + count > MOST_TENSORS) return mt.status_create("NotImplementedError", "too many tensors for the toy device");
      for (k = 0; k < count; ++k) {
        mt_status* status = check_place(given[k]);
        if (status == NULL) status = twin_of(given[k], &frame->twins[frame->n_twins]);
        if (status != NULL) return status;
        ++frame->n_twins;
      }
      if (arg->tag == MT_TAG_TENSOR)
        arg->as.tensor = frame->twins[first];
      else
        arg->as.list.data = &frame->twins[first];
    }
  }
  return NULL;
}

/* Converts a CPU result to a device tensor; returns the argument itself if the operator wrote to it. */
static mt_status* bring_out(const call_frame* frame, const mt_value* args, int64_t n, const mt_value* result, mt_value* out) {
  mt_tensor_info info;
  mt_tensor* made = NULL;
  const mt_device device = {MT_NPU, 0};
  mt_status* status;
  int64_t i;
  if (result->tag != MT_TAG_TENSOR) return mt.value_copy(result, out);
  for (i = 0; i < n; ++i)
    if (args[i].tag == MT_TAG_TENSOR && frame->args[i].as.tensor == result->as.tensor) return mt.value_copy(&args[i], out);
  info.struct_size = sizeof info;
  status = mt.tensor_get_info(result->as.tensor, &info);
  if (status == NULL) status = mt.tensor_empty(info.sizes, info.ndim, info.dtype, device, &made);
  if (status == NULL && info.numel > 0) status = copy_elements(NULL, made, result->as.tensor);
  if (status == NULL) {
    *out = boxed(made);
    out->flags = MT_FLAG_OWNED;
  } else {
    mt.tensor_release(made);
  }
  return status;
}

static mt_status* run(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  call_frame frame;
  mt_value results[MOST_ARGUMENTS];
  int64_t i, done = 0, count = 0;
  mt_status* status;
  (void)user, (void)keys;
  if (n > MOST_ARGUMENTS || n_rets > MOST_ARGUMENTS)
    return mt.status_create("NotImplementedError", "too many arguments for the toy device");
  frame.n_twins = 0;
  status = bring_in(&frame, args, n);
  if (status == NULL) status = mt.op_redispatch(op, 1u << MT_KEY_CPU, frame.args, n, results, MOST_ARGUMENTS, &count);
  for (i = 0; i < count && status == NULL; ++i, ++done) status = bring_out(&frame, args, n, &results[i], &rets[i]);
  if (status != NULL) --done; /* the last call returned no result */
  for (i = 0; status != NULL && i < done; ++i) mt.value_clear(&rets[i]);
  for (i = 0; i < count; ++i) mt.value_clear(&results[i]);
  while (frame.n_twins > 0) mt.tensor_release(frame.twins[--frame.n_twins]);
  return status;
}

/* The operators that the device supports, also in-place and with `out`. Others raise NotImplementedError. */
static const char* const can_do[] = {
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "exp",
    "log",
    "sqrt",
    "tanh",
    "relu",
    "sigmoid",
    "pow",
    "eq",
    "ne",
    "gt",
    "lt",
    "sum",
    "mean",
    "amax",
    "argmax",
    "mm",
    "bmm",
    "addmm",
    "cat",
    "where",
    "abs",
    "_softmax",
    "gelu",
    "all",
    "threshold_backward",
    "tanh_backward",
    "_softmax_backward_data",
    "index_select",
    "nonzero",
    "bitwise_and",
    "isfinite",
};

static mt_status* register_kernels(void) {
  int64_t i;
  size_t k;
  for (i = 0; i < mt.op_count(); ++i) {
    const mt_op* op = mt.op_at(i);
    mt_op_info info;
    mt_status* status;
    info.struct_size = sizeof info;
    if ((status = mt.op_get_info(op, &info)) != NULL) return status;
    if (strcmp(info.ns, "aten") != 0 || (info.traits & MT_OP_COMPOSITE) != 0) continue;
    for (k = 0; k < sizeof can_do / sizeof *can_do; ++k)
      if (strcmp(info.base_name, can_do[k]) == 0 && (status = mt.op_register_kernel(op, MT_KEY_NPU, run, NULL, NULL)) != NULL)
        return status;
  }
  return NULL;
}

/* ---- the entry point--------------------------------------------------------------------------------------------------- */

__attribute__((visibility("default"))) mt_status* mindtorch_device_plugin(mt_get_api_fn get_api, mt_device_backend* backend) {
  const mt_api* api = NULL;
  int32_t version = 0;
  mt_status* status = get_api(1, 1, &version, &api);
  if (status != NULL) return status;
  if (backend->struct_size < sizeof *backend || !find_functions(api)) {
    mt_status* (*create)(const char*, const char*);
    void* address = api->symbol("mt_status_create");
    memcpy(&create, &address, sizeof create);
    return create("RuntimeError", "this library is older than the toy device needs");
  }
  if (!map_arena()) return mt.status_create("RuntimeError", "the toy device has no memory");
  backend->name = "toy";
  backend->count = count_devices;
  backend->allocate = allocate;
  backend->release = release;
  backend->copy = copy;
  backend->copy_elements = copy_elements;
  backend->fill = fill;
  backend->memory_in_use = memory_in_use;
  return register_kernels();
}
