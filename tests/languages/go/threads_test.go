package tests

import (
	"math"
	"sync"
	"sync/atomic"
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

// The number of a product is odd during the product. It is the same before and after a step of this goroutine only if the step was
// during one product.
func TestOtherGoroutinesGoOnDuringAProduct(t *testing.T) {
	x := value[*mt.Tensor](t)(mt.Rand([]int{1000, 1000}))
	var number, stopped int32
	done := make(chan error)
	go func() {
		var err error
		for k := 0; k < 2000 && err == nil && atomic.LoadInt32(&stopped) == 0; k++ {
			atomic.AddInt32(&number, 1)
			var product *mt.Tensor
			product, err = x.Mm(x)
			atomic.AddInt32(&number, 1)
			product.Close()
		}
		done <- err
	}()
	for seen := 0; seen < 10; {
		before := atomic.LoadInt32(&number)
		select {
		case err := <-done:
			t.Fatalf("%d steps were during one of 2000 products; error %v", seen, err)
		case <-time.After(100 * time.Microsecond):
			if before%2 == 1 && atomic.LoadInt32(&number) == before {
				seen++
			}
		}
	}
	atomic.StoreInt32(&stopped, 1)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
