package tests

import (
	"testing"

	mt "mindtorch.org/mindtorch"
)

func TestDroppedTensorsStayUnder600MB(t *testing.T) {
	wantPeak(t, 600e6, func() {
		for i := 0; i < 200; i++ {
			if _, err := mt.Ones([]int{10_000_000}); err != nil { // 40 MB
				t.Fatal(err)
			}
		}
	})
}

func TestDroppedViewsAndGraphsStayUnder600MB(t *testing.T) {
	wantPeak(t, 600e6, func() {
		one := value[*mt.Tensor](t)
		for i := 0; i < 100; i++ {
			one(one(mt.Ones([]int{10_000_000})).Slice(mt.WithStart(1)))
		}
		for i := 0; i < 50; i++ {
			x := one(mt.Ones([]int{10_000_000}))
			mt.Check(x.SetRequiresGrad(true))
			one(one(x.Exp()).Sum())
		}
	})
}

func TestDroppedIntermediatesOfSmallTensorsAreCollected(t *testing.T) {
	wantPeak(t, 600e6, func() {
		x := value[*mt.Tensor](t)(mt.Ones([]int{100_000})) // 400 kB
		for i := 0; i < 5000; i++ {
			if _, err := x.AddScalar(1); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestCloseFreesAtOnceAndLaterUsesAreErrors(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.Ones([]int{1_000_000}))
	before := mt.AllocatedBytes()
	x.Close()
	x.Close()
	if freed := before - mt.AllocatedBytes(); freed < 4_000_000 { // the collector may free other tensors meanwhile
		t.Errorf("closing a tensor of 4 MB freed %d bytes", freed)
	}
	_, err := x.Neg()
	wantError(t, err, mt.ValueError, "the tensor is closed")
	if text := x.String(); text != "tensor(closed)" {
		t.Error(text)
	}
}

func TestScopeClosesWhatItHolds(t *testing.T) {
	scope := mt.NewScope()
	x := scope.Must(mt.Ones([]int{3}))
	kept := scope.Keep(scope.Must(x.MulScalar(2)))
	scope.Close()
	if _, err := x.Neg(); err == nil {
		t.Error("the scope's tensor is open")
	}
	wantElements(t, kept, 2, 2, 2)
}

func TestViewsKeepTheMemoryOfClosedTensors(t *testing.T) {
	x := floats(t, []float32{1, 2, 3, 4}, 2, 2)
	row := value[*mt.Tensor](t)(x.Select(0, 1))
	x.Close()
	wantElements(t, row, 3, 4)
}
