/* Files: opening checkpoints of any format, saving named tensors. Nothing here runs code that a file holds. */
#ifndef MINDTORCH_IO_H_
#define MINDTORCH_IO_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_tensor_dict mt_tensor_dict; /* named tensors, in the order in which they were added; counted */
typedef struct mt_checkpoint mt_checkpoint;   /* an opened file; counted */

/* ---- named tensors --------------------------------------------------------------------------------------------- */

MT_API mt_status* mt_tensor_dict_create(mt_tensor_dict** out);
MT_API void mt_tensor_dict_retain(mt_tensor_dict* dict);
MT_API void mt_tensor_dict_release(mt_tensor_dict* dict);
MT_API mt_status* mt_tensor_dict_size(const mt_tensor_dict* dict, int64_t* out);
/* Adds a tensor, or replaces the one that has the name. The name is copied, the tensor shared. Not while another thread uses the dict. */
MT_API mt_status* mt_tensor_dict_set(mt_tensor_dict* dict, const char* name, mt_tensor* tensor);
/* Takes a name out; does nothing where it is not there. */
MT_API mt_status* mt_tensor_dict_remove(mt_tensor_dict* dict, const char* name);
/* The tensor of a name, NULL where there is none. */
MT_API mt_status* mt_tensor_dict_get(const mt_tensor_dict* dict, const char* name, mt_tensor** out);
/* Name and tensor at a place; either pointer may be NULL. The name lives until the dict changes. IndexError beyond the end. */
MT_API mt_status* mt_tensor_dict_at(const mt_tensor_dict* dict, int64_t index, const char** name, mt_tensor** tensor);

/* ---- opening ---------------------------------------------------------------------------------------------------- */

enum {  /* formats of files */
       MT_FORMAT_SAFETENSORS = 1
};
enum {  /* how tensors get their elements */
       MT_READ_MAP = 0,  /* from the file as it is mapped, where it is aligned for them: pages come when they are touched, and what a program
                            writes stays in its process. The file must not become shorter or be overwritten meanwhile */
       MT_READ_COPY = 1  /* copied into memory of their own */
};
typedef struct mt_checkpoint_options {
  size_t struct_size;
  int32_t access;
} mt_checkpoint_options;
/*
 * Opens a file, in the format that its first bytes show; `options` NULL: zeros. Names, sizes and dtypes are read and checked, elements
 * are not. RuntimeError where the file cannot be opened, has no format that is known here, or is not what it says.
 */
MT_API mt_status* mt_checkpoint_open(const char* path, const mt_checkpoint_options* options, mt_checkpoint** out);
MT_API void mt_checkpoint_retain(mt_checkpoint* checkpoint);
/* The file stays open as long as tensors are mapped from it. */
MT_API void mt_checkpoint_release(mt_checkpoint* checkpoint);

typedef struct mt_checkpoint_info {
  size_t struct_size;
  int32_t format;
  int64_t n_tensors;
  int64_t n_metadata; /* pairs of texts */
} mt_checkpoint_info;
MT_API mt_status* mt_checkpoint_get_info(const mt_checkpoint* checkpoint, mt_checkpoint_info* out);

typedef struct mt_checkpoint_entry {
  size_t struct_size;
  const char* name;     /* this and the sizes live as long as the checkpoint */
  int32_t dtype;
  int64_t ndim;
  const int64_t* sizes;
  int64_t nbytes;       /* of the elements */
} mt_checkpoint_entry;
/* What a tensor is, without reading it. IndexError beyond the end. */
MT_API mt_status* mt_checkpoint_get_entry(const mt_checkpoint* checkpoint, int64_t index, mt_checkpoint_entry* out);
/* The first tensor of a name; -1 in *index where there is none. */
MT_API mt_status* mt_checkpoint_find(const mt_checkpoint* checkpoint, const char* name, int64_t* index);
/* One tensor. Several threads may read from one checkpoint. */
MT_API mt_status* mt_checkpoint_read(mt_checkpoint* checkpoint, int64_t index, mt_tensor** out);
/* All of them, in the file's order. */
MT_API mt_status* mt_checkpoint_read_all(mt_checkpoint* checkpoint, mt_tensor_dict** out);
/* A pair of texts; they live as long as the checkpoint. IndexError beyond the end. */
MT_API mt_status* mt_checkpoint_metadata(const mt_checkpoint* checkpoint, int64_t index, const char** key, const char** value);

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Hears how many bytes of a file are written. A status that it returns ends the save, and becomes its failure. */
typedef mt_status* (*mt_progress_fn)(void* user, int64_t done, int64_t total);
typedef struct mt_save_options {
  size_t struct_size;
  int32_t format;              /* 0: safetensors */
  int32_t without_sync;        /* 1: a loss of power soon afterwards may cost the new file */
  mt_progress_fn progress;
  void* user;
  const char* const* metadata; /* 2 * n_metadata texts, keys and values in turn; safetensors only */
  int64_t n_metadata;
} mt_save_options;
/*
 * Saves tensors under their names. The file is written aside, synced to the disk, and gets its name at the end: whatever fails, the
 * file that was there before is still whole. `options` NULL: zeros. ValueError where the format cannot hold a tensor.
 */
MT_API mt_status* mt_checkpoint_save(const char* path, const mt_tensor_dict* dict, const mt_save_options* options);

#ifdef __cplusplus
}
#endif

#endif
