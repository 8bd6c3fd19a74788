package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"math/big"
	"runtime"
	"sort"
	"sync"
	"unsafe"
)

// Format is the format of a file with tensors.
type Format int32

// The formats. Safetensors and torch's can be written.
const (
	Safetensors Format = C.MT_FORMAT_SAFETENSORS
	Torch       Format = C.MT_FORMAT_TORCH
	TorchLegacy Format = C.MT_FORMAT_TORCH_LEGACY
	NPY         Format = C.MT_FORMAT_NPY
	NPZ         Format = C.MT_FORMAT_NPZ
	GGUF        Format = C.MT_FORMAT_GGUF
)

// Checkpoint is an opened file. No code from a file runs. Several goroutines may use it.
type Checkpoint struct {
	mutex  sync.RWMutex // of the handle: calls read it, Close writes
	handle *C.mt_checkpoint
}

// OpenOptions are optional settings of OpenCheckpoint.
type OpenOptions struct {
	Copy    bool     // tensors are copied to memory instead of mapped from the file
	Allowed []string // dotted names of classes and functions that a pickle may use besides those that torch allows
}

// Entry describes a tensor in a file.
type Entry struct {
	Name  string
	DType DType
	Shape []int
	Bytes int
}

// OpenCheckpoint opens a file of any format and reads names, shapes and dtypes, no elements. Tensors in a nested object have the
// path of keys and indices as their name, joined by dots.
func OpenCheckpoint(path string, options ...OpenOptions) (*Checkpoint, error) {
	cPath, err := cString(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(cPath))
	settings := (*C.mt_checkpoint_options)(C.calloc(1, C.sizeof_mt_checkpoint_options))
	defer C.free(unsafe.Pointer(settings))
	settings.struct_size = C.sizeof_mt_checkpoint_options
	for _, option := range options {
		if option.Copy {
			settings.access = C.MT_READ_COPY
		}
		allowed, free, err := cStrings(option.Allowed)
		if err != nil {
			return nil, err
		}
		defer free()
		settings.allowed, settings.n_allowed = allowed, C.int64_t(len(option.Allowed))
	}
	var out *C.mt_checkpoint
	if err := check(C.mt_checkpoint_open(cPath, settings, &out)); err != nil {
		return nil, err
	}
	checkpoint := &Checkpoint{handle: out}
	runtime.SetFinalizer(checkpoint, (*Checkpoint).Close)
	return checkpoint, nil
}

// cStrings is an array of strings in C's memory.
func cStrings(texts []string) (array **C.char, free func(), err error) {
	if len(texts) == 0 {
		return nil, func() {}, nil
	}
	for _, text := range texts {
		if err := needNoNUL(text); err != nil {
			return nil, nil, err
		}
	}
	array = (**C.char)(C.malloc(C.size_t(len(texts)) * C.size_t(unsafe.Sizeof(uintptr(0)))))
	list := unsafe.Slice(array, len(texts))
	for i, text := range texts {
		list[i] = C.CString(text)
	}
	return array, func() {
		for _, text := range list {
			C.free(unsafe.Pointer(text))
		}
		C.free(unsafe.Pointer(array))
	}, nil
}

// Close closes the file when the calls that use it have ended; mapped tensors stay valid. Later uses are errors; closing twice is none.
func (c *Checkpoint) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	C.mt_checkpoint_release(c.handle)
	c.handle = nil
	runtime.SetFinalizer(c, nil)
}

// reading passes the handle, which stays open during the call. The function must not use the checkpoint in another way.
func (c *Checkpoint) reading(use func(handle *C.mt_checkpoint) error) error {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if c.handle == nil {
		return newError(ValueError, "the checkpoint is closed")
	}
	return use(c.handle)
}

func (c *Checkpoint) info() (C.mt_checkpoint_info, error) {
	info := C.mt_checkpoint_info{struct_size: C.sizeof_mt_checkpoint_info}
	err := c.reading(func(handle *C.mt_checkpoint) error { return check(C.mt_checkpoint_get_info(handle, &info)) })
	return info, err
}

// Format is the format that the file has. It panics if the checkpoint is closed.
func (c *Checkpoint) Format() Format { return Format(Must(c.info()).format) }

// Len is the number of tensors. It panics if the checkpoint is closed.
func (c *Checkpoint) Len() int { return int(Must(c.info()).n_tensors) }

// Entry describes the tensor at an index, in the order of the file.
func (c *Checkpoint) Entry(index int) (Entry, error) {
	var out Entry
	err := c.reading(func(handle *C.mt_checkpoint) error {
		entry := C.mt_checkpoint_entry{struct_size: C.sizeof_mt_checkpoint_entry}
		if err := check(C.mt_checkpoint_get_entry(handle, C.int64_t(index), &entry)); err != nil {
			return err
		}
		out = Entry{C.GoString(entry.name), DType(entry.dtype), ints(entry.sizes, entry.ndim), int(entry.nbytes)}
		return nil
	})
	return out, err
}

// Names lists the tensors in the order of the file.
func (c *Checkpoint) Names() ([]string, error) {
	info, err := c.info()
	if err != nil {
		return nil, err
	}
	names := make([]string, int(info.n_tensors))
	for i := range names {
		entry, err := c.Entry(i)
		if err != nil {
			return nil, err
		}
		names[i] = entry.Name
	}
	return names, nil
}

// At reads the tensor at an index.
func (c *Checkpoint) At(index int) (*Tensor, error) {
	var out *C.mt_tensor
	err := c.reading(func(handle *C.mt_checkpoint) error {
		return check(C.mt_checkpoint_read(handle, C.int64_t(index), &out))
	})
	return newTensor(unsafe.Pointer(out)), err
}

// Get reads the tensor with a name; a name that the file lacks is a KeyError.
func (c *Checkpoint) Get(name string) (*Tensor, error) {
	cName, err := cString(name)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(cName))
	var index C.int64_t
	err = c.reading(func(handle *C.mt_checkpoint) error { return check(C.mt_checkpoint_find(handle, cName, &index)) })
	if err != nil {
		return nil, err
	}
	if index < 0 {
		return nil, newError("KeyError", "the checkpoint has no tensor named '%s'", name)
	}
	return c.At(int(index))
}

// All reads all tensors.
func (c *Checkpoint) All() (map[string]*Tensor, error) {
	info, err := c.info()
	if err != nil {
		return nil, err
	}
	out := map[string]*Tensor{}
	for i := 0; i < int(info.n_tensors); i++ {
		entry, err := c.Entry(i)
		if err != nil {
			return nil, err
		}
		if out[entry.Name], err = c.At(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Metadata are the pairs of strings in the file.
func (c *Checkpoint) Metadata() (map[string]string, error) {
	info, err := c.info()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = c.reading(func(handle *C.mt_checkpoint) error {
		for i := C.int64_t(0); i < info.n_metadata; i++ {
			var key, text *C.char
			if err := check(C.mt_checkpoint_metadata(handle, i, &key, &text)); err != nil {
				return err
			}
			out[C.GoString(key)] = C.GoString(text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Pair is a key and its value in a pickled dict, which Go's maps cannot hold in order.
type Pair struct{ Key, Value any }

// Object is the object in a torch file: nil, bool, int, *big.Int, float64, complex128, string, []byte, []any (tuples, lists, sets, sizes),
// []Pair (dicts), DType, Layout, Device, *Storage, *Tensor. Containers that the file shares are the same slices. Instances of classes are
// errors, and so are containers in themselves and more than 500 in one another.
func (c *Checkpoint) Object() (out any, err error) {
	err = c.reading(func(handle *C.mt_checkpoint) error {
		var root *C.mt_item
		if err := check(C.mt_checkpoint_root_borrow(handle, &root)); err != nil || root == nil {
			return err
		}
		r := reader{handle, map[*C.mt_item]any{}, map[*C.mt_item]bool{}}
		out, err = r.item(root)
		return err
	})
	return out, err
}

const deepest = 500 // as in the Rust crate, whose stacks are small

// reader makes Go's values of a file's items.
type reader struct {
	checkpoint *C.mt_checkpoint
	made       map[*C.mt_item]any // containers
	open       map[*C.mt_item]bool
}

func (r *reader) item(item *C.mt_item) (any, error) {
	if made, ok := r.made[item]; ok {
		return made, nil
	}
	info := C.mt_item_info{struct_size: C.sizeof_mt_item_info}
	if err := check(C.mt_item_get_info(item, &info)); err != nil {
		return nil, err
	}
	switch info.kind {
	case C.MT_ITEM_NONE:
		return nil, nil
	case C.MT_ITEM_BOOL:
		return info.integer != 0, nil
	case C.MT_ITEM_INT:
		return int(info.integer), nil
	case C.MT_ITEM_BIG_INT:
		return bigInt(goBytes(info.text, info.text_size)), nil
	case C.MT_ITEM_FLOAT:
		return float64(info.real[0]), nil
	case C.MT_ITEM_COMPLEX:
		return complex(float64(info.real[0]), float64(info.real[1])), nil
	case C.MT_ITEM_STRING, C.MT_ITEM_GLOBAL:
		return goString(info.text, info.text_size), nil
	case C.MT_ITEM_BYTES, C.MT_ITEM_BYTEARRAY:
		return goBytes(info.text, info.text_size), nil
	case C.MT_ITEM_DTYPE:
		return DType(info.integer), nil
	case C.MT_ITEM_LAYOUT:
		return Layout(info.integer), nil
	case C.MT_ITEM_DEVICE:
		return ParseDevice(goString(info.text, info.text_size))
	case C.MT_ITEM_TENSOR, C.MT_ITEM_PARAMETER:
		var out *C.mt_tensor
		if err := check(C.mt_checkpoint_read_item(r.checkpoint, item, &out)); err != nil {
			return nil, err
		}
		return newTensor(unsafe.Pointer(out)), nil
	case C.MT_ITEM_STORAGE:
		var out *C.mt_storage
		if err := check(C.mt_checkpoint_read_storage(r.checkpoint, item, &out)); err != nil {
			return nil, err
		}
		return newStorage(out), nil
	case C.MT_ITEM_OBJECT:
		return nil, newError(TypeError, "the file contains an instance of a class")
	}
	made, err := r.container(item, &info)
	if err == nil {
		r.made[item] = made
	}
	return made, err
}

func (r *reader) container(item *C.mt_item, info *C.mt_item_info) (any, error) {
	if r.open[item] {
		return nil, newError(ValueError, "a container in the file contains itself")
	}
	if len(r.open) == deepest {
		return nil, newError(ValueError, "the file has more than %d containers in one another", deepest)
	}
	r.open[item] = true
	defer delete(r.open, item)
	items := make([]any, int(info.n_items))
	for i, child := range unsafe.Slice(info.items, int(info.n_items)) {
		value, err := r.item(child)
		if err != nil {
			return nil, err
		}
		items[i] = value
	}
	switch info.kind {
	case C.MT_ITEM_DICT, C.MT_ITEM_ORDERED_DICT, C.MT_ITEM_COUNTER:
		pairs := make([]Pair, len(items)/2)
		for i := range pairs {
			pairs[i] = Pair{items[2*i], items[2*i+1]}
		}
		return pairs, nil
	}
	return items, nil
}

// bigInt reads little-endian two's complement.
func bigInt(bytes []byte) *big.Int {
	reversed := make([]byte, len(bytes))
	for i, b := range bytes {
		reversed[len(bytes)-1-i] = b
	}
	out := new(big.Int).SetBytes(reversed)
	if len(bytes) > 0 && bytes[len(bytes)-1]&0x80 != 0 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return out
}

// Load reads all tensors of a file into memory.
func Load(path string) (map[string]*Tensor, error) {
	checkpoint, err := OpenCheckpoint(path, OpenOptions{Copy: true})
	if err != nil {
		return nil, err
	}
	defer checkpoint.Close()
	return checkpoint.All()
}

// SaveOptions are optional settings of Save.
type SaveOptions struct {
	Format      Format                        // Safetensors (also for 0) or Torch
	WithoutSync bool                          // a power failure soon afterwards may lose the new file
	Metadata    map[string]string             // Safetensors only
	Progress    func(done, total int64) error // an error ends the save, which keeps the old file
}

// Save writes tensors under their names, sorted. A failed save keeps the old file.
func Save(path string, tensors map[string]*Tensor, options ...SaveOptions) error {
	var dict *C.mt_tensor_dict
	if err := check(C.mt_tensor_dict_create(&dict)); err != nil {
		return err
	}
	defer C.mt_tensor_dict_release(dict)
	for _, name := range sortedKeys(tensors) {
		handle, err := tensors[name].c()
		if err != nil {
			return err
		}
		cName, err := cString(name)
		if err != nil {
			return err
		}
		err = check(C.mt_tensor_dict_set(dict, cName, handle))
		C.free(unsafe.Pointer(cName))
		if err != nil {
			return err
		}
	}
	settings := (*C.mt_save_options)(C.calloc(1, C.sizeof_mt_save_options))
	defer C.free(unsafe.Pointer(settings))
	var progress uintptr
	for _, option := range options {
		settings.format, settings.without_sync = C.int32_t(option.Format), C.int32_t(bit(option.WithoutSync))
		var pairs []string
		for _, key := range sortedKeys(option.Metadata) {
			pairs = append(pairs, key, option.Metadata[key])
		}
		metadata, free, err := cStrings(pairs)
		if err != nil {
			return err
		}
		defer free()
		settings.metadata, settings.n_metadata = metadata, C.int64_t(len(pairs)/2)
		if option.Progress != nil {
			progress = callbacks.add(option.Progress)
			defer callbacks.remove(progress)
		}
	}
	cPath, err := cString(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cPath))
	err = check(C.mtgo_save(cPath, dict, settings, C.uintptr_t(progress)))
	runtime.KeepAlive(tensors)
	return err
}

func sortedKeys[V any](values map[string]V) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
