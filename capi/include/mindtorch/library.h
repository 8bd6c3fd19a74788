/* Functions for libraries of operators, beyond dispatch.h: adding and removing kernels, removing operators, notes on operators, parsing
 * schemas. */
#ifndef MINDTORCH_LIBRARY_H_
#define MINDTORCH_LIBRARY_H_

#include "dispatch.h"
#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {  /* `rank`: of several kernels for one key, the one with the highest rank is used, among equals the latest */
       MT_RANK_FALLTHROUGH = -1, /* used only if there is no other */
       MT_RANK_ALIAS = 0,        /* registered for several keys at once */
       MT_RANK_DIRECT = 1        /* registered for exactly this key, as by mt_op_register_kernel */
};

/* Adds a kernel of an operator for a key (MT_KEY_COMPOSITE: a composite body, for every key). It overrides kernels of its rank and below
 * until it is removed. `destroy(user)` runs once after the removal, when no call uses it. *id is unique in the process. */
MT_API mt_status* mt_kernel_add(const mt_op* op, int32_t key, int32_t rank, mt_kernel_fn kernel, void* user, void (*destroy)(void* user),
                                int64_t* id);
/* Removes a kernel. RuntimeError if the operator has none with this id. */
MT_API mt_status* mt_kernel_remove(const mt_op* op, int64_t id);

/* Removes an operator that mt_op_define made: it is no longer found or listed, its kernels are removed, and its name may be
 * defined again. The handle stays valid; calls through it raise NotImplementedError. RuntimeError for built-in operators. */
MT_API mt_status* mt_op_undefine(const mt_op* op);

/* Sets a named text of any operator, for any reader: where it was defined ("place"), its tags ("tags"), the Python module with further
 * registrations ("python_module"). text NULL removes it. */
MT_API mt_status* mt_op_note_set(const mt_op* op, const char* name, const char* text);
/* Reads a note: the caller owns *out (a string); none if there is no such note. */
MT_API mt_status* mt_op_note(const mt_op* op, const char* name, mt_value* out);

/* ---- schemas -------------------------------------------------------------------------------------------------------- */

typedef struct mt_schema mt_schema; /* a parsed schema; immutable and reference counted */

/* Parses "my::scale(Tensor self, float factor=2.0) -> Tensor" and defines no operator; the namespace may be absent. RuntimeError with the
 * position if the text is no schema. */
MT_API mt_status* mt_schema_parse(const char* text, mt_schema** out);
MT_API void mt_schema_retain(mt_schema* schema);
MT_API void mt_schema_release(mt_schema* schema);
/* ns ("" if the text has none), name, base_name, overload, schema (canonical), n_args, n_returns, and of the traits MT_OP_MUTATES and
 * MT_OP_IS_VIEW; the other fields are 0 or "". Strings are valid as long as the schema, also below. */
MT_API mt_status* mt_schema_get_info(const mt_schema* schema, mt_op_info* out);
/* An argument or a result. IndexError past the end. */
MT_API mt_status* mt_schema_get_arg(const mt_schema* schema, int32_t index, mt_arg_info* out);
MT_API mt_status* mt_schema_get_return(const mt_schema* schema, int32_t index, mt_arg_info* out);

#ifdef __cplusplus
}
#endif

#endif
