/* Embeds one sentence, given as token ids, with a BERT encoder from a safetensors file: for example MiniLM.
 *
 *     embed model.safetensors 101 7592 2088 102
 *
 * prints the mean of the last layer's rows, scaled to length 1, one number a line. */
#include <math.h>
#include <mindtorch/box.h>
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 512 };

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

/* Calls an operator with one tensor result, which the caller owns. */
static mt_tensor* call(const char* name, const char* overload, const mt_value* args, int64_t count) {
  mt_value result;
  int64_t results;
  check(mt_dispatch(name, overload, args, count, &result, 1, &results));
  return result.as.tensor;
}

/* Returns the new tensor and releases the old one. */
static mt_tensor* replace(mt_tensor* old, mt_tensor* new_one) {
  mt_tensor_release(old);
  return new_one;
}

/* ---- the file ---- */

static mt_checkpoint* file;

static int has_weight(const char* name) {
  int64_t index;
  check(mt_checkpoint_find(file, name, &index));
  return index >= 0;
}

/* A tensor of the file; its pages are read when an operator accesses them. */
static mt_tensor* weight(const char* prefix, const char* name) {
  char full[256];
  int64_t index;
  mt_tensor* tensor;
  snprintf(full, sizeof full, "%s%s", prefix, name);
  check(mt_checkpoint_find(file, full, &index));
  if (index < 0) {
    fprintf(stderr, "the file has no %s\n", full);
    exit(1);
  }
  check(mt_checkpoint_read(file, index, &tensor));
  return tensor;
}

/* ---- layers ---- */

static mt_tensor* linear(mt_tensor* x, const char* prefix, const char* name) {
  char part[256];
  mt_tensor *w, *b, *y;
  mt_value args[3];
  snprintf(part, sizeof part, "%s%s", prefix, name);
  w = weight(part, ".weight");
  b = weight(part, ".bias");
  args[0] = mt_box_tensor(x), args[1] = mt_box_tensor(w), args[2] = mt_box_tensor(b);
  y = call("linear", "", args, 3);
  mt_tensor_release(w);
  mt_tensor_release(b);
  return y;
}

static mt_tensor* normalise(mt_tensor* x, const char* prefix, const char* name) {
  char part[256];
  mt_tensor *w, *b, *y;
  mt_tensor_info info;
  mt_value args[5];
  snprintf(part, sizeof part, "%s%s", prefix, name);
  w = weight(part, ".weight");
  b = weight(part, ".bias");
  info.struct_size = sizeof info;
  check(mt_tensor_get_info(w, &info));
  args[0] = mt_box_tensor(x), args[1] = mt_box_list(MT_TAG_INTS, info.sizes, 1);
  args[2] = mt_box_tensor(w), args[3] = mt_box_tensor(b), args[4] = mt_double(1e-12);
  y = call("layer_norm", "", args, 5);
  mt_tensor_release(w);
  mt_tensor_release(b);
  return y;
}

static mt_tensor* add(mt_tensor* a, mt_tensor* b) {
  mt_value args[2];
  mt_tensor* sum;
  args[0] = mt_box_tensor(a), args[1] = mt_box_tensor(b);
  sum = call("add", "Tensor", args, 2);
  mt_tensor_release(a);
  mt_tensor_release(b);
  return sum;
}

/* Looks up rows of an embedding table. */
static mt_tensor* look_up(const char* name, const int64_t* rows, int64_t count) {
  mt_value args[2];
  mt_tensor *table = weight("embeddings.", name), *indices, *found;
  check(mt_tensor_from_copy(rows, &count, 1, MT_INT64, &indices));
  args[0] = mt_box_tensor(table), args[1] = mt_box_tensor(indices);
  found = call("embedding", "", args, 2);
  mt_tensor_release(table);
  mt_tensor_release(indices);
  return found;
}

/* tokens x hidden -> 1 x heads x tokens x the rest. */
static mt_tensor* split_heads(mt_tensor* x, int64_t tokens, int64_t heads) {
  int64_t sizes[4];
  mt_value args[3];
  mt_tensor* view;
  sizes[0] = 1, sizes[1] = tokens, sizes[2] = heads, sizes[3] = -1;
  args[0] = mt_box_tensor(x), args[1] = mt_box_list(MT_TAG_INTS, sizes, 4);
  view = replace(x, call("view", "", args, 2));
  args[0] = mt_box_tensor(view), args[1] = mt_int(1), args[2] = mt_int(2);
  return replace(view, call("transpose", "int", args, 3));
}

static mt_tensor* attend(mt_tensor* x, const char* layer, int64_t tokens, int64_t heads) {
  mt_tensor* parts[3];
  mt_value args[3];
  mt_tensor* y;
  int64_t sizes[2];
  int i;
  static const char* const names[] = {"attention.self.query", "attention.self.key", "attention.self.value"};
  for (i = 0; i < 3; ++i) {
    parts[i] = split_heads(linear(x, layer, names[i]), tokens, heads);
    args[i] = mt_box_tensor(parts[i]);
  }
  y = call("scaled_dot_product_attention", "", args, 3);
  for (i = 0; i < 3; ++i) mt_tensor_release(parts[i]);
  args[0] = mt_box_tensor(y), args[1] = mt_int(1), args[2] = mt_int(2);
  y = replace(y, call("transpose", "int", args, 3));
  sizes[0] = tokens, sizes[1] = -1;
  args[0] = mt_box_tensor(y), args[1] = mt_box_list(MT_TAG_INTS, sizes, 2);
  y = replace(y, call("reshape", "", args, 2));
  return replace(y, linear(y, layer, "attention.output.dense"));
}

static mt_tensor* encode(mt_tensor* x, const char* layer, int64_t tokens, int64_t heads) {
  mt_tensor* y;
  mt_value arg;
  y = add(attend(x, layer, tokens, heads), x);
  x = replace(y, normalise(y, layer, "attention.output.LayerNorm"));
  y = linear(x, layer, "intermediate.dense");
  arg = mt_box_tensor(y);
  y = replace(y, call("gelu", "", &arg, 1));
  y = replace(y, linear(y, layer, "output.dense"));
  y = add(y, x);
  return replace(y, normalise(y, layer, "output.LayerNorm"));
}

int main(int argc, char** argv) {
  int64_t ids[MOST_TOKENS], positions[MOST_TOKENS], types[MOST_TOKENS], tokens, first = 0;
  int64_t heads = 12;
  mt_tensor* x;
  mt_tensor_info info;
  mt_value args[2];
  void* data;
  double length = 0;
  int64_t i;
  char layer[64];
  if (argc < 3 || argc - 2 > MOST_TOKENS) {
    fprintf(stderr, "usage: embed FILE ID...   (up to %d ids)\n", MOST_TOKENS);
    return 2;
  }
  tokens = argc - 2;
  for (i = 0; i < tokens; ++i) ids[i] = atol(argv[i + 2]), positions[i] = i, types[i] = 0;
  check(mt_checkpoint_open(argv[1], NULL, &file));

  x = look_up("word_embeddings.weight", ids, tokens);
  x = add(x, look_up("token_type_embeddings.weight", types, tokens));
  x = add(x, look_up("position_embeddings.weight", positions, tokens));
  x = replace(x, normalise(x, "embeddings.", "LayerNorm"));
  for (i = 0;; ++i) {
    char name[128];
    snprintf(layer, sizeof layer, "encoder.layer.%d.", (int)i);
    snprintf(name, sizeof name, "%sattention.self.query.weight", layer);
    if (!has_weight(name)) break;
    x = encode(x, layer, tokens, heads);
  }
  args[0] = mt_box_tensor(x), args[1] = mt_box_list(MT_TAG_INTS, &first, 1);
  x = replace(x, call("mean", "dim", args, 2));

  info.struct_size = sizeof info;
  check(mt_tensor_get_info(x, &info));
  check(mt_tensor_data(x, &data));
  for (i = 0; i < info.numel; ++i) length += (double)((float*)data)[i] * ((float*)data)[i];
  for (i = 0; i < info.numel; ++i) printf("%.9g\n", ((float*)data)[i] / sqrt(length));
  mt_tensor_release(x);
  mt_checkpoint_release(file);
  return 0;
}
