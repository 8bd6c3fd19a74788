/* Memory handed out and taken in by DLPack, legacy and versioned, and storages over a caller's memory. */
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  printf("%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}
static void freed(void* context) { printf("%s freed\n", (const char*)context); }

int main(void) {
  static float numbers[] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[] = {2, 3}, strides[] = {1, 2};
  mt_device cpu = {MT_CPU, -1};
  mt_storage* storage;
  mt_tensor *tensor, *taken;
  void *managed, *data;
  DLManagedTensorVersioned* versioned;
  DLManagedTensor* legacy;

  check(mt_storage_from_data(numbers, sizeof numbers, cpu, freed, "memory", &storage));
  check(mt_tensor_from_storage(storage, sizes, strides, 2, 0, MT_FLOAT32, &tensor));
  mt_storage_release(storage);

  check(mt_tensor_to_dlpack(tensor, 1, 0, &managed));
  versioned = (DLManagedTensorVersioned*)managed;
  printf("versioned %u: %d dimensions, %d bits, strides %d %d, the caller's memory: %d\n", (unsigned)versioned->version.major,
         versioned->dl_tensor.ndim, versioned->dl_tensor.dtype.bits, (int)versioned->dl_tensor.strides[0],
         (int)versioned->dl_tensor.strides[1], versioned->dl_tensor.data == (void*)numbers);
  mt_tensor_release(tensor);
  check(mt_tensor_from_dlpack(managed, 1, &taken));
  check(mt_tensor_data(taken, &data));
  printf("taken: the same memory %d\n", data == (void*)numbers);

  check(mt_tensor_to_dlpack(taken, 0, 1, &managed));
  legacy = (DLManagedTensor*)managed;
  printf("a copy: other memory %d, first %g\n", legacy->dl_tensor.data != (void*)numbers, *(float*)legacy->dl_tensor.data);
  legacy->deleter(legacy);
  mt_tensor_release(taken);
  printf("end\n");
  return 0;
}
