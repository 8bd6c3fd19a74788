package tests

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	mt "mindtorch.org/mindtorch"
)

func roundTrip[T mt.Element](t *testing.T, dtype mt.DType, elements ...T) {
	t.Helper()
	x := value[*mt.Tensor](t)(mt.FromSlice(elements))
	if x.DType() != dtype {
		t.Errorf("%T has dtype %v, want %v", elements, x.DType(), dtype)
	}
	got := value[[]T](t)(mt.Slice[T](x))
	if len(got) != len(elements) {
		t.Fatalf("%v came back as %v", elements, got)
	}
	for i := range got {
		if got[i] != elements[i] {
			t.Errorf("%v came back as %v", elements, got)
		}
	}
}

func TestSlicesOfEveryTypeComeBack(t *testing.T) {
	roundTrip(t, mt.Bool, true, false, true)
	roundTrip[uint8](t, mt.Uint8, 0, 255)
	roundTrip[int8](t, mt.Int8, -128, 127)
	roundTrip[int16](t, mt.Int16, math.MinInt16, math.MaxInt16)
	roundTrip[int32](t, mt.Int32, math.MinInt32, math.MaxInt32)
	roundTrip[int64](t, mt.Int64, math.MinInt64, math.MaxInt64)
	roundTrip(t, mt.Int64, math.MinInt, math.MaxInt)
	roundTrip[uint16](t, mt.Uint16, 0, math.MaxUint16)
	roundTrip[uint32](t, mt.Uint32, 0, math.MaxUint32)
	roundTrip[uint64](t, mt.Uint64, 0, math.MaxUint64)
	roundTrip[float32](t, mt.Float32, -1.5, math.MaxFloat32)
	roundTrip(t, mt.Float64, -1.5, math.Pi)
	roundTrip[complex64](t, mt.Complex64, 1+2i, -3i)
	roundTrip(t, mt.Complex128, 1+2i, -3i)
}

// torch.tensor([1.5, 2.25, -0.1]).bfloat16().view(torch.int16), and half().
func TestHalfTypesAreBits(t *testing.T) {
	brain := value[*mt.Tensor](t)(mt.FromRaw([]uint16{16320, 16400, 0xbdcd}, mt.BFloat16, 3))
	wantElements(t, brain, 1.5, 2.25, -0.10009765625)
	half := value[*mt.Tensor](t)(floats(t, []float32{1.5, 2.25, -0.1}).ToDtype(mt.Float16))
	bits := value[[]uint16](t)(mt.Slice[uint16](half))
	if bits[0] != 15872 || bits[1] != 16512 || bits[2] != 0xae66 {
		t.Errorf("the bits are %v", bits)
	}
	sum := value[*mt.Tensor](t)(brain.Add(brain))
	if sum.DType() != mt.BFloat16 {
		t.Error(sum.DType())
	}
	wantElements(t, sum, 3, 4.5, -0.2001953125)
}

// torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool).tolist()
func TestAnyByteBut0IsATrueBool(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.FromRaw([]uint8{0, 1, 2, 255}, mt.Bool, 4))
	copied := make([]bool, 4)
	if err := mt.CopyTo(x, copied); err != nil {
		t.Fatal(err)
	}
	for _, bools := range [][]bool{value[[]bool](t)(mt.Slice[bool](x)), copied} {
		for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(&bools[0])), 4) {
			if want := []byte{0, 1, 1, 1}[i]; b != want {
				t.Errorf("bool %d is the byte %d, want %d", i, b, want)
			}
		}
	}
}

func TestTensorsWithoutDimensionsAndWithoutElements(t *testing.T) {
	number := value[*mt.Tensor](t)(mt.FromScalar(2.5))
	wantInts(t, number.Shape())
	if item, err := number.Item(); err != nil || item != 2.5 {
		t.Error(item, err)
	}
	empty := value[*mt.Tensor](t)(mt.FromSlice([]float32{}, 0, 3))
	wantInts(t, empty.Shape(), 0, 3)
	if list := value[[]float32](t)(mt.Slice[float32](empty)); len(list) != 0 {
		t.Error(list)
	}
	wantElements(t, value[*mt.Tensor](t)(empty.SumDimIntList(mt.WithDim(0))), 0, 0, 0)
	_, err := empty.Item()
	wantError(t, err, mt.RuntimeError, "a Tensor with 0 elements cannot be converted to Scalar")
}

// x = torch.arange(6.).reshape(2, 3); x.t()[1:]
func TestViewsHaveStridesAndAreReadInOrder(t *testing.T) {
	x := floats(t, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	view := value[*mt.Tensor](t)(value[*mt.Tensor](t)(x.T()).Slice(mt.WithStart(1)))
	wantInts(t, view.Shape(), 2, 2)
	wantInts(t, view.Strides(), 1, 3)
	if view.IsContiguous() {
		t.Error("a transposed slice is contiguous")
	}
	wantElements(t, view, 1, 4, 2, 5)
	wantElements(t, value[*mt.Tensor](t)(x.Expand([]int{2, 2, 3})), 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5)
}

func TestConjugatedViewsAreReadResolved(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.FromSlice([]complex64{1 + 2i, 3 - 4i}))
	conjugated := value[[]complex64](t)(mt.Slice[complex64](value[*mt.Tensor](t)(x.Conj())))
	if conjugated[0] != 1-2i || conjugated[1] != 3+4i {
		t.Error(conjugated)
	}
}

func TestCopyToAndCopyFromCheckLengths(t *testing.T) {
	x := floats(t, []float32{1, 2, 3})
	list := make([]float32, 3)
	if err := mt.CopyTo(x, list); err != nil || list[2] != 3 {
		t.Error(list, err)
	}
	wantError(t, mt.CopyTo(x, make([]float32, 2)), mt.ValueError, "the tensor has 3 elements, and the slice 2")
	wantError(t, mt.CopyTo(x, make([]float64, 3)), mt.TypeError, "the elements are float32, not float64")
	if err := mt.CopyFrom(x, []float64{7, 8, 9}); err != nil {
		t.Error(err)
	}
	wantElements(t, x, 7, 8, 9)
}

func TestShapesMustFitTheElements(t *testing.T) {
	_, err := mt.FromSlice([]float32{1, 2, 3}, 2, 2)
	wantError(t, err, mt.RuntimeError, "the shape [2 2] does not fit 3 elements")
	_, err = mt.FromSlice([]float32{1, 2}, -1, -2)
	wantError(t, err, mt.RuntimeError, "a size of the shape [-1 -2] is negative")
	_, err = mt.FromSlice([]float32{}, math.MaxInt/2, math.MaxInt/2)
	if err == nil {
		t.Error("an enormous shape was accepted for no elements")
	}
	_, err = mt.FromRaw([]uint8{1, 2}, mt.BFloat16, 2)
	wantError(t, err, mt.TypeError, "bfloat16 has elements of 2 bytes, not of 1 as uint8")
}

func TestPrintingShowsElementsShapeAndDtype(t *testing.T) {
	for _, row := range []struct {
		tensor *mt.Tensor
		text   string
	}{
		{floats(t, []float32{1, 2, 3, 4.5}, 2, 2), "tensor([[1, 2],\n        [3, 4.5]], shape=[2 2], dtype=float32)"},
		{value[*mt.Tensor](t)(mt.FromScalar(true)), "tensor(true, shape=[], dtype=bool)"},
		{value[*mt.Tensor](t)(mt.FromSlice([]int64{math.MaxInt64})), "tensor([9223372036854775807], shape=[1], dtype=int64)"},
		{value[*mt.Tensor](t)(mt.Zeros([]int{2, 0})), "tensor([[],\n        []], shape=[2 0], dtype=float32)"},
		{value[*mt.Tensor](t)(mt.Arange(2000)), "tensor([0, 1, 2, ..., 1997, 1998, 1999], shape=[2000], dtype=int64)"},
		{value[*mt.Tensor](t)(mt.FromSlice([]complex64{1 - 2i})), "tensor([1-2i], shape=[1], dtype=complex64)"},
	} {
		if text := row.tensor.String(); text != row.text {
			t.Errorf("%s, want %s", text, row.text)
		}
	}
}

func TestErrorsHaveTorchsTexts(t *testing.T) {
	x := floats(t, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	_, err := x.Add(floats(t, []float32{1, 1}))
	wantError(t, err, mt.RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1")
	_, err = x.Unsqueeze(7)
	wantError(t, err, mt.IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 7)")
	_, err = x.Mm(x)
	wantError(t, err, mt.RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")
	_, err = x.View([]int{4})
	wantError(t, err, mt.RuntimeError, "shape '[4]' is invalid for input of size 6")
	_, err = value[*mt.Tensor](t)(mt.Zeros([]int{2, 2})).LinalgInv()
	wantError(t, err, "LinAlgError", "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular.")
	_, err = mt.ParseDevice("nonsense")
	if !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
	if errors.Is(err, mt.IndexError) {
		t.Error("an error is of two kinds")
	}
}

func TestNilTensorsAreErrors(t *testing.T) {
	x := floats(t, []float32{1})
	_, err := x.Add(nil)
	wantError(t, err, mt.TypeError, "the tensor is nil")
	_, err = mt.Cat([]*mt.Tensor{x, nil})
	wantError(t, err, mt.TypeError, "the tensor is nil")
	var none *mt.Tensor
	none.Close()
	_, err = none.Neg()
	wantError(t, err, mt.TypeError, "the tensor is nil")
}

func TestANilStorageIsAnError(t *testing.T) {
	_, err := mt.Call("set_", "source_Storage", floats(t, []float32{1}), (*mt.Storage)(nil))
	wantError(t, err, mt.TypeError, "the storage is nil")
}

func TestMustPanicsAndRecoverCatches(t *testing.T) {
	fails := func() (err error) {
		defer mt.Recover(&err)
		mt.Must(floats(t, []float32{1}).Squeeze())
		mt.Must(mt.Zeros([]int{-1}))
		return nil
	}
	if err := fails(); !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
}
