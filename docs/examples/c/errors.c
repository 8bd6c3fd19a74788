/* The contents of a status, and outputs after a failed call. */
#include <mindtorch/ops.h>
#include <stdio.h>

int main(void) {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[] = {2, 3};
  mt_tensor *x = NULL, *product = NULL;
  mt_status* status = mt_tensor_from_copy(numbers, sizes, 2, MT_FLOAT32, &x);
  if (status == NULL) status = mt_aten_matmul(x, x, &product);
  if (status != NULL) {
    printf("code %d, kind %s\n%s\n", mt_status_code(status), mt_status_kind(status), mt_status_message(status));
    mt_status_release(status);
  }
  printf("product is %s\n", product == NULL ? "still NULL" : "set"); /* outputs are written on success only */

  status = mt_tensor_data(NULL, NULL); /* invalid handles are refused, never dereferenced */
  printf("%s\n", mt_status_kind(status));
  mt_status_release(status);
  mt_tensor_release(x);
  return 0;
}
