/* Files: opening checkpoints of any format, saving named tensors. Nothing here runs code that a file holds. */
#ifndef MINDTORCH_IO_H_
#define MINDTORCH_IO_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_tensor_dict mt_tensor_dict; /* named tensors, in the order in which they were added; counted */
typedef struct mt_checkpoint mt_checkpoint;   /* an opened file; counted */
typedef struct mt_item mt_item;               /* a part of what a file's pickle holds; lives as long as its checkpoint */

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
       MT_FORMAT_SAFETENSORS = 1,
       MT_FORMAT_TORCH = 2,        /* torch.save's archive */
       MT_FORMAT_TORCH_LEGACY = 3, /* what torch.save wrote before 1.6; read only */
       MT_FORMAT_NPY = 4,          /* one array of NumPy's, whose name is ""; read only */
       MT_FORMAT_NPZ = 5,          /* read only */
       MT_FORMAT_GGUF = 6          /* quantised tensors are read as float32; read only */
};
enum {  /* how tensors get their elements */
       MT_READ_MAP = 0, /* from the file as it is mapped, where it is aligned for them: pages come when they are touched, and what a program
                           writes stays in its process. The file must not become shorter or be overwritten meanwhile */
       MT_READ_COPY = 1 /* copied into memory of their own */
};
typedef struct mt_checkpoint_options {
  size_t struct_size;
  int32_t access;
  const char* const* allowed; /* n_allowed dotted names of classes and functions that a pickle may name besides those that torch allows;
                                 what it makes of them is kept as MT_ITEM_OBJECT, and no code runs in any case */
  int64_t n_allowed;
} mt_checkpoint_options;
/*
 * Opens a file, in the format that its first bytes show; `options` NULL: zeros. Names, sizes and dtypes are read and checked, elements
 * are not. RuntimeError where the file cannot be opened, has no format that is known here, or is not what it says; UnpicklingError
 * where its pickle holds what torch.load(weights_only=True) refuses. Tensors inside a pickled object are named by the keys and indices
 * that lead to them, joined by dots.
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
  int64_t n_elsewhere; /* storages of torch's files that were saved from another device than the CPU */
} mt_checkpoint_info;
MT_API mt_status* mt_checkpoint_get_info(const mt_checkpoint* checkpoint, mt_checkpoint_info* out);

typedef struct mt_checkpoint_entry {
  size_t struct_size;
  const char* name; /* this and the sizes live as long as the checkpoint */
  int32_t dtype;
  int64_t ndim;
  const int64_t* sizes;
  int64_t nbytes; /* of the elements */
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

/* ---- what a pickle holds ----------------------------------------------------------------------------------------- */

enum { /* kinds of items */
       MT_ITEM_NONE = 0,
       MT_ITEM_BOOL = 1, /* integer */
       MT_ITEM_INT = 2, /* integer */
       MT_ITEM_BIG_INT = 3, /* text: little-endian two's complement of any length */
       MT_ITEM_FLOAT = 4, /* real[0] */
       MT_ITEM_COMPLEX = 5, /* real */
       MT_ITEM_STRING = 6, /* text: UTF-8; halves of surrogate pairs as three bytes each */
       MT_ITEM_BYTES = 7, /* text */
       MT_ITEM_BYTEARRAY = 8, /* text */
       MT_ITEM_TUPLE = 9, /* items; so have the next ones */
       MT_ITEM_LIST = 10,
       MT_ITEM_DICT = 11, /* keys and values in turn; a later one of the same key counts */
       MT_ITEM_ORDERED_DICT = 12, /* likewise; attributes */
       MT_ITEM_COUNTER = 13,
       MT_ITEM_SET = 14,
       MT_ITEM_SIZE = 15, /* torch.Size: items are ints */
       MT_ITEM_DTYPE = 16, /* integer */
       MT_ITEM_LAYOUT = 17, /* integer */
       MT_ITEM_DEVICE = 18, /* text: "cuda:0" */
       MT_ITEM_STORAGE = 19, /* integer: which of the file's; dtype */
       MT_ITEM_TENSOR = 20, /* requires_grad; attributes */
       MT_ITEM_PARAMETER = 21, /* likewise */
       MT_ITEM_GLOBAL = 22, /* text: a class or a function by its dotted name */
       MT_ITEM_OBJECT = 23 /* items: the global that makes it, and its arguments (a tuple) or the tensor that it is made of; attributes */
};
typedef struct mt_item_info {
  size_t struct_size;
  int32_t kind;
  int32_t requires_grad;
  int32_t dtype;
  int64_t integer;
  double real[2];
  const char* text; /* text_size bytes and a NUL */
  int64_t text_size;
  const mt_item* const* items; /* an item may be in several places, and containers in themselves */
  int64_t n_items;
  const mt_item* attributes; /* the state that pickle gave the object, NULL: none */
} mt_item_info;
/* What the file's pickle holds; NULL in *out where the file has none. */
MT_API mt_status* mt_checkpoint_root_borrow(const mt_checkpoint* checkpoint, const mt_item** out);
MT_API mt_status* mt_item_get_info(const mt_item* item, mt_item_info* out);
/* The tensor that an item of the checkpoint (MT_ITEM_TENSOR or MT_ITEM_PARAMETER) is. */
MT_API mt_status* mt_checkpoint_read_item(mt_checkpoint* checkpoint, const mt_item* item, mt_tensor** out);
/* The storage that an item of the checkpoint (MT_ITEM_STORAGE) is. */
MT_API mt_status* mt_checkpoint_read_storage(mt_checkpoint* checkpoint, const mt_item* item, mt_storage** out);

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Hears how many bytes of a file are written. A status that it returns ends the save, and becomes its failure. */
typedef mt_status* (*mt_progress_fn)(void* user, int64_t done, int64_t total);
typedef struct mt_save_options {
  size_t struct_size;
  int32_t format; /* MT_FORMAT_SAFETENSORS or MT_FORMAT_TORCH (a dict); 0: safetensors */
  int32_t without_sync; /* 1: a loss of power soon afterwards may cost the new file */
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

/* ---- datasets ------------------------------------------------------------------------------------------------------ */

typedef struct mt_dataset mt_dataset; /* samples of named columns in shards (MDS); counted */

/* Opens a folder that has an index.json of version 2 and its shards, compressed with zstd or not. NotImplementedError for other
 * compressions, ValueError for columns of pickles and of unknown encodings. */
MT_API mt_status* mt_dataset_open(const char* path, mt_dataset** out);
MT_API void mt_dataset_retain(mt_dataset* dataset);
MT_API void mt_dataset_release(mt_dataset* dataset);
typedef struct mt_dataset_info {
  size_t struct_size;
  int64_t n_samples;
  int64_t n_columns;
  int64_t n_shards;
} mt_dataset_info;
MT_API mt_status* mt_dataset_get_info(const mt_dataset* dataset, mt_dataset_info* out);
/* A column's name and encoding ("int", "str", "ndarray:float32"), which live as long as the dataset. IndexError beyond the end. */
MT_API mt_status* mt_dataset_column(const mt_dataset* dataset, int64_t index, const char** name, const char** encoding);
/*
 * Writes one owned value per column, for which there has to be room: ints (with MT_FLAG_UNSIGNED where a uint64 needs it), doubles,
 * tensors of ndarrays, and strings of everything else: bytes, text, JSON, images as they are encoded, whole numbers beyond 64 bits.
 * Several threads may read. IndexError beyond the end.
 */
MT_API mt_status* mt_dataset_read(mt_dataset* dataset, int64_t index, mt_value* values, int64_t capacity);
/* Where the first sample of a shard is; of n_shards, the number of samples. */
MT_API mt_status* mt_dataset_shard_start(const mt_dataset* dataset, int64_t shard, int64_t* out);
/* A permutation of all samples from a seed, the same on every machine, into `out`, which has room for n_samples: shards in random order,
 * then samples within each run of `block`. */
MT_API mt_status* mt_dataset_shuffle(const mt_dataset* dataset, uint64_t seed, int64_t block, int64_t* out);

#ifdef __cplusplus
}
#endif

#endif
