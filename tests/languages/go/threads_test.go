package tests

import (
	"math"
	"sync"
	"testing"
	"time"

	mt "mindtorch.org/mindtorch"
)

// fit finds w in y = w * x by gradient descent, and returns it.
func fit(target float64) (found float64, err error) {
	defer mt.Recover(&err)
	x := mt.Must(mt.FromSlice([]float32{1, 2, 3, 4}))
	y := mt.Must(x.MulScalar(target))
	w := mt.Must(mt.Zeros(nil))
	mt.Check(w.SetRequiresGrad(true))
	for step := 0; step < 200; step++ {
		scope := mt.NewScope()
		loss := scope.Must(scope.Must(x.Mul(w)).MseLoss(y))
		mt.Check(loss.Backward())
		mt.Check(mt.NoGrad(func() error {
			mt.Must(w.AddInPlace(scope.Must(w.Grad()), mt.WithAlpha(-0.02)))
			return w.SetGrad(nil)
		}))
		scope.Close()
	}
	return w.Float()
}

func TestEightGoroutinesTrainSideBySide(t *testing.T) {
	var group sync.WaitGroup
	found, failures := [8]float64{}, [8]error{}
	for i := range found {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			found[i], failures[i] = fit(float64(i))
		}(i)
	}
	group.Wait()
	for i := range found {
		if failures[i] != nil || math.Abs(found[i]-float64(i)) > 1e-4 {
			t.Errorf("goroutine %d found %v, error %v", i, found[i], failures[i])
		}
	}
}

func TestOneTensorIsReadByEightGoroutines(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.Ones([]int{1000}))
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := 0; k < 200; k++ {
				y, err := x.Sum()
				if err != nil {
					t.Error(err)
					return
				}
				if sum, err := y.Float(); err != nil || sum != 1000 {
					t.Error(sum, err)
				}
			}
		}()
	}
	group.Wait()
}

func TestOtherGoroutinesGoOnDuringALongProduct(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.Rand([]int{3000, 3000}))
	done := make(chan error)
	begun := time.Now()
	go func() {
		_, err := x.Mm(x)
		done <- err
	}()
	ticks := 0
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); ticks < int(took/(20*time.Millisecond)) {
				t.Errorf("%d ticks in %v", ticks, took)
			} else {
				t.Logf("%d ticks in %v", ticks, took)
			}
			return
		case <-time.After(time.Millisecond):
			ticks++
		}
	}
}
