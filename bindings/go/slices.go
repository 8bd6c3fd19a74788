package mindtorch

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Element is a Go type that elements can have. An int is an Int64.
type Element interface {
	bool | int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

func dtypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	}
	return Int64
}

// FromSlice makes a tensor with a copy of the elements. Without a shape it has one dimension.
func FromSlice[T Element](elements []T, shape ...int) (*Tensor, error) {
	if len(shape) == 0 {
		shape = []int{len(elements)}
	}
	return FromRaw(elements, dtypeOf[T](), shape...)
}

// FromScalar makes a tensor without dimensions.
func FromScalar[T Element](element T) (*Tensor, error) { return FromRaw([]T{element}, dtypeOf[T]()) }

// FromRaw makes a tensor of a dtype that Go lacks from the bits of its elements, for example Float16 and BFloat16 from []uint16. The
// shape may be empty: one element without dimensions.
func FromRaw[T Element](elements []T, dtype DType, shape ...int) (*Tensor, error) {
	var zero T
	if int(unsafe.Sizeof(zero)) != dtype.Size() {
		return nil, newError(TypeError, "%s has elements of %d bytes, not of %d as %T", dtype, dtype.Size(), unsafe.Sizeof(zero), zero)
	}
	if err := checkShape(shape, len(elements)); err != nil {
		return nil, err
	}
	var data unsafe.Pointer
	if len(elements) > 0 {
		data = unsafe.Pointer(&elements[0])
	}
	var sizes *C.int64_t
	if len(shape) > 0 {
		sizes = (*C.int64_t)(unsafe.Pointer(&shape[0]))
	}
	var out *C.mt_tensor
	if err := check(C.mt_tensor_from_copy(data, sizes, C.int64_t(len(shape)), C.int32_t(dtype), &out)); err != nil {
		return nil, err
	}
	pressure.add(int64(len(elements)) * int64(unsafe.Sizeof(zero)))
	return newTensor(unsafe.Pointer(out)), nil
}

func checkShape(shape []int, count int) error {
	product := 1
	for _, size := range shape {
		if size < 0 {
			return newError(RuntimeError, "a size of the shape %v is negative", shape)
		}
		if size > 0 && product > count/size+1 {
			product = count + 1 // too many, and it must not overflow
		} else {
			product *= size
		}
	}
	for _, size := range shape {
		if size == 0 {
			product = 0
		}
	}
	if product != count {
		return newError(RuntimeError, "the shape %v does not fit %d elements", shape, count)
	}
	return nil
}

// Slice returns a copy of the elements in the order of their indices. T must be the type of the elements; a type of the same size reads
// the bits of Float16, BFloat16 (uint16), Complex32 (uint32) and float8 (uint8).
func Slice[T Element](t *Tensor) ([]T, error) {
	var out []T
	err := withElements(t, func(elements []T) {
		out = make([]T, len(elements))
		copyElements(out, elements)
	})
	return out, err
}

// CopyTo copies the elements to a slice of their number, without allocating.
func CopyTo[T Element](t *Tensor, to []T) error {
	fits := true
	err := withElements(t, func(elements []T) {
		if fits = len(elements) == len(to); fits {
			copyElements(to, elements)
		}
	})
	if err == nil && !fits {
		err = newError(ValueError, "the tensor has %d elements, and the slice %d", t.Len(), len(to))
	}
	return err
}

// copyElements copies as many elements. Any byte but 0 is true in a tensor, and Go's bools must be 0 or 1.
func copyElements[T Element](to, from []T) {
	bools, ok := any(to).([]bool)
	if !ok || len(from) == 0 {
		copy(to, from)
		return
	}
	for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(&from[0])), len(from)) {
		bools[i] = b != 0
	}
}

// CopyFrom writes the elements of a slice to the tensor, converted to its dtype, as the operator copy_ does.
func CopyFrom[T Element](t *Tensor, from []T) error {
	source, err := FromSlice(from)
	if err != nil {
		return err
	}
	defer source.Close()
	shaped, err := source.View(t.Shape())
	if err != nil {
		return err
	}
	defer shaped.Close()
	return NoGrad(func() error {
		_, err := t.CopyInPlace(shaped)
		return err
	})
}

// Float64s returns the elements converted to float64.
func (t *Tensor) Float64s() ([]float64, error) {
	converted, err := t.ToDtype(Float64)
	if err != nil {
		return nil, err
	}
	defer converted.Close()
	return Slice[float64](converted)
}

// withElements passes the elements, which are valid during the call.
func withElements[T Element](t *Tensor, use func(elements []T)) error {
	if _, err := t.c(); err != nil {
		return err
	}
	dtype, wanted := t.DType(), dtypeOf[T]()
	if dtype != wanted && !readsBits[T](dtype) {
		var zero T
		return newError(TypeError, "the elements are %s, not %T", dtype, zero)
	}
	plain, err := t.plain()
	if err != nil {
		return err
	}
	if plain != t {
		defer plain.Close()
	}
	handle, err := plain.c()
	if err != nil {
		return err
	}
	var data unsafe.Pointer
	if err := check(C.mt_tensor_data(handle, &data)); err != nil {
		return err
	}
	use(unsafe.Slice((*T)(data), plain.Len()))
	runtime.KeepAlive(plain)
	return nil
}

func readsBits[T Element](dtype DType) bool {
	var zero T
	switch any(zero).(type) {
	case uint16:
		return dtype == Float16 || dtype == BFloat16
	case uint32:
		return dtype == Complex32
	case uint8:
		return dtype >= Float8E5M2 && dtype <= Float8E4M3Z || dtype == Float8E8M0
	}
	return false
}

// plain is a tensor on the CPU whose memory holds its elements in order: t itself, or a copy.
func (t *Tensor) plain() (*Tensor, error) {
	if t.Device().Type == CPU.Type && t.flag(C.MT_TENSOR_IS_CONTIGUOUS) && !t.flag(C.MT_TENSOR_IS_CONJ|C.MT_TENSOR_IS_NEG) {
		return t, nil
	}
	scope := NewScope()
	defer scope.Close()
	var out *Tensor
	err := NoGrad(func() (err error) {
		defer Recover(&err)
		here := scope.Must(t.To(WithDevice(CPU)))
		resolved := scope.Must(scope.Must(here.ResolveConj()).ResolveNeg())
		out, err = resolved.Contiguous()
		return err
	})
	return out, err
}
