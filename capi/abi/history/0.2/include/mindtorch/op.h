/* Operators: finding, describing and calling them. */
#ifndef MINDTORCH_OP_H_
#define MINDTORCH_OP_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- finding -------------------------------------------------------------------------------------------------------- */

/* name: "aten::add" or "add"; overload: "Tensor", or "" / NULL for the unnamed one. RuntimeError if the operator does not exist. */
MT_API mt_status* mt_op_find(const char* name, const char* overload, const mt_op** out);
/* All operators, in-place and out forms included, in a stable order. */
MT_API int64_t mt_op_count(void);
MT_API const mt_op* mt_op_at(int64_t index);

/* ---- describing ------------------------------------------------------------------------------------------------------ */

enum {  /* bits of mt_op_info.forms: an operator's forms in Python */
       MT_FORM_FUNCTION = 1,
       MT_FORM_METHOD = 2,
       MT_FORM_INPLACE = 4,
       MT_FORM_OUT = 8
};
enum {  /* bits of mt_op_info.traits */
       MT_OP_COMPOSITE = 1 << 0,     /* its body is other operators */
       MT_OP_MUTATES = 1 << 1,       /* writes to an argument */
       MT_OP_IS_VIEW = 1 << 2,       /* a result is a view of an argument */
       MT_OP_RANDOM = 1 << 3,
       MT_OP_IS_FACTORY = 1 << 4,
       MT_OP_NUMBERS_AS_TENSORS = 1 << 5, /* Python accepts a number where the schema says Tensor */
       MT_OP_LONG = 1 << 6           /* unused; kept for compatibility */
};

typedef struct mt_op_info {
  size_t struct_size;
  const char* ns;          /* "aten" */
  const char* name;        /* "add_" */
  const char* base_name;   /* "add": the common name of all forms; Python's function name */
  const char* overload;    /* "Tensor" */
  const char* schema;      /* "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)" */
  const char* doc;
  const char* module;      /* "" for torch itself, "nn", "linalg", "fft", "special" */
  const char* aliases;     /* further Python names, separated by spaces ("absolute"); methods too. Dunder names are methods only */
  const char* deprecated;  /* deprecated Python signatures, one per line, or "" */
  const char* kernel_name;
  int32_t forms; /* of this schema: INPLACE or OUT if it is that form of another operator; FUNCTION, METHOD or both if
                  * Python has them (an OUT form is the `out=` of the function instead). 0: only in torch.ops */
  int32_t traits;
  int32_t n_args;
  int32_t n_returns;
} mt_op_info;

typedef struct mt_arg_info {
  size_t struct_size;
  const char* name;
  const char* type;        /* schema type without annotations: "Tensor", "Tensor?", "Tensor[]", "int[2]", "ScalarType?", ... */
  const char* default_text;/* as written in the schema, NULL without a default */
  int32_t keyword_only;
  int32_t mutated;         /* "!" */
  int32_t alias_set;       /* 1 for (a), 2 for (b), ...; 0 none; negative for "Tensor!", an annotation without a name */
  int32_t list_size;       /* N of int[N], for which one number is repeated N times; 0 otherwise */
} mt_arg_info;

/* Strings are never freed. */
MT_API mt_status* mt_op_get_info(const mt_op* op, mt_op_info* out);
MT_API mt_status* mt_op_get_arg(const mt_op* op, int32_t index, mt_arg_info* out);
MT_API mt_status* mt_op_get_return(const mt_op* op, int32_t index, mt_arg_info* out);

/* ---- calling ----------------------------------------------------------------------------------------------------------- */

/* Calls with positional arguments in schema order. n may be smaller than the schema's count; omitted arguments and values of
 * MT_TAG_DEFAULT get their defaults. Arguments are borrowed. `rets` has room for `capacity` values; results are owned (mt_value_clear). */
MT_API mt_status* mt_op_call(const mt_op* op, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity, int64_t* n_rets);
/* Like mt_op_call, with `n_named` further named arguments. */
MT_API mt_status* mt_op_call_named(const mt_op* op, const mt_value* args, int64_t n, const char* const* names, const mt_value* named,
                                   int64_t n_named, mt_value* rets, int64_t capacity, int64_t* n_rets);
/* mt_op_find and mt_op_call in one. */
MT_API mt_status* mt_dispatch(const char* name, const char* overload, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity,
                              int64_t* n_rets);

#ifdef __cplusplus
}
#endif

#endif
