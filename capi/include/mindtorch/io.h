/* Files: opens checkpoints of any format, saves named tensors. No function here runs code from a file. */
#ifndef MINDTORCH_IO_H_
#define MINDTORCH_IO_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_tensor_dict mt_tensor_dict; /* named tensors, in the order in which they were added; reference counted */
typedef struct mt_checkpoint mt_checkpoint;   /* an opened file; reference counted */
typedef struct mt_item mt_item;               /* an object in a file's pickle; valid as long as its checkpoint */

/* ---- named tensors --------------------------------------------------------------------------------------------- */

MT_API mt_status* mt_tensor_dict_create(mt_tensor_dict** out);
MT_API void mt_tensor_dict_retain(mt_tensor_dict* dict);
MT_API void mt_tensor_dict_release(mt_tensor_dict* dict);
MT_API mt_status* mt_tensor_dict_size(const mt_tensor_dict* dict, int64_t* out);
/* Adds or replaces a tensor. Copies the name and shares the tensor. No other thread may use the dict during the call. */
MT_API mt_status* mt_tensor_dict_set(mt_tensor_dict* dict, const char* name, mt_tensor* tensor);
/* Removes a name; does nothing if it is absent. */
MT_API mt_status* mt_tensor_dict_remove(mt_tensor_dict* dict, const char* name);
/* The tensor with a name, NULL if there is none. */
MT_API mt_status* mt_tensor_dict_get(const mt_tensor_dict* dict, const char* name, mt_tensor** out);
/* Name and tensor at an index; either pointer may be NULL. The name is valid until the dict changes. IndexError past the end. */
MT_API mt_status* mt_tensor_dict_at(const mt_tensor_dict* dict, int64_t index, const char** name, mt_tensor** tensor);

/* ---- opening ---------------------------------------------------------------------------------------------------- */

enum {  /* file formats */
       MT_FORMAT_SAFETENSORS = 1,
       MT_FORMAT_TORCH = 2,        /* torch.save's archive */
       MT_FORMAT_TORCH_LEGACY = 3, /* torch.save's format before torch 1.6; read only */
       MT_FORMAT_NPY = 4,          /* one NumPy array, with the name "" */
       MT_FORMAT_NPZ = 5,
       MT_FORMAT_GGUF = 6,         /* quantised tensors are read as float32; read only */
       MT_FORMAT_COMPRESSED = 7    /* this library's own: blocks of elements in zstd frames (docs/files.md) */
};
enum {  /* how tensors get their elements */
       MT_READ_MAP = 0, /* from the mapped file, if its data is aligned: pages are read on access, and writes stay in the process. The
                           file must not be truncated or overwritten while tensors use it */
       MT_READ_COPY = 1 /* copied into new memory */
};
typedef struct mt_checkpoint_options {
  size_t struct_size;
  int32_t access;
  const char* const* allowed; /* n_allowed dotted names of classes and functions that a pickle may use besides those that torch allows;
                                 their calls become MT_ITEM_OBJECT items, and no code runs */
  int64_t n_allowed;
} mt_checkpoint_options;
/*
 * Opens a file, and detects the format from its first bytes; `options` NULL: zeros. Reads and checks names, sizes and dtypes, but not
 * elements. RuntimeError if the file cannot be opened, has an unknown format, or is invalid; UnpicklingError if its pickle contains what
 * torch.load(weights_only=True) refuses. The name of a tensor in a pickled object is the path of keys and indices to it, joined
 * by dots.
 */
MT_API mt_status* mt_checkpoint_open(const char* path, const mt_checkpoint_options* options, mt_checkpoint** out);
MT_API void mt_checkpoint_retain(mt_checkpoint* checkpoint);
/* The file stays open as long as tensors are mapped from it. */
MT_API void mt_checkpoint_release(mt_checkpoint* checkpoint);

typedef struct mt_checkpoint_info {
  size_t struct_size;
  int32_t format;
  int64_t n_tensors;
  int64_t n_metadata; /* pairs of strings */
  int64_t n_elsewhere; /* storages in torch's files that were saved from a device other than the CPU */
} mt_checkpoint_info;
MT_API mt_status* mt_checkpoint_get_info(const mt_checkpoint* checkpoint, mt_checkpoint_info* out);

typedef struct mt_checkpoint_entry {
  size_t struct_size;
  const char* name; /* name and sizes are valid as long as the checkpoint */
  int32_t dtype;
  int64_t ndim;
  const int64_t* sizes;
  int64_t nbytes; /* of the elements */
} mt_checkpoint_entry;
/* Describes a tensor without reading its elements. IndexError past the end. */
MT_API mt_status* mt_checkpoint_get_entry(const mt_checkpoint* checkpoint, int64_t index, mt_checkpoint_entry* out);
/* Finds the first tensor with a name; *index is -1 if there is none. */
MT_API mt_status* mt_checkpoint_find(const mt_checkpoint* checkpoint, const char* name, int64_t* index);
/* Reads one tensor. Several threads may read from one checkpoint. */
MT_API mt_status* mt_checkpoint_read(mt_checkpoint* checkpoint, int64_t index, mt_tensor** out);
/*
 * Reads the elements of all tensors into memory at once, with several threads; the next read of each returns them. For programs that read
 * everything with MT_READ_COPY but one by one. Does nothing with MT_READ_MAP, and in formats whose elements are decoded.
 */
MT_API mt_status* mt_checkpoint_read_ahead(mt_checkpoint* checkpoint);
/* Reads all tensors, in the file's order. */
MT_API mt_status* mt_checkpoint_read_all(mt_checkpoint* checkpoint, mt_tensor_dict** out);
/* A pair of strings, valid as long as the checkpoint. IndexError past the end. */
MT_API mt_status* mt_checkpoint_metadata(const mt_checkpoint* checkpoint, int64_t index, const char** key, const char** value);

/* ---- contents of a pickle ---------------------------------------------------------------------------------------- */

enum { /* kinds of items */
       MT_ITEM_NONE = 0,
       MT_ITEM_BOOL = 1, /* integer */
       MT_ITEM_INT = 2, /* integer */
       MT_ITEM_BIG_INT = 3, /* text: little-endian two's complement of any length */
       MT_ITEM_FLOAT = 4, /* real[0] */
       MT_ITEM_COMPLEX = 5, /* real */
       MT_ITEM_STRING = 6, /* text: UTF-8; unpaired surrogates are three bytes each */
       MT_ITEM_BYTES = 7, /* text */
       MT_ITEM_BYTEARRAY = 8, /* text */
       MT_ITEM_TUPLE = 9, /* items; likewise the following containers */
       MT_ITEM_LIST = 10,
       MT_ITEM_DICT = 11, /* keys and values alternate; of equal keys the last counts */
       MT_ITEM_ORDERED_DICT = 12, /* likewise; attributes */
       MT_ITEM_COUNTER = 13,
       MT_ITEM_SET = 14,
       MT_ITEM_SIZE = 15, /* torch.Size: items are ints */
       MT_ITEM_DTYPE = 16, /* integer */
       MT_ITEM_LAYOUT = 17, /* integer */
       MT_ITEM_DEVICE = 18, /* text: "cuda:0" */
       MT_ITEM_STORAGE = 19, /* integer: its index in the file; dtype */
       MT_ITEM_TENSOR = 20, /* requires_grad; attributes */
       MT_ITEM_PARAMETER = 21, /* likewise */
       MT_ITEM_GLOBAL = 22, /* text: a class or a function by its dotted name */
       MT_ITEM_OBJECT = 23 /* items: the global that is called, and its arguments (a tuple) or the tensor that it wraps; attributes */
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
  const mt_item* const* items; /* an item may occur several times, and a container may contain itself */
  int64_t n_items;
  const mt_item* attributes; /* the state that pickle gave the object, NULL: none */
} mt_item_info;
/* The top-level object of the file's pickle; *out is NULL if the file has none. */
MT_API mt_status* mt_checkpoint_root_borrow(const mt_checkpoint* checkpoint, const mt_item** out);
MT_API mt_status* mt_item_get_info(const mt_item* item, mt_item_info* out);
/* Reads the tensor of an item of the checkpoint (MT_ITEM_TENSOR or MT_ITEM_PARAMETER). */
MT_API mt_status* mt_checkpoint_read_item(mt_checkpoint* checkpoint, const mt_item* item, mt_tensor** out);
/* Reads the storage of an item of the checkpoint (MT_ITEM_STORAGE). */
MT_API mt_status* mt_checkpoint_read_storage(mt_checkpoint* checkpoint, const mt_item* item, mt_storage** out);

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Gets the number of bytes written so far. If it returns a status, the save ends and fails with it. */
typedef mt_status* (*mt_progress_fn)(void* user, int64_t done, int64_t total);
typedef struct mt_save_options {
  size_t struct_size;
  int32_t format; /* MT_FORMAT_SAFETENSORS, _TORCH (a dict), _NPY (of a single tensor), _NPZ or _COMPRESSED; 0: safetensors */
  int32_t without_sync; /* 1: skip the sync; a power failure soon afterwards may lose the new file */
  mt_progress_fn progress;
  void* user;
  const char* const* metadata; /* 2 * n_metadata strings, keys and values alternate; safetensors and compressed only */
  int64_t n_metadata;
  int32_t level; /* of MT_FORMAT_COMPRESSED: 1 (fast) to 22 (small); 0: 3 */
} mt_save_options;
/*
 * Saves tensors under their names. Writes a temporary file, syncs it to disk, and renames it at the end, so that a failed save keeps the
 * old file intact. `options` NULL: zeros. ValueError if the format cannot represent a tensor.
 */
MT_API mt_status* mt_checkpoint_save(const char* path, const mt_tensor_dict* dict, const mt_save_options* options);
/*
 * Saves torch.save's archive, as above, for a program with a pickler of its own: `pickle` names each of the storages by its index.
 * ValueError for another format than MT_FORMAT_TORCH (or 0).
 */
MT_API mt_status* mt_checkpoint_save_pickle(const char* path, const void* pickle, int64_t pickle_size, mt_storage* const* storages,
                                            int64_t n_storages, const mt_save_options* options);

/* ---- datasets ------------------------------------------------------------------------------------------------------ */

typedef struct mt_dataset mt_dataset; /* samples of named columns in shards (MDS); reference counted */

/* Opens a folder with an index.json of version 2 and its shards, plain or compressed with zstd. NotImplementedError for other
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
/* A column's name and encoding ("int", "str", "ndarray:float32"), valid as long as the dataset. IndexError past the end. */
MT_API mt_status* mt_dataset_column(const mt_dataset* dataset, int64_t index, const char** name, const char** encoding);
/*
 * Writes one owned value per column; `capacity` must suffice. ints (with MT_FLAG_UNSIGNED for a large uint64), doubles, tensors for
 * ndarrays, and strings for everything else: bytes, text, JSON, encoded images, integers beyond 64 bits. Several threads may read.
 * IndexError past the end.
 */
MT_API mt_status* mt_dataset_read(mt_dataset* dataset, int64_t index, mt_value* values, int64_t capacity);
/* The index of a shard's first sample; for n_shards, the number of samples. */
MT_API mt_status* mt_dataset_shard_start(const mt_dataset* dataset, int64_t shard, int64_t* out);
/* Writes a permutation of all samples for a seed to `out` (room for n_samples), the same on every machine: shuffles the shards, then the
 * samples within each run of `block`. */
MT_API mt_status* mt_dataset_shuffle(const mt_dataset* dataset, uint64_t seed, int64_t block, int64_t* out);

typedef struct mt_dataset_writer mt_dataset_writer; /* writes a dataset (MDS); reference counted; one thread at a time may use it */

typedef struct mt_dataset_writer_options {
  size_t struct_size;
  const char* compression; /* "zstd" or "zstd:LEVEL" with a level of 1 to 22; NULL: none */
  int64_t size_limit; /* bytes of a shard before compression; 0: 64 MiB, -1: as many as a shard can have (4 GiB) */
  int32_t without_sync; /* 1: skip the syncs; a power failure soon afterwards may lose files */
} mt_dataset_writer_options;
/*
 * Begins a dataset in a folder, which is made if it is absent, and must be empty. `columns` has 2 * n_columns strings, names and encodings
 * alternate. `options` NULL: zeros. ValueError for unknown encodings, RuntimeError if the folder cannot be used.
 */
MT_API mt_status* mt_dataset_writer_create(const char* path, const char* const* columns, int64_t n_columns,
                                           const mt_dataset_writer_options* options, mt_dataset_writer** out);
MT_API void mt_dataset_writer_retain(mt_dataset_writer* writer);
/* Without a finish before, the folder is no dataset: it has no index. */
MT_API void mt_dataset_writer_release(mt_dataset_writer* writer);
/*
 * Adds a sample: a value per column, in the order in which the columns were given, of the kinds that mt_dataset_read returns. TypeError or
 * ValueError if an encoding cannot represent a value; the dataset then stays without the sample.
 */
MT_API mt_status* mt_dataset_writer_write(mt_dataset_writer* writer, const mt_value* values, int64_t n_values);
/* Writes the last shard and the index. Nothing can be added afterwards. */
MT_API mt_status* mt_dataset_writer_finish(mt_dataset_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
