/* Four processes sum their tensors with the collectives of torch.distributed, from C.
 *
 *   cc allreduce.c $(pkg-config --cflags --libs mindtorch) && ./a.out
 */
#include <mindtorch/distributed.h>
#include <mindtorch/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 4, NUMBERS = 5 };

static void must(mt_status* status) {
  if (!status) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

/* Each process contributes 1, 2, 3, ... times its rank plus one; afterwards all have the sum. */
static void add_up(int rank, int port) {
  mt_tcp_store_options place = {0};
  mt_group_options options = {0};
  mt_collective what = {0};
  mt_store* store = NULL;
  mt_group* group = NULL;
  mt_work* work = NULL;
  mt_tensor* tensor = NULL;
  float numbers[NUMBERS];
  int64_t sizes[1] = {NUMBERS};
  void* memory = NULL;
  int i;

  place.struct_size = sizeof place;
  place.host = "localhost";
  place.port = port;
  place.is_server = rank == 0;
  place.world_size = PROCESSES;
  place.wait_for_workers = 1;
  place.timeout = 30000;
  must(mt_store_tcp_create(&place, &store));

  options.struct_size = sizeof options;
  options.backend = "gloo";
  options.store = store;
  options.rank = rank;
  options.size = PROCESSES;
  options.timeout = 30000;
  must(mt_group_create(&options, &group));

  for (i = 0; i < NUMBERS; ++i) numbers[i] = (float)((rank + 1) * (i + 1));
  must(mt_tensor_from_copy(numbers, sizes, 1, MT_FLOAT32, &tensor));
  what.struct_size = sizeof what;
  what.kind = MT_ALL_REDUCE;
  what.reduction = MT_SUM;
  what.outputs = &tensor;
  what.n_outputs = 1;
  must(mt_group_start(group, &what, &work));
  must(mt_work_wait(work, 0));

  must(mt_tensor_data(tensor, &memory));
  for (i = 0; i < NUMBERS; ++i)
    if (((float*)memory)[i] != (float)(10 * (i + 1))) exit(2);
  if (rank == 0)
    printf("every process has %g %g %g %g %g\n", ((float*)memory)[0], ((float*)memory)[1], ((float*)memory)[2], ((float*)memory)[3],
           ((float*)memory)[4]);

  mt_work_release(work);
  mt_tensor_release(tensor);
  mt_group_release(group);
  mt_store_release(store);
}

int main(void) {
  const int port = 20000 + (int)(getpid() % 20000);
  int rank, state, failed = 0;
  /* Fork before the first call of the library, because its threads do not survive a fork. */
  for (rank = 0; rank < PROCESSES; ++rank)
    if (fork() == 0) {
      add_up(rank, port);
      return 0;
    }
  for (rank = 0; rank < PROCESSES; ++rank)
    if (wait(&state) < 0 || state != 0) failed = 1;
  return failed;
}
