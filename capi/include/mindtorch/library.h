/* What libraries of operators need beyond dispatch.h: kernels that come and go one by one, operators taken back, notes on operators. */
#ifndef MINDTORCH_LIBRARY_H_
#define MINDTORCH_LIBRARY_H_

#include "dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {  /* `rank`: of several kernels for one key the highest rank serves, among equals the latest */
       MT_RANK_FALLTHROUGH = -1, /* stands where nobody else does */
       MT_RANK_ALIAS = 0,        /* registered for several keys at once */
       MT_RANK_DIRECT = 1        /* registered for this very key; mt_op_register_kernel's have it */
};

/* Adds a kernel of an operator for a key (MT_KEY_COMPOSITE: a composite body, for every key). It covers those of its rank and below, which
 * serve again when it is removed. `destroy(user)` runs once after that, when no call is under way. *id is a number of the process. */
MT_API mt_status* mt_kernel_add(const mt_op* op, int32_t key, int32_t rank, mt_kernel_fn kernel, void* user, void (*destroy)(void* user),
                                int64_t* id);
/* RuntimeError where the operator has no kernel with this number. */
MT_API mt_status* mt_kernel_remove(const mt_op* op, int64_t id);

/* Takes an operator back that mt_op_define made: it is not found or listed any more, its kernels are removed, and its name is free for
 * another definition. The handle stays valid; calls through it raise NotImplementedError. RuntimeError for the library's own operators. */
MT_API mt_status* mt_op_undefine(const mt_op* op);

/* A text by name that everybody can read: where an operator was defined ("place"), what is known about it ("tags"), which module has more
 * ("python_module"). text NULL removes it. Any operator may carry notes. */
MT_API mt_status* mt_op_note_set(const mt_op* op, const char* name, const char* text);
/* The caller owns *out (a string) and clears it; none where there is no such note. */
MT_API mt_status* mt_op_note(const mt_op* op, const char* name, mt_value* out);

#ifdef __cplusplus
}
#endif

#endif
