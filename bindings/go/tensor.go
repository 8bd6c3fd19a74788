package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Tensor is a handle of a tensor of the library. Close or the garbage collector releases it; views and graphs hold what they need
// themselves.
type Tensor struct {
	handle unsafe.Pointer
	// Go keeps the finalizers of a page of objects in a list, and setting one walks that list: few large objects make it short.
	_ [120]byte
}

// newTensor takes over a handle; nil stays nil.
func newTensor(handle unsafe.Pointer) *Tensor {
	if handle == nil {
		return nil
	}
	t := &Tensor{handle: handle}
	runtime.SetFinalizer(t, (*Tensor).release)
	return t
}

func (t *Tensor) release() {
	if handle := atomic.SwapPointer(&t.handle, nil); handle != nil {
		C.mt_tensor_release((*C.mt_tensor)(handle))
	}
}

// Close releases the tensor. Later uses are errors; closing twice is none. No call may use the tensor at the same time.
func (t *Tensor) Close() {
	if t != nil {
		t.release()
		runtime.SetFinalizer(t, nil)
	}
}

// c is the handle for a call; the caller keeps t alive during the call.
func (t *Tensor) c() (*C.mt_tensor, error) {
	if t == nil {
		return nil, newError(TypeError, "the tensor is nil")
	}
	handle := atomic.LoadPointer(&t.handle)
	if handle == nil {
		return nil, newError(ValueError, "the tensor is closed")
	}
	return (*C.mt_tensor)(handle), nil
}

// info describes a tensor. It panics if the tensor is closed or nil, as every accessor without an error does.
func (t *Tensor) info() C.mt_tensor_info {
	handle, err := t.c()
	Check(err)
	var info C.mt_tensor_info
	Check(check(C.mtgo_describe(handle, &info)))
	return info
}

func ints(data *C.int64_t, n C.int64_t) []int {
	out := make([]int, int(n))
	copy(out, unsafe.Slice((*int)(unsafe.Pointer(data)), int(n)))
	return out
}

// Shape is the tensor's sizes. The accessors of this group panic if the tensor is closed.
func (t *Tensor) Shape() []int {
	info := t.info()
	shape := ints(info.sizes, info.ndim)
	runtime.KeepAlive(t)
	return shape
}

// Strides are the distances of neighbours in each dimension, in elements.
func (t *Tensor) Strides() []int {
	info := t.info()
	strides := ints(info.strides, info.ndim)
	runtime.KeepAlive(t)
	return strides
}

// NDim is the number of dimensions.
func (t *Tensor) NDim() int {
	info := t.info()
	runtime.KeepAlive(t)
	return int(info.ndim)
}

// Len is the number of elements.
func (t *Tensor) Len() int {
	info := t.info()
	runtime.KeepAlive(t)
	return int(info.numel)
}

// DType is the type of the elements.
func (t *Tensor) DType() DType {
	info := t.info()
	runtime.KeepAlive(t)
	return DType(info.dtype)
}

// Device is where the elements are.
func (t *Tensor) Device() Device {
	info := t.info()
	runtime.KeepAlive(t)
	return Device{int32(info.device._type), int32(info.device.index)}
}

// Layout is how the elements are stored.
func (t *Tensor) Layout() Layout {
	info := t.info()
	runtime.KeepAlive(t)
	return Layout(info.layout)
}

func (t *Tensor) flag(flag C.uint32_t) bool {
	info := t.info()
	runtime.KeepAlive(t)
	return info.flags&flag != 0
}

// IsContiguous reports whether the elements are in memory in the order of their indices.
func (t *Tensor) IsContiguous() bool { return t.flag(C.MT_TENSOR_IS_CONTIGUOUS) }

// RequiresGrad reports whether operators on the tensor are recorded for Backward.
func (t *Tensor) RequiresGrad() bool { return t.flag(C.MT_TENSOR_REQUIRES_GRAD) }

// IsLeaf reports whether the tensor is not the result of a recorded operator.
func (t *Tensor) IsLeaf() bool { return t.flag(C.MT_TENSOR_IS_LEAF) }

// Storage is the memory of the tensor.
func (t *Tensor) Storage() (*Storage, error) {
	handle, err := t.c()
	if err != nil {
		return nil, err
	}
	var out *C.mt_storage
	err = check(C.mt_tensor_storage(handle, &out))
	runtime.KeepAlive(t)
	if err != nil {
		return nil, err
	}
	return newStorage(out), nil
}

// To converts a tensor: t.To(WithDtype(Float64), WithDevice(device)). It returns a tensor that shares the memory if nothing changes.
func (t *Tensor) To(options ...Option) (*Tensor, error) { return t.ToDtypeLayout(options...) }

// Item is the number in a tensor with one element: a bool, int, float64 or complex128.
func (t *Tensor) Item() (Scalar, error) {
	handle, err := t.c()
	if err != nil {
		return nil, err
	}
	var out C.mt_value
	err = check(C.mt_tensor_item(handle, &out))
	runtime.KeepAlive(t)
	if err != nil {
		return nil, err
	}
	return (*value)(unsafe.Pointer(&out)).any(), nil
}

// Float is Item as a float64; complex numbers are an error.
func (t *Tensor) Float() (float64, error) {
	item, err := t.Item()
	if err != nil {
		return 0, err
	}
	switch number := item.(type) {
	case float64:
		return number, nil
	case int:
		return float64(number), nil
	case uint64:
		return float64(number), nil
	case bool:
		if number {
			return 1, nil
		}
		return 0, nil
	}
	return 0, newError(TypeError, "%v is no real number", item)
}
