package mindtorch

// #cgo pkg-config: mindtorch
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// DType is the type of a tensor's elements.
type DType int32

// The dtypes.
const (
	Uint8       DType = C.MT_UINT8
	Int8        DType = C.MT_INT8
	Int16       DType = C.MT_INT16
	Int32       DType = C.MT_INT32
	Int64       DType = C.MT_INT64
	Float16     DType = C.MT_FLOAT16
	Float32     DType = C.MT_FLOAT32
	Float64     DType = C.MT_FLOAT64
	Complex32   DType = C.MT_COMPLEX32
	Complex64   DType = C.MT_COMPLEX64
	Complex128  DType = C.MT_COMPLEX128
	Bool        DType = C.MT_BOOL
	BFloat16    DType = C.MT_BFLOAT16
	Float8E5M2  DType = C.MT_FLOAT8_E5M2
	Float8E4M3  DType = C.MT_FLOAT8_E4M3FN
	Float8E5M2Z DType = C.MT_FLOAT8_E5M2FNUZ
	Float8E4M3Z DType = C.MT_FLOAT8_E4M3FNUZ
	Float8E8M0  DType = C.MT_FLOAT8_E8M0FNU
	Uint16      DType = C.MT_UINT16
	Uint32      DType = C.MT_UINT32
	Uint64      DType = C.MT_UINT64
)

// How a loss combines the losses of the elements: the argument "reduction".
const (
	ReductionNone int64 = C.MT_REDUCTION_NONE
	ReductionMean int64 = C.MT_REDUCTION_MEAN
	ReductionSum  int64 = C.MT_REDUCTION_SUM
)

// String is torch's name without "torch.": "float32".
func (d DType) String() string {
	if name := C.mt_dtype_name(C.int32_t(d)); name != nil {
		return C.GoString(name)
	}
	return fmt.Sprintf("DType(%d)", int32(d))
}

// Size is the number of bytes of one element, 0 for an unknown dtype.
func (d DType) Size() int { return int(C.mt_dtype_size(C.int32_t(d))) }

// IsComplex reports whether elements are complex numbers.
func (d DType) IsComplex() bool { return d >= Complex32 && d <= Complex128 }

// IsFloatingPoint reports whether elements are real floating-point numbers.
func (d DType) IsFloatingPoint() bool {
	return d >= Float16 && d <= Float64 || d == BFloat16 || d >= Float8E5M2 && d <= Float8E4M3Z || d == Float8E8M0
}

// Layout is how a tensor's elements are stored.
type Layout int32

// The layouts.
const (
	Strided   Layout = C.MT_STRIDED
	SparseCOO Layout = C.MT_SPARSE_COO
	SparseCSR Layout = C.MT_SPARSE_CSR
	SparseCSC Layout = C.MT_SPARSE_CSC
	SparseBSR Layout = C.MT_SPARSE_BSR
	SparseBSC Layout = C.MT_SPARSE_BSC
)

// MemoryFormat is the order of a tensor's dimensions in memory.
type MemoryFormat int32

// The memory formats.
const (
	ContiguousFormat MemoryFormat = C.MT_CONTIGUOUS_FORMAT
	PreserveFormat   MemoryFormat = C.MT_PRESERVE_FORMAT
	ChannelsLast     MemoryFormat = C.MT_CHANNELS_LAST
	ChannelsLast3D   MemoryFormat = C.MT_CHANNELS_LAST_3D
)

// Device is where a tensor's memory is. Index -1 is the current device of the type.
type Device struct{ Type, Index int32 }

// The devices that always exist.
var (
	CPU  = Device{C.MT_CPU, -1}
	Meta = Device{C.MT_META, -1}
)

// ParseDevice reads "cpu", "npu:1", "meta", with torch's errors.
func ParseDevice(text string) (Device, error) {
	cText, err := cString(text)
	if err != nil {
		return Device{}, err
	}
	defer C.free(unsafe.Pointer(cText))
	var out C.mt_device
	if err := check(C.mt_device_parse(cText, &out)); err != nil {
		return Device{}, err
	}
	return Device{int32(out._type), int32(out.index)}, nil
}

func (d Device) String() string {
	name := C.GoString(C.mt_device_type_name(C.int32_t(d.Type)))
	if d.Index < 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, d.Index)
}

// Scalar is a number: a bool, any integer or floating-point type, complex64 or complex128.
type Scalar any

// Generator makes random numbers.
type Generator struct{ handle *C.mt_generator }

func newGenerator(handle *C.mt_generator) *Generator {
	generator := &Generator{handle}
	runtime.SetFinalizer(generator, func(g *Generator) { C.mt_generator_release(g.handle) })
	return generator
}

// NewGenerator makes a generator of a device, with the default seed.
func NewGenerator(device Device) (*Generator, error) {
	var out *C.mt_generator
	if err := check(C.mt_generator_create(device.c(), &out)); err != nil {
		return nil, err
	}
	return newGenerator(out), nil
}

// DefaultGenerator is the one that operators use unless WithGenerator names another.
func DefaultGenerator() (*Generator, error) {
	var out *C.mt_generator
	if err := check(C.mt_generator_default(&out)); err != nil {
		return nil, err
	}
	return newGenerator(out), nil
}

// Seed restarts the stream of random numbers.
func (g *Generator) Seed(seed uint64) error {
	err := check(C.mt_generator_seed(g.handle, C.uint64_t(seed)))
	runtime.KeepAlive(g)
	return err
}

// ManualSeed seeds the default generator, as torch.manual_seed does.
func ManualSeed(seed uint64) error {
	generator, err := DefaultGenerator()
	if err != nil {
		return err
	}
	return generator.Seed(seed)
}

// Storage is the memory that a tensor and its views share.
type Storage struct{ handle *C.mt_storage }

func newStorage(handle *C.mt_storage) *Storage {
	storage := &Storage{handle}
	runtime.SetFinalizer(storage, func(s *Storage) { C.mt_storage_release(s.handle) })
	return storage
}

// Size is the number of bytes.
func (s *Storage) Size() (int, error) {
	var out C.int64_t
	err := check(C.mt_storage_nbytes(s.handle, &out))
	runtime.KeepAlive(s)
	return int(out), err
}

func (d Device) c() C.mt_device { return C.mt_device{C.int32_t(d.Type), C.int32_t(d.Index)} }

// Version is the library's version.
func Version() string { return C.GoString(C.mt_version()) }

// ABIVersion is the generation of the library's C ABI.
func ABIVersion() int { return int(C.mt_abi_version()) }

// Threads is the number of threads that operators use.
func Threads() int { return int(C.mt_threads_get()) }

// SetThreads sets the number of threads that operators use.
func SetThreads(n int) error { return check(C.mt_threads_set(C.int32_t(n))) }

// DefaultDType is the dtype of new floating-point tensors.
func DefaultDType() DType { return DType(C.mt_default_dtype_get()) }

// SetDefaultDType sets the dtype of new floating-point tensors, for the whole process.
func SetDefaultDType(dtype DType) error { return check(C.mt_default_dtype_set(C.int32_t(dtype))) }
