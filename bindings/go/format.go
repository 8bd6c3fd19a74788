package mindtorch

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	printedElements = 1000 // a tensor with more is shortened
	printedEdge     = 3    // to this many at each end of a dimension
)

// String shows the elements, shortened for large tensors, the shape and the dtype:
//
//	tensor([[1, 2],
//	        [3, 4.5]], shape=[2 2], dtype=float32)
func (t *Tensor) String() string {
	if t == nil {
		return "tensor(nil)"
	}
	if _, err := t.c(); err != nil {
		return "tensor(closed)"
	}
	facts := fmt.Sprintf("shape=%v, dtype=%v", t.Shape(), t.DType())
	if device := t.Device(); device.Type != CPU.Type {
		facts += fmt.Sprintf(", device=%v", device)
	}
	if t.RequiresGrad() {
		facts += ", requires_grad"
	}
	element, err := t.element()
	if err != nil {
		return "tensor(..., " + facts + ")"
	}
	text := nested(element, 0, t.Len(), t.Shape(), t.Len() > printedElements, len("tensor("))
	return "tensor(" + text + ", " + facts + ")"
}

// element is a function that formats the element at an index.
func (t *Tensor) element() (text func(i int) string, err error) {
	defer Recover(&err)
	scope := NewScope()
	defer scope.Close()
	switch dtype := t.DType(); {
	case dtype.IsComplex():
		numbers := Must(Slice[complex128](scope.Must(t.ToDtype(Complex128))))
		return func(i int) string { return strings.Trim(strconv.FormatComplex(numbers[i], 'g', 5, 128), "()") }, nil
	case dtype.IsFloatingPoint():
		numbers := Must(t.Float64s())
		return func(i int) string { return strconv.FormatFloat(numbers[i], 'g', 5, 64) }, nil
	case dtype == Bool:
		bools := Must(Slice[bool](t))
		return func(i int) string { return strconv.FormatBool(bools[i]) }, nil
	case dtype == Uint64:
		numbers := Must(Slice[uint64](t))
		return func(i int) string { return strconv.FormatUint(numbers[i], 10) }, nil
	}
	numbers := Must(Slice[int64](scope.Must(t.ToDtype(Int64))))
	return func(i int) string { return strconv.FormatInt(numbers[i], 10) }, nil
}

// nested puts brackets around each dimension of `count` elements from `start`; rows below the first are indented to stand under it.
func nested(element func(i int) string, start, count int, shape []int, shortened bool, indent int) string {
	if len(shape) == 0 {
		return element(start)
	}
	size := shape[0]
	if size == 0 {
		return "[]"
	}
	step := count / size
	var parts []string
	for i := 0; i < size; i++ {
		if shortened && size > 2*printedEdge && i == printedEdge {
			parts = append(parts, "...")
			i = size - printedEdge
		}
		parts = append(parts, nested(element, start+i*step, step, shape[1:], shortened, indent+1))
	}
	between := ", "
	if len(shape) > 1 {
		between = "," + strings.Repeat("\n", len(shape)-1) + strings.Repeat(" ", indent+1)
	}
	return "[" + strings.Join(parts, between) + "]"
}
