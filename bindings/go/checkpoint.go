package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"math/big"
	"runtime"
	"sort"
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

// Checkpoint is an opened file. No code from a file runs.
type Checkpoint struct{ handle *C.mt_checkpoint }

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
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	settings := (*C.mt_checkpoint_options)(C.calloc(1, C.sizeof_mt_checkpoint_options))
	defer C.free(unsafe.Pointer(settings))
	settings.struct_size = C.sizeof_mt_checkpoint_options
	for _, option := range options {
		if option.Copy {
			settings.access = C.MT_READ_COPY
		}
		allowed, free := cStrings(option.Allowed)
		defer free()
		settings.allowed, settings.n_allowed = allowed, C.int64_t(len(option.Allowed))
	}
	var out *C.mt_checkpoint
	if err := check(C.mt_checkpoint_open(cPath, settings, &out)); err != nil {
		return nil, err
	}
	checkpoint := &Checkpoint{out}
	runtime.SetFinalizer(checkpoint, (*Checkpoint).Close)
	return checkpoint, nil
}

// cStrings is an array of strings in C's memory.
func cStrings(texts []string) (**C.char, func()) {
	if len(texts) == 0 {
		return nil, func() {}
	}
	array := (**C.char)(C.malloc(C.size_t(len(texts)) * C.size_t(unsafe.Sizeof(uintptr(0)))))
	list := unsafe.Slice(array, len(texts))
	for i, text := range texts {
		list[i] = C.CString(text)
	}
	return array, func() {
		for _, text := range list {
			C.free(unsafe.Pointer(text))
		}
		C.free(unsafe.Pointer(array))
	}
}

// Close closes the file; mapped tensors stay valid.
func (c *Checkpoint) Close() {
	C.mt_checkpoint_release(c.handle)
	c.handle = nil
	runtime.SetFinalizer(c, nil)
}

func (c *Checkpoint) info() C.mt_checkpoint_info {
	info := C.mt_checkpoint_info{struct_size: C.sizeof_mt_checkpoint_info}
	Check(check(C.mt_checkpoint_get_info(c.handle, &info)))
	runtime.KeepAlive(c)
	return info
}

// Format is the format that the file has.
func (c *Checkpoint) Format() Format { return Format(c.info().format) }

// Len is the number of tensors.
func (c *Checkpoint) Len() int { return int(c.info().n_tensors) }

// Entry describes the tensor at an index, in the order of the file.
func (c *Checkpoint) Entry(index int) (Entry, error) {
	entry := C.mt_checkpoint_entry{struct_size: C.sizeof_mt_checkpoint_entry}
	if err := check(C.mt_checkpoint_get_entry(c.handle, C.int64_t(index), &entry)); err != nil {
		return Entry{}, err
	}
	out := Entry{C.GoString(entry.name), DType(entry.dtype), ints(entry.sizes, entry.ndim), int(entry.nbytes)}
	runtime.KeepAlive(c)
	return out, nil
}

// Names lists the tensors in the order of the file.
func (c *Checkpoint) Names() ([]string, error) {
	names := make([]string, c.Len())
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
	err := check(C.mt_checkpoint_read(c.handle, C.int64_t(index), &out))
	runtime.KeepAlive(c)
	return newTensor(unsafe.Pointer(out)), err
}

// Get reads the tensor with a name; a name that the file lacks is a KeyError.
func (c *Checkpoint) Get(name string) (*Tensor, error) {
	cName := C.CString(name)
	defer C.free(unsafe.Pointer(cName))
	var index C.int64_t
	if err := check(C.mt_checkpoint_find(c.handle, cName, &index)); err != nil {
		return nil, err
	}
	if index < 0 {
		return nil, newError("KeyError", "the checkpoint has no tensor named '%s'", name)
	}
	return c.At(int(index))
}

// All reads all tensors.
func (c *Checkpoint) All() (map[string]*Tensor, error) {
	out := map[string]*Tensor{}
	for i, n := 0, c.Len(); i < n; i++ {
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
	out := map[string]string{}
	for i, n := C.int64_t(0), c.info().n_metadata; i < n; i++ {
		var key, text *C.char
		if err := check(C.mt_checkpoint_metadata(c.handle, i, &key, &text)); err != nil {
			return nil, err
		}
		out[C.GoString(key)] = C.GoString(text)
	}
	runtime.KeepAlive(c)
	return out, nil
}

// Pair is a key and its value in a pickled dict, which Go's maps cannot hold in order.
type Pair struct{ Key, Value any }

// Object is the object in a torch file: nil, bool, int, *big.Int, float64, complex128, string, []byte, []any (tuples, lists, sets, sizes),
// []Pair (dicts), DType, Layout, Device, *Storage, *Tensor. Instances of classes are errors, and so are containers in themselves.
func (c *Checkpoint) Object() (any, error) {
	var root *C.mt_item
	if err := check(C.mt_checkpoint_root_borrow(c.handle, &root)); err != nil || root == nil {
		return nil, err
	}
	out, err := c.item(root, map[*C.mt_item]bool{})
	runtime.KeepAlive(c)
	return out, err
}

func (c *Checkpoint) item(item *C.mt_item, open map[*C.mt_item]bool) (any, error) {
	if open[item] {
		return nil, newError(ValueError, "a container in the file contains itself")
	}
	open[item] = true
	defer delete(open, item)
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
		return bigInt(C.GoBytes(unsafe.Pointer(info.text), C.int(info.text_size))), nil
	case C.MT_ITEM_FLOAT:
		return float64(info.real[0]), nil
	case C.MT_ITEM_COMPLEX:
		return complex(float64(info.real[0]), float64(info.real[1])), nil
	case C.MT_ITEM_STRING, C.MT_ITEM_GLOBAL:
		return C.GoStringN(info.text, C.int(info.text_size)), nil
	case C.MT_ITEM_BYTES, C.MT_ITEM_BYTEARRAY:
		return C.GoBytes(unsafe.Pointer(info.text), C.int(info.text_size)), nil
	case C.MT_ITEM_DTYPE:
		return DType(info.integer), nil
	case C.MT_ITEM_LAYOUT:
		return Layout(info.integer), nil
	case C.MT_ITEM_DEVICE:
		return ParseDevice(C.GoStringN(info.text, C.int(info.text_size)))
	case C.MT_ITEM_TENSOR, C.MT_ITEM_PARAMETER:
		var out *C.mt_tensor
		err := check(C.mt_checkpoint_read_item(c.handle, item, &out))
		return newTensor(unsafe.Pointer(out)), err
	case C.MT_ITEM_STORAGE:
		var out *C.mt_storage
		if err := check(C.mt_checkpoint_read_storage(c.handle, item, &out)); err != nil {
			return nil, err
		}
		return newStorage(out), nil
	case C.MT_ITEM_OBJECT:
		return nil, newError(TypeError, "the file contains an instance of a class")
	}
	items := make([]any, int(info.n_items))
	for i, child := range unsafe.Slice(info.items, int(info.n_items)) {
		value, err := c.item(child, open)
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
		cName := C.CString(name)
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
		metadata, free := cStrings(pairs)
		defer free()
		settings.metadata, settings.n_metadata = metadata, C.int64_t(len(pairs)/2)
		if option.Progress != nil {
			progress = callbacks.add(option.Progress)
			defer callbacks.remove(progress)
		}
	}
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	err := check(C.mtgo_save(cPath, dict, settings, C.uintptr_t(progress)))
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
