package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// kind is the type of an operator's argument.
type kind uint8

const (
	kindTensor kind = iota
	kindScalar
	kindInt
	kindFloat
	kindBool
	kindString
	kindDType
	kindLayout
	kindMemoryFormat
	kindDevice
	kindGenerator
	kindStorage
	kindTensors
	kindOptionalTensors
	kindInts
	kindFloats
	kindBools
	kindScalars
	kindStrings
)

var kindsByName = map[string]kind{
	"Tensor": kindTensor, "Scalar": kindScalar, "int": kindInt, "SymInt": kindInt, "float": kindFloat, "bool": kindBool,
	"str": kindString, "Dimname": kindString, "ScalarType": kindDType, "Layout": kindLayout, "MemoryFormat": kindMemoryFormat,
	"Device": kindDevice, "Generator": kindGenerator, "Storage": kindStorage, "Tensor[]": kindTensors, "Tensor?[]": kindOptionalTensors,
	"int[]": kindInts, "SymInt[]": kindInts, "float[]": kindFloats, "bool[]": kindBools, "Scalar[]": kindScalars, "str[]": kindStrings,
}

// keyword is an argument that may be omitted.
type keyword struct {
	name     string
	position int
	kind     kind
	isNone   bool // omitted, it is none, for lack of a default
}

// operator is what a call needs to know. It is found in the library at its first call.
type operator struct {
	name, overload string
	count          int // of arguments
	keywords       []keyword
	handle         unsafe.Pointer
}

func (o *operator) find() (unsafe.Pointer, error) {
	if handle := atomic.LoadPointer(&o.handle); handle != nil {
		return handle, nil
	}
	name, err := cString(o.name)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	overload, err := cString(o.overload)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(overload))
	var out *C.mt_op
	if err := check(C.mt_op_find(name, overload, &out)); err != nil {
		return nil, err
	}
	atomic.StorePointer(&o.handle, unsafe.Pointer(out))
	return unsafe.Pointer(out), nil
}

// Option is an optional argument of an operator. The functions With... make them; Named makes one by its name.
type Option struct {
	name  string
	value any
}

// Named is an optional argument by torch's name for it.
func Named(name string, value any) Option { return Option{name, value} }

// value has the layout of an mt_value. A list's first word is its offset in the call's words.
type value struct {
	tag, flags int32
	a, b       uint64
}

const maxResults = 16

// call holds the arguments and results of one call. Calls are pooled.
type call struct {
	operator *operator
	values   []value
	words    []uint64
	tensors  []*Tensor // alive until the call has returned
	others   []any
	results  [maxResults]value
	outcome  C.mtgo_outcome
	err      error
}

var pool = sync.Pool{New: func() any { return &call{values: make([]value, 0, 16), words: make([]uint64, 0, 64)} }}

func begin(o *operator) *call {
	c := pool.Get().(*call)
	c.operator = o
	if cap(c.values) < o.count {
		c.values = make([]value, o.count)
	} else {
		c.values = c.values[:o.count]
		for i := range c.values {
			c.values[i] = value{} // the default
		}
	}
	return c
}

// end returns the call to the pool.
func (c *call) end() {
	for i := range c.tensors {
		c.tensors[i] = nil
	}
	for i := range c.others {
		c.others[i] = nil
	}
	c.tensors, c.others, c.words, c.err, c.operator = c.tensors[:0], c.others[:0], c.words[:0], nil, nil
	pool.Put(c)
}

func (c *call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// ---- arguments

func (c *call) tensor(i int, t *Tensor) {
	handle, err := t.c()
	if err != nil {
		c.fail(err)
		return
	}
	c.values[i] = value{tag: C.MT_TAG_TENSOR, a: uint64(uintptr(unsafe.Pointer(handle)))}
	c.tensors = append(c.tensors, t)
}

// optional is a tensor, or none for nil.
func (c *call) optional(i int, t *Tensor) {
	if t == nil {
		c.none(i)
	} else {
		c.tensor(i, t)
	}
}

func (c *call) none(i int)            { c.values[i] = value{tag: C.MT_TAG_NONE} }
func (c *call) int(i int, number int) { c.values[i] = value{tag: C.MT_TAG_INT, a: uint64(number)} }
func (c *call) float(i int, number float64) {
	c.values[i] = value{tag: C.MT_TAG_DOUBLE, a: math.Float64bits(number)}
}
func (c *call) dtype(i int, dtype DType) { c.values[i] = value{tag: C.MT_TAG_DTYPE, a: uint64(dtype)} }
func (c *call) layout(i int, layout Layout) {
	c.values[i] = value{tag: C.MT_TAG_LAYOUT, a: uint64(layout)}
}
func (c *call) format(i int, f MemoryFormat) {
	c.values[i] = value{tag: C.MT_TAG_MEMORY_FORMAT, a: uint64(f)}
}
func (c *call) bool(i int, on bool)         { c.values[i] = value{tag: C.MT_TAG_BOOL, a: bit(on)} }
func (c *call) string(i int, text string)   { c.values[i] = c.text(text) }
func (c *call) scalar(i int, number Scalar) { c.values[i] = c.number(number) }

func (c *call) device(i int, device Device) {
	c.values[i] = value{tag: C.MT_TAG_DEVICE, a: uint64(uint32(device.Type)) | uint64(uint32(device.Index))<<32}
}

func (c *call) storage(i int, storage *Storage) {
	if storage == nil {
		c.fail(newError(TypeError, "the storage is nil"))
		return
	}
	c.values[i] = value{tag: C.MT_TAG_STORAGE, a: uint64(uintptr(unsafe.Pointer(storage.handle)))}
	c.others = append(c.others, storage)
}

func (c *call) generator(i int, generator *Generator) {
	if generator == nil {
		c.none(i)
		return
	}
	c.values[i] = value{tag: C.MT_TAG_GENERATOR, a: uint64(uintptr(unsafe.Pointer(generator.handle)))}
	c.others = append(c.others, generator)
}

// list reserves n elements of a size, and returns the value and the memory to fill.
func (c *call) list(tag int32, n, size int) (value, unsafe.Pointer) {
	offset, words := len(c.words), (n*size+7)/8
	for len(c.words) < offset+words+1 { // one more, so that the address of an empty list is valid
		c.words = append(c.words, 0)
	}
	return value{tag: tag, a: uint64(offset * 8), b: uint64(n)}, unsafe.Pointer(&c.words[offset])
}

func (c *call) ints(i int, list []int) {
	out, memory := c.list(C.MT_TAG_INTS, len(list), 8)
	copy(unsafe.Slice((*int)(memory), len(list)), list)
	c.values[i] = out
}

func (c *call) floats(i int, list []float64) {
	out, memory := c.list(C.MT_TAG_DOUBLES, len(list), 8)
	copy(unsafe.Slice((*float64)(memory), len(list)), list)
	c.values[i] = out
}

func (c *call) bools(i int, list []bool) {
	out, memory := c.list(C.MT_TAG_BOOLS, len(list), 1)
	copy(unsafe.Slice((*bool)(memory), len(list)), list)
	c.values[i] = out
}

func (c *call) tensorList(i int, tag int32, list []*Tensor) {
	out, memory := c.list(tag, len(list), 8)
	handles := unsafe.Slice((*uint64)(memory), len(list))
	for k, t := range list {
		if t == nil && tag == C.MT_TAG_OPTIONAL_TENSORS {
			handles[k] = 0
			continue
		}
		handle, err := t.c()
		if err != nil {
			c.fail(err)
			return
		}
		handles[k] = uint64(uintptr(unsafe.Pointer(handle)))
		c.tensors = append(c.tensors, t)
	}
	c.values[i] = out
}

func (c *call) tensorsOf(i int, list []*Tensor) { c.tensorList(i, C.MT_TAG_TENSORS, list) }
func (c *call) optionalTensors(i int, list []*Tensor) {
	c.tensorList(i, C.MT_TAG_OPTIONAL_TENSORS, list)
}

func (c *call) scalars(i int, list []Scalar) {
	numbers := make([]value, len(list))
	for k, number := range list {
		numbers[k] = c.number(number)
	}
	out, memory := c.list(C.MT_TAG_SCALARS, len(list), 24)
	copy(unsafe.Slice((*value)(memory), len(list)), numbers)
	c.values[i] = out
}

func (c *call) strings(i int, list []string) {
	texts := make([]value, len(list))
	for k, text := range list {
		texts[k] = c.text(text)
	}
	out, memory := c.list(C.MT_TAG_STRINGS, len(list), 24)
	copy(unsafe.Slice((*value)(memory), len(list)), texts)
	c.values[i] = out
}

func (c *call) text(text string) value {
	out, memory := c.list(C.MT_TAG_STRING, len(text), 1)
	copy(unsafe.Slice((*byte)(memory), len(text)), text)
	return out
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// number boxes a scalar of any of Go's numeric types.
func (c *call) number(number Scalar) value {
	switch n := number.(type) {
	case bool:
		return value{tag: C.MT_TAG_BOOL, a: bit(n)}
	case int:
		return value{tag: C.MT_TAG_INT, a: uint64(n)}
	case float64:
		return value{tag: C.MT_TAG_DOUBLE, a: math.Float64bits(n)}
	case nil:
		return value{tag: C.MT_TAG_NONE}
	}
	reflected := reflect.ValueOf(number)
	switch {
	case reflected.CanInt():
		return value{tag: C.MT_TAG_INT, a: uint64(reflected.Int())}
	case reflected.CanUint():
		n := reflected.Uint()
		out := value{tag: C.MT_TAG_INT, a: n}
		if n > math.MaxInt64 {
			out.flags = C.MT_FLAG_UNSIGNED
		}
		return out
	case reflected.CanFloat():
		return value{tag: C.MT_TAG_DOUBLE, a: math.Float64bits(reflected.Float())}
	case reflected.CanComplex():
		n := reflected.Complex()
		return value{tag: C.MT_TAG_COMPLEX, a: math.Float64bits(real(n)), b: math.Float64bits(imag(n))}
	}
	c.fail(newError(TypeError, "%T is no number", number))
	return value{}
}

// apply sets the options of a typed call.
func (c *call) apply(options []Option) {
	for k := range c.operator.keywords {
		if word := &c.operator.keywords[k]; word.isNone {
			c.none(word.position)
		}
	}
	for _, option := range options {
		known := false
		for k := range c.operator.keywords {
			if word := &c.operator.keywords[k]; word.name == option.name {
				c.box(word.position, word.kind, option.value)
				known = true
				break
			}
		}
		if !known {
			c.fail(newError(TypeError, "%s() got an unexpected keyword argument '%s'", strings.TrimPrefix(c.operator.name, "aten::"), option.name))
		}
	}
}

// box sets an argument from a Go value of a type that suits its kind.
func (c *call) box(i int, k kind, argument any) {
	switch v := argument.(type) {
	case nil:
		c.none(i)
		return
	case *Tensor:
		if v == nil {
			c.none(i)
			return
		}
		switch k {
		case kindTensors, kindOptionalTensors:
			c.tensorList(i, tagOfTensors(k), []*Tensor{v})
		default:
			c.tensor(i, v)
		}
		return
	case []*Tensor:
		c.tensorList(i, tagOfTensors(k), v)
		return
	case []int:
		switch {
		case k == kindInt && len(v) == 1:
			c.int(i, v[0])
		case k == kindFloats:
			floats := make([]float64, len(v))
			for j, n := range v {
				floats[j] = float64(n)
			}
			c.floats(i, floats)
		default:
			c.ints(i, v)
		}
		return
	case []float64:
		c.floats(i, v)
		return
	case []bool:
		c.bools(i, v)
		return
	case []Scalar:
		c.scalars(i, v)
		return
	case []string:
		c.strings(i, v)
		return
	case string:
		switch k {
		case kindDType:
			c.dtypeByName(i, v)
		case kindDevice:
			device, err := ParseDevice(v)
			if err != nil {
				c.fail(err)
			}
			c.device(i, device)
		default:
			c.string(i, v)
		}
		return
	case DType:
		c.dtype(i, v)
		return
	case Layout:
		c.layout(i, v)
		return
	case MemoryFormat:
		c.format(i, v)
		return
	case Device:
		c.device(i, v)
		return
	case *Generator:
		c.generator(i, v)
		return
	case *Storage:
		c.storage(i, v)
		return
	}
	number := c.number(argument)
	switch {
	case k == kindFloat && number.tag == C.MT_TAG_INT:
		c.float(i, float64(int64(number.a)))
	case k == kindInts && number.tag == C.MT_TAG_INT:
		c.ints(i, []int{int(number.a)})
	case k == kindFloats && number.tag == C.MT_TAG_DOUBLE:
		c.floats(i, []float64{math.Float64frombits(number.a)})
	default:
		c.values[i] = number
	}
}

func tagOfTensors(k kind) int32 {
	if k == kindOptionalTensors {
		return C.MT_TAG_OPTIONAL_TENSORS
	}
	return C.MT_TAG_TENSORS
}

func (c *call) dtypeByName(i int, name string) {
	for dtype := DType(0); dtype < 64; dtype++ {
		if dtype.Size() > 0 && dtype.String() == name {
			c.dtype(i, dtype)
			return
		}
	}
	c.fail(newError(TypeError, "no dtype is named '%s'", name))
}

// ---- running

// run calls the operator and returns the number of results.
func (c *call) run() (int, error) { return c.runInto((*C.mt_value)(unsafe.Pointer(&c.results[0]))) }

func (c *call) runInto(results *C.mt_value) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	op, err := c.operator.find()
	if err != nil {
		return 0, err
	}
	var values *C.mt_value
	if len(c.values) > 0 {
		values = (*C.mt_value)(unsafe.Pointer(&c.values[0]))
	}
	var words *C.uint64_t
	if len(c.words) > 0 {
		words = (*C.uint64_t)(unsafe.Pointer(&c.words[0]))
	}
	status := C.mtgo_call((*C.mt_op)(op), values, C.int64_t(len(c.values)), words, results, maxResults, &c.outcome)
	runtime.KeepAlive(c.tensors)
	runtime.KeepAlive(c.others)
	if status != nil {
		return 0, check(status)
	}
	if results != nil {
		pressure.add(int64(c.outcome.bytes))
	}
	return int(c.outcome.n_results), nil
}

// nothing runs an operator whose results are not wanted.
func (c *call) nothing() error {
	defer c.end()
	_, err := c.runInto(nil)
	return err
}

// written runs an operator that writes into t, and returns t.
func (c *call) written(t *Tensor) (*Tensor, error) {
	if err := c.nothing(); err != nil {
		return nil, err
	}
	return t, nil
}

func (c *call) one() (*Tensor, error) {
	_, err := c.run()
	if err != nil {
		c.end()
		return nil, err
	}
	t := c.results[0].takeTensor()
	c.end()
	return t, nil
}

func (v *value) takeTensor() *Tensor {
	if v.tag != C.MT_TAG_TENSOR {
		return nil
	}
	return newTensor(*(*unsafe.Pointer)(unsafe.Pointer(&v.a)))
}

func (v *value) c() *C.mt_value { return (*C.mt_value)(unsafe.Pointer(v)) }

// take converts an owned result.
func (v *value) take() any {
	if v.tag == C.MT_TAG_TENSOR {
		return v.takeTensor()
	}
	out := v.any()
	C.mt_value_clear(v.c())
	return out
}

func (v *value) takeTensors() []*Tensor {
	out, _ := v.take().([]*Tensor)
	return out
}

func (v *value) memory() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v.a)) }

// any converts a borrowed value.
func (v *value) any() any {
	n := int(v.b)
	switch v.tag {
	case C.MT_TAG_BOOL:
		return v.a != 0
	case C.MT_TAG_INT:
		if v.flags&C.MT_FLAG_UNSIGNED != 0 {
			return v.a
		}
		return int(v.a)
	case C.MT_TAG_DOUBLE:
		return math.Float64frombits(v.a)
	case C.MT_TAG_COMPLEX:
		return complex(math.Float64frombits(v.a), math.Float64frombits(v.b))
	case C.MT_TAG_DTYPE:
		return DType(v.a)
	case C.MT_TAG_LAYOUT:
		return Layout(v.a)
	case C.MT_TAG_MEMORY_FORMAT:
		return MemoryFormat(v.a)
	case C.MT_TAG_DEVICE:
		return Device{int32(uint32(v.a)), int32(uint32(v.a >> 32))}
	case C.MT_TAG_STRING:
		return goString((*C.char)(v.memory()), C.int64_t(n))
	case C.MT_TAG_TENSOR:
		C.mt_tensor_retain((*C.mt_tensor)(v.memory()))
		return newTensor(v.memory())
	case C.MT_TAG_GENERATOR:
		C.mt_generator_retain((*C.mt_generator)(v.memory()))
		return newGenerator((*C.mt_generator)(v.memory()))
	case C.MT_TAG_STORAGE:
		C.mt_storage_retain((*C.mt_storage)(v.memory()))
		return newStorage((*C.mt_storage)(v.memory()))
	case C.MT_TAG_INTS:
		return append([]int{}, unsafe.Slice((*int)(v.memory()), n)...)
	case C.MT_TAG_DOUBLES:
		return append([]float64{}, unsafe.Slice((*float64)(v.memory()), n)...)
	case C.MT_TAG_BOOLS:
		return append([]bool{}, unsafe.Slice((*bool)(v.memory()), n)...)
	case C.MT_TAG_TENSORS, C.MT_TAG_OPTIONAL_TENSORS:
		tensors := make([]*Tensor, n)
		if n > 0 {
			handles := make([]uint64, n)
			C.mtgo_share_tensors(v.c(), (*C.uint64_t)(unsafe.Pointer(&handles[0])))
			for i := range handles {
				tensors[i] = newTensor(*(*unsafe.Pointer)(unsafe.Pointer(&handles[i])))
			}
		}
		return tensors
	case C.MT_TAG_SCALARS, C.MT_TAG_STRINGS:
		items := make([]any, n)
		for i, item := range unsafe.Slice((*value)(v.memory()), n) {
			items[i] = item.any()
		}
		return items
	}
	return nil
}

// ---- by name

// Call calls an operator by the name and the overload of its schema: Call("add", "Tensor", a, b, Named("alpha", 2)). Arguments are
// tensors, numbers, strings, nil, lists of them, and what this package names (DType, Device, ...); dtypes and devices may be strings.
// The last ones may be options. It returns all results: *Tensor, []*Tensor, bool, int, float64, DType.
func Call(name, overload string, arguments ...any) ([]any, error) {
	o, err := lookUp(name, overload)
	if err != nil {
		return nil, err
	}
	c := begin(o)
	defer c.end()
	position := 0
	for _, argument := range arguments {
		if option, ok := argument.(Option); ok {
			c.apply([]Option{option})
			continue
		}
		if position == o.count {
			return nil, newError(TypeError, "%s() takes %d arguments, and more were given", name, o.count)
		}
		c.box(position, o.keywords[position].kind, argument)
		position++
	}
	count, err := c.run()
	if err != nil {
		return nil, err
	}
	results := make([]any, count)
	for i := range results {
		results[i] = c.results[i].take()
	}
	return results, nil
}

// CallOne is Call for operators with one result, a tensor.
func CallOne(name, overload string, arguments ...any) (*Tensor, error) {
	results, err := Call(name, overload, arguments...)
	if err != nil {
		return nil, err
	}
	if len(results) == 1 {
		if t, ok := results[0].(*Tensor); ok {
			return t, nil
		}
	}
	return nil, newError(TypeError, "%s() does not return one tensor", name)
}

var known sync.Map // the operators that Call has looked up, by name and overload

// lookUp reads an operator's arguments from the library; all of them are keywords.
func lookUp(name, overload string) (*operator, error) {
	key := name + "." + overload
	if found, ok := known.Load(key); ok {
		return found.(*operator), nil
	}
	o := &operator{name: name, overload: overload}
	handle, err := o.find()
	if err != nil {
		return nil, err
	}
	if err := o.describe((*C.mt_op)(handle)); err != nil {
		return nil, err
	}
	known.Store(key, o)
	return o, nil
}

func (o *operator) describe(op *C.mt_op) error {
	info := C.mt_op_info{struct_size: C.sizeof_mt_op_info}
	if err := check(C.mt_op_get_info(op, &info)); err != nil {
		return err
	}
	o.count = int(info.n_args)
	for i := 0; i < o.count; i++ {
		about := C.mt_arg_info{struct_size: C.sizeof_mt_arg_info}
		if err := check(C.mt_op_get_arg(op, C.int32_t(i), &about)); err != nil {
			return err
		}
		kind, ok := kindsByName[plainType(C.GoString(about._type))]
		if !ok {
			return newError(NotImplementedError, "%s has an argument of type %s", o.name, C.GoString(about._type))
		}
		o.keywords = append(o.keywords, keyword{name: C.GoString(about.name), position: i, kind: kind})
	}
	return nil
}

// plainType is a schema's type without what makes it optional and without the length of a list: "int[2]?" is "int[]".
func plainType(text string) string {
	text = strings.TrimSuffix(text, "?")
	if open := strings.IndexByte(text, '['); open >= 0 {
		return text[:open] + "[]"
	}
	return text
}
