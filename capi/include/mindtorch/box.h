/* Boxing: values from C numbers, tensors and lists, and results back. The typed calls (ops.h) use these functions. */
#ifndef MINDTORCH_BOX_H_
#define MINDTORCH_BOX_H_

#include "arguments.h"
#include "op.h"

#if defined(__GNUC__)
#define MT_BOX_UNUSED __attribute__((unused))
#define MT_BOX_LOAD(site) __atomic_load_n(&(site), __ATOMIC_ACQUIRE)
#define MT_BOX_STORE(site, op) __atomic_store_n(&(site), (op), __ATOMIC_RELEASE)
#else
#define MT_BOX_UNUSED
#define MT_BOX_LOAD(site) (site)
#define MT_BOX_STORE(site, op) ((site) = (op))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values, borrowed: valid as long as their source ------------------------------------------------------------- */

static inline MT_BOX_UNUSED mt_value mt_box_tag(int32_t tag) {
  mt_value v;
  v.tag = tag;
  v.flags = 0;
  v.as.list.data = NULL;
  v.as.list.size = 0;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_none(void) { return mt_box_tag(MT_TAG_NONE); }
/* An argument that keeps its default. */
static inline MT_BOX_UNUSED mt_value mt_default(void) { return mt_box_tag(MT_TAG_DEFAULT); }
static inline MT_BOX_UNUSED mt_value mt_bool(int32_t on) {
  mt_value v = mt_box_tag(MT_TAG_BOOL);
  v.as.i = on != 0;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_int(int64_t i) {
  mt_value v = mt_box_tag(MT_TAG_INT);
  v.as.i = i;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_double(double d) {
  mt_value v = mt_box_tag(MT_TAG_DOUBLE);
  v.as.d = d;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_complex(double re, double im) {
  mt_value v = mt_box_tag(MT_TAG_COMPLEX);
  v.as.c[0] = re;
  v.as.c[1] = im;
  return v;
}

static inline MT_BOX_UNUSED mt_value mt_box_tensor(mt_tensor* t) {
  mt_value v = mt_box_tag(MT_TAG_TENSOR);
  v.as.tensor = t;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_tensor_or_none(mt_tensor* t) { return t ? mt_box_tensor(t) : mt_none(); }
static inline MT_BOX_UNUSED mt_value mt_box_enum(int32_t tag, int32_t i) {
  mt_value v = mt_box_tag(tag);
  v.as.i = i;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_enum_or_none(int32_t tag, int32_t i) { return i == -1 ? mt_none() : mt_box_enum(tag, i); }
static inline MT_BOX_UNUSED mt_value mt_box_int_or_none(const int64_t* i) { return i ? mt_int(*i) : mt_none(); }
static inline MT_BOX_UNUSED mt_value mt_box_double_or_none(const double* d) { return d ? mt_double(*d) : mt_none(); }
static inline MT_BOX_UNUSED mt_value mt_box_bool_or_none(const int32_t* on) { return on ? mt_bool(*on) : mt_none(); }
static inline MT_BOX_UNUSED mt_value mt_box_device(mt_device d) {
  mt_value v = mt_box_tag(MT_TAG_DEVICE);
  v.as.device = d;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_device_or_none(const mt_device* d) { return d ? mt_box_device(*d) : mt_none(); }
static inline MT_BOX_UNUSED mt_value mt_box_list(int32_t tag, const void* data, int64_t size) {
  mt_value v = mt_box_tag(tag);
  v.as.list.data = data;
  v.as.list.size = size;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_list_or_none(int32_t tag, const void* data, int64_t size) {
  return data ? mt_box_list(tag, data, size) : mt_none();
}
static inline MT_BOX_UNUSED mt_value mt_box_string(const char* text) {
  mt_value v;
  if (!text) return mt_none();
  v = mt_box_tag(MT_TAG_STRING);
  v.as.string.data = text;
  while (text[v.as.string.size]) ++v.as.string.size;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_generator(mt_generator* g) {
  mt_value v;
  if (!g) return mt_none();
  v = mt_box_tag(MT_TAG_GENERATOR);
  v.as.generator = g;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_storage(mt_storage* s) {
  mt_value v = mt_box_tag(MT_TAG_STORAGE);
  v.as.storage = s;
  return v;
}
static inline MT_BOX_UNUSED mt_value mt_box_stream(void* s) {
  mt_value v = mt_box_tag(MT_TAG_STREAM);
  v.as.stream = s;
  return v;
}

/* ---- results: returned to the caller, or released if the pointer is NULL ---------------------------------------- */

static inline MT_BOX_UNUSED void mt_box_give_tensor(mt_value* v, mt_tensor** out) {
  if (out)
    *out = v->tag == MT_TAG_TENSOR ? v->as.tensor : NULL;
  else
    mt_value_clear(v);
}
static inline MT_BOX_UNUSED void mt_box_give_value(mt_value* v, mt_value* out) {
  if (out)
    *out = *v;
  else
    mt_value_clear(v);
}

/* The head of each typed call: its linkage and return type, and the variable that caches the operator. */
#define MT_TYPED_CALL static inline MT_BOX_UNUSED mt_status*
#define MT_BOX_SITE static const mt_op* site

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* mt_op_call of an operator that is looked up once; `site` is a static variable of the caller. `results` has room for
 * `n_results`, which is as many as the operator has, or is NULL if it has none. */
static inline MT_BOX_UNUSED mt_status* mt_box_call(const mt_op** site, const char* name, const char* overload, const mt_value* values,
                                                   int64_t n_values, mt_value* results, int64_t n_results) {
  int64_t n;
  const mt_op* op = MT_BOX_LOAD(*site);
  if (!op) {
    mt_status* status = mt_op_find(name, overload, &op);
    if (status) return status;
    MT_BOX_STORE(*site, op);
  }
  return mt_op_call(op, values, n_values, results, n_results, &n);
}
/* Like mt_box_call, for one result, a tensor. */
static inline MT_BOX_UNUSED mt_status* mt_box_call_tensor(const mt_op** site, const char* name, const char* overload,
                                                          const mt_value* values, int64_t n_values, mt_tensor** result) {
  mt_value value;
  mt_status* status = mt_box_call(site, name, overload, values, n_values, &value, 1);
  if (!status) mt_box_give_tensor(&value, result);
  return status;
}
/* As above, for up to 16 results, all tensors; `places` has room for `n_places` of them, each NULL if not needed. */
static inline MT_BOX_UNUSED mt_status* mt_box_call_tensors(const mt_op** site, const char* name, const char* overload,
                                                           const mt_value* values, int64_t n_values, mt_tensor** const* places,
                                                           int64_t n_places) {
  mt_value results[16];
  int64_t i;
  mt_status* status = mt_box_call(site, name, overload, values, n_values, results, n_places);
  if (status) return status;
  for (i = 0; i < n_places; ++i) mt_box_give_tensor(&results[i], places[i]);
  return NULL;
}
/* The body of a typed call of `aten::name` with arguments and one result, a tensor. */
#define MT_BOX_TENSOR(name, overload, result, ...) \
  MT_BOX_SITE;                                     \
  mt_value values[] = {__VA_ARGS__};               \
  return mt_box_call_tensor(&site, "aten::" name, overload, values, (int64_t)(sizeof(values) / sizeof(*values)), result)
/* As above, for several results, all tensors, whose pointers are in parentheses. */
#define MT_BOX_UNPACK(...) __VA_ARGS__
#define MT_BOX_TENSORS(name, overload, results, ...)                                                                      \
  MT_BOX_SITE;                                                                                                            \
  mt_value values[] = {__VA_ARGS__};                                                                                      \
  mt_tensor** const places[] = {MT_BOX_UNPACK results};                                                                   \
  return mt_box_call_tensors(&site, "aten::" name, overload, values, (int64_t)(sizeof(values) / sizeof(*values)), places, \
                             (int64_t)(sizeof(places) / sizeof(*places)))

#ifdef __cplusplus
}
#endif

#endif
